"""Positions as text, with the characters of the puzzle's own drawing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from unicodedata import east_asian_width

from msgspec import Struct
from msgspec.structs import replace

from fewest.drawing.lines import has_lines, with_edges, with_lines
from fewest.model.board import GRAPH, HEXAGONAL, TRIANGULAR, Board
from fewest.model.position import Position, reading_order_labels
from fewest.model.puzzle import Puzzle, Spot


class Glyph(Struct, frozen=True):
    """One cell of a drawing: its text, and the content of the cell (`piece` is the tag that determines the colour of
    the piece).
    """

    text: str
    piece: str | None
    is_wall: bool


def glyphs(position: Position, labels: Mapping[Spot, str] | None = None) -> list[list[Glyph]]:
    """The board row by row. `labels` contains the letter of each piece; by default, the pieces of a class get its
    letters in reading order.
    """
    puzzle, board = position.puzzle, position.board
    known = labels if labels is not None else reading_order_labels(position)
    terrain_of = {cell: name for name, cells in board.terrain.items() for cell in cells}
    rows: list[list[Glyph]] = []
    for row in range(board.rows):
        line: list[Glyph] = []
        for column in range(board.columns):
            cell = row * board.columns + column
            spot = position.occupied.get(cell)
            if cell in board.walls:
                plain = " " if board.geometry == GRAPH else "#"
                line.append(Glyph(puzzle.characters.get("wall", plain), None, True))
            elif spot is None:
                terrain = terrain_of.get(cell)
                plain = puzzle.characters.get("floor", ".")
                line.append(Glyph(puzzle.characters.get(terrain or "floor", plain), None, False))
            else:
                tag = known.get(spot, puzzle.classes[spot[0]].kind)
                below = [layer[cell] for layer in position.layers[::-1] if cell in layer][1:]
                text = _character(puzzle, [spot, *below], tag, terrain_of.get(cell))
                line.append(Glyph(text, tag, False))
        rows.append(line)
    return rows


def _character(puzzle: Puzzle, spots: Sequence[Spot], tag: str, terrain: str | None) -> str:
    """The text for the pieces on a cell, which `spots` lists from the uppermost piece down. If the uppermost piece has
    a letter, the text is this letter. Otherwise, it is the character in the legend for all these pieces or for the
    uppermost one, if possible together with the terrain; without such a character, it is the kind.
    """
    kinds = [puzzle.classes[spot[0]].kind for spot in spots]
    if tag != kinds[0]:
        return tag
    meanings = [
        meaning
        for known in (" & ".join(kinds), kinds[0])
        for meaning in (f"{known} on {terrain}", known)
    ]
    return next((puzzle.characters[m] for m in meanings if m in puzzle.characters), tag)


def draw(position: Position, labels: Mapping[Spot, str] | None = None) -> list[str]:
    """The position as lines of text: the board, then the variables."""
    lines: list[str] = []
    if position.puzzle.board is not None:
        lines = [
            lead + "".join(glyph.text for glyph in row)
            for lead, row in spaced(position, glyphs(position, labels))
        ]
    return [*lines, *variable_lines(position)]


def spaced(position: Position, rows: list[list[Glyph]]) -> list[tuple[str, list[Glyph]]]:
    """The prefix and the glyphs of each line: cells of equal width, with the lines between them."""
    width, board = cell_width(rows), position.board
    wide = [[replace(glyph, text=pad(glyph.text, width)) for glyph in row] for row in rows]
    if board.geometry == GRAPH:
        drawn = with_edges(board, wide, lambda mark: Glyph(mark.rjust(width), None, mark != " "))
        return [("", line) for line in drawn]
    if board.geometry in TRIANGULAR:
        return [("", _slanted(board, row, line)) for row, line in enumerate(wide)]
    if not has_lines(board):
        gaps = _spacing(board, width)
        return [(lead, _joined(row, gap)) for row, (lead, gap) in zip(wide, gaps, strict=True)]
    lined = with_lines(board, wide, lambda mark: Glyph(mark, None, mark != " "))
    for line in lined[::2]:
        line[1::2] = [replace(glyph, text=_stretched(glyph.text, width)) for glyph in line[1::2]]
    return [("", line) for line in lined]


def _slanted(board: Board, row: int, line: list[Glyph]) -> list[Glyph]:
    """A row of triangles, with the sides between them."""
    first = row * board.columns
    sides = ["/" if board.points_up(first + column) else "\\" for column in range(len(line))]
    sides.append("\\" if sides[-1] == "/" else "/")
    left = [Glyph(side, None, False) for side in sides]
    return [part for pair in zip(left, line, strict=False) for part in pair] + left[-1:]


def _joined(row: list[Glyph], gap: str) -> list[Glyph]:
    if not gap:
        return row
    between = Glyph(gap, None, False)
    return [part for glyph in row for part in (between, glyph)][1:]


def _stretched(mark: str, width: int) -> str:
    """A character of a line between rows, in the width of a cell: `-` is repeated, and other characters are padded."""
    return mark * width if mark == "-" else mark.rjust(width)


def _spacing(board: Board, width: int) -> list[tuple[str, str]]:
    """The prefix of each row and the gap between its cells, for cells of `width` columns.

    Rows of a hexagonal board are shifted by half a cell.
    """
    if board.geometry not in HEXAGONAL:
        return [("", "" if width == 1 else " ")] * board.rows
    gap = " " * (1 if width % 2 else 2)
    half = (width + len(gap)) // 2
    shifts = range(board.rows) if board.geometry == "hex-right" else reversed(range(board.rows))
    return [(" " * (half * shift), gap) for shift in shifts]


def variable_lines(position: Position) -> list[str]:
    """The variables that have a place, as a drawing; then the other variables and their values, in lines of at most 76
    characters if possible.
    """
    drawn = layout_lines(position)
    if drawn and position.puzzle.board is not None:
        drawn.insert(0, "")
    lines: list[str] = []
    for variable, value in zip(position.puzzle.variables, position.values, strict=True):
        if variable.place is not None:
            continue
        item = f"{variable.name}={value}"
        if lines and len(lines[-1]) + len(item) + 2 <= 76:
            lines[-1] += f"  {item}"
        else:
            lines.append(item)
    return [*drawn, *lines]


def layout_lines(position: Position) -> list[str]:
    """The variables that have a place, each drawn at its place as a character."""
    texts = {
        variable.place: variable.character(value)
        for variable, value in zip(position.puzzle.variables, position.values, strict=True)
        if variable.place is not None
    }
    if not texts:
        return []
    width = max(map(text_width, texts.values()))
    rows, columns = (1 + max(place[axis] for place in texts) for axis in (0, 1))
    gap = "" if width == 1 else " "
    return [
        gap.join(pad(texts.get((row, column), ""), width) for column in range(columns)).rstrip()
        for row in range(rows)
    ]


def cell_width(rows: list[list[Glyph]]) -> int:
    """The width of the widest cell, in columns."""
    return max((text_width(glyph.text) for row in rows for glyph in row), default=1)


def pad(text: str, width: int) -> str:
    """`text`, right-aligned in `width` columns."""
    return " " * (width - text_width(text)) + text


def text_width(text: str) -> int:
    """The number of terminal columns that a text occupies; East Asian wide characters take two columns."""
    return sum(2 if east_asian_width(character) in "WF" else 1 for character in text)
