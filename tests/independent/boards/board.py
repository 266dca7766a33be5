"""The cells of a board, their terrains, and the steps between them."""

from __future__ import annotations

from typing import Any, NamedTuple

from tests.independent.boards.edges import NONE, Cell, Edges, beside, listed, split_drawing
from tests.independent.boards.expressions import Scope, evaluate
from tests.independent.boards.failures import Rejected, Unsupported
from tests.independent.boards.headings import Offset
from tests.independent.boards.loops import filled
from tests.independent.boards.terrain import is_on
from tests.independent.boards.words import as_list, word


class Board(NamedTuple):
    """A rectangle of cells."""

    height: int
    width: int
    floor: frozenset[Cell]
    terrains: dict[Cell, frozenset[str]]
    known: frozenset[str]
    guests: dict[str, list[str]]  # the words of the pieces that may enter a terrain
    edges: Edges

    def contains(self, cell: Cell) -> bool:
        """Whether the cell is on the board, even if it is a wall."""
        return 0 <= cell[0] < self.height and 0 <= cell[1] < self.width

    def is_on(self, cell: Cell, expression: str) -> bool:
        """Whether the cell is a floor cell of the terrain expression."""
        found = is_on(self.terrains.get(cell, frozenset()), expression, self.known)
        return found and cell in self.floor

    def step(self, cell: Cell, way: Offset) -> Cell | None:
        """The cell that a step or leap reaches; None if a line or the edge of the board stops it."""
        end = beside(cell, way)
        size = abs(way[0]) + abs(way[1])
        if size == 1:
            if (cell, way) in self.edges.closed:
                return None
            end = self.edges.portals.get((cell, way), end)
        elif abs(way[0]) == abs(way[1]) == 1 and self.edges != NONE:
            if self.edges.portals:
                raise Unsupported("a diagonal step on a board with portals")
            if not self._around(cell, (way[0], 0), (0, way[1])) and not self._around(
                cell, (0, way[1]), (way[0], 0)
            ):
                return None
        return end if self.contains(end) else None

    def _around(self, cell: Cell, first: Offset, second: Offset) -> bool:
        """Whether no line blocks the way around a corner."""
        closed = self.edges.closed
        return (cell, first) not in closed and (beside(cell, first), second) not in closed

    def is_whole(self, cells: frozenset[Cell]) -> bool:
        """Whether no wall and no portal divides neighbouring cells of a piece."""
        if self.edges == NONE or len(cells) == 1:
            return True
        return not any(
            (other := beside(cell, way)) in cells
            and self.step(cell, way) != other
            and self.step(other, (-way[0], -way[1])) != cell
            for cell in cells
            for way in ((0, 1), (1, 0))
        )


def drawing(given: Any, scope: Scope) -> list[list[str]]:
    """The rows of characters or tokens of a drawing."""
    if isinstance(given, str):
        lines = filled(given, scope).split("\n")
        while lines and not lines[-1]:
            lines.pop()
        rows = [list(line) for line in lines]
    elif isinstance(given, list) and all(isinstance(row, list) for row in given):
        rows = [[filled(str(token), scope) for token in row] for row in given]
    elif isinstance(given, list):
        rows = [filled(row, scope).split() for row in given]
    else:
        raise Unsupported("the form of a drawing")
    if any(len(row) != len(rows[0]) for row in rows):
        raise Rejected("the rows of a drawing have several lengths")
    return rows


def cells_and_edges(document: dict[str, Any], scope: Scope) -> tuple[list[list[str]], Edges]:
    """The drawing of the cells of the document's board, and its lines."""
    for key in ("geometry", "levels", "graph", "wrap"):
        if document.get(key) is not None:
            raise Unsupported(f"the key {key}")
    if document.get("board") is None:
        return [], NONE
    given, edges = document["board"], document.get("edges")
    if edges == "drawn":
        if not isinstance(given, str):
            raise Unsupported("drawn lines between tokens")
        lines = filled(given, scope).split("\n")
        while lines and not lines[-1]:
            lines.pop()
        rows, found = split_drawing(lines)
        return [list(row) for row in rows], found
    rows_of_tokens = drawing(given, scope)
    if edges is None:
        return rows_of_tokens, NONE
    if not isinstance(edges, dict):
        raise Unsupported("the form of edges")
    drawn = edges.get("drawn")
    if drawn is not None and drawn != "false":
        raise Unsupported("lines that are drawn and listed")
    return rows_of_tokens, listed(edges, scope)


class Terrains(NamedTuple):
    """What the key `terrain` says."""

    names: frozenset[str]
    guests: dict[str, list[str]]
    cells: dict[str, list[Cell]]


def read_terrains(given: Any, scope: Scope) -> Terrains:
    """The names of terrains, the pieces that may enter them, and their listed cells."""
    if isinstance(given, str):
        given = [given]
    pairs = given.items() if isinstance(given, dict) else [(name, None) for name in given or []]
    found = Terrains(frozenset(name for name, _ in pairs), {}, {})
    for name, spec in pairs:
        if isinstance(spec, dict):
            if spec.get("enters") is not None:
                found.guests[name] = [str(word(each)) for each in as_list(spec["enters"])]
            cells = spec.get("cells")
            if cells is not None:
                found.cells[name] = [(row, column) for row, column in evaluate(cells, scope)]
        elif spec is not None:
            found.guests[name] = [str(each) for each in as_list(spec)]
    return found
