"""The task: facts, operators and cubes. Engines read the task, not the puzzle.

- A *fact* is a boolean of the state; a *state* is a set of facts. Here, a state is one Python integer (bit f is fact
  f); in the cores, a state is a row of 64-bit words.
- A *cube* is a partial state `(mask, value)`; a state is in it iff `state & mask == value`.
- An *operator* is a cube together with a flip of facts in the cube's mask. If the cube holds, the operator leads to
  `state ^ flip`. An operator is a partial bijection; the inverse has a cube in which the flipped bits are inverted, and
  the same flip.
- A *permutation* of facts applies in every state; it is also a bijection with an exact inverse.
- If the consequences of a move have too many cases to be part of operators, the task has *consequences*: an operator
  then leads to an intermediate state, and the consequences lead to the next state (`model/conditional_effects.py`).
  Such an operator has no inverse.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping
from functools import cached_property, reduce
from math import prod
from operator import or_
from typing import TYPE_CHECKING

from msgspec import Struct

from fewest.errors import Diagnostic, UsageError
from fewest.model.board import Direction
from fewest.model.metric import Metric
from fewest.model.problem import Problem, words_of

if TYPE_CHECKING:
    from fewest.model.conditional_effects import ConditionalEffectStage

Cube = tuple[int, int]  # (mask, value)


class Fact(Struct, frozen=True, gc=False):
    """One boolean of the state: a piece of a class is at an anchor cell, or a variable has a value.

    A hidden fact is neither of these, and is true only in intermediate states.
    """

    name: str
    class_id: int = -1
    cell: int = -1
    slot: int = -1
    value: int | str = 0


class Operator(Struct, frozen=True, gc=False):
    """A ground move: if `state & mask == value`, the next state is `state ^ flip`.

    `from_fact` and `to_fact` are the old and the new fact of the piece that metrics with merged moves count (-1: no
    such piece). `ring` is the ring that turns, or -1. `binding` is the number of the binding of the rule's loops, and
    `words` is the description of this binding in plans.
    """

    rule: str
    mask: int
    value: int
    flip: int
    from_fact: int
    to_fact: int
    ring: int
    direction: Direction | None
    words: str
    binding: int = 0

    def is_applicable(self, state: int) -> bool:
        return state & self.mask == self.value

    def apply(self, state: int) -> int:
        """The state after the operator. The operator must be applicable."""
        return state ^ self.flip

    @property
    def inverse_value(self) -> int:
        """The value of the inverse operator's cube; the mask and the flip are the same as for this operator."""
        return self.value ^ self.flip


class PermutationOperator(Struct, frozen=True, gc=False):
    """A ground move that permutes facts and applies in every state: a true fact f makes `image[f]` true.

    Rules that move many pieces of any kind together use these permutations. The inverse operator is the inverse
    permutation.
    """

    rule: str
    image: tuple[int, ...]
    ring: int
    direction: Direction | None
    words: str
    binding: int = 0
    from_fact: int = -1
    to_fact: int = -1

    def is_applicable(self, state: int) -> bool:
        """True, because a permutation applies in every state."""
        return True

    def apply(self, state: int) -> int:
        """The state after the permutation."""
        return sum(1 << self.image[fact] for fact in facts_in(state))


class Group(Struct, frozen=True, gc=False):
    """An invariant: in every reachable state, exactly `count` of these facts are true."""

    facts: tuple[int, ...]
    count: int


