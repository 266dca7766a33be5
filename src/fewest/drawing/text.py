"""Positions as text: the characters that the puzzle itself is drawn with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from unicodedata import east_asian_width

from fewest.model.position import Position, Spot
from fewest.model.puzzle import Puzzle


@dataclass(frozen=True)
class Glyph:
    """One cell of a drawing: its text, and what it shows (`piece` is the tag to colour it by)."""

    text: str
    piece: str | None
    is_wall: bool


def glyphs(position: Position, labels: Mapping[Spot, str] | None = None) -> list[list[Glyph]]:
    """The board row by row. `labels` says which letter each piece has; else its class decides."""
    puzzle, board = position.puzzle, position.board
    known = labels if labels is not None else default_labels(position)
    terrain_of = {cell: name for name, cells in board.terrain.items() for cell in cells}
    rows: list[list[Glyph]] = []
    for row in range(board.rows):
        line: list[Glyph] = []
        for column in range(board.columns):
            cell = row * board.columns + column
            spot = position.occupied.get(cell)
            if cell in board.walls:
                line.append(Glyph(puzzle.characters.get("wall", "#"), None, True))
            elif spot is None:
                terrain = terrain_of.get(cell)
                plain = puzzle.characters.get("floor", ".")
                line.append(Glyph(puzzle.characters.get(terrain or "floor", plain), None, False))
            else:
                tag = known.get(spot, puzzle.classes[spot[0]].kind)
                text = _character(puzzle, spot, tag, terrain_of.get(cell))
                line.append(Glyph(text, tag, False))
        rows.append(line)
    return rows


def default_labels(position: Position) -> dict[Spot, str]:
    """A letter for every piece where nobody kept track: those of its class in reading order."""
    free: dict[int, list[str]] = {}
    for piece in position.puzzle.pieces:
        free.setdefault(piece.class_id, []).append(piece.label)
    out: dict[Spot, str] = {}
    for spot in sorted(position.pieces):
        letters = free.get(spot[0])
        out[spot] = letters.pop(0) if letters else position.puzzle.classes[spot[0]].kind
    return out


def _character(puzzle: Puzzle, spot: Spot, tag: str, terrain: str | None) -> str:
    kind = puzzle.classes[spot[0]].kind
    if tag != kind:
        return tag
    characters = puzzle.characters
    return characters.get(f"{kind} on {terrain}", characters.get(kind, tag))


def draw(position: Position, labels: Mapping[Spot, str] | None = None) -> list[str]:
    """The position as lines of text: the board, then the variables."""
    lines: list[str] = []
    if position.puzzle.board is not None:
        rows = glyphs(position, labels)
        width = cell_width(rows)
        gap = "" if width == 1 else " "
        lines = [gap.join(pad(glyph.text, width) for glyph in row) for row in rows]
    return [*lines, *variable_lines(position)]


def variable_lines(position: Position) -> list[str]:
    """The variables with their values, wrapped to 76 columns."""
    lines: list[str] = []
    for variable, value in zip(position.puzzle.variables, position.values, strict=True):
        item = f"{variable.name}={value}"
        if lines and len(lines[-1]) + len(item) + 2 <= 76:
            lines[-1] += f"  {item}"
        else:
            lines.append(item)
    return lines


def cell_width(rows: list[list[Glyph]]) -> int:
    """Columns of the widest cell."""
    return max((text_width(glyph.text) for row in rows for glyph in row), default=1)


def pad(text: str, width: int) -> str:
    """`text` on the right of `width` columns."""
    return " " * (width - text_width(text)) + text


def text_width(text: str) -> int:
    """Terminal columns: East Asian wide characters take two."""
    return sum(2 if east_asian_width(character) in "WF" else 1 for character in text)
