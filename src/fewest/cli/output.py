"""What commands print: JSON, comma-separated values, boards in colour."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from fewest.model.position import Position
    from fewest.model.puzzle import Puzzle, Spot

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


def print_json(data: Any) -> None:
    """Data as JSON on stdout, plain numbers, readable text."""
    import json

    click.echo(json.dumps(data, ensure_ascii=False, indent=2))


def print_lines(lines: Iterable[str]) -> None:
    """Lines, at once on their way to whoever reads."""
    for line in lines:
        click.echo(line)
    sys.stdout.flush()


def print_warnings(puzzle: Puzzle) -> None:
    """What is odd about a document that can be used all the same, on stderr."""
    for warning in puzzle.warnings:
        click.echo(warning.format(), err=True)


class CsvPrinter:
    """Rows of comma-separated values; the header comes with the first of them."""

    def __init__(self) -> None:
        import csv

        self.writer = csv.writer(sys.stdout, lineterminator="\n")
        self.has_header = False

    def row(self, header: Iterable[str], cells: Iterable[Any]) -> None:
        """Print a row; all rows have the same header."""
        if not self.has_header:
            self.has_header = True
            self.writer.writerow(header)
        self.writer.writerow(cells)
        sys.stdout.flush()


def coloured(position: Position, labels: Mapping[Spot, str] | None = None) -> str:
    """The position as text with a colour for every letter or kind; `click.echo` strips it in files."""
    from fewest.drawing.text import cell_width, glyphs, pad, variable_lines

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
