"""The operators over provisional facts, collected rule by rule, and the cubes of conditions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from math import inf, isqrt
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from msgspec import Struct

from fewest.errors import Diagnostic
from fewest.grounding.facts import ProvisionalFacts
from fewest.grounding.partial import (
    Change,
    Draft,
    DraftEffect,
    DraftStage,
    PartialState,
    PermutationDraft,
    SetMove,
    partial,
)
from fewest.grounding.view import PartialView, UndecidedError
from fewest.model.answer import counted
from fewest.model.board import Direction
from fewest.model.puzzle import Puzzle
from fewest.model.rules import Together

if TYPE_CHECKING:
    from random import Random

    from fewest.grounding.anchors import Step
    from fewest.grounding.commands import Command
    from fewest.grounding.placements import PatternPlacements
    from fewest.grounding.rule_test_limit import RuleTestLimit
    from fewest.grounding.tree_size import TreeSize
    from fewest.model.expression import Expression
    from fewest.model.rules import Form, Guard, Names, Rule

MAX_OPERATORS = 200_000
MAX_CASES = 50_000
MAX_CONDITION_STEPS = 20_000
"""the limit on the steps for the cases of one `when` or `not can(...)` that can also be compiled in another form"""
STEPS_BEFORE_ESTIMATE = 500
"""after this number of steps, `Grounder.split` estimates the size of a decision tree that depends on tests of rules"""
STEPS_BEFORE_SAMPLE = 500
"""after this number of steps, a division into cases estimates the size of its decision tree"""
STEPS_BETWEEN_SAMPLES = 4
"""a factor: a division estimates the size after 500, 2,000, 8,000 … steps"""
MAX_NODES = 50_000_000
"""an estimate of more nodes than this counts as too many cases: visiting all nodes would take an hour"""
FAR_BEYOND = 2
"""an estimate that exceeds a limit by this factor counts as far beyond the limit"""
MAX_FLIPS = 64
"""the limit on the flips into which a move is divided; flips have inverses, and every engine supports them"""

T = TypeVar("T")
Watch = Callable[[int, str], None]
"""A function that is called repeatedly with the number of operators and the part of the document that is being
grounded. The function may raise an exception to stop the grounding.
"""

_STEPS_PER_WATCH = 256
_MANY_PAIRS = 256  # from this number of pairs, `product` looks only for pairs of compatible cubes
_FIRST_WIDTH = 16  # the number of nodes on a level that the first estimate visits
_MOST_SIZES = 3  # the maximum number of part sizes in a message


class Branch(Struct, frozen=True):
    """A child of a node of a decision tree: an alternative of a question that the view of the node does not answer,
    and the parts that were evaluated before the question.

    The state of the child is computed only if it is needed, because estimates visit few of the children.
    """

    view: PartialView
    alternative: tuple[Collection[int], Collection[int]] = ((), ())
    begun: object = None

    @property
    def state(self) -> PartialState:
        """The state of the child, which may be inconsistent."""
        at, (positive, negative) = self.view.at, self.alternative
        return PartialState(at.positive.union(positive), at.negative.union(negative))

    def possible_state(self, grounder: Grounder, is_known: bool) -> PartialState | None:
        """The state of the child; None if it is inconsistent.

        `is_known`: whether the state of the view is known to be consistent.
        """
        return grounder.possible_state(self.view, *self.alternative, is_known)


class _Limited:
    """See `Grounder.limited`. A generator with `contextmanager` would take three times as long."""

    def __init__(self, grounder: Grounder, steps: int) -> None:
        self.grounder = grounder
        self.steps = steps

    def __enter__(self) -> None:
        assert self.grounder.budget is None, "budgets are not nested"
        self.grounder.budget = self.steps

    def __exit__(self, *_: object) -> None:
        self.grounder.budget = None


class TooManyCasesError(Exception):
    """Raised if a division into cases exceeds a limit, and another form of compilation is possible."""


class ManyCasesError(Exception):
    """Raised if the assignments of a rule have more cases than the caller allows."""

    cases: Sequence[PartialState] | None = None
    """the cases of the condition of the rule, if they are known"""


class Grounder(ProvisionalFacts):
    """Provisional facts, and the operators collected so far."""

    def __init__(
        self, puzzle: Puzzle, watch: Watch | None = None, *, may_lack_pieces: bool = False
    ) -> None:
        super().__init__(puzzle, may_lack_pieces=may_lack_pieces)
        self.drafts: dict[Draft, None] = {}
        self.permutations: list[PermutationDraft] = []
        self.watch = watch
        self._steps = 0
        # The change of each operator, if moves have consequences.
        self.changes: dict[Draft, Change] = {}
        self.orders: list[Command] = []
        self.one_turn: dict[
            int, int
        ] = {}  # For each `once` stage, the fact that the sweep of this stage is still to come.
        self._placements: dict[int, PatternPlacements] = {}
        # Rules that have moves with endless consequences, each with the facts that are true before such a move.
        self.endless: dict[str, str] = {}
        # The errors of those expressions under `then` that have no value in some state.
        self.undefined: dict[Diagnostic, None] = {}
        self.effects: tuple[DraftStage, ...] = ()  # The effects that are not part of the operators.
        # The limit on the number of operators for each move that sets variables; beyond it, the move becomes a
        # simultaneous assignment.
        self.most_flips: float = inf
        # For each simultaneous assignment, the fact that is true while the assignment is in progress.
        self.pending: list[int] = []
        # The effects of simultaneous assignments.
        self.assigning: list[tuple[DraftEffect, ...]] = []
        self.set_moves: list[SetMove] = []  # The moves to divide once all rules are known.
        self.waits_for_pairs = False  # Whether moves may be stored in `set_moves`.
        self.never: Mapping[int, frozenset[int]] = {}
        """For some facts: the facts that are never true together with them in a reachable state."""
        self.most_condition_steps: int | None = None
        """the limit on the steps for the cases of one `when`; beyond it, effects test the `when` (None: no limit)"""
        self.late: dict[tuple[PartialState, ...], int] = {}
        """for the negation of each `when` that effects test, the fact that marks the operators with this `when`"""
        self.keeps_idle = False  # Whether moves that change nothing become operators.
        self.guard_cases: dict[
            tuple[int, int],
            tuple[Guard, Names, list[tuple[PartialState, dict[int, tuple[int, int]]]] | None],
        ] = {}
        """For pairs of a guard and its names (by their ids), the cases of the assignments; None instead of the cases if
        the assignments do not depend only on variables.
        """
        self.cases_of_consequences: dict[tuple[int, int], tuple[Guard, Names, Any]] = {}
        """For pairs of a guard and its names (by their ids), the result of `cases_at_sites.independent_cases`."""
        self.negations: dict[
            tuple[int, int], tuple[Expression, Names, list[PartialState] | None]
        ] = {}
        """For pairs of a `when` and its names (by their ids), the cubes of the negation, or None if there are too many;
        only for conditions with `can` that have too many cases at some place.
        """
        self.add_rule: Callable[[Rule, Grounder], None] | None = None
        """adds the operators of a rule to a grounder; `ground` sets this function"""
        self.budget: int | None = None  # The remaining steps before TooManyCasesError.

    def fresh(self) -> Grounder:
        """A new grounder for the same puzzle."""
        return Grounder(self.puzzle, self.watch, may_lack_pieces=self.may_lack_pieces)

    @cached_property
    def has_consequences(self) -> bool:
        """Whether moves have consequences, because there are rules under `then` or commands."""
        return bool(self.puzzle.then) or any(isinstance(r, Together) for r in self.puzzle.rules)

    @cached_property
    def stray(self) -> int:
        """A fact that becomes true if an expression of a rule under `then` has no value; states in which it is true are
        forbidden.
        """
        return self.add_hidden("(no value)")

    def placements(self, form: Form) -> PatternPlacements:
        """The placements of a form."""
        from fewest.grounding.placements import PatternPlacements

        # the entry keeps the form alive, so its id stays unique
        known = self._placements.get(id(form))
        if known is None:
            known = self._placements[id(form)] = PatternPlacements(form, self.board)
        return known

    def step(self) -> None:
        """Count a step, and call `watch` after every _STEPS_PER_WATCH steps. Every potentially long loop calls this
        method.
        """
        self._steps += 1
        if self.watch is not None and self._steps % _STEPS_PER_WATCH == 0:
            names = [name for name in self.part if isinstance(name, str)]
            self.watch(len(self.drafts), names[-1] if names else "")

    def spend(self, steps: int = 1) -> None:
        """Take `steps` from the budget, if there is a budget. Raises TooManyCasesError if the budget is exceeded."""
        if self.budget is not None:
            self.budget -= steps
            if self.budget < 0:
                raise TooManyCasesError

    def limited(self, steps: int) -> _Limited:
        """A context that has a budget of `steps`. Raises TooManyCasesError when the budget is exceeded."""
        return _Limited(self, steps)

    def initial_facts(self) -> Iterator[int]:
        """The facts of the start."""
        for piece in self.puzzle.pieces:
            fact = self.fact(piece.class_id, piece.anchor)
            assert fact is not None, "the compiler checked that every piece fits where it stands"
            yield fact
        for slot, variable in enumerate(self.puzzle.variables):
            yield self.value_fact_of(slot, variable.initial)

    # -- conditions ----------------------------------------------------------------------------------

    def product(self, options: list[list[PartialState]]) -> list[PartialState]:
        """The consistent cubes of a conjunction of disjunctions."""
        out = [partial([])]
        for option in sorted(options, key=len):
            merged: dict[PartialState, None] = {}
            compatible = None
            if len(out) * len(option) > _MANY_PAIRS:
                from fewest.grounding.compatible_cubes import CompatibleCubes

                compatible = CompatibleCubes(option, self)
            for left in out:
                self.step()
                for right in option if compatible is None else compatible.with_cube(left):
                    cube = PartialState(
                        left.positive | right.positive, left.negative | right.negative
                    )
                    if self.is_consistent(cube):
                        merged[cube] = None
                if self.are_too_many(len(merged)):
                    self.refuse_cases(f"which combine {part_sizes(map(len, options))}")
            out = list(merged)
        return out

    def split(
        self, decide: Callable[[PartialView], T], cube: PartialState | None = None
    ) -> list[tuple[T, PartialState]]:
        """The results of `decide` on disjoint refinements of `cube` (None: of all states), each with its refinement.
        The method keeps splitting a refinement as long as `decide` raises UndecidedError on it.
        """
        start = cube or partial([])
        is_known: bool | None = None  # whether `start` is consistent
        todo: list[tuple[PartialState, object]] = [(start, None)]
        out: list[tuple[T, PartialState]] = []
        limit, num_steps, next_sample = self.test_limit, 0, STEPS_BEFORE_SAMPLE
        while todo:
            current, begun = todo.pop()
            self.step()
            self.spend()
            num_steps += 1
            if num_steps == STEPS_BEFORE_ESTIMATE and limit is not None and limit.has_tests:
                self._check_estimate(decide, start, limit)
            if num_steps == next_sample:
                children = self._children_by(decide, start)
                self.check_size(children, self.root(start), _state_of, num_steps)
                next_sample *= STEPS_BETWEEN_SAMPLES
            view = PartialView(self, current, begun)
            try:
                value = decide(view)
            except UndecidedError as needed:
                if is_known is None:
                    is_known = self.is_consistent(start)
                todo += [
                    (refined, needed.begun) for refined in self._refined(view, needed, is_known)
                ]
                continue
            out.append((value, current))
            if self.are_too_many(len(out)):
                self.refuse_cases(self.dependence(case for _, case in out))
        return out

    def _refined(
        self, view: PartialView, needed: UndecidedError, is_known: bool
    ) -> list[PartialState]:
        """The consistent refinements of the state of a view, one for each alternative, the last alternative first.

        `is_known`: whether the state is known to be consistent.
        """
        states = [
            self.possible_state(view, positive, negative, is_known)
            for positive, negative in reversed(needed.alternatives)
        ]
        return [state for state in states if state is not None]

    def possible_state(
        self,
        view: PartialView,
        positive: Collection[int],
        negative: Collection[int],
        is_known: bool,
    ) -> PartialState | None:
        """The state of a view, refined by an alternative; None if it is inconsistent.

        `is_known`: whether the state of the view is known to be consistent.
        """
        at = view.at
        state = PartialState(at.positive.union(positive), at.negative.union(negative))
        if is_known and len(positive) <= 1 and at.positive.isdisjoint(positive):
            is_possible = self.is_possible(state, positive, negative, view.standing())
        else:
            is_possible = self.is_consistent(state)
        return state if is_possible else None

    def root(self, start: PartialState) -> Branch:
        """The root of a decision tree for the states in `start`."""
        return Branch(PartialView(self, start))

    def check_size(
        self,
        children: Callable[[T], Sequence[T] | None],
        root: T,
        state_of: Callable[[T], PartialState],
        num_steps: int,
    ) -> None:
        """Estimate the number of cases of a decision tree, and refuse the division like `refuse_cases` if this number
        is far beyond the limit. This takes a fraction of the time in which the division would reach the limit.

        `children` returns None for a case. `num_steps`: the number of steps that the division has taken so far.
        """
        from fewest.grounding.tree_size import size_beyond

        before = self.budget
        most = MAX_NODES if before is None else FAR_BEYOND * (before + num_steps)

        def is_beyond(size: TreeSize[T]) -> bool:
            return size.nodes > most or self.are_too_many(int(size.leaves) // FAR_BEYOND)

        # later estimates are more accurate, because they may take longer
        width = _FIRST_WIDTH * max(1, isqrt(num_steps // STEPS_BEFORE_SAMPLE))
        if before is not None:
            self.budget = MAX_NODES  # the estimate takes no steps from the budget
        try:
            size = size_beyond(is_beyond, root, children, width)
        finally:
            self.budget = before
        if size is not None:
            if before is not None:
                raise TooManyCasesError
            self.refuse_cases(self.dependence(map(state_of, size.found)))

    def size_beyond(
        self, decide: Callable[[PartialView], T], most: float
    ) -> TreeSize[Branch] | None:
        """The estimated size of the decision tree that `split` builds for all states, if the tree has far more than
        `most` results; otherwise None.
        """
        from fewest.grounding.tree_size import size_beyond

        everywhere = partial([])
        children = self._children_by(decide, everywhere)
        root = self.root(everywhere)
        return size_beyond(lambda size: size.leaves > most, root, children, _FIRST_WIDTH)

    def expected_results(self, decide: Callable[[PartialView], T], random: Random) -> float:
        """An estimate of the number of results of `split` that are not empty."""
        from fewest.grounding.tree_size import estimated_tree

        def children(node: Branch) -> list[Branch] | None:
            nodes = below(node)
            view = PartialView(self, node.state, node.begun)
            return [] if nodes is None and not decide(view) else nodes

        everywhere = partial([])
        below = self._children_by(decide, everywhere)
        return estimated_tree([self.root(everywhere)], children, _FIRST_WIDTH, random).leaves

    def _children_by(
        self, decide: Callable[[PartialView], T], start: PartialState
    ) -> Callable[[Branch], list[Branch] | None]:
        """The function that returns the children of a node in the decision tree that `split` builds; None if the node
        is a result. Some children may be inconsistent; they have no children, and are not results.
        """
        is_known = self.is_consistent(start)

        def children(node: Branch) -> list[Branch] | None:
            state = node.possible_state(self, is_known)
            if state is None:
                return []
            view = PartialView(self, state, node.begun)
            try:
                decide(view)
            except UndecidedError as needed:
                return [Branch(view, each, needed.begun) for each in reversed(needed.alternatives)]
            return None

        return children

    def _check_estimate(
        self, decide: Callable[[PartialView], T], start: PartialState, limit: RuleTestLimit
    ) -> None:
        """Estimate the steps and the tests of rules that `split` takes. If an estimate is far beyond the budget or the
        limit, raises TooManyCasesError (if there is a budget) or ManyRuleTestsError.
        """
        from fewest.grounding.rule_test_limit import ManyRuleTestsError, estimated_size

        used = limit.used
        children = self._children_by(decide, start)
        visited, expected = estimated_size(self.root(start), lambda node: children(node) or ())
        tests = (limit.used - used) / visited * expected
        if self.budget is not None and expected > FAR_BEYOND * (self.budget + 1):
            raise TooManyCasesError
        if tests > FAR_BEYOND * (limit.most - limit.used):
            raise ManyRuleTestsError if self.budget is None else TooManyCasesError

    def split_by_value(
        self, slot: int, value: object, is_wanted: bool, at: PartialState
    ) -> list[tuple[bool, PartialState]]:
        """Like `split`, but tests whether a variable has (or does not have) a value, without evaluating an expression.

        `at` must be consistent. Then both cases of an undecided test are consistent as well.
        """
        self.step()
        self.spend()
        fact = self.value_fact(slot, value)
        if fact is None:
            return [(not is_wanted, at)]
        truth = PartialView(self, at).truth_of_value(slot, fact)
        if truth is not None:
            return [(truth == is_wanted, at)]
        self.spend(2)
        one = frozenset((fact,))
        return [
            (is_wanted, PartialState(at.positive | one, at.negative)),
            (not is_wanted, PartialState(at.positive, at.negative | one)),
        ]

    # -- operators ----------------------------------------------------------------------------------

    def add(
        self,
        rule: str,
        at: PartialState,
        changes: dict[int, tuple[int, int]],
        *,
        moved: Iterable[tuple[int, int]] = (),
        removed: Iterable[int] = (),
        created: Iterable[int] = (),
        direction: Direction | None = None,
        ring: int = -1,
        words: str = "",
        binding: int = 0,
        is_possible: bool = False,
        waits: bool = False,
    ) -> None:
        """Add one operator: pieces move, vanish and appear, and variables change their values. An operator that applies
        in no state is omitted, and so is one that changes nothing, unless `keeps_idle` or `waits` is true.

        `is_possible`: whether `at` is known to be consistent; if so, fewer checks are necessary.
        """
        pairs = [pair for pair in moved if pair[0] != pair[1]]
        deleted = {source for source, _ in pairs}.union(removed)
        added = {target for _, target in pairs}.union(created)
        for old, new in changes.values():
            if old != new:
                deleted.add(old)
                added.add(new)
        self.step()
        if deleted == added:
            if (self.keeps_idle or waits) and (is_possible or self.is_consistent(at)):
                nothing = frozenset[int]()
                idle = Draft(rule, at, nothing, (-1, -1), ring, direction, words, binding)
                if self.has_consequences:
                    self.changes[idle] = Change((), (), (), nothing, nothing)
                self.draft(idle)
            return
        gone, come = deleted - added, added - deleted
        refined = PartialState(at.positive | gone, at.negative | come)
        if is_possible and gone <= at.positive:
            if not refined.positive.isdisjoint(refined.negative):
                return
        elif not self.is_consistent(refined):
            return
        carrier = pairs[-1] if pairs and ring < 0 else (-1, -1)
        draft = Draft(
            rule, refined, frozenset(gone | come), carrier, ring, direction, words, binding
        )
        if self.has_consequences:
            parts = frozenset(gone), frozenset(added)
            self.changes[draft] = Change(tuple(pairs), tuple(removed), tuple(created), *parts)
        self.draft(draft)

    def add_steps(
        self, rule: str, class_id: int, steps: Sequence[Step], bindings: Collection[int]
    ) -> None:
        """Like `add`, but for pieces of one class that step wherever the entered cells are empty.

        `steps` are steps from `steps_of`. The operators have no other preconditions and no consequences.
        """
        facts, drafts = self.facts_of_class(class_id), self.drafts
        shift = self.layer_cell(0, self.puzzle.classes[class_id].layer)
        for step in steps:
            self.step()
            moved, entered = (facts[step.start], facts[step.end]), step.entered
            # The anchor of a piece that fills a closed row changes, but the piece enters no cell.
            if shift:
                entered = tuple(cell + shift for cell in entered)
            taken = self.covering_any(entered) if entered else frozenset(moved[1:])
            at = PartialState(frozenset(moved[:1]), taken)
            flip = frozenset(moved)
            for binding in bindings:
                drafts[Draft(rule, at, flip, moved, -1, step.direction, "", binding)] = None
        self._check_size()

    def draft(self, draft: Draft) -> None:
        """Add one operator, whether its precondition is possible or not. Raises DocumentError (`task-too-large`) if
        there are too many operators.
        """
        self.drafts[draft] = None
        self._check_size()

    def _check_size(self) -> None:
        if len(self.drafts) > MAX_OPERATORS:
            self.too_many("operators", Counter(draft.rule for draft in self.drafts))

    def too_many(self, what: str, numbers: Mapping[str, int]) -> None:
        """Raises DocumentError (`task-too-large`), located at the rule with the largest of these numbers."""
        number, rule = max((number, rule) for rule, number in numbers.items())
        from fewest.grounding.remedies import fewer_operators

        is_move = any(rule == move.name for move in self.puzzle.rules)
        self.part = ("moves" if is_move else "then", rule)
        rules = self.puzzle.rules if is_move else self.puzzle.then
        self.too_large(
            f"it has more than {MAX_OPERATORS:,} {what}, of which `{rule}` has {number:,}",
            f"{MAX_OPERATORS:,}",
            fewer_operators(next(each for each in rules if each.name == rule), self.puzzle),
        )

    def are_too_many(self, cases: int) -> bool:
        """Whether this number of cases exceeds the limit."""
        return cases > MAX_CASES

    def refuse_cases(self, share: str) -> NoReturn:
        """Raises DocumentError (`task-too-large`), because a condition has more than MAX_CASES cases.

        If there is a budget, the condition can be compiled in another form, and the method raises TooManyCasesError
        instead. `share` is a text that names the cause of the cases.
        """
        if self.budget is not None:
            raise TooManyCasesError
        from fewest.grounding.remedies import remedy

        section, name = (*self.part, "", "")[:2]
        owner = f" of `{name}`" if section in ("moves", "then") and name else ""
        size = f"a condition{owner} has more than {MAX_CASES:,} cases, {share}"
        self.too_large(size, f"{MAX_CASES:,}", remedy(self.puzzle, self.part))

    def dependence(self, cases: Iterable[PartialState]) -> str:
        """A text that states how many variables and cells distinguish the cases."""
        facts = {fact for case in cases for fact in case.positive | case.negative}
        variables = {self.facts[fact].slot for fact in facts} - {-1}
        cells = {cell for fact in facts for cell in self.layer_cells_of(fact)}
        counts = [counted(len(variables), "variables")] if variables else []
        counts += [counted(len(cells), "cells")] if cells else []
        return f"which depend on {' and '.join(counts)}"


def _state_of(node: Branch) -> PartialState:
    return node.state


def part_sizes(sizes: Iterable[int]) -> str:
    """A text that states how many cases each part of a condition has, the largest number first:
    `4 parts of 20 cases and …`.
    """
    groups = sorted(Counter(sizes).items(), reverse=True)
    texts = [
        f"{counted(number, 'parts')} of {counted(size, 'cases')}"
        for size, number in groups[:_MOST_SIZES]
    ]
    return " and ".join(texts) + (" and smaller ones" if len(groups) > _MOST_SIZES else "")
