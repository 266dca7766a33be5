"""The checker of unreachable cubes. The checker tests that the start is in no cube, and that no operator leads from
outside all cubes into a cube.

This checker shares no code with `planning.reachability`, which finds the cubes. The checker needs no solver: each
refutation involves only a few facts, so propagation is usually enough. If propagation does not refute a cube, the
checker branches on the value of a fact.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

import msgspec

from fewest.certificates.container import Budget, Count, RejectedError
from fewest.certificates.positions import SpotRow
from fewest.model.task import Cube, Operator, Task, facts_in


class CubeRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A cube: a conjunction of facts, each with a truth value."""

    spots: tuple[tuple[SpotRow, bool], ...]
    values: tuple[tuple[tuple[Count, int | str], bool], ...]


MAX_CUBES = 20_000
CubeRows = Annotated[tuple[CubeRow, ...], msgspec.Meta(max_length=MAX_CUBES)]


class CubeInvariant:
    """Cubes of a task; if `check` does not raise an error, they contain no reachable state."""

    def __init__(
        self, task: Task, groups: Sequence[tuple[int, int]], rows: Sequence[CubeRow]
    ) -> None:
        self.task, self.groups = task, groups
        self.cubes = [cube for row in rows if (cube := self._cube(row)) is not None]

    def _cube(self, row: CubeRow) -> Cube | None:
        """The cube as facts. The result is None if the cube requires a spot or a value that has no fact, because then
        no state is in the cube.
        """
        known = [(self.task.fact_of_spot.get(spot), is_true) for spot, is_true in row.spots]
        known += [(self.task.fact_of_value.get(value), is_true) for value, is_true in row.values]
        mask = value = 0
        for fact, is_true in known:
            if fact is None:
                if is_true:
                    return None
                continue
            mask |= 1 << fact
            value |= is_true << fact
        return mask, value

    def check(self, operators: Sequence[Operator], budget: Budget) -> None:
        """Raises RejectedError if the start is in a cube, or if an operator leads from outside all cubes into a cube;
        raises TooLargeError at a limit.
        """
        for number, (mask, value) in enumerate(self.cubes, 1):
            if self.task.initial & mask == value:
                raise RejectedError(f"the start is in combination {number}")
        for operator in operators:
            budget.spend()
            allowed = [
                before for bad in self.task.forbid if (before := _before(bad, operator)) is not None
            ]
            for number, cube in enumerate(self.cubes, 1):
                if not cube[0] & operator.flip:
                    continue  # a state that is in the cube after the move was in the cube before it
                before = _before(cube, operator)
                if before is not None and not self.excludes(before, budget, allowed):
                    raise RejectedError(f"rule `{operator.rule}` leads to combination {number}")

    def excludes(self, cube: Cube, budget: Budget, more: Sequence[Cube] = ()) -> bool:
        """Whether every state of a cube that satisfies the groups is also in one of `self.cubes` or in a cube of
        `more`.
        """
        never = [*self.cubes, *more]
        waiting = [cube]
        while waiting:
            budget.spend()
            found = self._propagated(waiting.pop(), never)
            if found is None:
                continue
            (mask, value), left = found
            if not left:
                return False  # all of the remaining states are outside these cubes
            bit = left & -left
            waiting += [(mask | bit, value), (mask | bit, value | bit)]
        return True

    def _propagated(self, cube: Cube, never: Sequence[Cube]) -> tuple[Cube, int] | None:
        """The cube after propagation, and the facts on which to branch (0 if branching cannot refute the cube). The
        result is None if no state is left.
        """
        mask, value = cube
        while True:
            before = mask
            left, fewest = 0, len(self.task.facts) + 1
            for known, wanted in never:
                if (value ^ wanted) & known & mask:
                    continue
                free = known & ~mask
                if not free:
                    return None
                if not free & (free - 1):
                    mask |= free
                    value |= free & ~wanted
                elif free.bit_count() < fewest:
                    left, fewest = free, free.bit_count()
            for group, count in self.groups:
                num_true, free = (value & group).bit_count(), group & ~mask
                if num_true > count or num_true + free.bit_count() < count:
                    return None
                if free and num_true == count:
                    mask |= free
                elif free and num_true + free.bit_count() == count:
                    mask, value = mask | free, value | free
            if mask == before:
                return (mask, value), left


def _before(cube: Cube, operator: Operator) -> Cube | None:
    """The states from which an operator leads into a cube; None if there is no such state."""
    mask, value = cube
    after = operator.value ^ operator.flip
    if (after ^ value) & operator.mask & mask:
        return None
    return operator.mask | mask, operator.value | value & ~operator.mask


def cube_row(task: Task, cube: Cube) -> CubeRow:
    """A cube in the format of certificates."""
    spots, values = [], []
    for fact, is_true in _literals(cube):
        known = task.facts[fact]
        if known.class_id >= 0:
            spots.append(((known.class_id, known.cell), is_true))
        else:
            values.append(((known.slot, known.value), is_true))
    return CubeRow(tuple(spots), tuple(values))


def _literals(cube: Cube) -> Iterator[tuple[int, bool]]:
    return ((fact, bool(cube[1] >> fact & 1)) for fact in facts_in(cube[0]))
