"""The output of commands: JSON, comma-separated values, boards in colour."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, redirect_stdout
from typing import TYPE_CHECKING, Any

import click

from fewest.cli.console import warn
from fewest.cli.safe_output import style
from fewest.errors import MAX_WARNINGS
from fewest.sanitize import escaped_in_json, shown

if TYPE_CHECKING:
    from pathlib import Path

    from fewest.errors import Diagnostic
    from fewest.model.position import Position
    from fewest.model.puzzle import Spot

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


def print_json(data: Any, *, is_line: bool = False) -> None:
    """Print data as JSON on stdout, on one line if `is_line` is true. Among the characters outside ASCII, only the
    hidden characters are escaped.
    """
    import json

    separators = (",", ":") if is_line else None
    indent = None if is_line else 2
    text = json.dumps(data, ensure_ascii=False, indent=indent, separators=separators)
    click.echo(escaped_in_json(text))
    if is_line:
        sys.stdout.flush()  # this ensures that the reader of a pipe gets each line immediately


def print_styled(
    line: str, *, colour: str | None = None, bold: bool = False, dim: bool = False
) -> None:
    """Print a line, with the given style."""
    click.echo(style(line, colour=colour, bold=bold, dim=dim))


def print_lines(lines: Iterable[str]) -> None:
    """Print lines and flush them."""
    for line in lines:
        click.echo(line)
    sys.stdout.flush()


def beside(*files: Path | None, as_json: bool) -> AbstractContextManager[object]:
    """A context in which printed text goes to stderr if one of the files is stdout (`-`).

    Raises UsageError if JSON would also go to stdout, because a reader could not separate the file from the JSON.
    """
    from fewest.errors import UsageError
    from fewest.machine.files import STDOUT

    if STDOUT not in files:
        return nullcontext()
    if as_json:
        raise UsageError(
            "the file and other data cannot both be written to stdout",
            hint="give a file name instead of -",
        )
    return redirect_stdout(sys.stderr)


def print_warnings(warnings: Iterable[Diagnostic]) -> None:
    """Print the first MAX_WARNINGS warnings about a valid document on stderr, and the number of the others.

    A document can have many thousands of warnings, and `--time` does not limit the time for printing them.
    """
    found = tuple(warnings)
    for text in few_warnings([one.format() for one in found[:MAX_WARNINGS]], len(found)):
        warn(text)


def few_warnings(texts: Sequence[str], number: int) -> Iterator[str]:
    """The first MAX_WARNINGS of the texts of `number` warnings, and a line with the number of the others."""
    yield from texts[:MAX_WARNINGS]
    if number > MAX_WARNINGS:
        others = number - MAX_WARNINGS
        yield f"and {others:,} more warning{'s' * (others != 1)}"


def print_remark(remark: str) -> None:
    """Print on stderr how the reader of a level format resolved an ambiguity."""
    if remark:
        warn(f"note: {shown(remark)}")


def print_memory_allowed(reason: str | None) -> None:
    """After a memory limit has ended the work (`reason` is `memory`), report on stderr how much address space the
    system allows (`ulimit -v`), unless it is unlimited.
    """
    from fewest.machine.memory import memory_allowed

    allowed = memory_allowed() if reason == "memory" else None
    if allowed is not None:
        size = f"{allowed / 2**20:,.0f} MiB"
        warn(f"the system limits the address space of this process to {size} (ulimit -v)")


def print_store(reason: str | None, folder: str | Path | None) -> None:
    """If a search was stopped (`reason` is not None) and has saved its progress in `folder`, report on stderr how to
    resume it.
    """
    if reason is not None and folder is not None:
        from os.path import exists

        from fewest.store.urls import is_url

        name = " --cluster" if is_url(str(folder)) else ""
        # if the folder does not exist, the search stopped before it saved anything
        if not name and not exists(folder):
            return
        warn(f"`fewest resume {folder}{name}` continues the search")


class CsvPrinter:
    """Prints rows of comma-separated values; the header precedes the first row."""

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
    """The position as text; if colours are enabled, each letter or kind has a colour."""
    from fewest.drawing.text import glyphs, spaced, variable_lines

    lines: list[str] = []
    puzzle = position.puzzle
    if puzzle.board is not None:
        tags = sorted({piece.label for piece in puzzle.pieces})
        colour = {tag: _COLOURS[index % len(_COLOURS)] for index, tag in enumerate(tags)}
        for lead, row in spaced(position, glyphs(position, labels)):
            cells: list[str] = []
            for glyph in row:
                if glyph.is_wall:
                    cells.append(style(glyph.text, dim=True))
                elif glyph.piece is not None:
                    tint = colour.get(glyph.piece, "white")
                    cells.append(style(glyph.text, colour=tint, bold=True))
                else:
                    cells.append(glyph.text)
            lines.append(lead + "".join(cells))
    return "\n".join([*lines, *variable_lines(position)])
