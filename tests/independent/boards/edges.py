"""The lines between cells: walls, one-way lines and portals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from tests.independent.boards.expressions import Scope, evaluate
from tests.independent.boards.failures import Rejected, Unsupported
from tests.independent.boards.headings import OFFSETS, Offset

if TYPE_CHECKING:
    from tests.independent.boards.board import Plane

Cell = tuple[int, int]
Line = tuple[Cell, Offset]  # a cell, and the direction in which a piece leaves it


class Edges(NamedTuple):
    """The lines that a piece cannot cross, and those that lead to another cell."""

    closed: frozenset[Line]
    portals: dict[Line, Cell]
    has_one_way: bool

    @property
    def is_plain(self) -> bool:
        """Whether there are only walls, and neither portals nor one-way lines."""
        return not self.portals and not self.has_one_way


NONE = Edges(frozenset(), {}, False)
_OPEN = {"<": (0, -1), ">": (0, 1), "^": (-1, 0), "v": (1, 0)}


def beside(cell: Cell, direction: Offset) -> Cell:
    """The neighbour of a cell in a direction, whether or not it is on the board."""
    return cell[0] + direction[0], cell[1] + direction[1]


def back(direction: Offset) -> Offset:
    """The opposite direction."""
    return -direction[0], -direction[1]


def split_drawing(rows: list[str], plane: Plane) -> tuple[list[str], Edges]:
    """The drawing of the cells, and the lines, of a drawing with lines around and between the cells."""
    if len(rows) % 2 == 0 or any(len(row) != len(rows[0]) for row in rows) or len(rows[0]) % 2 == 0:
        raise Unsupported("a drawing of lines with rows of several lengths")
    cells = [row[1::2] for row in rows[1::2]]
    closed: set[Line] = set()
    marks: dict[str, list[tuple[Cell, Offset]]] = {}
    one_way = False
    for r, row in enumerate(rows):
        for c, mark in enumerate(row):
            if r % 2 == c % 2:
                continue
            direction = (0, 1) if r % 2 else (1, 0)
            first = ((r - 1) // 2, (c - 2) // 2) if r % 2 else ((r - 2) // 2, (c - 1) // 2)
            second = beside(first, direction)
            if mark == " ":
                continue
            if mark in "|-":
                closed |= {(first, direction), (second, back(direction))}
            elif mark in _OPEN:
                one_way = True
                if _OPEN[mark] not in (direction, back(direction)):
                    raise Rejected(f"{mark} across its own line")
                closed.add(
                    (second, back(direction)) if _OPEN[mark] == direction else (first, direction)
                )
            elif mark.isalnum():
                marks.setdefault(mark, []).append((first, direction))
            else:
                raise Rejected(f"the line {mark!r}")
    portals: dict[Line, Cell] = {}
    for mark, lines in marks.items():
        if len(lines) != 2 or lines[0][1] != lines[1][1]:
            raise Rejected(f"the portal {mark}")
        (first, direction), (second, _) = lines
        for here, there in ((first, second), (second, first)):
            for start, out, end in (
                (here, direction, beside(there, direction)),
                (beside(here, direction), back(direction), there),
            ):
                end = plane.inside(end)
                if plane.contains(end):
                    portals[plane.inside(start), out] = end
                else:
                    closed.add((start, out))
    closed = {(plane.inside(cell), direction) for cell, direction in closed}
    return cells, Edges(frozenset(closed), portals, one_way)


def listed(given: dict[str, Any], scope: Scope, plane: Plane) -> Edges:
    """The lines of a map of lists."""
    closed: set[Line] = set()
    portals: dict[Line, Cell] = {}
    for key in ("walls", "one-way"):
        for pair in given.get(key) or []:
            first, second = (_cell(each, scope) for each in pair)
            sides = [direction for direction in plane.sides if isinstance(direction, tuple)]
            directions = [
                direction for direction in sides if plane.shifted(first, direction) == second
            ]
            if not directions:
                raise Rejected("a line between cells that are no neighbours")
            for direction in directions:
                closed.add((second, back(direction)))
                if key == "walls":
                    closed.add((first, direction))
    for each in given.get("portals") or []:
        start, end = _cell(each["leaving"], scope), _cell(each["entering"], scope)
        direction = OFFSETS[each["by"]]
        lines = [(start, direction, end)]
        if str(each.get("both", "true")) != "false":
            lines.append((end, back(direction), start))
        for first, out, last in lines:
            if portals.get((first, out), last) != last:
                raise Rejected("two portals at one line")
            portals[first, out] = last
    if any(line in closed for line in portals):
        raise Unsupported("a portal at a wall")
    return Edges(frozenset(closed), portals, bool(given.get("one-way")))


def _cell(given: Any, scope: Scope) -> Cell:
    row, column = evaluate(given, scope)
    return row, column
