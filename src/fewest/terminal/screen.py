"""A position as coloured text for the terminal: cells of several characters, in the colours of the pictures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from fewest.drawing.lines import Side, has_lines, sides
from fewest.drawing.pictures.colours import ink_on
from fewest.drawing.pictures.goals import drawn_position, open_cells
from fewest.drawing.text import cell_width, glyphs, pad, text_width

if TYPE_CHECKING:
    from fewest.drawing.pictures.puzzle_style import PuzzleStyle
    from fewest.model.board import Board
    from fewest.model.position import Position
    from fewest.model.puzzle import Spot

# the maximum width and height of a cell in characters; in a small terminal, cells are smaller
WIDE, HIGH = 6, 3


class ColouredText(Struct, frozen=True):
    """Consecutive characters on one line that have the same colours and weight."""

    text: str
    ink: str
    ground: str
    is_bold: bool = False


def lines(
    look: PuzzleStyle,
    position: Position,
    labels: Mapping[Spot, str],
    chosen: Spot | None = None,
    *,
    wide: int = WIDE,
    high: int = HIGH,
) -> list[list[ColouredText]]:
    """The board, line by line; every row of cells takes `high` lines, and every cell takes `wide` columns."""
    board = position.board
    walls = _Walls(board, wide, high)
    return [
        [
            walls.over(
                _cell(
                    look, position, labels, chosen, row * board.columns + column, part, wide, high
                ),
                row * board.columns + column,
                part,
            )
            for column in range(board.columns)
        ]
        for row in range(board.rows)
        for part in range(high)
    ]


class _Walls:
    """The thin walls, and the marks of portals. Each is drawn over the edge of the cell to its right or below it; a
    mark at the right or lower edge of the board is drawn over the edge of the last cell.
    """

    def __init__(self, board: Board, wide: int, high: int) -> None:
        self.board, self.wide, self.high = board, wide, high
        lines = sides(board) if has_lines(board) else ()
        self.marks = {(side.cell, side.step): side.mark for side in lines if self._shows(side)}

    def _shows(self, side: Side) -> bool:
        """Whether a side needs a mark; the plain edges of the board need none."""
        row, column = self.board.at(side.cell)
        last = {(0, 1): column == self.board.columns - 1, (1, 0): row == self.board.rows - 1}
        is_edge = {**last, (0, -1): column == 0, (-1, 0): row == 0}[side.step]
        return (not is_edge or bool(side.portal)) and last.get(side.step, True)

    def over(self, line: ColouredText, cell: int, part: int) -> ColouredText:
        """A line of a cell with the walls at the edges of the cell."""
        if not self.marks:
            return line
        text = line.text
        upper, lower = self.marks.get((cell, (-1, 0))), self.marks.get((cell, (1, 0)))
        for mark, where in ((upper, 0), (lower, self.high - 1)):
            if mark is not None and part == where:
                stroke = "━" * self.wide if mark == "-" else _centred(mark, self.wide)
                text = "".join(map(_mark_over, stroke, text))
        left, right = self.marks.get((cell, (0, -1))), self.marks.get((cell, (0, 1)))
        if left is not None and (left == "|" or part == self.high // 2):
            text = ("┃" if left == "|" else left) + text[1:]
        if right is not None and part == self.high // 2:
            text = text[:-1] + right
        return replace(line, text=text)


def _mark_over(mark: str, shown: str) -> str:
    """`mark`, the character of a wall; but `shown`, if the mark is blank or if `shown` belongs to a name."""
    return mark if mark != " " and not shown.strip(" ▏▔") else shown


def _cell(
    look: PuzzleStyle,
    position: Position,
    labels: Mapping[Spot, str],
    chosen: Spot | None,
    cell: int,
    part: int,
    wide: int,
    high: int,
) -> ColouredText:
    """One line of a cell: its colour, the goal marks, and the name of the piece in the middle."""
    board, theme = position.board, look.theme
    if cell in board.walls:
        return ColouredText(" " * wide, theme.wall, theme.wall)
    spot = position.occupied.get(cell)
    middle = part == high // 2
    if spot is None:
        ground = _floor(look, cell)
        mark = _goal_mark(look, cell) if middle else ""
        return ColouredText(_centred(mark, wide), ink_on(ground), ground, True)
    piece = look.puzzle.classes[spot[0]]
    label = labels.get(spot, piece.kind)
    ground = look.colour(label, piece.kind)
    ink = ink_on(ground)
    text = ""
    if middle and _is_named_at(position, spot, cell):
        plain = "◎" if cell in (look.goal.cells or {}) else "●"
        text = look.mark(label, piece.kind) or (plain if piece.is_single_cell else "")
        if spot == chosen:
            text = f"‹{text}›"
    return ColouredText(_edged(position, cell, spot, _centred(text, wide), part), ink, ground, True)


def _floor(look: PuzzleStyle, cell: int) -> str:
    """The colour of an empty cell: that of its terrain or, without terrain, that of the floor."""
    board = look.puzzle.board
    assert board is not None
    chosen = look.puzzle.style.colours
    ground = look.theme.floor
    if look.puzzle.style.cells == "chequered" and sum(board.at(cell)) % 2:
        ground = look.theme.other_floor
    for number, (name, cells) in enumerate(board.terrain.items()):
        if cell in cells:
            tint = look.theme.terrains[number % len(look.theme.terrains)]
            ground = chosen.get(name, tint)
    return look.theme.floor if ground == "none" else ground


def _goal_mark(look: PuzzleStyle, cell: int) -> str:
    """A ring on a cell that must be covered, a dot on a cell that a piece must reach, and otherwise an empty text."""
    if cell in (look.goal.cells or {}):
        return "◎"
    for place in look.goal.places:
        if cell in place.cells:
            return "·"
    return ""


def _is_named_at(position: Position, spot: Spot, cell: int) -> bool:
    """Whether the name of a piece belongs on this cell, that is, whether this is the middle cell of the piece."""
    shape = position.puzzle.classes[spot[0]].shape
    row, column = max(r for r, _ in shape) / 2, max(c for _, c in shape) / 2
    near = min(shape, key=lambda place: (abs(place[0] - row) + abs(place[1] - column), place))
    board = position.board
    top, left = board.at(spot[1])
    return board.cell(top + near[0], left + near[1]) == cell


def _edged(position: Position, cell: int, spot: Spot, text: str, part: int) -> str:
    """The line, with the left and the upper edge of the piece if the cell is at such an edge."""
    board = position.board
    row, column = board.at(cell)
    if column == 0 or position.occupied.get(cell - 1) != spot:
        text = "▏" + text[1:] if text[:1] == " " else text
    if part == 0 and (row == 0 or position.occupied.get(cell - board.columns) != spot):
        text = text.replace(" ", "▔")
    return text


def _centred(text: str, wide: int) -> str:
    """A text centred in `wide` columns, and cut if it is too long."""
    while text_width(text) > wide:
        text = text[:-1]
    left = (wide - text_width(text)) // 2
    return " " * left + text + " " * (wide - left - text_width(text))


def goal_lines(look: PuzzleStyle) -> list[str]:
    """The goal as text and as up to two drawings; empty if the board itself shows the goal."""
    out = list(look.goal.words)
    for drawn in look.goal.drawings[:2]:
        position = drawn_position(look.puzzle, drawn)
        unsaid = open_cells(look.puzzle, drawn)
        rows = glyphs(position)
        wide = cell_width(rows)
        gap = "" if wide == 1 else " "
        for number, row in enumerate(rows):
            cells = [
                pad("?" if number * len(row) + column in unsaid else glyph.text, wide)
                for column, glyph in enumerate(row)
            ]
            out.append(gap.join(cells))
        out.append("")
    return out
