"""Converts expressions to cubes, one part of an expression after another.

`Grounder.split` creates disjoint cubes, by building a decision tree over everything that an expression reads. If only
the union of the cubes matters, this tree has far more leaves than necessary. Therefore, `cubes_of` concatenates the
cubes of the parts of `any`. If each cube becomes a move, the cubes must be disjoint. In this case, `cases_of` builds
the same tree as `Grounder.split`, but when a part causes a case split, the function does not evaluate the earlier parts
again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple, TypeAlias

from fewest.grounding.grounder import (
    MAX_CONDITION_STEPS,
    STEPS_BEFORE_SAMPLE,
    STEPS_BETWEEN_SAMPLES,
    Branch,
    Grounder,
    TooManyCasesError,
    part_sizes,
)
from fewest.grounding.partial import PartialState, partial
from fewest.grounding.view import PartialView, UndecidedError
from fewest.model.answer import counted
from fewest.model.expression import MAX_STEPS, Expression, ExpressionError, Formula, Junction, Test
from fewest.model.rules import Names

_ANYWHERE = partial()


_Path: TypeAlias = "tuple[tuple[list[Formula], int, bool], ...]"
"""For each junction around a test, its parts, the index of the current part, and whether it is a conjunction."""


class _Node(NamedTuple):
    """A node of the decision tree of a formula: a branch, the next test there, and the junctions around the test;
    `test` is None if the formula is true in the whole cube of the branch.
    """

    path: _Path
    branch: Branch
    test: Test | None


class _Narrowed(NamedTuple):
    """The states in which the first parts of a conjunction are true, the other parts, and the number of cases in which
    one of the first parts is false.
    """

    at: PartialState
    rest: list[Formula]
    num_left_out: int


class _ManyPartsError(Exception):
    """Raised if an expression has more parts than a single evaluation may visit (`MAX_STEPS`)."""


class _Parts:
    """Computes the cubes of one expression. Its methods raise _ManyPartsError if the expression has more parts than a
    single evaluation may visit.
    """

    def __init__(self, grounder: Grounder) -> None:
        self.grounder = grounder
        self.left = MAX_STEPS

    def take(self, formula: Formula) -> Iterator[Formula]:
        assert not isinstance(formula, Test), "a test has no parts"
        for part in formula.parts:
            self.left -= 1
            if self.left < 0:
                raise _ManyPartsError
            yield part

    def union(self, formula: Formula) -> list[PartialState]:
        """Cubes that together contain exactly the states in which a formula is true."""
        grounder = self.grounder
        if isinstance(formula, Test):
            if formula.rule is not None and not formula.is_negated:
                return list(grounder.cases_of(formula.rule))
            return [cube for value, cube in grounder.split(formula.holds) if value]
        if formula.is_all:
            options: list[list[PartialState]] = []
            for part in self.take(formula):
                if options and isinstance(part, Test) and self._is_decided(part, options[-1][0]):
                    options[-1] = self._within(part, options[-1])
                    if not options[-1]:
                        return []
                    continue
                found = self.union(part)
                if not found:
                    return []
                if _ANYWHERE not in found:
                    options.append(found)
            return grounder.product(options)
        union: dict[PartialState, None] = {}
        sizes: list[int] = []
        for part in self.take(formula):
            found = self.union(part)
            sizes.append(len(found))
            union.update(dict.fromkeys(found))
            if _ANYWHERE in union:
                return [_ANYWHERE]
            if grounder.are_too_many(len(union)):
                grounder.refuse_cases(f"which come from {part_sizes(sizes)}")
        return list(union)

    def _is_decided(self, test: Test, cube: PartialState) -> bool:
        """Whether a test, which is not `can(RULE)` or the value of a variable, has the same result in all states of a
        cube.
        """
        if test.rule is not None or test.value is not None:
            return False
        try:
            test.holds(PartialView(self.grounder, cube))
        except UndecidedError:
            return False
        return True

    def _within(self, test: Test, cubes: list[PartialState]) -> list[PartialState]:
        """Cubes that together contain exactly the states of some cubes in which a test is true."""
        grounder, found = self.grounder, list[PartialState]()
        for cube in cubes:
            found += [case for value, case in grounder.split(test.holds, cube) if value]
            if grounder.are_too_many(len(found)):
                grounder.refuse_cases(f"which refine {counted(len(cubes), 'cases')}")
        return found

    def lists(self, formula: Formula) -> list[list[PartialState]]:
        """Lists of cubes; the formula is true in exactly those states that are in at least one cube of every list."""
        if isinstance(formula, Test):
            is_other = formula.rule is not None and formula.is_negated
            return self._unable(formula) if is_other else [self.union(formula)]
        if not formula.is_all:
            return [self.union(formula)]
        found: list[list[PartialState]] = []
        for part in self.take(formula):
            found += self.lists(part)
            if found and not found[-1]:
                return [[]]
        return found

    def _unable(self, test: Test) -> list[list[PartialState]]:
        """The lists of `not can(RULE)`: a single list if it has few cubes. Otherwise, there is a list for each case of
        the rule. Each cube of such a list contains the states in which one fact of the case has the opposite value.
        """
        grounder = self.grounder
        assert test.rule is not None, "the test is of a rule"
        try:
            with grounder.limited(MAX_CONDITION_STEPS):
                return [self.union(test)]
        except TooManyCasesError:
            return [
                [partial([], [f]) for f in sorted(case.positive)]
                + [partial([f]) for f in sorted(case.negative)]
                for case in grounder.cases_of(test.rule)
            ]

    def cases(self, formula: Formula, at: PartialState) -> Iterable[tuple[bool, PartialState]]:
        """Disjoint cubes that divide the consistent cube `at`, each with the truth value of the formula in it."""
        return (
            self._decided(formula, at) if isinstance(formula, Test) else self._joined(formula, at)
        )

    def _decided(self, test: Test, at: PartialState) -> list[tuple[bool, PartialState]]:
        grounder = self.grounder
        if test.value is not None:
            return grounder.split_by_value(*test.value(), at)
        if test.reads_state:
            return grounder.split(test.holds, at)
        grounder.step()
        grounder.spend()
        return [(test.holds(PartialView(grounder, at)), at)]

    def _joined(self, junction: Junction, at: PartialState) -> Iterator[tuple[bool, PartialState]]:
        is_all, parts = junction.is_all, list(self.take(junction))
        path = [iter([(is_all, at)])]  # the remaining cases of the parts that are being evaluated
        while path:
            for value, case in path[-1]:
                if value == is_all and len(path) <= len(parts):
                    path.append(iter(self.cases(parts[len(path) - 1], case)))
                    break
                yield value, case
            else:
                path.pop()

    def narrowed(self, formula: Formula, at: PartialState) -> _Narrowed | None:
        """The states of the consistent cube `at` in which the first parts of a conjunction are true, and the rest of
        the conjunction; None if there is no such state.

        The first parts are values of variables and tests that are the same in all states. For them, this takes a
        fraction of the time of `cases`, because it does not build the cases in which a part is false. It takes as many
        steps.
        """
        if isinstance(formula, Test) and formula.value is None and formula.reads_state:
            return _Narrowed(at, [formula], 0)
        grounder, view = self.grounder, PartialView(self.grounder, at)
        positive, negative = set(at.positive), set(at.negative)
        waiting, num_left_out = [formula], 0
        while waiting:
            part = waiting.pop()
            if isinstance(part, Junction):
                if part.is_all:
                    waiting += reversed([*self.take(part)])
                    continue
                rest = self._undecided(part, view)
                if not rest:
                    return None
                if len(rest) > 1:
                    waiting.append(Junction(False, rest))
                    break
                (part,) = rest
                if isinstance(part, Junction):
                    waiting.append(part)
                    continue
            if part.value is None:
                if part.reads_state:
                    waiting.append(part)
                    break
                grounder.step()
                grounder.spend()
                if not part.holds(view):
                    return None
                continue
            grounder.step()
            grounder.spend()
            slot, value, is_wanted = part.value()
            fact = grounder.value_fact(slot, value)
            truth = False if fact is None else grounder.truth_of(slot, fact, positive, negative)
            if truth is None:
                assert fact is not None
                grounder.spend(2)
                (positive if is_wanted else negative).add(fact)
                num_left_out += 1
            elif truth != is_wanted:
                return None
        rest_at = PartialState(frozenset(positive), frozenset(negative))
        return _Narrowed(rest_at, waiting[::-1], num_left_out)

    def _undecided(self, disjunction: Junction, view: PartialView) -> list[Formula]:
        """The parts of a disjunction, without first parts that are false in all states. If a first part is true in all
        states, the result is this part.
        """
        parts = [*self.take(disjunction)]
        for number, part in enumerate(parts):
            if isinstance(part, Junction) or part.reads_state or part.value is not None:
                return parts[number:]
            if part.holds(view):
                return [part]
            self.grounder.step()
            self.grounder.spend()
        return []

    def first(self, formula: Formula, at: PartialState) -> _Node | None:
        """The root of the decision tree of a formula on the states in `at`; None if the formula is false there."""
        return self._entered((), formula, at)

    def children(self, node: _Node) -> list[_Node] | None:
        """The children of a node; None for a case in which the formula is true. Cases in which it is false are not
        among the children.
        """
        test, grounder = node.test, self.grounder
        at = node.branch.possible_state(grounder, is_known=True)
        if at is None:
            return []
        if test is None:
            return None
        if test.value is not None or not test.reads_state:
            found = [self._after(node.path, value, case) for value, case in self._decided(test, at)]
            return [child for child in found if child is not None]
        view = PartialView(grounder, at, node.branch.begun)
        try:
            value = test.holds(view)
        except UndecidedError as needed:
            alternatives, begun = reversed(needed.alternatives), needed.begun
            return [node._replace(branch=Branch(view, each, begun)) for each in alternatives]
        child = self._after(node.path, value, at)
        return [] if child is None else [child]

    def _entered(self, path: _Path, formula: Formula, at: PartialState) -> _Node | None:
        """The node of the first test of a formula."""
        while not isinstance(formula, Test):
            parts = list(self.take(formula))
            if not parts:
                return self._after(path, formula.is_all, at)
            path = (*path, (parts, 0, formula.is_all))
            formula = parts[0]
        return _Node(path, self.grounder.root(at), formula)

    def _after(self, path: _Path, value: bool, at: PartialState) -> _Node | None:
        """The node that follows a part with this truth value; None if the whole formula is false."""
        while path:
            *above, (parts, index, is_all) = path
            path = (*above,)
            if value == is_all and index + 1 < len(parts):
                return self._entered((*path, (parts, index + 1, is_all)), parts[index + 1], at)
        return _Node((), self.grounder.root(at), None) if value else None


def cubes_of(expression: Expression, names: Names, grounder: Grounder) -> list[PartialState]:
    """Cubes that together contain exactly the states in which an expression is true.

    Raises DocumentError if the expression has no value in some state, or needs too many cubes (if the grounder has a
    budget, the error is a TooManyCasesError).
    """
    try:
        formula = expression.formula(names, PartialView(grounder, _ANYWHERE))
        return _Parts(grounder).union(formula)
    except (UndecidedError, ExpressionError, _ManyPartsError):
        # A part may have no value in states where an earlier part decides the expression. The values of a loop may also
        # depend on the state.
        found = grounder.split(lambda view: bool(expression.evaluate(names, view)))
        return [cube for value, cube in found if value]


def lists_of(expression: Expression, names: Names, grounder: Grounder) -> list[list[PartialState]]:
    """Lists of cubes; an expression is true in exactly those states that are in at least one cube of every list. Raises
    the same errors as `cubes_of`.
    """
    try:
        formula = expression.formula(names, PartialView(grounder, _ANYWHERE))
        return _Parts(grounder).lists(formula)
    except (UndecidedError, ExpressionError, _ManyPartsError):
        return [cubes_of(expression, names, grounder)]


def negation_of(
    expression: Expression, names: Names, grounder: Grounder
) -> list[PartialState] | None:
    """Cubes that together contain exactly the states in which an expression with too many cases is false. The result is
    None if there are too many cubes or parts, if the expression may have no value, or if the values of a loop depend on
    the state.
    """
    try:
        with grounder.limited(MAX_CONDITION_STEPS):
            formula = expression.formula(names, PartialView(grounder, _ANYWHERE))
            if isinstance(formula, Test) and formula.rule is None:
                return None  # the division of a single test has the same cases for both results
            return _Parts(grounder).union(_negated(formula))
    except (UndecidedError, ExpressionError, _ManyPartsError, TooManyCasesError):
        return None


def _negated(formula: Formula) -> Formula:
    """The formula that is true exactly where another formula is false."""
    if isinstance(formula, Test):
        return formula.negated()
    return Junction(not formula.is_all, [_negated(part) for part in formula.parts])


def _check_size(formula: Formula, at: PartialState, grounder: Grounder, num_steps: int) -> None:
    """See `Grounder.check_size`."""
    parts = _Parts(grounder)
    root = parts.first(formula, at)
    if root is not None:
        grounder.check_size(parts.children, root, lambda node: node.branch.state, num_steps)


def cases_of(
    expression: Expression, names: Names, grounder: Grounder, at: PartialState
) -> list[PartialState]:
    """Disjoint cubes that together contain exactly the states of `at` in which an expression is true.

    Raises DocumentError if the expression has no value in some state of `at`, or needs too many cases
    (if the grounder has a budget, the error is a TooManyCasesError).
    """
    cases: list[PartialState] = []
    try:
        if not grounder.is_consistent(at):
            raise UndecidedError([])
        parts = _Parts(grounder)
        found = parts.narrowed(expression.formula(names, PartialView(grounder, at)), at)
        if found is None:
            return []
        if not found.rest:
            return [found.at]
        formula = found.rest[0] if len(found.rest) == 1 else Junction(True, found.rest)
        next_sample = STEPS_BEFORE_SAMPLE
        cases_of_rest = parts.cases(formula, found.at)
        for number, (value, case) in enumerate(cases_of_rest, 1 + found.num_left_out):
            if number >= next_sample:
                next_sample *= STEPS_BETWEEN_SAMPLES
                _check_size(formula, found.at, grounder, number)
            if value:
                cases.append(case)
                if grounder.are_too_many(len(cases)):
                    grounder.refuse_cases(grounder.dependence(cases))
    except (UndecidedError, ExpressionError, _ManyPartsError):
        # the tree of the whole expression replaces all cases of its parts
        whole = grounder.split(lambda view: bool(expression.evaluate(names, view)), at)
        return [cube for value, cube in whole if value]
    return cases
