"""The common part of all formats with one board per line.

Blank lines and those that begin with `#` or `;` are ignored, except that the comments before the first board
are the notes of the collection. `Collection:` and `Author:` name the source, and a format may have more such
keys. Every other line is a board.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from msgspec.structs import replace

from fewest.errors import Report, Source, SourceLocation
from fewest.formats.collection import Collection, Level

_KEY = re.compile(r"([A-Za-z]+)\s*:\s*(.*)")
_COMMENT = ("#", ";")


class LineError(Exception):
    """A mistake in a line: a message, and what was expected."""

    def __init__(self, message: str, expected: str) -> None:
        super().__init__(message)
        self.message = message
        self.expected = expected


def read_lines(
    source: Source,
    report: Report,
    model: str,
    level: Callable[[int, str], Level],
    keys: Mapping[str, Callable[[str], None]] | None = None,
    heading: re.Pattern[str] | None = None,
) -> Collection:
    """The collection of a text: `level` makes one of its number and its line, or raises LineError.

    That is the level's mistake; a mistake in a key belongs to the whole text, and goes to the report.

    `keys` are the format's own lines `Key: value`, with functions for their values. A line that looks like
    the `heading` before the first board is ignored.
    """
    whole: dict[str, str] = {}
    notes: list[str] = []
    levels: list[Level] = []
    taken: dict[str, Callable[[str], object]] = {
        "collection": lambda value: whole.setdefault("collection", value),
        "author": lambda value: whole.setdefault("author", value),
        **(keys or {}),
    }
    number = 0
    for line_number, line in enumerate(source.lines, 1):
        text = line.strip()
        if text.startswith(_COMMENT):
            if not number:
                notes.append(text.lstrip("#; "))
            continue
        if not text or (heading and not number and heading.fullmatch(text)):
            continue
        key = _KEY.fullmatch(text)
        place = SourceLocation(source, line_number, 1, max(1, len(line)))
        if key and key[1].lower() in taken:
            try:
                taken[key[1].lower()](key[2].strip())
            except LineError as error:
                report.error("level-line", place, error.message, expected=error.expected)
            continue
        number += 1
        try:
            made = level(number, text)
        except LineError as error:
            mistakes = Report()
            mistakes.error("level-line", place, error.message, expected=error.expected)
            made = Level(number, "", (), mistakes=mistakes.diagnostics)
        levels.append(replace(made, line=line_number))
    return Collection(
        source.name.rpartition("/")[2],
        model,
        tuple(levels),
        whole.get("collection", ""),
        whole.get("author", ""),
        " ".join(filter(None, notes)),
    )


def first_board(text: str) -> str:
    """The first line that would be a board, for recognising a format."""
    return next(boards(text), "")


def boards(text: str) -> Iterator[str]:
    """The lines that are neither blank nor comments nor keys."""
    for line in text.splitlines():
        stripped = line.strip()
        if stripped and not stripped.startswith(_COMMENT) and not _KEY.fullmatch(stripped):
            yield stripped


def head(collection: Collection) -> list[str]:
    """The lines before the first board, in the form that `read_lines` reads."""
    lines = [f"# {collection.notes}"] if collection.notes else []
    keys = (("Collection", collection.title), ("Author", collection.author))
    return [*lines, *(f"{key}: {value}" for key, value in keys if value)]
