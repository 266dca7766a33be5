"""The board: a grid of cells with walls, terrain and possibly closed rows or columns.

A cell is one integer, row * columns + column. A direction is an offset (rows down, columns right). The *exit* of a cell
in a direction is the adjacent cell, unless a wall, a one-way edge or a portal between the two changes this.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property, lru_cache

from msgspec import Struct

Offset = tuple[int, int]
# the offsets of the cells from the top-left corner of the bounding box, in reading order
Shape = tuple[Offset, ...]


class Direction(Struct, frozen=True):
    """A step on the board, with the names under which it is displayed."""

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
_BY_OFFSET = {direction.offset: direction for direction in _NAMED}

DIRECTION_GROUPS: Mapping[str, tuple[Offset, ...]] = {
    **{direction.name: (direction.offset,) for direction in _NAMED},
    "orthogonal": ((-1, 0), (1, 0), (0, -1), (0, 1)),
    "horizontal": ((0, -1), (0, 1)),
    "vertical": ((-1, 0), (1, 0)),
    "diagonal": ((-1, -1), (-1, 1), (1, -1), (1, 1)),
    "all": tuple(direction.offset for direction in _NAMED),
    "knight": ((-2, -1), (-2, 1), (-1, -2), (-1, 2), (1, -2), (1, 2), (2, -1), (2, 1)),
    # A square drawing shears the rows of a hexagonal board, so that two of the diagonals lead to neighbours.
    "hex-right": ((-1, 0), (1, 0), (0, -1), (0, 1), (-1, 1), (1, -1)),
    "hex-left": ((-1, 0), (1, 0), (0, -1), (0, 1), (-1, -1), (1, 1)),
}
HEXAGONAL = (
    "hex-right",
    "hex-left",
)  # Every row is shifted by half a cell relative to the row above it.
# Cells point up and down alternately; the name of the geometry gives the direction in which the top-left cell points
TRIANGULAR = ("triangle-up", "triangle-down")
STRIPS: tuple[Offset, ...] = ((0, -1), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1))
"""the six straight directions of a triangular board, along which triangles are adjacent across their sides"""
GRAPH = "graph"  # Cells are nodes, and steps follow edges only.


def direction_of(offset: Offset) -> Direction:
    """The direction with this offset; an offset without a name is its own name."""
    known = _BY_OFFSET.get(offset)
    return known or Direction(offset, f"({offset[0]:+d}, {offset[1]:+d})", "⇝")


def is_named(direction: Direction) -> bool:
    """Whether a direction is one of the eight directions with a name and an arrow of their own."""
    return _BY_OFFSET.get(direction.offset) == direction


_ORTHOGONAL = tuple(direction_of(offset) for offset in DIRECTION_GROUPS["orthogonal"])

Covers = dict[tuple[Shape, int], tuple[int, ...] | None]
"""The cells that a shape covers at an anchor, computed when they are needed; None if the shape does not fit there."""


@lru_cache(maxsize=64)
def _covers_of(_grid: tuple[object, ...]) -> Covers:
    """The cache that all boards with the same size, walls and exits share."""
    return {}


class Board(Struct, frozen=True, dict=True):
    """Walls, terrain and geometry; `terrain` maps a name to its cells.

    `exits` contains only the exits that do not lead to the adjacent cell: each of them is another cell, or None if
    there is no exit. On a graph, `exits` contains all exits; `nodes` maps names to cells, `directions` contains the
    directions to the cells, and `kinds` the directions along the edges of each kind.
    """

    rows: int
    columns: int
    walls: frozenset[int]
    terrain: Mapping[str, frozenset[int]]
    wraps_rows: bool = False  # whether a step off the right edge enters at the left edge
    wraps_columns: bool = False
    geometry: str = "square"  # "square", an element of HEXAGONAL or TRIANGULAR, or GRAPH
    exits: Mapping[tuple[int, Offset], int | None] = {}
    nodes: Mapping[str, int] = {}
    kinds: Mapping[str, tuple[Direction, ...]] = {}
    directions: tuple[Direction, ...] = _ORTHOGONAL  # the default directions of pieces

    def __hash__(self) -> int:  # defined here, because mappings have no hash
        wraps = self.wraps_rows, self.wraps_columns
        return hash((self.rows, self.columns, self.walls, wraps, self.geometry, self.directions))

    @cached_property
    def floors(self) -> tuple[int, ...]:
        """The cells that are not walls."""
        return tuple(c for c in range(self.rows * self.columns) if c not in self.walls)

    @cached_property
    def _covers(self) -> Covers:
        wraps = self.wraps_rows, self.wraps_columns
        # The geometry determines which cells touch, and a wall divides a shape only between touching cells.
        size = (self.rows, self.columns, *wraps, self.geometry)
        return _covers_of((size, self.walls, frozenset(self.exits.items())))

    @cached_property
    def _beyond(self) -> dict[Offset, tuple[int | None, ...]]:
        return {}

    @cached_property
    def _entered(self) -> dict[Offset, frozenset[int | None]]:
        return {}

    @property
    def num_cells(self) -> int:
        return self.rows * self.columns

    def cell(self, row: int, column: int) -> int | None:
        """The cell at this row and column, even if it is a wall; None outside the board."""
        if self.wraps_columns:
            row %= self.rows
        if self.wraps_rows:
            column %= self.columns
        if 0 <= row < self.rows and 0 <= column < self.columns:
            return row * self.columns + column
        return None

    def at(self, cell: int) -> tuple[int, int]:
        """The row and column of a cell."""
        return divmod(cell, self.columns)

    def step(self, cell: int, offset: Offset) -> int | None:
        """The exit of a cell in a direction, even if it is a wall; None if the cell has no exit in this direction."""
        if self.exits and (cell, offset) in self.exits:
            return self.exits[cell, offset]
        return None if self.geometry == GRAPH else self._next(cell, offset)

    def beyond(self, offset: Offset) -> tuple[int | None, ...]:
        """The results of `step` for all cells."""
        found = self._beyond.get(offset)
        if found is None:
            found = tuple([self.step(cell, offset) for cell in range(self.num_cells)])
            self._beyond[offset] = found
        return found

    def is_entered(self, cell: int, offset: Offset) -> bool:
        """Whether a step in this direction leads from some cell to this cell. With one-way lines, this does not depend
        on whether a step back is possible.
        """
        if offset not in self._entered:
            self._entered[offset] = frozenset(self.beyond(offset))
        return cell in self._entered[offset]

    def _next(self, cell: int, offset: Offset) -> int | None:
        """The adjacent cell in the drawing, whatever walls and marks are between the two cells."""
        row, column = divmod(cell, self.columns)
        return self.cell(row + offset[0], column + offset[1])

    def is_cut(self, cell: int, offset: Offset) -> bool:
        """Whether no piece can extend across the side between a cell and its neighbour in a direction, because neither
        of these two cells is an exit of the other.
        """
        if not self.exits and self.geometry != GRAPH:
            return False
        other = self._next(cell, offset)
        if other is None:
            return True
        back = (-offset[0], -offset[1])
        return self.step(cell, offset) != other and self.step(other, back) != cell

    @property
    def touching(self) -> tuple[Offset, ...]:
        """The steps from a cell to the cells that touch it: across its four sides, or across its six sides on a
        hexagonal board.
        """
        return DIRECTION_GROUPS[self.geometry if self.geometry in HEXAGONAL else "orthogonal"]

    @property
    def straight(self) -> tuple[Direction, ...]:
        """The directions of straight lines on the board: six on a hexagonal or triangular board; on a graph, the single
        edges.
        """
        if self.geometry in TRIANGULAR:
            return tuple(direction_of(offset) for offset in STRIPS)
        if self.geometry not in HEXAGONAL:
            return self.directions
        return tuple(direction_of(offset) for offset in DIRECTION_GROUPS[self.geometry])

    def points_up(self, cell: int) -> bool:
        """Whether a cell of a triangular board points up."""
        row, column = divmod(cell, self.columns)
        return (row + column) % 2 == (self.geometry == "triangle-down")

    def floor(self, cell: int | None) -> bool:
        """Whether the cell is on the board and is not a wall."""
        return cell is not None and cell not in self.walls

    def cover(self, shape: Shape, anchor: int) -> tuple[int, ...] | None:
        """The cells that a shape covers if its bounding box starts at `anchor`.

        The result is None if some of these cells are not floor, or if a wall separates some of them.
        """
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
        if (self.exits or self.geometry == GRAPH) and self._is_torn(shape, cells):
            return None
        return tuple(cells)

    def goes_round(self, shape: Shape) -> bool:
        """Whether a shape covers the same cells at several anchors, because rows or columns wrap."""
        if not (self.wraps_rows or self.wraps_columns):
            return False

        def moved(down: int, right: int) -> frozenset[int | None]:
            return frozenset(self.cell(row + down, column + right) for row, column in shape)

        downs = range(self.rows if self.wraps_columns else 1)
        rights = range(self.columns if self.wraps_rows else 1)
        places = [moved(down, right) for down in downs for right in rights]
        return places.count(places[0]) > 1

    def is_divided(self, shape: Shape, anchor: int) -> bool:
        """Whether the lines between cells divide a shape at an anchor, although each of its cells is a floor cell."""
        row, column = divmod(anchor, self.columns)
        cells = [self.cell(row + down, column + right) for down, right in shape]
        return all(map(self.floor, cells)) and self.cover(shape, anchor) is None

    def next_anchor(self, shape: Shape, anchor: int, offset: Offset) -> int | None:
        """The anchor after a step that takes the first cell of a shape to its exit; None if there is no such anchor.

        The shape need not cover its anchor, so the exit of the anchor itself makes no difference.
        """
        if shape[0] == (0, 0):
            # on a graph, there can be as many offsets as nodes
            is_graph = self.geometry == GRAPH
            return self.step(anchor, offset) if is_graph else self.beyond(offset)[anchor]
        down, right = shape[0]
        row, column = self.at(anchor)
        first = self.cell(row + down, column + right)
        exit_cell = None if first is None else self.step(first, offset)
        if exit_cell is None:
            return None
        row, column = self.at(exit_cell)
        return self.cell(row - down, column - right)

    def _is_torn(self, shape: Shape, cells: list[int]) -> bool:
        """Whether a wall separates two touching cells of a shape."""
        return any(
            (down + offset[0], right + offset[1]) in shape and self.is_cut(cell, offset)
            for (down, right), cell in zip(shape, cells, strict=True)
            for offset in self.touching
            if offset > (0, 0)
        )

    def coordinates(self, cell: int) -> str:
        """The row and column of a cell as they are displayed, such as `(3, 1)`."""
        row, column = divmod(cell, self.columns)
        return f"({row}, {column})"
