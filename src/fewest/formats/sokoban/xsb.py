"""Levels as text: `.xsb`, `.sok` and the `.txt` files that look like them.

A level is a block of rows over `#` wall, `@` player, `$` box, `.` target, `+` player and `*` box on a target,
and floor (space, `-` or `_`); `p P b B` are other spellings of `@ + $ *`. Rows may be run-length encoded
(`3#@2.`, also `2(#.)`) and share a line with `|` between them. Everything else is text: a line `Title:`,
`Author:` or `Comment:` belongs to the level before it, and the last text before a level is its title if it
has no other. Source: the format notes of Sokoban YASC (Brian Damgaard) and the Sokoban wiki's page on level
formats.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct, field

from fewest.errors import Report, Source, SourceLocation
from fewest.formats.collection import MAX_CELLS, Collection, Level
from fewest.formats.sokoban.levels import MODEL, checked, square
from fewest.sanitize import shown

_PLAIN = re.compile(r"[#@+$*. \-_pPbB]*#[#@+$*. \-_pPbB]*")
_RUNS = re.compile(r"[#@+$*. \-_pPbB0-9()|]*#[#@+$*. \-_pPbB0-9()|]*")
_LIKE_A_ROW = re.compile(r"\s*#[^A-Za-z]*[#@+$*.][^A-Za-z]*")
_KEY = re.compile(r"(title|author|comment|collection|copyright)\s*[:=]\s*(.*)", re.IGNORECASE)
_KNOWN_KEY = re.compile(r"[A-Za-z][A-Za-z -]{0,30}[:=]")
_MOVES = re.compile(r"(?=.*[lurdLURD])[lurdLURD0-9()\s]{4,}")


class _Block(Struct):
    """A level in progress, and the text around it."""

    line: int = 0
    rows: list[str] = field(default_factory=list)
    before: list[str] = field(default_factory=list)
    keys: dict[str, str] = field(default_factory=dict)


def recognises(text: str) -> bool:
    """Whether a text may hold levels drawn with walls."""
    if text.lstrip().startswith("<"):
        return False
    lines = (line.strip() for line in text.splitlines() if "#" in line)
    return any(_RUNS.fullmatch(line) or _LIKE_A_ROW.fullmatch(line) for line in lines)


def read(source: Source, report: Report) -> Collection:
    """The levels of a text; mistakes outside of levels go to the report."""
    levels: list[Level] = []
    head: list[str] = []
    collection: dict[str, str] = {}
    blocks = list(_blocks(source, report, collection))
    for number, block in enumerate(blocks, 1):
        text = list(block.before)
        title = block.keys.get("title", "")
        if text and text[-1].isdecimal():
            text.pop()  # its number
        elif text and not title:
            title = text.pop().strip("'\"")
            if text and text[-1].isdecimal():
                text.pop()
        if number == 1:
            head = text
            text = []
        notes = [*text, *([block.keys["comment"]] if "comment" in block.keys else [])]
        levels.append(
            Level(
                number,
                title,
                square(block.rows),
                block.keys.get("author", ""),
                " ".join(notes),
                block.line,
            )
        )
    found = Collection(
        source.name.rpartition("/")[2],
        MODEL,
        tuple(levels),
        collection.get("collection", collection.get("title", "")),
        collection.get("author", collection.get("copyright", "")),
        " ".join(head),
    )
    return checked(found, source, report)


def _blocks(source: Source, report: Report, collection: dict[str, str]) -> Iterator[_Block]:
    """The blocks of rows with the text before each; keys after a block belong to it."""
    block = _Block()
    last: _Block | None = None
    inside_comment = False
    for number, raw in enumerate(source.lines, 1):
        line = raw.rstrip("\r\n\t ") if "#" not in raw else raw.rstrip("\r\n")
        rows = _rows(line, source, number, report)
        if rows is not None:
            if not block.rows:
                block.line = number
            block.rows += rows
            continue
        if block.rows:
            if _LIKE_A_ROW.fullmatch(line):
                _complain(line, source, number, report)
                continue
            if "#" not in line and line.strip(" -_") == "" and line != "":
                continue  # a row of floor between two others has no meaning
            if last is not None:
                yield last
            last, block = block, _Block()
        text = line.lstrip("; \t").strip()
        match = _KEY.fullmatch(text)
        if match:
            owner = collection if last is None else last.keys
            key, value = match[1].lower(), match[2].strip()
            inside_comment = key == "comment" and not value
            if value:
                owner.setdefault(key, value)
        elif text.lower() in ("comment-end", "comment-end:"):
            inside_comment = False
        elif inside_comment and last is not None:
            last.keys["comment"] = f"{last.keys.get('comment', '')} {text}".strip()
        elif text and not _MOVES.fullmatch(text) and not _KNOWN_KEY.match(text):
            block.before.append(text)
    if last is not None:
        yield last
    if block.rows:
        yield block


def _rows(line: str, source: Source, number: int, report: Report) -> list[str] | None:
    """The rows of a line, or None if it is text."""
    if _PLAIN.fullmatch(line):
        return [line.rstrip()]
    stripped = line.strip()
    if not _RUNS.fullmatch(stripped):
        return None
    try:
        return [_unpacked(part).rstrip() for part in stripped.split("|")]
    except ValueError as error:
        place = SourceLocation(source, number, 1, max(1, len(line)))
        report.error("level-run", place, str(error), hint="write 3#2-@ for ###--@")
        return []


def _unpacked(text: str) -> str:
    """A row without run lengths: `3#2(.$)` is `###.$.$`. Raises ValueError."""
    stack: list[tuple[str, int]] = []
    row, count = "", ""
    for character in text:
        if character.isdigit():
            count += character
            if len(count) > 6:
                raise ValueError(f"a run of {count}… is longer than a level may be")
            continue
        times = int(count or 1)
        count = ""
        if character == "(":
            stack.append((row, times))
            row = ""
        elif character == ")":
            if not stack:
                raise ValueError("`)` without `(`")
            outer, repeat = stack.pop()
            if len(row) * repeat > MAX_CELLS:
                raise ValueError(f"a row of more than {MAX_CELLS:,} cells")
            row = outer + row * repeat
        else:
            if len(row) + times > MAX_CELLS:
                raise ValueError(f"a row of more than {MAX_CELLS:,} cells")
            row += character * times
    if stack:
        raise ValueError("`(` without `)`")
    if count:
        raise ValueError(f"a run length {count} with nothing after it")
    return row


def _complain(line: str, source: Source, number: int, report: Report) -> None:
    for column, character in enumerate(line, 1):
        if character not in "#@+$*. -_pPbB":
            report.error(
                "level-character",
                SourceLocation(source, number, column),
                f"`{character}` is nothing in a level",
                expected="one of # @ + $ * . and floor",
            )
            return


def write(collection: Collection) -> str:
    """The collection as text that `read` reads back to the same levels."""
    parts: list[str] = []
    for key, value in (("Collection", collection.title), ("Author", collection.author)):
        if value:
            parts.append(f"{key}: {value}")
    if collection.notes:
        parts.append(f"; {collection.notes}")
    for level in collection.levels:
        parts += ["", f"; {level.number}", "", *(row.rstrip() for row in level.rows)]
        parts += [f"Title: {level.title}"] if level.title else []
        parts += [f"Author: {level.author}"] if level.author else []
        parts += [f"Comment: {level.notes}"] if level.notes else []
    return "".join(f"{shown(part)}\n" for part in parts)
