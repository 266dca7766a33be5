"""Boards in colour for the terminal; `click.echo` strips the colour where there is none."""

from __future__ import annotations

from collections.abc import Mapping

import click

from fewest.drawing.text import cell_width, glyphs, pad, variable_lines
from fewest.model.position import Position, Spot

_COLOURS = (
    "red",
    "green",
    "yellow",
    "blue",
    "magenta",
    "cyan",
    "bright_red",
    "bright_green",
    "bright_yellow",
    "bright_blue",
    "bright_magenta",
)


def coloured(position: Position, labels: Mapping[Spot, str] | None = None) -> str:
    """The position as text with a colour for every letter or kind."""
    lines: list[str] = []
    puzzle = position.puzzle
    if puzzle.board is not None:
        tags = sorted({piece.label for piece in puzzle.pieces})
        colour = {tag: _COLOURS[index % len(_COLOURS)] for index, tag in enumerate(tags)}
        rows = glyphs(position, labels)
        width = cell_width(rows)
        for row in rows:
            cells: list[str] = []
            for glyph in row:
                text = pad(glyph.text, width)
                if glyph.is_wall:
                    cells.append(click.style(text, dim=True))
                elif glyph.piece is not None:
                    cells.append(click.style(text, fg=colour.get(glyph.piece, "white"), bold=True))
                else:
                    cells.append(text)
            lines.append(("" if width == 1 else " ").join(cells))
    return "\n".join([*lines, *variable_lines(position)])
