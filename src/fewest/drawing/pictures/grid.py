"""The places of cells in a picture: squares, triangles, the hexagons of a board in axial coordinates, or the nodes of a
graph.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import cos, pi, sin, sqrt

from msgspec import Struct

from fewest.drawing.pictures.outline import Point
from fewest.model.board import DIRECTION_GROUPS, GRAPH, HEXAGONAL, TRIANGULAR
from fewest.model.puzzle import Puzzle
from fewest.model.rules import Cycle, Pattern, Slide, Together

UNIT = 48.0  # the number of pixels between the centres of neighbouring cells
_HEX = frozenset(DIRECTION_GROUPS["hex-right"])


class Grid(Struct, frozen=True):
    """Centres and corners of cells. Each row of hexagons is half a cell to the right of the row above it.

    If `leans_left` is true, each row is half a cell to the left of the row above it.
    """

    is_hex: bool
    leans_left: bool = False
    is_round: bool = False  # Whether the cells are the nodes of a graph.
    # The geometry of a triangular board; the distance from a centre to the sides is UNIT / 2.
    triangles: str | None = None

    @property
    def is_square(self) -> bool:
        return not (self.is_hex or self.is_round or self.is_triangular)

    @property
    def is_triangular(self) -> bool:
        return self.triangles is not None

    def _points_up(self, row: float, column: float) -> bool:
        return (row + column) % 2 == (self.triangles == "triangle-down")

    def middle(self, row: float, column: float) -> Point:
        """The centre of a cell; the row and the column may be outside the board, or between cells."""
        if self.is_triangular:
            down = 1.0 if self._points_up(row, column) else 0.5
            return UNIT * sqrt(3) / 2 * (column + 1), UNIT * (1.5 * row + down)
        if self.is_hex:
            lean = -row / 2 if self.leans_left else row / 2
            return UNIT * (column + lean + 0.5), UNIT * (row * sqrt(3) / 2 + 0.5)
        return UNIT * (column + 0.5), UNIT * (row + 0.5)

    def polygon(self, row: int, column: int) -> tuple[Point, ...]:
        """The corners of a cell, clockwise."""
        x, y = self.middle(row, column)
        half = UNIT / 2
        if self.is_round:
            turns = (2 * pi * step / 16 for step in range(16))
            return tuple((x + 0.8 * half * sin(t), y - 0.8 * half * cos(t)) for t in turns)
        if self.is_triangular:
            side, up = UNIT * sqrt(3) / 2, 1 if self._points_up(row, column) else -1
            return (
                (x, y - up * UNIT),
                (x + up * side, y + up * half),
                (x - up * side, y + up * half),
            )
        if not self.is_hex:
            return (
                (x - half, y - half),
                (x + half, y - half),
                (x + half, y + half),
                (x - half, y + half),
            )
        tall = UNIT / sqrt(3)
        return (
            (x, y - tall),
            (x + half, y - tall / 2),
            (x + half, y + tall / 2),
            (x, y + tall),
            (x - half, y + tall / 2),
            (x - half, y - tall / 2),
        )

    def box(self, places: Iterable[tuple[int, int]]) -> tuple[float, float, float, float]:
        """The left, top, right and bottom edges of some cells."""
        corners = [corner for place in places for corner in self.polygon(*place)]
        xs, ys = [x for x, _ in corners], [y for _, y in corners]
        return min(xs), min(ys), max(xs), max(ys)


def grid_of(puzzle: Puzzle) -> Grid:
    """The grid that a document requests; by default, hexagons if pieces move in the six directions of hexagons, and
    otherwise squares.
    """
    geometry = "square" if puzzle.board is None else puzzle.board.geometry
    leans_left = geometry == "hex-left"
    if geometry == GRAPH:
        return Grid(False, is_round=True)
    if geometry in TRIANGULAR:
        return Grid(False, triangles=geometry)
    if puzzle.style.cells is not None:
        return Grid(puzzle.style.cells == "hex", leans_left)
    if geometry in HEXAGONAL:
        return Grid(True, leans_left)
    offsets: set[tuple[int, int]] = set()
    for rule in puzzle.rules:
        match rule:
            case Slide():
                own = [d for piece in puzzle.classes for d in piece.directions or ()]
                offsets.update(d.offset for d in rule.directions or own)
            case Together():
                offsets.update(d.offset for d in rule.directions)
            case Pattern():
                offsets.update(o.direction.offset for o in rule.orientations)
            case Cycle():
                return Grid(False)
    return Grid(offsets == _HEX)
