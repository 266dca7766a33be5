"""The checker of invariants: sums that no operator changes (or raises), and unreachable cubes.

A sum proves that no goal state can be reached if no goal state has a sum that is possible for a reachable state.
`cube_invariant_checker` checks the cubes.

The checker tests each invariant against every operator of the task. If all checks succeed, it follows by induction over
the moves that no goal state is reachable. The checker shares no code with `analysis`, which finds the sums. The checker
relies on the grounder, and its verdict states this.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf
from typing import Annotated

import msgspec

from fewest.certificates.container import Budget, Count, RejectedError, Stream
from fewest.certificates.cube_invariant_checker import CubeInvariant, CubeRows
from fewest.certificates.grounded_task import grounded
from fewest.certificates.positions import SpotRow
from fewest.certificates.rules_checker import Verdict
from fewest.model.answer import counted
from fewest.model.metric import Metric
from fewest.model.puzzle import Puzzle
from fewest.model.task import Cube, Operator, Task, facts_in

Weight = Annotated[int, msgspec.Meta(ge=-(1 << 62), le=1 << 62)]
MAX_MODULUS = 1 << 10
MAX_ARRANGEMENTS = 100_000  # the maximum number of arrangements that a cube of the goal may allow


class SumRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A sum over the true facts, with a weight for each piece at a spot and for each value of a variable.

    If `modulus` is 0, no operator may raise the sum. Otherwise, no operator may change the sum modulo this number.
    `pieces`: the spots of each of several distinct one-cell pieces. If there are such pieces, the modulus must be 2,
    and the parity of their arrangement is added to the sum.
    """

    modulus: Annotated[int, msgspec.Meta(ge=0, le=MAX_MODULUS)]
    spots: tuple[tuple[SpotRow, Weight], ...]
    values: tuple[tuple[tuple[Count, int | str], Weight], ...]
    pieces: tuple[tuple[SpotRow, ...], ...]


