"""Collections of Sokoban levels: what they hold, which file is one, a level as a puzzle document.

`.xsb`, `.sok` and `.txt` are text (`formats/xsb.py`), `.slc` is XML (`formats/slc.py`).
"""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from os.path import isfile
from pathlib import Path

from fewest.errors import NotFoundError, Place, Report, Source, suggest
from fewest.machine import resources

SUFFIXES = (".xsb", ".sok", ".slc", ".txt")
MODEL = "sokoban-pairs"
MAX_CELLS = 10_000  # of a level
MAX_BYTES = 16_000_000  # of a file

_SPOKEN = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True)
class Level:
    """One level: `rows` of the characters `#@+$*. `, all of the same length.

    `number` counts from 1 in its file, `line` is where its drawing begins there.
    """

    number: int
    title: str
    rows: tuple[str, ...]
    author: str = ""
    notes: str = ""
    line: int = 1


@dataclass(frozen=True)
class Collection:
    """A file of levels; `notes` is what it says before them."""

    name: str
    levels: tuple[Level, ...]
    title: str = ""
    author: str = ""
    notes: str = ""

    def level(self, which: str) -> Level:
        """The level of that number or title. Raises NotFoundError."""
        for level in self.levels:
            if which == str(level.number) or (which and which.casefold() == level.title.casefold()):
                return level
        if which.isdecimal():
            hint = f"it has the levels 1 to {len(self.levels)}"
        else:
            near = suggest(which, [level.title for level in self.levels if level.title])
            hint = f"did you mean `{near}`?" if near else "say its number or its title"
        raise NotFoundError(f"{self.name} has no level `{which}`", hint=hint)


def split_reference(ref: str) -> tuple[str, str | None]:
    """`levels.xsb:7` is a file and what is asked of it; for everything else the second is None."""
    if isfile(ref):
        return ref, None
    file, colon, which = ref.rpartition(":")
    if colon and Path(file).suffix.lower() in SUFFIXES:
        return file, which.strip()
    return ref, None


def is_collection(ref: str) -> bool:
    """Whether a reference (without a level) means a file of levels, by its name alone."""
    return Path(ref).suffix.lower() in SUFFIXES


def read_collection(ref: str) -> Collection:
    """The levels of a file, or of the collection of that name that ships.

    Raises NotFoundError, and DocumentError with every mistake found.
    """
    path = Path(ref)
    if not isfile(path):
        shipped = resources.collection_path(path.name) if path.parent == Path() else None
        if shipped is None:
            raise NotFoundError(f"there is no file {ref}")
        path = shipped
    stat = path.stat()
    return _read(str(path), stat.st_mtime_ns, stat.st_size)


@lru_cache(maxsize=4)
def _read(path: str, _changed: int, _size: int) -> Collection:
    report = Report()
    try:
        with open(path, "rb") as file:
            raw = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise NotFoundError(f"cannot read {path}: {error.strerror}") from error
    if len(raw) > MAX_BYTES:
        message = f"the file has over {MAX_BYTES:,} bytes; that is the limit"
        report.error("document-too-large", Place(Source(path, "")), message)
    report.raise_if_errors()
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:  # most collections are older than UTF-8
        text = raw.decode("latin-1")
    return parse_collection(Source(path, text))


def parse_collection(source: Source) -> Collection:
    """The levels of a text. Raises DocumentError with every mistake found."""
    from fewest.formats.sokoban import slc, xsb

    report = Report()
    read = slc.read if Path(source.name).suffix.lower() == ".slc" else xsb.read
    collection: Collection = read(source, report)
    if not collection.levels and not report.has_errors():
        report.error(
            "level-missing",
            Place(source),
            "there is no level in this file",
            hint="a level is drawn with # for walls, @ the player, $ boxes, . targets",
        )
    for level in collection.levels:
        _check(level, source, report)
    report.raise_if_errors()
    return collection


def _check(level: Level, source: Source, report: Report) -> None:
    place = Place(source, level.line, 1, max(1, len(source.line(level.line))))
    count = Counter("".join(level.rows))
    name = f"level {level.number}"
    players = count["@"] + count["+"]
    boxes, targets = count["$"] + count["*"], count["."] + count["+"] + count["*"]
    if players == 1 and _is_open(level.rows):
        report.error(
            "level-open",
            place,
            f"the walls of {name} have a gap: the player can leave it",
            hint="close it with #",
        )
    if players != 1:
        found = "no player" if players == 0 else f"{players} players"
        report.error("level-player", place, f"{name} has {found}", expected="one `@` (or `+`)")
    if targets == 0 or targets > boxes:
        report.error(
            "level-boxes",
            place,
            f"{name} has {boxes} boxes for {targets} targets",
            expected="at least one target, and a box for each",
        )


def _is_open(rows: tuple[str, ...]) -> bool:
    """Whether the player, all boxes lifted away, gets to the edge of the drawing."""
    height, width = len(rows), len(rows[0])
    start = next((r, row.index(c)) for r, row in enumerate(rows) for c in "@+" if c in row)
    seen, queue = {start}, [start]
    for row, column in queue:
        if row in (0, height - 1) or column in (0, width - 1):
            return True
        for cell in ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)):
            if cell not in seen and rows[cell[0]][cell[1]] != "#":
                seen.add(cell)
                queue.append(cell)
    return False


def square(rows: list[str]) -> tuple[str, ...]:
    """Rows padded to one length; floor is a space however it was written."""
    width = max(map(len, rows), default=0)
    floor = str.maketrans("-_pPbB", "  @+$*")
    return tuple(row.translate(floor).ljust(width) for row in rows)


def document(collection: Collection, level: Level) -> str:
    """The level as a puzzle document."""
    stem = Path(collection.name).stem
    whole = collection.title or stem
    lines = [
        f"puzzle: {_word(stem)}-{level.number:03d}",
        f"title: {_quoted(level.title or f'{whole} {level.number}')}",
        f"model: {MODEL}",
        "board: |2" if level.rows[0].startswith(" ") else "board: |",
        *(f"  {row}" for row in level.rows),
    ]
    author = level.author or collection.author
    source = ", ".join(part for part in (author, f"{whole}, level {level.number}") if part)
    lines.append(f"source: {_quoted(source)}")
    if level.notes:
        lines.append(f"notes: {_quoted(level.notes)}")
    return "\n".join(lines) + "\n"


def _word(text: str) -> str:
    return _SPOKEN.sub("-", text.casefold()).strip("-") or "level"


def _quoted(text: str) -> str:
    return json.dumps(" ".join(text.split()), ensure_ascii=False)
