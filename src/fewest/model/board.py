"""The board: a grid of cells with walls, terrain and perhaps closed rows or columns.

A cell is one integer, row * columns + column. A direction is an offset (rows down, columns right).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from msgspec import Struct

Offset = tuple[int, int]
Shape = tuple[Offset, ...]  # offsets from the top-left corner of the bounding box, in reading order


class Direction(Struct, frozen=True):
    """A step on the board, with the words people use for it."""

    offset: Offset
    name: str
    arrow: str


_NAMED: tuple[Direction, ...] = (
    Direction((-1, 0), "up", "↑"),
    Direction((1, 0), "down", "↓"),
    Direction((0, -1), "left", "←"),
    Direction((0, 1), "right", "→"),
    Direction((-1, -1), "up-left", "↖"),
    Direction((-1, 1), "up-right", "↗"),
    Direction((1, -1), "down-left", "↙"),
    Direction((1, 1), "down-right", "↘"),
)
_BY_NAME = {direction.name: direction for direction in _NAMED}
_BY_OFFSET = {direction.offset: direction for direction in _NAMED}

DIRECTION_GROUPS: Mapping[str, tuple[Offset, ...]] = {
    **{direction.name: (direction.offset,) for direction in _NAMED},
    "orthogonal": ((-1, 0), (1, 0), (0, -1), (0, 1)),
    "horizontal": ((0, -1), (0, 1)),
    "vertical": ((-1, 0), (1, 0)),
    "diagonal": ((-1, -1), (-1, 1), (1, -1), (1, 1)),
    "all": tuple(direction.offset for direction in _NAMED),
    "knight": ((-2, -1), (-2, 1), (-1, -2), (-1, 2), (1, -2), (1, 2), (2, -1), (2, 1)),
    # The rows of a hexagonal board sheared into a square drawing: two of the diagonals are neighbours.
    "hex-right": ((-1, 0), (1, 0), (0, -1), (0, 1), (-1, 1), (1, -1)),
    "hex-left": ((-1, 0), (1, 0), (0, -1), (0, 1), (-1, -1), (1, 1)),
}
HEXAGONAL = (
    "hex-right",
    "hex-left",
)  # where every row lies half a cell to the side of the one above


def direction_of(offset: Offset) -> Direction:
    """The direction with this offset; unnamed ones are called by their offset."""
    known = _BY_OFFSET.get(offset)
    return known or Direction(offset, f"({offset[0]:+d}, {offset[1]:+d})", "⇝")


Covers = dict[tuple[Shape, int], tuple[int, ...] | None]
"""The cells under a shape at an anchor, as far as they were asked for; None where it does not fit."""


@lru_cache(maxsize=64)
def _covers_of(_grid: tuple[object, ...]) -> Covers:
    """What is known of boards of this size, with these walls and closed rows: lists of boards share it."""
    return {}


@dataclass(frozen=True)
class Board:
    """Walls, terrain and geometry; `terrain` maps a name to its cells."""

    rows: int
    columns: int
    walls: frozenset[int]
    terrain: Mapping[str, frozenset[int]] = field(hash=False)
    wraps_rows: bool = False  # leaving on the right comes back on the left
    wraps_columns: bool = False
    geometry: str = "square"  # or one of HEXAGONAL
    floors: tuple[int, ...] = field(init=False, compare=False)
    _covers: Covers = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        cells = range(self.rows * self.columns)
        object.__setattr__(self, "floors", tuple(c for c in cells if c not in self.walls))
        grid = (self.rows, self.columns, self.walls, self.wraps_rows, self.wraps_columns)
        object.__setattr__(self, "_covers", _covers_of(grid))

    @property
    def num_cells(self) -> int:
        return self.rows * self.columns

    def cell(self, row: int, column: int) -> int | None:
        """The cell there, wall or not; None outside the board."""
        if self.wraps_columns:
            row %= self.rows
        if self.wraps_rows:
            column %= self.columns
        if 0 <= row < self.rows and 0 <= column < self.columns:
            return row * self.columns + column
        return None

    def at(self, cell: int) -> tuple[int, int]:
        """Row and column of a cell."""
        return divmod(cell, self.columns)

    def step(self, cell: int, offset: Offset, times: int = 1) -> int | None:
        """The cell `times` offsets further, wall or not; None outside the board."""
        row, column = divmod(cell, self.columns)
        return self.cell(row + offset[0] * times, column + offset[1] * times)

    def floor(self, cell: int | None) -> bool:
        """Whether a piece could stand there at all."""
        return cell is not None and cell not in self.walls

    def cover(self, shape: Shape, anchor: int) -> tuple[int, ...] | None:
        """The cells under a shape whose bounding box starts at `anchor`; None if some are no floor."""
        key = (shape, anchor)
        if key not in self._covers:
            self._covers[key] = self._cover(shape, anchor)
        return self._covers[key]

    def _cover(self, shape: Shape, anchor: int) -> tuple[int, ...] | None:
        row, column = divmod(anchor, self.columns)
        cells: list[int] = []
        for down, right in shape:
            cell = self.cell(row + down, column + right)
            if cell is None or cell in self.walls or cell in cells:
                return None
            cells.append(cell)
        return tuple(cells)

    def coordinates(self, cell: int) -> str:
        """Row and column for people: `(3, 1)`."""
        row, column = divmod(cell, self.columns)
        return f"({row}, {column})"