class InvariantHead(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Sums and unreachable cubes. Each cube of the goal must be refuted by a sum, or by the unreachable cubes
    together.
    """

    sums: Annotated[tuple[SumRow, ...], msgspec.Meta(max_length=10_000)]
    never: CubeRows


def check_invariant(puzzle: Puzzle, metric: Metric, stream: Stream, budget: Budget) -> Verdict:
    """Check that no goal state can be reached. Raises RejectedError, and TooLargeError at a limit. The time is
    proportional to the number of operators times the number of sums and cubes.
    """
    head = stream.head(InvariantHead)
    stream.end()
    task = grounded(puzzle, budget)
    if task.consequences:
        raise RejectedError(
            "an invariant cannot be checked, because some consequences are not part of operators"
        )
    if task.permutations:
        raise RejectedError(
            "an invariant cannot be checked, because some moves permute the pieces on rings"
        )
    goals = open_goals(task, head, budget)
    if goals:
        raise RejectedError(
            f"no sum{' and no combination' if head.never else ''} refutes {len(goals)} of the "
            f"{counted(len(set(task.goal)), 'cubes')} of the goal"
        )
    sizes = {"sums": len(head.sums), "combinations": len(head.never)}
    counts = {what: size for what, size in sizes.items() if size}
    counts |= {"operators": len(task.operators), "goals": len(set(task.goal))}
    return Verdict(
        "invariant",
        "unsolvable",
        None,
        counts,
        "the language, the grounder and the checker of invariants",
        "testing every operator of the task",
        is_grounded=True,
    )


def open_goals(task: Task, head: InvariantHead, budget: Budget) -> set[Cube]:
    """The cubes of the goal that no invariant refutes. Raises RejectedError if the sums or cubes are not invariants."""
    groups = proven_groups(task, budget)
    operators = list(_applicable(task, groups, budget))
    pairs = _proven_pairs(task, groups, operators, budget)
    goals = {found for cube in task.goal if (found := _completed(cube, pairs)) is not None}
    for number, row in enumerate(head.sums, 1):
        invariant = Invariant(task, groups, row)
        invariant.check_start(number)
        for operator in operators:
            budget.spend()
            invariant.check(operator, number)
        goals = {cube for cube in goals if not invariant.refutes(cube, budget)}
    never = CubeInvariant(task, groups, head.never)
    never.check(operators, budget)
    return {cube for cube in goals if not never.excludes(cube, budget)}


def proven_groups(task: Task, budget: Budget) -> list[tuple[int, int]]:
    """The exactly-k groups of the task that hold at the start and that every operator preserves. An operator preserves
    a group if it adds as many facts of the group as it deletes.

    Each group is a bit set of facts and the number of them that are true. Groups that overlap an earlier group are
    omitted.
    """
    out: list[tuple[int, int]] = []
    for group in task.exactly:
        budget.spend()
        mask = sum(1 << fact for fact in group.facts)
        free = mask & ~sum(known for known, _ in out)
        if (
            free == mask
            and (task.initial & mask).bit_count() == group.count
            and all(_is_preserved(mask, operator) for operator in task.operators)
        ):
            out.append((mask, group.count))
    return out


def _is_preserved(mask: int, operator: Operator) -> bool:
    flip = operator.flip & mask
    return (flip & operator.value).bit_count() == (flip & ~operator.value).bit_count()


def _proven_pairs(
    task: Task,
    groups: Sequence[tuple[int, int]],
    operators: Sequence[Operator],
    budget: Budget,
) -> list[int]:
    """The task's sets of facts in which at most one fact is true at the start and after every operator."""
    out: list[int] = []
    for facts in task.at_most_one:
        budget.spend()
        mask = sum(1 << fact for fact in facts)
        if (task.initial & mask).bit_count() <= 1 and all(
            _preserves_one(mask, operator, groups) for operator in operators
        ):
            out.append(mask)
    return out


def _preserves_one(mask: int, operator: Operator, groups: Sequence[tuple[int, int]]) -> bool:
    """Whether at most one fact of a set is true after an operator, if at most one was true before."""
    added = operator.flip & ~operator.value & mask
    if operator.flip & mask & ~operator.mask or added.bit_count() > 1:
        return False
    false = (operator.mask & ~operator.value & ~operator.flip) | (operator.flip & operator.value)
    for group, count in groups:
        if (operator.value & group).bit_count() == count:
            false |= group & ~operator.value & ~operator.flip
    return not added or not mask & ~added & ~false


def _completed(cube: Cube, pairs: Sequence[int]) -> Cube | None:
    """The cube, extended by the facts that must be false according to the at-most-one sets. The result is None if the
    cube contains no state.
    """
    mask, value = cube
    for pair in pairs:
        if (value & pair).bit_count() > 1:
            return None
        if value & pair:
            mask |= pair
    return mask, value


def _applicable(
    task: Task, groups: Sequence[tuple[int, int]], budget: Budget
) -> Iterator[Operator]:
    """The operators that may become applicable: the facts that they require satisfy the groups, and can be reached if
    no fact is ever deleted.
    """
    possible, before = task.initial, -1
    while possible != before:
        budget.spend()
        before = possible
        for operator in task.operators:
            if not operator.value & ~possible:
                possible |= operator.flip
    for operator in task.operators:
        if not operator.value & ~possible and all(
            (operator.value & mask).bit_count() <= count for mask, count in groups
        ):
            yield operator


@dataclass(frozen=True)
class _Arrangement:
    """Distinct pieces that fill a set of cells, except for at most one empty cell."""

    pieces: tuple[int, ...]
    """the facts of each piece, as a set"""
    cell_of: dict[int, int]
    cells: frozenset[int]

    def standing(self, state: int) -> list[int]:
        """The cell of each piece. The empty cell, if there is one, comes last."""
        cells = [self.cell_of[fact] for mask in self.pieces for fact in facts_in(state & mask)]
        return cells + sorted(self.cells.difference(cells))


def _sign(standing: Sequence[int]) -> int:
    """The parity of the number of inversions: 1 if the number is odd."""
    return sum(a > b for i, b in enumerate(standing) for a in standing[:i]) % 2


class Invariant:
    """A sum over the facts of a task. Raises RejectedError if the row's arrangement is invalid."""

    def __init__(self, task: Task, groups: Sequence[tuple[int, int]], row: SumRow) -> None:
        self.task = task
        self.modulus = row.modulus
        self.groups = groups
        self.weights: dict[int, int] = {}
        for spot, weight in row.spots:
            self._add(task.fact_of_spot.get(spot), weight)
        for value, weight in row.values:
            self._add(task.fact_of_value.get(value), weight)
        self.arrangement = self._arrangement(row) if row.pieces else None

    def _add(self, fact: int | None, weight: int) -> None:
        if fact is not None:  # a spot or a value that has no fact never occurs
            self.weights[fact] = self.weights.get(fact, 0) + weight

    def _arrangement(self, row: SumRow) -> _Arrangement:
        if self.modulus != 2:
            raise RejectedError("the modulus of a sum with an arrangement must be 2")
        known = dict(self.groups)
        pieces: list[int] = []
        cell_of: dict[int, int] = {}
        for spots in row.pieces:
            facts = [
                self.task.fact_of_spot[spot] for spot in spots if spot in self.task.fact_of_spot
            ]
            mask = sum(1 << fact for fact in set(facts))
            if known.get(mask) != 1:
                raise RejectedError("a piece of an arrangement is not always in exactly one place")
            pieces.append(mask)
            cell_of |= {fact: self.task.facts[fact].cell for fact in facts}
        if len(set(pieces)) < len(pieces):
            raise RejectedError("an arrangement contains a piece twice")
        return _Arrangement(tuple(pieces), cell_of, frozenset(cell_of.values()))

    def sum(self, state: int) -> int:
        """The sum of the weights of a state's facts."""
        return sum(weight for fact, weight in self.weights.items() if state >> fact & 1)

    def check_start(self, number: int) -> None:
        """Raises RejectedError unless, at the start, the pieces fill all of their cells or all but one."""
        if self.arrangement is not None:
            standing = self.arrangement.standing(self.task.initial)
            holes = len(self.arrangement.cells) - len(self.arrangement.pieces)
            if holes not in (0, 1) or sorted(standing) != sorted(self.arrangement.cells):
                raise RejectedError(
                    f"sum {number}: at the start, the pieces must fill all of their cells, or all but one"
                )

    def check(self, operator: Operator, number: int) -> None:
        """Raises RejectedError if an operator changes the sum. If the modulus is 0, the operator may lower the sum."""
        added, deleted = operator.flip & ~operator.value, operator.flip & operator.value
        change = self.sum(added) - self.sum(deleted)
        if self.arrangement is not None:
            odd = self._is_odd(operator, number)
            if odd is None:
                return
            change += odd
        if change > 0 if self.modulus == 0 else change % self.modulus:
            what = "raises" if self.modulus == 0 else "changes"
            raise RejectedError(f"rule `{operator.rule}` {what} sum {number}")

    def _is_odd(self, operator: Operator, number: int) -> bool | None:
        """Whether an operator changes the parity of the arrangement. The result is None if the operator is never
        applicable.

        If a piece enters a cell that no piece leaves, this cell must be the empty one.
        """
        arrangement = self.arrangement
        assert arrangement is not None
        goes: dict[int, int] = {}
        for mask in arrangement.pieces:
            deleted, added = (
                facts_in(operator.flip & mask & side) for side in (operator.value, ~operator.value)
            )
            if len(deleted) > 1:
                return None  # the precondition would put a piece in two places
            if deleted:
                goes[arrangement.cell_of[deleted[0]]] = arrangement.cell_of[added[0]]
        moved = sum(bool(operator.flip & mask) for mask in arrangement.pieces)
        entered = set(goes.values()) - set(goes)
        left = set(goes) - set(goes.values())
        if len(goes) < moved:
            return None  # the precondition would put two pieces in one cell
        if len(set(goes.values())) < moved:
            raise RejectedError(
                f"sum {number}: rule `{operator.rule}` puts two pieces into one cell"
            )
        for cell in entered:
            there = sum(1 << fact for fact, at in arrangement.cell_of.items() if at == cell)
            if there & ~(operator.mask & ~operator.value):
                raise RejectedError(
                    f"sum {number}: rule `{operator.rule}` may enter a cell that is not empty"
                )
        if len(entered) > len(arrangement.cells) - len(arrangement.pieces):
            return None  # the precondition would leave too many cells empty
        goes.update(zip(entered, left, strict=True))  # the empty cell counts as a piece here
        before = sorted(goes)
        return _sign([goes[cell] for cell in before]) == 1

    def refutes(self, cube: Cube, budget: Budget) -> bool:
        """Whether no state in the cube that satisfies the groups has a sum that is possible for a reachable state."""
        if self.modulus == 0:
            return self.least(cube) > self.sum(self.task.initial)
        start = self.sum(self.task.initial)
        aside, firsts = 0, [0]
        if self.arrangement is not None:
            aside = sum(self.arrangement.pieces)
            firsts = [self._with_sign(state) for state in self._arranged(cube, budget)]
            start += _sign(self.arrangement.standing(self.task.initial))
        rest = self._residues(cube, aside, budget)
        return not any(rest >> (start - first) % self.modulus & 1 for first in set(firsts))

    def _with_sign(self, state: int) -> int:
        assert self.arrangement is not None
        return self.sum(state) + _sign(self.arrangement.standing(state))

    def _arranged(self, cube: Cube, budget: Budget) -> list[int]:
        """All arrangements of the pieces that a cube allows. Raises RejectedError if there are too many
        arrangements.
        """
        assert self.arrangement is not None
        mask, value = cube
        states: list[tuple[int, frozenset[int]]] = [(0, frozenset())]
        order = sorted(self.arrangement.pieces, key=lambda piece: not piece & value)
        for piece in order:
            allowed = facts_in(piece & value) or facts_in(piece & ~mask)
            states = [
                (state | 1 << fact, taken | {cell})
                for state, taken in states
                for fact in allowed
                if (cell := self.arrangement.cell_of[fact]) not in taken
            ]
            budget.spend()
            if len(states) > MAX_ARRANGEMENTS:
                raise RejectedError("a goal allows too many arrangements")
        return [state for state, _ in states]

    def _open(self, cube: Cube, aside: int) -> Iterator[tuple[int, list[int]]]:
        """The choices that a cube leaves open, as pairs of a number n and a list of weights. For each choice, n of the
        weights are added to the sum.

        A group contributes the weights of its undetermined facts. A fact that is in no group contributes the number 1
        and two weights: its own weight, and zero.
        """
        mask, value = cube
        grouped = aside
        for group, count in self.groups:
            if not group & aside:
                grouped |= group
                free = facts_in(group & ~mask)
                yield count - (value & group).bit_count(), [self.weights.get(f, 0) for f in free]
        for fact in facts_in((1 << len(self.task.facts)) - 1 & ~grouped & ~mask):
            yield 1, [self.weights.get(fact, 0), 0]

    def least(self, cube: Cube) -> float:
        """The least sum of any state in a cube. The result is infinite if the cube contains no state."""
        total = self.sum(cube[1])
        for need, weights in self._open(cube, 0):
            if not 0 <= need <= len(weights):
                return inf
            total += sum(sorted(weights)[:need])
        return total

    def _residues(self, cube: Cube, aside: int, budget: Budget) -> int:
        """The sums, modulo `modulus`, that the facts outside `aside` can have in the states of a cube, as a bit set:
        bit r represents the sum r.
        """
        residues = 1 << self.sum(cube[1] & ~aside) % self.modulus
        for need, weights in self._open(cube, aside):
            if not 0 <= need <= len(weights):
                return 0  # the cube contains no state
            chosen = [1, *[0] * need]  # entry n: the possible sums of n weights, as a bit set
            for weight in weights:
                budget.spend()
                for number in range(need, 0, -1):
                    chosen[number] |= self._plus(chosen[number - 1], weight)
            found = 0
            for residue in range(self.modulus):
                if residues >> residue & 1:
                    found |= self._plus(chosen[need], residue)
            residues = found
        return residues

    def _plus(self, residues: int, number: int) -> int:
        """The set of residues after a number is added to each of them."""
        by = number % self.modulus
        return (residues << by | residues >> (self.modulus - by)) & ((1 << self.modulus) - 1)