class Task(Struct, frozen=True, dict=True, weakref=True):
    """A grounded puzzle. `goal` and `forbid` are disjunctions of cubes.

    `exactly` are the exactly-k groups, which are disjoint. Each group of `at_most_one` consists of the facts that cover
    one layer cell; these groups overlap if pieces have several cells.
    """

    name: str
    facts: tuple[Fact, ...]
    operators: tuple[Operator, ...]
    initial: int
    goal: tuple[Cube, ...]
    has_goal: bool
    forbid: tuple[Cube, ...]
    exactly: tuple[Group, ...]
    at_most_one: tuple[tuple[int, ...], ...]
    metrics: Mapping[str, Metric]
    default_metric: str
    fact_of_spot: Mapping[tuple[int, int], int]
    fact_of_value: Mapping[tuple[int, int | str], int]
    endless: Mapping[str, str] = {}
    """rules with moves that are impossible because their consequences never end, each with an example of such a case"""
    permutations: tuple[PermutationOperator, ...] = ()
    """moves that permute facts; their ids follow the ids of the operators"""
    consequences: tuple[ConditionalEffectStage, ...] = ()
    """the consequences of operators; empty if the operators include their consequences"""
    undefined: tuple[Diagnostic, ...] = ()
    """the errors of expressions in rules under `then` that have no value in some state that may be reachable; moves
    into such a state do not exist
    """
    pending: int = 0
    """facts that are true in no position, one for each simultaneous assignment; the assignment is performed by
    consequences
    """
    further_goals: tuple[tuple[Cube, ...], ...] = ()
    """lists of cubes in addition to `goal`: a goal state is in some cube of `goal` and in some cube of each of these
    lists
    """
    never: tuple[tuple[int, int], ...] = ()
    """pairs of a fact and the set of facts that are never true together with it in a reachable state; operators that
    require both may be missing
    """

    def __repr__(self) -> str:
        return f"<Task {self.name}: {len(self.facts)} facts, {len(self.moves)} operators>"

    @cached_property
    def moves(self) -> tuple[Operator | PermutationOperator, ...]:
        """All ground moves, by id."""
        return (*self.operators, *self.permutations)

    @cached_property
    def bit_of_spot(self) -> Mapping[tuple[int, int], int]:
        """For each spot, the bit of the fact that a piece is there."""
        return {spot: 1 << fact for spot, fact in self.fact_of_spot.items()}

    def _list_numbers(self) -> list[int]:
        """For each cube of the goal, the number of its list; empty if there is only one list."""
        lists = self.goal_lists if self.further_goals else ()
        return [number for number, cubes in enumerate(lists) for _ in cubes]

    @property
    def words(self) -> int:
        """The number of 64-bit words of a state."""
        return max(1, -(-len(self.facts) // 64))

    @property
    def goal_lists(self) -> tuple[tuple[Cube, ...], ...]:
        """The goal as lists of cubes; a goal state is in some cube of each list."""
        return (self.goal, *self.further_goals)

    def is_goal(self, state: int) -> bool:
        return is_in_every(self.goal_lists, state)

    def is_forbidden(self, state: int) -> bool:
        return any(state & mask == value for mask, value in self.forbid)

    def require_operators(self, name: str) -> None:
        """Raises UsageError if consequences are not part of the operators, or if some moves are permutations; for
        engines that support neither.

        `name` is the name of the engine.
        """
        self.require_flips(name)
        self.require_whole_moves(name)

    def require_whole_moves(self, name: str, hint: str = "") -> None:
        """Raises UsageError if consequences are not part of the operators; for engines that support no intermediate
        states. `hint`: a more specific hint than the default list of supported queries.
        """
        if self.consequences:
            raise UsageError(
                f"{name} does not support intermediate states, but the conditions or consequences of the moves in"
                f" {self.name} have too many cases for single operators",
                hint=hint
                or "fewest can search (--engine bfs, sat, asp), explore, prove, check and "
                "play such puzzles, and export them to asp and dimacs",
            )

    def require_one_goal_list(self, name: str) -> None:
        """Raises UsageError if the goal has several lists of cubes; for engines that support only one list."""
        if self.further_goals:
            raise UsageError(
                f"{name} needs a goal that is one list of cases, but the goal of {self.name} is compiled to "
                f"{len(self.goal_lists)} lists of {prod(map(len, self.goal_lists)):,} combined cases",
                hint="fewest can search (--engine bfs, astar, bidirectional, sat, asp), "
                "explore, check and play such puzzles, and export them to all formats",
            )

    def require_flips(self, name: str) -> None:
        """Raises UsageError if some moves are permutations; for engines that support only operators."""
        if self.permutations:
            raise UsageError(
                f"{name} needs moves that flip facts, but `{self.permutations[0].rule}` of "
                f"{self.name} permutes the pieces on rings in one move",
                hint="fewest can search (--engine bfs, sat, asp), explore, prove, check and play such puzzles",
            )

    def after(self, operator: int, state: int) -> int | None:
        """The state after an applicable operator and its consequences; None if the consequences never end."""
        after = self.moves[operator].apply(state)
        if not self.consequences:
            return after
        from fewest.model.conditional_effects import apply_effects

        return apply_effects(self.consequences, after)

    @cached_property
    def problem(self) -> Problem:
        """The task as rows of words, for the search cores."""
        operators, words = self.operators, self.words
        effects = None
        if self.consequences:
            from fewest.model.conditional_effects import rows_of

            effects = rows_of(self.consequences, words)
        return Problem(
            num_facts=len(self.facts),
            initial=words_of([self.initial], words),
            mask=words_of([o.mask for o in operators], words),
            value=words_of([o.value for o in operators], words),
            flip=words_of([o.flip for o in operators], words),
            index_fact=array("i", [index_fact(o) for o in operators]),
            goal_mask=words_of([mask for cubes in self.goal_lists for mask, _ in cubes], words),
            goal_value=words_of([value for cubes in self.goal_lists for _, value in cubes], words),
            goal_list=array("i", self._list_numbers()),
            forbid_mask=words_of([mask for mask, _ in self.forbid], words),
            forbid_value=words_of([value for _, value in self.forbid], words),
            exactly_one=tuple(g.facts for g in self.exactly if g.count == 1),
            at_most_one=self.at_most_one,
            permutations=array(
                "i", [fact for permutation in self.permutations for fact in permutation.image]
            ),
            conditional_effects=effects,
            pending=words_of([self.pending] if self.pending else [], words),
        )


def is_in_every(lists: Iterable[Iterable[Cube]], state: int) -> bool:
    """Whether a state is in some cube of each list."""
    return all(any(state & mask == value for mask, value in cubes) for cubes in lists)


def union(masks: Iterable[int]) -> int:
    """The union of some sets of facts."""
    return reduce(or_, masks, 0)


def facts_in(mask: int) -> list[int]:
    """The facts of a set, in ascending order."""
    out: list[int] = []
    while mask:
        low = mask & -mask
        out.append(low.bit_length() - 1)
        mask ^= low
    return out


def index_fact(operator: Operator) -> int:
    """The positive fact by which a successor generator indexes an operator; -1 if there is no positive fact."""
    if operator.from_fact >= 0:
        return operator.from_fact
    return operator.value.bit_length() - 1
