"""Expressions as cubes: the parts of an expression are decided one by one.

`Grounder.split` makes disjoint cubes: a decision tree over everything that an expression reads. If only the union of
the cubes matters, that is far more than necessary. So `cubes_of` concatenates the cubes of the n parts of `any`. If
the cubes must be disjoint, because each becomes a move, `cases_of` makes the tree of `Grounder.split`, but a
question of one part does not evaluate the other parts again.
"""

from __future__ import annotations

from collections.abc import Iterator

from fewest.grounding.grounder import Grounder
from fewest.grounding.partial import PartialState, partial
from fewest.grounding.view import PartialView, UndecidedError
from fewest.model.expression import MAX_STEPS, Expression, ExpressionError, Formula, Test
from fewest.model.rules import Names

_ANYWHERE = partial()


class _ManyPartsError(Exception):
    """There are more parts than an evaluation could visit: it counts steps."""


class _Parts:
    """The parts of one expression, at most as many as an evaluation may visit."""

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
        """Cubes; their union is the set of states in which a formula is true."""
        grounder = self.grounder
        if isinstance(formula, Test):
            return [cube for value, cube in grounder.split(formula.holds) if value]
        if formula.is_all:
            options: list[list[PartialState]] = []
            for part in self.take(formula):
                found = self.union(part)
                if not found:
                    return []
                if _ANYWHERE not in found:
                    options.append(found)
            return grounder.product(options)
        union: dict[PartialState, None] = {}
        for part in self.take(formula):
            union.update(dict.fromkeys(self.union(part)))
            if _ANYWHERE in union:
                return [_ANYWHERE]
            grounder.check_cases(len(union))
        return list(union)

    def lists(self, formula: Formula) -> list[list[PartialState]]:
        """Lists of cubes: a formula is true where a state is in some cube of each list."""
        if isinstance(formula, Test) or not formula.is_all:
            return [self.union(formula)]
        found: list[list[PartialState]] = []
        for part in self.take(formula):
            found += self.lists(part)
            if found and not found[-1]:
                return [[]]
        return found

    def cases(self, formula: Formula, at: PartialState) -> Iterator[tuple[bool, PartialState]]:
        """Disjoint cubes within another one, and whether the formula is true there."""
        if isinstance(formula, Test):
            yield from self.grounder.split(formula.holds, at)
            return
        is_all, parts = formula.is_all, list(self.take(formula))
        path = [iter([(is_all, at)])]  # the remaining cases of each part on the path
        while path:
            for value, case in path[-1]:
                if value == is_all and len(path) <= len(parts):
                    path.append(iter(self.cases(parts[len(path) - 1], case)))
                    break
                yield value, case
            else:
                path.pop()


def cubes_of(expression: Expression, names: Names, grounder: Grounder) -> list[PartialState]:
    """Cubes; their union is the set of states in which an expression is true.

    Raises DocumentError for an expression without a value in some state, or with too many cubes.
    """
    try:
        formula = expression.formula(names, PartialView(grounder, _ANYWHERE))
        return _Parts(grounder).union(formula)
    except (UndecidedError, ExpressionError, _ManyPartsError):
        # A part may have no value if an earlier part already decides, or if a loop depends on the state.
        found = grounder.split(lambda view: bool(expression.evaluate(names, view)))
        return [cube for value, cube in found if value]


def lists_of(expression: Expression, names: Names, grounder: Grounder) -> list[list[PartialState]]:
    """Lists of cubes: an expression is true where a state is in some cube of each list. Raises as `cubes_of` does."""
    try:
        formula = expression.formula(names, PartialView(grounder, _ANYWHERE))
        return _Parts(grounder).lists(formula)
    except (UndecidedError, ExpressionError, _ManyPartsError):
        return [cubes_of(expression, names, grounder)]


def cases_of(
    expression: Expression, names: Names, grounder: Grounder, at: PartialState
) -> list[PartialState]:
    """Disjoint cubes in which an expression is true, within another one.

    Raises DocumentError for an expression without a value in some state there, or with too many cases.
    """
    cases: list[PartialState] = []
    try:
        formula = expression.formula(names, PartialView(grounder, at))
        for value, case in _Parts(grounder).cases(formula, at):
            if value:
                cases.append(case)
                grounder.check_cases(len(cases))
    except (UndecidedError, ExpressionError, _ManyPartsError):
        # All cases of the one tree, without any cases of the parts.
        found = grounder.split(lambda view: bool(expression.evaluate(names, view)), at)
        return [cube for value, cube in found if value]
    return cases
