"""The comparison of one position: the moves that the rules allow, and the moves of the compiled task.

`playing`, which shares no code with `grounding`, executes the rules. Therefore, this comparison finds a fault in the
compiler even if every engine repeats it.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from math import inf
from typing import Literal, TypeAlias

from msgspec import Struct

from fewest.model.metric import Metric
from fewest.model.position import Position
from fewest.model.puzzle import Puzzle
from fewest.model.states import decode, encode
from fewest.model.task import Operator, PermutationOperator, Task, facts_in, index_fact
from fewest.playing.move import Move
from fewest.playing.rules import is_goal, legal_moves

Kind = Literal["missing", "extra", "goal", "no goal", "state", "invariant", "index"]

Signature: TypeAlias = tuple[object, ...]
"""The effect of a move and the data that determine its cost: the target state, the rule and the binding; if a metric
merges moves, also the piece, the ring and the direction.
"""


class Difference(Struct, frozen=True):
    """One difference between the rules and the task at a position.

    - `missing`: the rules allow `move`, but the task does not;
    - `extra`: the task allows `operator`, which leads to `target`, but the rules do not;
    - `goal`: the goal holds according to the rules but not the task; `no goal`: the goal holds according to the task
      but not the rules;
    - `state`: the position (reached by `move`) has no state, because the task has no fact for `detail`;
    - `invariant`: the state violates an invariant of the task, named by `detail`;
    - `index`: `operator` applies, but a successor generator does not find it, because its index fact is false.
    """

    kind: Kind
    position: Position
    move: Move | None = None
    operator: Operator | PermutationOperator | None = None
    target: Position | None = None
    detail: str = ""


class DifferenceFound(Exception):  # noqa: N818 - the outcome of a comparison
    """Raised when the comparison of a position finds a difference."""

    def __init__(self, difference: Difference) -> None:
        super().__init__(difference.kind)
        self.difference = difference


class ComparisonStopped(Exception):  # noqa: N818 - the outcome of a comparison
    """Raised when the comparison of a position takes longer than the deadline allows."""


class Comparison:
    """Compares the rules and the task at positions of a puzzle, one at a time.

    `deadline` is a time on the clock `time.thread_time`; it ends the comparison of a position with thousands of moves.

    For each position, `playing` plays the legal moves, and this class tests the operators that have a true index fact
    and the operators that have no index fact.
    """

    def __init__(self, puzzle: Puzzle, task: Task, metric: Metric | None = None) -> None:
        self.puzzle, self.task = puzzle, task
        self.deadline = inf
        parts = () if metric is None else metric.parts
        self._is_merging = any(part.merge != "none" for part in parts)
        self._exactly = [(_mask(group.facts), group.count) for group in task.exactly]
        self._at_most_one = [_mask(facts) for facts in task.at_most_one]
        # the mask, the value and the number of each operator that does not require an index fact
        self._always: list[tuple[int, int, int]] = []
        # the same data for all other operators, keyed by index fact
        self._under: dict[int, list[tuple[int, int, int]]] = {}
        for number, operator in enumerate(task.operators):
            fact = index_fact(operator)
            row = (operator.mask, operator.value, number)
            if fact >= 0 and operator.value >> fact & 1:
                self._under.setdefault(fact, []).append(row)
            else:
                self._always.append(row)
        self._turns = range(len(task.operators), len(task.moves))

    def state_of(self, position: Position, move: Move | None = None) -> int:
        """The state of a position, which `move` reached. Raises DifferenceFound if the task has no such state."""
        try:
            return encode(self.task, position)
        except KeyError:
            detail = ", ".join(_names_without_fact(self.task, position))
            raise DifferenceFound(Difference("state", position, move, detail=detail)) from None

    def successors(self, state: int) -> list[int]:
        """The successors of a state by the rules, each once. Raises DifferenceFound if the rules and the task differ at
        this state, and ComparisonStopped after the deadline.
        """
        position = decode(self.puzzle, self.task, state)
        self._check_invariants(state, position)
        self._check_goal(state, position)
        by_rules: dict[Signature, Move] = {}
        out: dict[int, None] = {}
        for move in legal_moves(position):
            self._check_deadline()
            target = self.state_of(move.target, move)
            out[target] = None
            by_rules.setdefault(self._signature_of_move(move, target), move)
        by_task = {
            self._signature_of_operator(number, after): (number, after)
            for number, after in self._applicable(state, position)
        }
        if by_rules.keys() != by_task.keys():
            self._differ(position, by_rules, by_task)
        return [*out]

    def _differ(
        self,
        position: Position,
        by_rules: dict[Signature, Move],
        by_task: dict[Signature, tuple[int, int]],
    ) -> None:
        for signature, move in by_rules.items():
            if signature not in by_task:
                raise DifferenceFound(Difference("missing", position, move))
        for signature, (number, after) in by_task.items():
            if signature not in by_rules:
                target = decode(self.puzzle, self.task, after)
                operator = self.task.moves[number]
                raise DifferenceFound(
                    Difference("extra", position, operator=operator, target=target)
                )

    def _applicable(self, state: int, position: Position) -> Iterator[tuple[int, int]]:
        """The numbers of the applicable moves of the task, each with its target state. A move is omitted if its target
        is the state itself or is forbidden. Raises DifferenceFound if the index of the task is wrong.
        """
        task, under = self.task, self._under
        found = [number for mask, value, number in self._always if state & mask == value]
        for number in found:
            operator = task.operators[number]
            if index_fact(operator) >= 0:
                raise DifferenceFound(Difference("index", position, operator=operator))
        for fact in facts_in(state):
            if fact in under:
                found += [number for mask, value, number in under[fact] if state & mask == value]
        found.extend(self._turns)
        for number in found:
            self._check_deadline()
            after = task.after(number, state)
            if after is not None and after != state and not task.is_forbidden(after):
                yield number, after

    def _check_deadline(self) -> None:
        if time.thread_time() > self.deadline:
            raise ComparisonStopped

    def _signature_of_move(self, move: Move, target: int) -> Signature:
        if not self._is_merging:
            return (target, move.rule, move.binding)
        source = end = -1
        if move.carrier is not None:
            spots = self.task.fact_of_spot
            source, end = spots[move.carrier[0]], spots[move.carrier[1]]
        # with consequences, the operator alone does not determine the final place of its piece
        if self.task.consequences:
            end = -1
        ring = -1 if move.ring is None else move.ring
        return (target, move.rule, move.binding, source, end, move.direction, ring)

    def _signature_of_operator(self, number: int, target: int) -> Signature:
        operator = self.task.moves[number]
        if not self._is_merging:
            return (target, operator.rule, operator.binding)
        end = -1 if self.task.consequences else operator.to_fact
        return (
            target,
            operator.rule,
            operator.binding,
            operator.from_fact,
            end,
            operator.direction,
            operator.ring,
        )

    def _check_goal(self, state: int, position: Position) -> None:
        by_rules = is_goal(position)
        if by_rules != self.task.is_goal(state):
            raise DifferenceFound(Difference("goal" if by_rules else "no goal", position))

    def _check_invariants(self, state: int, position: Position) -> None:
        """Check the mutex groups. Engines use these groups to number and encode states, so a wrong group could make an
        answer wrong.
        """
        for mask, count in self._exactly:
            if (state & mask).bit_count() != count:
                names = self._names(mask)
                detail = f"exactly {count} of {names}"
                raise DifferenceFound(Difference("invariant", position, detail=detail))
        for mask in self._at_most_one:
            if (state & mask).bit_count() > 1:
                detail = f"at most one of {self._names(mask)}"
                raise DifferenceFound(Difference("invariant", position, detail=detail))

    def _names(self, mask: int) -> str:
        names = [self.task.facts[fact].name for fact in facts_in(mask)]
        return ", ".join(names[:6]) + (", …" if len(names) > 6 else "")


def _mask(facts: tuple[int, ...]) -> int:
    return sum(1 << fact for fact in facts)


def _names_without_fact(task: Task, position: Position) -> Iterator[str]:
    """The pieces and values of a position for which the task has no fact."""
    puzzle = position.puzzle
    for spot in sorted(position.pieces):
        if spot not in task.fact_of_spot:
            piece = puzzle.classes[spot[0]]
            yield f"{piece.label or piece.kind} at {position.board.coordinates(spot[1])}"
    for slot, value in enumerate(position.values):
        if (slot, value) not in task.fact_of_value:
            yield f"{puzzle.variables[slot].name} = {value}"
