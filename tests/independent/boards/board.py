"""The cells of a board, their terrains, and the steps between them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import product
from types import MappingProxyType
from typing import Any, NamedTuple

from tests.independent.boards.edges import NONE, Cell, Edges, back
from tests.independent.boards.failures import Rejected, Unsupported
from tests.independent.boards.headings import GROUPS, OFFSETS, Offset
from tests.independent.boards.terrain import is_on

# A step: an offset in the drawing, the word for a step on a triangular board or to another level, or a kind of edge.
Direction = Offset | str
Shift = tuple[int, int, int]  # by levels, rows and columns
SQUARE, GRAPH = "square", "graph"


class Plane(NamedTuple):
    """The type of a board: how the cells of its drawing are connected."""

    height: int
    width: int
    geometry: str = SQUARE  # the key `geometry`, or GRAPH
    wraps_rows: bool = False
    wraps_columns: bool = False
    levels: int = 1
    nodes: Mapping[str, Cell] = MappingProxyType({})
    kinds: Mapping[str, dict[Cell, list[Cell]]] = MappingProxyType(
        {}
    )  # the ends of the edges of each kind

    @property
    def is_triangular(self) -> bool:
        return self.geometry.startswith("triangle")

    @property
    def is_hexagonal(self) -> bool:
        return self.geometry.startswith("hex")

    @property
    def is_square_or_hexagonal(self) -> bool:
        return not self.is_triangular and self.geometry != GRAPH

    @property
    def wraps(self) -> bool:
        return self.wraps_rows or self.wraps_columns

    @property
    def level_height(self) -> int:
        return self.height // self.levels

    @property
    def default(self) -> list[Direction]:
        """The directions of a rule that names none."""
        if self.geometry == GRAPH:
            return list(self.kinds)
        words: list[Direction] = [*GROUPS["orthogonal"]]
        if self.is_triangular:
            return words
        return [OFFSETS[str(word)] for word in words] + ["above", "below"] * (self.levels > 1)

    @property
    def sides(self) -> list[Direction]:
        """The steps to the cells that touch a cell."""
        if self.geometry == GRAPH:
            return []
        if self.is_triangular:
            return self.default
        words = GROUPS[self.geometry if self.is_hexagonal else "orthogonal"]
        return [OFFSETS[word] for word in words]

    @property
    def sights(self) -> list[Direction]:
        """The directions in which a piece sees others."""
        if self.is_triangular:
            return [*GROUPS["strips"]]
        return self.default if self.geometry == GRAPH else self.sides

    def contains(self, cell: Cell) -> bool:
        """Whether the cell is on the board, even if it is a wall."""
        if self.geometry == GRAPH:
            return cell in self.nodes.values()
        return 0 <= cell[0] < self.height and 0 <= cell[1] < self.width

    def cells(self) -> list[Cell]:
        """All cells in reading order."""
        found = product(range(self.height), range(self.width))
        return [cell for cell in found if self.contains(cell)]

    def node_order(self, cells: Iterable[Cell | None]) -> tuple[int, ...]:
        """The numbers of nodes in the order of the document; nothing on another board."""
        order = {cell: number for number, cell in enumerate(self.nodes.values())}
        return tuple(order[cell] for cell in cells if cell in order)

    def shifted(self, cell: Cell, offset: Offset) -> Cell | None:
        """The cell at an offset in the drawing, whatever is between the two; None outside the board or the level."""
        row, column = self.inside((cell[0] + offset[0], cell[1] + offset[1]))
        if (
            not self.contains((row, column))
            or row // self.level_height != cell[0] // self.level_height
        ):
            return None
        return row, column

    def shift(self, first: Cell, last: Cell) -> Shift:
        """The shift that leads from a cell to another."""
        height = self.level_height
        levels = last[0] // height - first[0] // height
        row, column = self.inside((last[0] - first[0] - levels * height, last[1] - first[1]))
        return levels, row, column

    def after(self, cell: Cell, shift: Shift) -> Cell | None:
        """The cell to which a shift leads; None outside the board."""
        above = cell[0] + shift[0] * self.level_height, cell[1]
        return self.shifted(above, shift[1:]) if 0 <= above[0] < self.height else None

    def inside(self, cell: Cell) -> Cell:
        """The same cell with a row and a column of the drawing, if rows or columns wrap."""
        row = cell[0] % self.height if self.wraps_columns else cell[0]
        return row, cell[1] % self.width if self.wraps_rows else cell[1]

    def triangle(self, cell: Cell, word: str) -> Cell | None:
        """The triangle across a side. A strip crosses the side up or down of a cell that has such a side."""
        is_up = ((cell[0] + cell[1]) % 2 == 0) == (self.geometry == "triangle-up")
        vertical, _, horizontal = word.partition("-")
        if vertical in ("up", "down"):
            if (vertical == "down") is is_up:
                return self.shifted(cell, OFFSETS[vertical])
            if not horizontal:
                return None
        return self.shifted(cell, OFFSETS[horizontal or vertical])


class Board(NamedTuple):
    """A plane with walls, terrains and lines between cells."""

    plane: Plane
    floor: frozenset[Cell]
    terrains: dict[Cell, frozenset[str]]
    known: frozenset[str]
    guests: dict[str, list[str]]  # the words of the pieces that may enter a terrain
    edges: Edges

    @property
    def height(self) -> int:
        return self.plane.height

    @property
    def width(self) -> int:
        return self.plane.width

    def contains(self, cell: Cell) -> bool:
        """Whether the cell is on the board, even if it is a wall."""
        return self.plane.contains(cell)

    def is_on(self, cell: Cell, expression: str) -> bool:
        """Whether the cell is a floor cell of the terrain expression."""
        found = is_on(self.terrains.get(cell, frozenset()), expression, self.known)
        return found and cell in self.floor

    def steps(self, cell: Cell, direction: Direction) -> list[Cell]:
        """The cells that a step or leap reaches. On a graph, a kind of edge can lead to several nodes."""
        if self.plane.geometry == GRAPH and isinstance(direction, str):
            return self.plane.kinds[direction].get(cell, [])
        end = self.step(cell, direction)
        return [] if end is None else [end]

    def step(self, cell: Cell, direction: Direction) -> Cell | None:
        """The cell that a step or leap reaches; None if a line or the edge of the board stops it."""
        plane = self.plane
        if isinstance(direction, str):
            if plane.is_triangular:
                return plane.triangle(cell, direction)
            row = cell[0] + (plane.level_height if direction == "below" else -plane.level_height)
            return (row, cell[1]) if self.contains((row, cell[1])) else None
        if (cell, direction) in self.edges.closed:
            return None
        if (cell, direction) in self.edges.portals:
            end = self.edges.portals[cell, direction]
            return end if self.contains(end) else None
        found = plane.shifted(cell, direction)
        is_diagonal = abs(direction[0]) == abs(direction[1]) == 1
        if found is not None and is_diagonal and self.edges != NONE and not plane.is_hexagonal:
            corners = [
                ((direction[0], 0), (0, direction[1])),
                ((0, direction[1]), (direction[0], 0)),
            ]
            if not any(self._two_steps(cell, *directions) == found for directions in corners):
                return None
        return found

    def _two_steps(self, cell: Cell, first: Offset, second: Offset) -> Cell | None:
        """Where one of the two ways around a corner leads."""
        middle = self.step(cell, first)
        return None if middle is None else self.step(middle, second)

    def is_whole(self, cells: frozenset[Cell]) -> bool:
        """Whether no wall and no portal divides neighbouring cells of a piece."""
        if self.edges == NONE or len(cells) == 1:
            return True
        return not any(
            isinstance(direction, tuple)
            and (other := self.plane.shifted(cell, direction)) in cells
            and other is not None
            and self.step(cell, direction) != other
            and self.step(other, back(direction)) != cell
            for cell in cells
            for direction in self.plane.sides
        )

    def moved(self, cells: frozenset[Cell], shift: Shift) -> frozenset[Cell] | None:
        """The cells to which a shift leads; None if one of them is outside the board."""
        found = {self.plane.after(cell, shift) for cell in cells}
        return None if None in found else frozenset(cell for cell in found if cell is not None)

    def corner(self, cells: frozenset[Cell], shape: frozenset[Cell]) -> Cell:
        """The top-left cell of the bounding box. `shape`: the cells relative to this cell, on a board that wraps."""
        if not self.plane.wraps or len(cells) == 1:
            return min(r for r, _ in cells), min(c for _, c in cells)
        for corner in self.plane.cells():
            if {self.plane.inside((corner[0] + r, corner[1] + c)) for r, c in shape} == cells:
                return corner
        raise AssertionError("a piece does not change its shape")

    def unwrapped(self, cells: frozenset[Cell]) -> frozenset[Cell]:
        """The cells of a piece relative to its top-left cell, also if it lies across the ends of rows or columns."""
        first = min(cells)
        places = {first: first}
        waiting = [first]
        for cell in waiting if self.plane.wraps else ():
            for direction in self.plane.sides:
                other = self.step(cell, direction)
                if not isinstance(direction, tuple) or other != self.plane.shifted(cell, direction):
                    continue
                if other is None or other not in cells:
                    continue
                place = places[cell][0] + direction[0], places[cell][1] + direction[1]
                if other not in places:
                    places[other] = place
                    waiting.append(other)
                elif places[other] != place:
                    raise Unsupported("a piece that touches itself round the board")
        found = {places.get(cell, cell) for cell in cells}
        row, column = min(r for r, _ in found), min(c for _, c in found)
        return frozenset((r - row, c - column) for r, c in found)


class Terrains(NamedTuple):
    """What the key `terrain` says."""

    names: frozenset[str]
    guests: dict[str, list[str]]
    cells: dict[str, list[Cell]]


def plane_of(document: dict[str, Any], height: int, width: int) -> Plane:
    """The type of the board of a document with a drawing of this size."""
    wrap = document.get("wrap")
    plane = Plane(
        height,
        width,
        document.get("geometry") or SQUARE,
        wrap in ("rows", "both"),
        wrap in ("columns", "both"),
        int(document.get("levels") or 1),
    )
    if height % plane.levels or (plane.levels > 1 and plane.level_height < 2):
        raise Rejected("levels of several sizes")
    graph = document.get("graph")
    if graph is None:
        return plane
    nodes = {str(name): (int(place[0]), int(place[1])) for name, place in graph["nodes"].items()}
    given = graph["edges"]
    kinds: dict[str, dict[Cell, list[Cell]]] = {}
    for kind, edges in given.items() if isinstance(given, dict) else [("", given)]:
        ends: dict[Cell, list[Cell]] = {}
        for text in edges:
            first, second = (
                nodes[name] for name in text.replace(">", " ").replace(" - ", " ").split()
            )
            for one, other in [(first, second)] + [(second, first)] * (">" not in text):
                if other not in ends.setdefault(one, []):
                    ends[one].append(other)
        order = list(nodes.values())
        kinds[kind] = {cell: sorted(each, key=order.index) for cell, each in ends.items()}
    return plane._replace(geometry=GRAPH, nodes=nodes, kinds=kinds)
