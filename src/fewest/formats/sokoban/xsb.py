"""Levels as text: `.xsb`, `.sok` and `.txt` files, which all have the same form.

A level is a block of rows of these characters: `#` wall, `@` player, `$` box, `.` target, `+` player on a target, `*`
box on a target, and space, `-` or `_` for floor; `p P b B` are alternatives for `@ + $ *`. Rows may be run-length
encoded (`3#@2.`, also `2(#.)`), and several rows may share a line, separated by `|`. A tab before a row represents
blanks up to the next multiple of eight columns; a tab within a row represents one blank. Blanks before the first of
several rows on a line have no meaning, unless another of these rows begins with a blank. Everything else is text. A
line `Title:`, `Author:` or `Comment:` belongs to the level before it; the last text before a level (such as `Maze: 1`)
is the title of this level if the level has no other title. Source: the format notes of Sokoban YASC (Brian Damgaard)
and the Sokoban wiki's page on level formats.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct, field

from fewest.errors import Report, Source, SourceLocation
from fewest.formats.collection import MAX_CELLS, Collection, Level
from fewest.formats.sokoban.levels import MODEL, checked, square
from fewest.sanitize import shown

_PLAIN = frozenset("#@+$*. -_pPbB")
_RUNS = _PLAIN | frozenset("0123456789()|")
_SYMBOLS = frozenset("#@+$*.")
_NO_RUNS = str.maketrans("", "", "0123456789()|")
_PLAYERS = frozenset("@+pP")
_PIECES = _PLAYERS | frozenset("$*bB")
_HEADER = re.compile(r"(maze|level|puzzle)\s*[:#]?\s*\d+", re.IGNORECASE)
_RULER = re.compile(r"([*=~_-])\1{2,}")  # a line that separates levels
_KEY = re.compile(r"(title|author|comment|collection|copyright)\s*[:=]\s*(.*)", re.IGNORECASE)
_KNOWN_KEY = re.compile(r"[A-Za-z][A-Za-z -]{0,30}[:=]")
_LETTERS_OF_TEXT = re.compile(r"([^\W\d_])(?!\1)[^\W\d_]{2}")  # three letters, not all the same
_MOVES = re.compile(r"(?=.*[lurdLURD])[lurdLURD0-9()\s]{4,}")


class _Block(Struct):
    """A level that is being read, and the text around it."""

    line: int = 0
    rows: list[str] = field(default_factory=list)
    before: list[str] = field(default_factory=list)
    tabs: list[int] = field(default_factory=list)  # the lines with a tab within a row
    keys: dict[str, str] = field(default_factory=dict)


def recognises(text: str) -> bool:
    """Whether a text may contain levels drawn with walls: it has a row with the player, a line with several rows, or
    two consecutive rows.
    """
    if text.lstrip().startswith("<") or is_staggered(text):
        return False
    is_below = False
    for raw in text.splitlines():
        line = raw.strip()
        is_row = _is_row(line)
        if is_row and (is_below or "|" in line or not _PLAYERS.isdisjoint(line)):
            return True
        is_below = is_row
    return False


def has_evidence(text: str) -> bool:
    """Whether a row has the player or a box. Other drawings also have walls."""
    lines = map(str.strip, text.splitlines())
    return any(_is_row(line) and not _PIECES.isdisjoint(line) for line in lines)


def _is_row(line: str) -> bool:
    return "#" in line and (_RUNS.issuperset(line) or _is_like_a_row(line))


def is_staggered(text: str) -> bool:
    """Whether the rows of a text are drawn as hexagons: each row uses only even or only odd columns, alternately."""
    place, num_rows, at, was = -1, 0, -1, -2
    for raw in text.splitlines():
        drawn = raw.strip()
        # A tab before a row represents an even number of blanks; a tab within a row represents one blank.
        line = raw[: raw.find(drawn)].expandtabs() + drawn.replace("\t", " ")
        try:
            rows = _unpacked_rows(line)
        except ValueError:
            rows = None
        for row in rows or ([line] if _is_like_a_row(drawn) else [""]):
            at += 1
            columns = {column % 2 for column, character in enumerate(row) if character != " "}
            if not columns:
                continue
            if len(columns) > 1:
                return False
            parity = (columns.pop() + at) % 2
            if was == at - 1 and parity != place:
                return False
            place, was, num_rows = parity, at, num_rows + 1
    return num_rows > 2


def _is_like_a_row(line: str) -> bool:
    """Whether a line begins with a wall and consists mostly of level characters."""
    text = "".join(line.split())
    if "|" in text:
        text = text.translate(_NO_RUNS)
    known = sum(character in _SYMBOLS for character in text)
    return text.startswith("#") and len(text) > 1 and 2 * known > len(text)


def read(source: Source, report: Report) -> Collection:
    """The levels of a text; mistakes outside levels go to the report."""
    return checked(drawn_levels(source, report, MODEL), source, report)


def drawn_levels(source: Source, report: Report, model: str) -> Collection:
    """The levels of a text as they are drawn, before they are checked; all mistakes go to the report."""
    levels: list[Level] = []
    head: list[str] = []
    collection: dict[str, str] = {}
    blocks = list(_blocks(source, report, collection))
    for number, block in enumerate(blocks, 1):
        text = list(block.before)
        title = block.keys.get("title", "")
        if text and text[-1].isdecimal():
            text.pop()  # removes the number of the level
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
                remark=_tabs(block.tabs),
            )
        )
    return Collection(
        source.name.rpartition("/")[2],
        model,
        tuple(levels),
        collection.get("collection", collection.get("title", "")),
        collection.get("author", collection.get("copyright", "")),
        " ".join(head),
    )


def _blocks(source: Source, report: Report, collection: dict[str, str]) -> Iterator[_Block]:
    """The blocks of rows, each with the text before it; keys after a block belong to the block, and keys before the
    first block go to `collection`.
    """
    block = _Block()
    last: _Block | None = None
    inside_comment = False
    for number, raw in enumerate(source.lines, 1):
        line = raw.rstrip("\r\n\t ")
        if "\t" in line and "#" in line:
            indent = line[: len(line) - len(line.lstrip())]
            line = indent.expandtabs() + line.lstrip()
            if "\t" in line:
                line = line.replace("\t", " ")
                block.tabs.append(number)
        rows = _rows(line, source, number, report)
        if rows is None and _is_faulty_row(
            line, source.line(number + 1), is_inside=bool(block.rows)
        ):
            _report_unknown_character(line, source, number, report)
            rows = _rows(_without_unknown(line), source, number, report)
        if rows is not None:
            if not block.rows:
                block.line = number
            block.rows += rows
            continue
        if block.rows:
            if "#" not in line and line.strip(" -_") == "" and line != "":
                continue  # a line of floor below the rows of a level has no meaning
            if last is not None:
                yield last
            last, block = block, _Block()
        text = line.lstrip("; \t").strip()
        if _RULER.fullmatch(text):
            continue
        match = _KEY.fullmatch(text)
        if match:
            is_below_title = block.before and block.before[-1][0] in "'\""
            owner = block.keys if is_below_title else collection if last is None else last.keys
            key, value = match[1].lower(), match[2].strip()
            inside_comment = key == "comment" and not value
            if value:
                owner.setdefault(key, value)
        elif text.lower() in ("comment-end", "comment-end:"):
            inside_comment = False
        elif inside_comment and last is not None:
            last.keys["comment"] = f"{last.keys.get('comment', '')} {text}".strip()
        elif _HEADER.fullmatch(text) or (
            text and not _MOVES.fullmatch(text) and not _KNOWN_KEY.match(text)
        ):
            block.before.append(text)
    if last is not None:
        yield last
    if block.rows:
        yield block


def _rows(line: str, source: Source, number: int, report: Report) -> list[str] | None:
    """The rows that a line contains; None if the line is text."""
    try:
        return _unpacked_rows(line)
    except ValueError as error:
        place = SourceLocation(source, number, 1, max(1, len(line)))
        report.error("level-run", place, str(error), hint="for example, 3#2-@ means ###--@")
        return []


def _unpacked_rows(line: str) -> list[str] | None:
    """The rows that a line contains, without run-length encoding; None if the line is text. Raises ValueError."""
    if "#" not in line:
        return None
    if _PLAIN.issuperset(line) and len(line) <= MAX_CELLS:
        return [line.rstrip()]
    stripped = line.strip()
    if not _RUNS.issuperset(stripped):
        return None
    first, *others = stripped.split("|")
    # if no other row begins with a blank, the blanks before several rows only indent the line
    if not others or any(part.startswith(" ") for part in others):
        first = " " * line.index(stripped) + first
    return [_unpacked(part).rstrip() for part in (first, *others)]


def _unpacked(text: str) -> str:
    """A row without run-length encoding: `3#2(.$)` becomes `###.$.$`. Raises ValueError."""
    stack: list[tuple[str, int]] = []
    row, count = "", ""
    for character in text:
        if character.isdigit():
            count += character
            if len(count) > 6:
                raise ValueError(f"the run length {count}… is too large")
            continue
        times = int(count or 1)
        count = ""
        if character == "(":
            stack.append((row, times))
            row = ""
        elif character == ")":
            if not stack:
                raise ValueError("a `)` has no matching `(`")
            outer, repeat = stack.pop()
            if len(row) * repeat > MAX_CELLS:
                raise ValueError(f"this row has more than {MAX_CELLS:,} cells")
            row = outer + row * repeat
        else:
            if len(row) + times > MAX_CELLS:
                raise ValueError(f"this row has more than {MAX_CELLS:,} cells")
            row += character * times
    if stack:
        raise ValueError("a `(` has no matching `)`")
    if count:
        raise ValueError(f"nothing follows the run length {count}")
    return row


def _report_unknown_character(line: str, source: Source, number: int, report: Report) -> None:
    """Report the characters of a row that have no meaning in a level, each of them once."""
    named: set[str] = set()
    known = _meant(line)
    for column, character in enumerate(line, 1):
        if character not in known and character not in named:
            named.add(character)
            report.error(
                "level-character",
                SourceLocation(source, number, column),
                f"`{character}` has no meaning in a level",
                expected="one of # @ + $ * . and floor",
            )


def _without_unknown(line: str) -> str:
    """The row with a wall in place of each character that has no meaning, so that it causes no further mistakes."""
    known = _meant(line)
    return "".join(c if c in known else "#" for c in line)


def _meant(line: str) -> frozenset[str]:
    """The characters that have a meaning in a line with a fault; numbers have one only if the line contains several
    rows.
    """
    return _RUNS if "|" in line else _PLAIN


def _is_faulty_row(line: str, below: str, *, is_inside: bool) -> bool:
    """Whether a line is a row with characters that have no meaning, and not text. `is_inside`: whether the line above
    is a row; `below` is the next line.
    """
    if "|" in line:
        return _is_like_a_row(line)
    if not is_inside:
        return _is_like_a_row(line) and _begins_a_level(line, below)
    if _is_like_a_row(line):
        return True
    text = line.strip()
    is_above = "#" in below and _PLAIN.issuperset(below.strip())
    return is_above and "#" in (text[:1], text[-1:]) and not _LETTERS_OF_TEXT.search(text)


def _begins_a_level(line: str, below: str) -> bool:
    """Whether a line that resembles a row begins a level: it must also end with a wall, and the next line must be a
    row.
    """
    return line.rstrip().endswith("#") and "#" in below and _PLAIN.issuperset(below.strip())


def _tabs(lines: list[int]) -> str:
    if not lines:
        return ""
    which = f"line{'s' * (len(lines) > 1)} {', '.join(map(str, lines[:5]))}"
    return f"a tab within {which} is read as one blank"


def write(collection: Collection) -> str:
    """The collection as text that `read` reads back to the same levels."""
    return written(collection, [level.rows for level in collection.levels])


def written(collection: Collection, drawings: Sequence[Sequence[str]]) -> str:
    """The collection as text, with these drawings of its levels."""
    parts: list[str] = []
    for key, value in (("Collection", collection.title), ("Author", collection.author)):
        if value:
            parts.append(f"{key}: {value}")
    if collection.notes:
        parts.append(f"; {collection.notes}")
    for level, rows in zip(collection.levels, drawings, strict=True):
        parts += ["", f"; {level.number}", "", *(row.rstrip() for row in rows)]
        parts += [f"Title: {level.title}"] if level.title else []
        parts += [f"Author: {level.author}"] if level.author else []
        parts += [f"Comment: {level.notes}"] if level.notes else []
    return "".join(f"{shown(part)}\n" for part in parts)
