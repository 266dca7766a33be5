"""The code that all formats with one board per line share.

The reader skips blank lines, and lines that begin with `#` or `;` (comments). The comments before the first board are
the notes of the collection. `Collection:` and `Author:` name the source, and a format may have more such keys. Each of
the remaining lines is a board, one of several consecutive lines that draw a board, or the title of the next board.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from fewest.errors import Report, Source, SourceLocation
from fewest.formats.collection import Collection, Level

_KEY = re.compile(r"([A-Za-z]+)\s*:\s*(.*)")
_COMMENT = ("#", ";")
_MAX_ROWS = 64  # the maximum number of rows in a board
MAX_LINE = 10_000  # the maximum number of characters in a line


class LineError(Exception):
    """Raised if a board or the value of a key contains a mistake; has a message and states the expected content.

    `row` and `column` (from 1) locate the mistake within the lines of the board; column 0 means the whole line.
    """

    code = "level-line"

    def __init__(self, message: str, expected: str, row: int = 1, column: int = 0) -> None:
        super().__init__(message)
        self.message = message
        self.expected = expected
        self.row = row
        self.column = column


class UnknownCharacterError(LineError):
    """Raised if a character has no meaning in a board."""

    code = "level-character"

    def __init__(self, character: str, expected: str, row: int, column: int) -> None:
        super().__init__(f"`{character}` has no meaning in a board", expected, row, column)


def read_lines(
    source: Source,
    report: Report,
    model: str,
    level: Callable[[int, str], Level],
    keys: Mapping[str, Callable[[str], None]] | None = None,
    heading: re.Pattern[str] | None = None,
    height: Callable[[Sequence[str]], int] | None = None,
) -> Collection:
    """The collection of a text. `level` creates a level from its number and its lines, or raises LineError.

    A LineError becomes a mistake of the level. A mistake in a key, or a line that is too long, concerns the whole text,
    so it goes to the report.

    `keys` contains the names of the format's own `Key: value` lines, each with a function that receives the value.
    Before the first board, a line that matches `heading` is ignored. `height` receives the lines up to the next blank
    line or comment, and returns the number of lines of the first board, or 0 if the first line is the title of the next
    board. If it is None, every board takes one line.
    """
    metadata: dict[str, str] = {}
    notes: list[str] = []
    levels: list[Level] = []
    taken: dict[str, Callable[[str], object]] = {
        "collection": lambda value: metadata.setdefault("collection", value),
        "author": lambda value: metadata.setdefault("author", value),
        **(keys or {}),
    }
    number, title, until = 0, "", 0
    for at, line in enumerate(source.lines):
        text = line.strip()
        if at < until:
            continue  # this line belongs to the previous board
        if _is_blank(text):
            if text and not number:
                notes.append(text.lstrip("#; "))
            continue
        if heading and not number and heading.fullmatch(text):
            continue
        key = _KEY.fullmatch(text)
        location = SourceLocation(source, at + 1, 1, max(1, len(line)))
        if key and key[1].lower() in taken:
            try:
                taken[key[1].lower()](key[2].strip())
            except LineError as error:
                report.error("level-line", location, error.message, expected=error.expected)
            continue
        rows = [text] if height is None else _until_blank(source.lines, at)
        if len(text) > MAX_LINE:
            message = f"this line has {len(text):,} characters, too many for a board"
            report.error("level-line", location, message, expected=f"at most {MAX_LINE:,}")
            continue
        count = 1 if height is None else height(rows)
        if count == 0:
            title = text.rstrip(": ")
            continue
        until = at + count
        number += 1
        try:
            parsed = level(number, "\n".join(rows[:count]))
        except LineError as error:
            mistakes = Report()
            location = _location(source, at, error)
            mistakes.error(error.code, location, error.message, expected=error.expected)
            parsed = Level(number, "", (), mistakes=mistakes.diagnostics)
        levels.append(replace(parsed, line=at + 1, title=parsed.title or title))
        title = ""
    return Collection(
        source.name.rpartition("/")[2],
        model,
        tuple(levels),
        metadata.get("collection", ""),
        metadata.get("author", ""),
        " ".join(filter(None, notes)),
    )


def _is_blank(text: str) -> bool:
    return not text or text.startswith(_COMMENT)


def _until_blank(lines: Sequence[str], at: int) -> list[str]:
    """The lines from `at` up to the next blank line or comment, but at most `_MAX_ROWS` lines; a row of a board may
    begin with `#`.
    """
    rows: list[str] = []
    for line in lines[at : at + _MAX_ROWS]:
        text = line.strip()
        if not text or len(text) > MAX_LINE or re.match(r";|#\s|#$", text):
            break
        rows.append(text)
    return rows


def _location(source: Source, at: int, error: LineError) -> SourceLocation:
    line = source.lines[at + error.row - 1]
    if not error.column:
        return SourceLocation(source, at + error.row, 1, max(1, len(line)))
    indent = len(line) - len(line.lstrip())
    return SourceLocation(source, at + error.row, indent + error.column)


def is_key(line: str) -> bool:
    """Whether a line has the form `Key: value`."""
    return _KEY.fullmatch(line.strip()) is not None


def first_board(text: str) -> str:
    """The first line that is neither blank, nor a comment, nor a key; the empty text if no line is left. Formats
    recognise their texts by this line.
    """
    return next(boards(text), "")


def first_rows(text: str) -> list[str]:
    """The first lines of a text up to a blank line or comment, without the blank lines and comments before them.
    Formats that draw boards recognise their texts by these lines.
    """
    lines = text.split("\n", 200)[:200]
    at = next((at for at, line in enumerate(lines) if not _is_blank(line.strip())), len(lines))
    return _until_blank(lines, at)


def boards(text: str) -> Iterator[str]:
    """The lines that are neither blank nor comments nor keys."""
    for line in text.splitlines():
        stripped = line.strip()
        if not _is_blank(stripped) and not _KEY.fullmatch(stripped):
            yield stripped


def head(collection: Collection) -> list[str]:
    """The lines before the first board, in the form that `read_lines` reads."""
    lines = [f"# {collection.notes}"] if collection.notes else []
    keys = (("Collection", collection.title), ("Author", collection.author))
    return [*lines, *(f"{key}: {value}" for key, value in keys if value)]
