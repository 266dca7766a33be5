"""Reads the lines between cells (walls, one-way edges and portals), drawn as lines on the board or given as lists.

A board with lines has a row of lines above, between and below its rows of cells, and corresponding columns of lines:

    +-+-+-+      `|` and `-` are walls, a blank is no wall, `<` `>` `^` `v` let pieces pass in that direction only;
    |a > 1|      a digit or letter marks two edges: a step out through one enters through the other.
    + +-+ +
    |  1  |
    +-+-+-+

A line that is not blank changes exits of the board. The board stores only the exits that do not lead to the adjacent
cell.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from msgspec.structs import replace

from fewest.model.answer import counted
from fewest.model.board import DIRECTION_GROUPS, HEXAGONAL, Board, Offset
from fewest.reading.context import Context, Path
from fewest.reading.directions import read_directions
from fewest.reading.document import EdgesEntry
from fewest.reading.drawings import Drawing

_CORNERS = frozenset("+-| .")
_ONE_WAY = {"<": -1, ">": 1, "^": -1, "v": 1}
Exits = dict[tuple[int, Offset], int | None]


class _Side(NamedTuple):
    """A line between two cells: the cells before and after it (None outside the board), and the step across it."""

    before: int | None
    after: int | None
    step: Offset
    place: tuple[int, int]  # the row and column of the line in the drawing


def is_drawn(context: Context) -> bool:
    """Whether the document declares that its board is drawn with lines."""
    entry = context.document.edges
    return entry == "drawn" or (isinstance(entry, EdgesEntry) and entry.drawn)


def without_lines(context: Context, drawing: Drawing) -> Drawing | None:
    """The cells of a board that is drawn with lines; None after reporting that it has no lines."""
    found = drawing.without_lines()
    if found is None:
        size = f"{counted(len(drawing.rows), 'rows')} of {drawing.columns}"
        hint = (
            "draw lines around and between the cells; 3 rows of 4 cells need 7 rows of 9 characters"
        )
        message = f"a board with lines must have odd numbers of rows and columns, but this board has {size}"
        context.error(("board",), "edge-form", message, hint=hint)
    return found


def with_edges(context: Context, board: Board, drawing: Drawing) -> Board:
    """The board, with the exits that its lines and lists define. Reports mistakes."""
    entry = context.document.edges
    if entry is None:
        return board
    exits: Exits = {}
    if drawing.lines:
        _read_lines(context, board, drawing, exits)
    if isinstance(entry, EdgesEntry):
        _read_lists(context, board, entry, exits)
    if board.geometry not in HEXAGONAL:
        exits = {**_closed_corners(replace(board, exits=exits)), **exits}
    return replace(board, exits=exits)


# -- lines ------------------------------------------------------------------------------------------


def _read_lines(context: Context, board: Board, drawing: Drawing, exits: Exits) -> None:
    portals: dict[str, list[_Side]] = {}
    for side in _sides(board):
        mark = drawing.lines[side.place[0]][side.place[1]]
        if mark in (" ", "."):
            continue
        is_upright = side.step == (0, 1)
        if mark == ("|" if is_upright else "-"):
            _close(exits, side, forth=True, back=True)
        elif mark in ("<", ">") if is_upright else mark in ("^", "v"):
            _close(exits, side, forth=_ONE_WAY[mark] < 0, back=_ONE_WAY[mark] > 0)
        elif len(mark) == 1 and mark.isalnum():
            portals.setdefault(mark, []).append(side)
        else:
            known = "`|`, `<`, `>` or a blank" if is_upright else "`-`, `^`, `v` or a blank"
            message = f"`{mark}` is not allowed on a line between cells"
            _line_error(context, side.place, message, f"write {known}")
    for mark, sides in portals.items():
        if len(sides) != 2 or sides[0].step != sides[1].step:
            message = (
                f"`{mark}` marks {len(sides)} line{'s' * (len(sides) != 1)}, but a portal needs two"
            )
            if len(sides) == 2:
                message = f"`{mark}` marks a line between columns and a line between rows"
            hint = (
                "mark two lines with the same character, both between rows or both between columns"
            )
            _line_error(context, sides[-1].place, message, hint)
            continue
        for here, there in (sides, sides[::-1]):
            if here.before is not None:
                exits[here.before, here.step] = there.after
            if here.after is not None:
                exits[here.after, _reversed(here.step)] = there.before
    for row in range(0, len(drawing.lines), 2):
        for column in range(0, len(drawing.lines[0]), 2):
            mark = drawing.lines[row][column]
            if mark not in _CORNERS:
                message = f"`{mark}` is not allowed at a corner of lines"
                _line_error(context, (row, column), message, "write `+` at this corner")


def _sides(board: Board) -> Iterator[_Side]:
    """All lines of the board, including its border. In a row that wraps, the first and the last line are between the
    same two cells.
    """
    for row in range(board.rows):
        for column in range(board.columns + 1):
            before, after = board.cell(row, column - 1), board.cell(row, column)
            yield _Side(before, after, (0, 1), (2 * row + 1, 2 * column))
    for row in range(board.rows + 1):
        for column in range(board.columns):
            before, after = board.cell(row - 1, column), board.cell(row, column)
            yield _Side(before, after, (1, 0), (2 * row, 2 * column + 1))


def _close(exits: Exits, side: _Side, *, forth: bool, back: bool) -> None:
    """Close the side between two cells to steps `forth`, to steps `back`, or to both."""
    if side.before is None or side.after is None:
        return
    if forth:
        exits[side.before, side.step] = None
    if back:
        exits[side.after, _reversed(side.step)] = None


def _line_error(context: Context, place: tuple[int, int], message: str, hint: str) -> None:
    board = context.document.board
    where = f"{message} (line {place[0]}, column {place[1]} of the drawing)"
    if isinstance(board, str) and "{" not in board:
        shift = len(board.split("\n")) - len(board.lstrip("\n").split("\n"))
        inside = (place[0] + shift, place[1], 1)
        context.error(("board",), "edge-form", where, hint=hint, inside=inside)
    else:
        context.error(("board",), "edge-form", where, hint=hint)


# -- lists ------------------------------------------------------------------------------------------


def _read_lists(context: Context, board: Board, entry: EdgesEntry, exits: Exits) -> None:
    for key, pairs in (("walls", entry.walls), ("one-way", entry.one_way)):
        for index, pair in enumerate(pairs or []):
            path: Path = ("edges", key, index)
            cells = [_cell(context, board, (*path, i), each) for i, each in enumerate(pair)]
            if len(cells) != 2 or cells[0] is None or cells[1] is None:
                if len(cells) != 2:
                    context.error(path, "edge-form", "an edge must be a pair of cells")
                continue
            first, second = cells[0], cells[1]
            steps = [s for s in _neighbours(board) if board.step(first, s) == second]
            if not steps:
                context.error(path, "edge-form", "these cells are not neighbours")
            for step in steps:
                exits[second, _reversed(step)] = None
                if key == "walls":
                    exits[first, step] = None
    for index, portal in enumerate(entry.portals or []):
        path = ("edges", "portals", index)
        leaving = _cell(context, board, (*path, "leaving"), portal.leaving)
        entering = _cell(context, board, (*path, "entering"), portal.entering)
        directions = read_directions(context, (*path, "by"), portal.by)
        for direction in directions or ():
            if leaving is None or entering is None:
                continue
            exits[leaving, direction.offset] = entering
            if portal.both:
                exits[entering, _reversed(direction.offset)] = leaving


def _cell(context: Context, board: Board, path: Path, raw: list[int | str]) -> int | None:
    """The cell that a list entry names; None if a mistake was reported."""
    row, column = (context.integer((*path, i), each) for i, each in enumerate(raw))
    if row is None or column is None:
        return None
    cell = board.cell(row, column)
    if cell is None:
        context.error(path, "edge-form", f"({row}, {column}) is outside the board")
    return cell


def _neighbours(board: Board) -> tuple[Offset, ...]:
    """The steps to cells that share an edge."""
    return board.touching


def _reversed(step: Offset) -> Offset:
    return (-step[0], -step[1])


# -- corners ----------------------------------------------------------------------------------------


def _closed_corners(board: Board) -> Exits:
    """The diagonal steps that are impossible because both ways around the corner are closed."""
    exits: Exits = {}
    plain = replace(board, exits={})
    for cell in range(board.num_cells) if board.exits else ():
        for down, right in DIRECTION_GROUPS["diagonal"]:
            beyond = plain.step(cell, (down, right))
            corners = (
                _two_steps(board, cell, (down, 0), (0, right)),
                _two_steps(board, cell, (0, right), (down, 0)),
            )
            if beyond is not None and beyond not in corners:
                exits[cell, (down, right)] = None
    return exits


def _two_steps(board: Board, cell: int, first: Offset, second: Offset) -> int | None:
    middle = board.step(cell, first)
    return None if middle is None else board.step(middle, second)
