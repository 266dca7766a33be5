"""Numbers positions by the spots and variables of the puzzle, in the format of certificates."""

from __future__ import annotations

import bisect
from itertools import accumulate
from math import comb
from typing import Annotated

import msgspec

from fewest.certificates.container import Budget, Count, RejectedError
from fewest.model.position import Position
from fewest.model.puzzle import Puzzle

SpotRow = tuple[Count, Count]  # (class, anchor)
MAX_SPOTS = 4_096


class GroupRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A group of spots. In every listed position, `count` of these spots are occupied (None: any number)."""

    spots: Annotated[tuple[SpotRow, ...], msgspec.Meta(min_length=1)]
    count: Count | None


class PositionNumbering:
    """Represents positions by mixed-radix numbers: a digit for each group, and then a digit for each variable. The most
    significant digit comes first.

    A group has n spots. If k is its count and p1 < p2 < … are the indices of its occupied spots, its digit is
    C(p1,1) + C(p2,2) + … with radix C(n,k). The digit of a group without a count is 2^p1 + 2^p2 + … with radix 2^n. A
    variable's digit is the index of its value.
    """

    def __init__(
        self, puzzle: Puzzle, groups: tuple[GroupRow, ...], budget: Budget | None = None
    ) -> None:
        """Raises RejectedError if the groups are wrong, and TooLargeError before the tables exceed the memory of
        `budget`.
        """
        budget = budget or Budget()
        self.size = num_positions(puzzle, groups)
        self.puzzle = puzzle
        self.groups = groups
        self.place: dict[tuple[int, int], tuple[int, int]] = {}
        self.tables: list[list[list[int]]] = []  # for a group with a count: C(p, i) for i = 1 … k
        self.radices: list[int] = []
        num_bytes = 0
        for number, group in enumerate(groups):
            for at, spot in enumerate(group.spots):
                if spot in self.place:
                    raise RejectedError(
                        f"the groups contain the spot of piece class {spot[0]} at cell {spot[1]} twice"
                    )
                if not _is_spot(puzzle, spot):
                    raise RejectedError(
                        f"the puzzle has no spot for piece class {spot[0]} at cell {spot[1]}"
                    )
                self.place[spot] = number, at
            size, count = len(group.spots), group.count
            if count is None:
                self.tables.append([])
                self.radices.append(1 << size)
                continue
            if count > size:
                raise RejectedError(f"a group has more pieces than spots: {count:,} and {size:,}")
            num_bytes += count * size * _entry_bytes(size, count)
            budget.spend(num_bytes)
            row, table = [1] * size, []
            for _ in range(count):  # C(p, i) is the sum of C(q, i - 1) over all q < p
                row = [0, *accumulate(row)][:size]
                table.append(row)
                budget.spend(num_bytes)
            self.tables.append(table)
            self.radices.append(comb(size, count))
        self.radices += [len(variable.values) for variable in puzzle.variables]

    def position(self, number: int) -> Position:
        """The position that a number below `size` represents."""
        digits: list[int] = []
        for radix in reversed(self.radices):
            number, digit = divmod(number, radix)
            digits.append(digit)
        digits.reverse()
        pieces: list[tuple[int, int]] = []
        for group, table, digit in zip(self.groups, self.tables, digits, strict=False):
            if group.count is None:
                pieces += [spot for at, spot in enumerate(group.spots) if digit >> at & 1]
            for row in reversed(table):
                at = bisect.bisect_right(row, digit) - 1
                digit -= row[at]
                pieces.append(group.spots[at])
        values = zip(self.puzzle.variables, digits[len(self.groups) :], strict=True)
        return Position(
            self.puzzle, frozenset(pieces), tuple(variable.values[at] for variable, at in values)
        )

    def number(self, position: Position) -> int | None:
        """The number of a position. The result is None if the position violates a group, or has a piece at a spot of no
        group, and therefore cannot be listed.
        """
        chosen: list[list[int]] = [[] for _ in self.groups]
        for spot in position.pieces:
            found = self.place.get(spot)
            if found is None:
                return None
            chosen[found[0]].append(found[1])
        out = 0
        for group, places, table, radix in zip(
            self.groups, chosen, self.tables, self.radices, strict=False
        ):
            if group.count is None:
                digit = sum(1 << at for at in places)
            elif len(places) != group.count:
                return None
            else:
                digit = sum(row[at] for row, at in zip(table, sorted(places), strict=True))
            out = out * radix + digit
        for variable, value in zip(self.puzzle.variables, position.values, strict=True):
            out = out * len(variable.values) + variable.values.index(value)
        return out


def num_positions(puzzle: Puzzle, groups: tuple[GroupRow, ...]) -> int:
    """The size of the numbering that the groups and variables define. Raises RejectedError if there are too many
    spots.
    """
    if sum(len(group.spots) for group in groups) > MAX_SPOTS:
        raise RejectedError(f"the groups contain more than {MAX_SPOTS:,} spots")
    out = 1
    for group in groups:
        size, count = len(group.spots), group.count
        out *= 1 << size if count is None else comb(size, count)
    for variable in puzzle.variables:
        out *= len(variable.values)
    return out


def _entry_bytes(size: int, count: int) -> int:
    """The maximum number of bytes of an entry in the table of a group: a pointer, and an integer with at most as many
    bits as the radix and at most one bit per spot.
    """
    return 8 + 28 + min(size, count * size.bit_length()) // 7


def _is_spot(puzzle: Puzzle, spot: SpotRow) -> bool:
    """Whether a piece of the class fits on the board at the anchor."""
    class_id, anchor = spot
    board = puzzle.board
    if board is None or class_id >= len(puzzle.classes) or anchor >= board.num_cells:
        return False
    return board.cover(puzzle.classes[class_id].shape, anchor) is not None
