"""Recognises the format of a file of levels by its suffix and its content, and reads the file.

To add a format, write a module with the names in `Reader`, and add a row to `READERS`. A module can also have functions
`has_evidence` and `resembles`, which `Format` uses. All code that reads or writes levels uses this module.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from functools import lru_cache
from importlib import import_module
from os.path import basename, exists, isfile, splitext
from typing import TYPE_CHECKING, Protocol, cast

from msgspec import Struct

from fewest.errors import NotFoundError, Report, Source, SourceLocation, UsageError
from fewest.machine import resources
from fewest.machine.input import called, is_stream, leads_nowhere, read_stream
from fewest.reading.text import encoding_of

if TYPE_CHECKING:  # not imported at run time, because most puzzles need no format
    from pathlib import Path

    from fewest.formats.collection import Collection, Level

MAX_BYTES = 16_000_000  # the maximum size of a file, in bytes
# the number of bytes that are read to recognise the format of a file with an unknown suffix
_PEEK = 100_000
# the number of lines in which a text without other evidence must have a level without mistakes
_NUM_LINES = 300
_DOCUMENT_SUFFIXES = (".yaml", ".yml", ".json")
_COMMENT = r"(?s)\s*(;.*|#\s*|#\s+\w.*)?"  # a regular expression
# a document has such a line (except JSON in one line), and no level does
_DOCUMENT = r"""(?m)^[ \t{"']*(puzzle|model)["']?[ \t]*:"""


class Reader(Protocol):
    """The functions and constants that the module of a format must contain."""

    MODEL: str
    """The model that contains the rules of the levels."""

    def recognises(self, text: str) -> bool:
        """Whether a text looks like this format, regardless of its file name."""

    def read(self, source: Source, report: Report) -> Collection:
        """The levels of a text, each with its mistakes; mistakes outside levels go to the report."""

    def write(self, collection: Collection) -> str:
        """The collection as text that `read` reads back to the same levels."""


class Format(Struct, frozen=True):
    """A format: its description, its file names and its module.

    `level` describes a level of this format, for messages about files without levels.
    """

    text: str
    suffixes: tuple[str, ...]
    module: str
    level: str

    @property
    def reader(self) -> Reader:
        """The functions of the format; the module is imported when it is first used."""
        return cast(Reader, import_module(self.module))

    def matches(self, source: Source) -> bool:
        """Whether a text is in this format, perhaps with mistakes, if its name does not imply the format.

        Other texts, such as a list of numbers, can have lines that look like levels. Therefore, one of the first
        levels must have no mistake, or the module must have found evidence.
        """
        reader = self.reader
        if not reader.recognises(source.text):
            return False
        has_evidence = getattr(reader, "has_evidence", None)
        if has_evidence is None or has_evidence(source.text):
            return True
        beginning = Source(source.name, "\n".join(source.lines[:_NUM_LINES]))
        return any(not level.mistakes for level in reader.read(beginning, Report()).levels)

    def resembles(self, text: str) -> bool:
        """Whether a text that matches no format resembles this format, but has a mistake that `read` will report.

        Only some modules have such a function.
        """
        function = getattr(self.reader, "resembles", None)
        return function is not None and bool(function(text))


_DRAWN = "a level is drawn with # for a wall, @ for the player, $ for a box and . for a target"

READERS: Mapping[str, Format] = {
    "xsb": Format(
        "Sokoban levels as text", (".xsb", ".sok", ".txt"), "fewest.formats.sokoban.xsb", _DRAWN
    ),
    "slc": Format("Sokoban levels as XML", (".slc",), "fewest.formats.sokoban.slc", _DRAWN),
    "hsb": Format(
        "Hexoban levels, Sokoban on hexagons",
        (".hsb",),
        "fewest.formats.sokoban.hexoban",
        f"{_DRAWN}, with an empty column between two cells of a row",
    ),
    "rush": Format(
        "Rush Hour boards, one per line or drawn",
        (".rush",),
        "fewest.formats.lines.rush_hour",
        "a board is a line of 16, 25, 36, 49 or 64 characters, or several lines; A, X or r is the red car",
    ),
    "droids": Format(
        "Ricochet Robots boards that DriftingDroids saved as text",
        (".droids",),
        "fewest.formats.lines.driftingdroids",
        "a board begins with !DriftingDroids_game! and ends with !",
    ),
    "klotski": Format(
        "Klotski positions, one code per line",
        (".klotski",),
        "fewest.formats.lines.klotski",
        "a line has a code such as 1A9BF0C00, and a title",
    ),
    "tiles": Format(
        "positions of sliding tiles, one per line",
        (".tiles",),
        "fewest.formats.lines.tiles",
        "a line lists the tiles row by row, 0 for the gap: 8 6 7 2 5 4 3 0 1",
    ),
}
_FORMAT_OF_SUFFIX = {suffix: name for name, row in READERS.items() for suffix in row.suffixes}


def format_of(path: str | Path) -> str | None:
    """The name of the format that the suffix of a file name implies; None if no format has this suffix."""
    return _FORMAT_OF_SUFFIX.get(splitext(path)[1].lower())


def is_collection(ref: str) -> bool:
    """Whether a reference that selects no level denotes a collection of levels, according to its name and, for some
    names, its content.

    For a stream, a `.txt` file or a file with an unknown suffix, the answer depends on the content: a text counts as
    levels if it is not a document (for a stream, only if it also resembles a format).
    """
    if is_stream(ref):
        text = _decoded(_stream(ref))
        is_document = re.search(_DOCUMENT, text) is not None
        rows = READERS.values()
        return not is_document and any(r.reader.recognises(text) or r.resembles(text) for r in rows)
    suffix = splitext(ref)[1].lower()
    if suffix in _DOCUMENT_SUFFIXES:
        return False
    if format_of(ref) is not None and suffix != ".txt":
        return True
    try:
        with open(ref, "rb") as file:
            text = _decoded(file.read(_PEEK))
    except (OSError, ValueError):
        return suffix == ".txt"
    return re.search(_DOCUMENT, text) is None and (suffix == ".txt" or bool(text.strip()))


def split_reference(ref: str) -> tuple[str, str | None]:
    """The parts of a reference: `levels.xsb:7` is a file and a level; for any other reference, the level is None."""
    if isfile(ref) or (is_stream(ref) and (exists(ref) or ":" not in ref)):
        return ref, None
    file, colon, which = ref.rpartition(":")
    if colon and is_collection(file):
        return file, which.strip()
    return ref, None


def levels_in(ref: str, level: str | None = None) -> tuple[str, Collection | None]:
    """A reference that includes its level, and None; or a reference without a level, and the collection if it has
    several levels.

    Raises UsageError if `level` is given, but the file is not a collection or the reference already names a level; also
    raises the errors of `read_collection`.
    """
    file, which = split_reference(ref)
    if level is not None:
        if not is_collection(file) or which is not None:
            raise UsageError(f"`{ref}` has no levels", hint="leave out --level")
        return f"{ref}:{level}", None
    if which is not None or not is_collection(file):
        return ref, None
    collection = read_collection(file)
    return ref, collection if len(collection.levels) > 1 else None


def level_document(ref: str) -> tuple[str, str] | None:
    """The name and the document of the level to which a reference refers; None if the reference does not name a
    collection.

    Raises UsageError if the reference names a collection of several levels but selects none, NotFoundError if there is
    no such level, DocumentError if the level has mistakes, and the errors of `read_collection`.
    """
    file, which = split_reference(ref)
    if not is_collection(file):
        return None
    from fewest.formats.collection import document

    collection = read_collection(file)
    if which is None:
        if len(collection.levels) > 1:
            raise UsageError(
                f"{file} has {len(collection.levels):,} levels",
                hint=f"choose one: {file}:1, or its title; `fewest solve {file}` solves them all",
            )
        which = "1"
    level = collection.level(which)
    return f"{file}:{level.number}", document(collection, level)


def remark(ref: str) -> str:
    """A note on how the level of a reference was read, for example which car counts as the red one; empty if the
    format leaves no choice.
    """
    file, which = split_reference(ref)
    if not is_collection(file):
        return ""
    return read_collection(file).level(which or "1").remark


def read_collection(ref: str) -> Collection:
    """The levels in a file, or in the shipped collection that has this name.

    Raises NotFoundError if there is no such file or it cannot be read, and DocumentError if the file is too large or
    for the same reasons as `parse_collection`.
    """
    if is_stream(ref):
        return _collection(called(ref), _stream(ref))
    path = ref
    if not isfile(path):
        shipped = resources.collection_path(ref) if basename(ref) == ref else None
        if shipped is None:
            raise NotFoundError(
                f"{ref} {led}" if (led := leads_nowhere(ref)) else f"there is no file {ref}"
            )
        path = str(shipped)
    stat = os.stat(path)
    return _read(path, stat.st_mtime_ns, stat.st_size)


@lru_cache(maxsize=4)
def _read(path: str, _changed: int, _size: int) -> Collection:
    try:
        with open(path, "rb") as file:
            raw = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise NotFoundError(f"cannot read {path}: {error.strerror}") from error
    return _collection(path, raw)


def _stream(ref: str) -> bytes:
    try:
        return read_stream(ref)
    except OSError as error:
        raise NotFoundError(f"cannot read {ref}: {error.strerror}") from error


def _collection(path: str, raw: bytes) -> Collection:
    report = Report()
    if len(raw) > MAX_BYTES:
        message = f"the file is larger than the limit of {MAX_BYTES:,} bytes"
        report.error("document-too-large", SourceLocation(Source(path, "")), message)
    report.raise_if_errors()
    return parse_collection(Source(path, _decoded(raw)))


def _decoded(raw: bytes) -> str:
    encoding = encoding_of(raw)
    if encoding.startswith("utf-16"):
        return raw.decode(encoding, errors="replace").rstrip("\0")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:  # common, because most collections are older than UTF-8
        return raw.decode("latin-1")


def parse_collection(source: Source) -> Collection:
    """The levels of a text, including levels with mistakes.

    Raises DocumentError with all mistakes if the text is not a collection, if it contains a mistake outside its levels,
    or if none of its levels can be read.
    """
    report = Report()
    row = _format_of_text(source, report)
    report.raise_if_errors()
    collection = row.reader.read(source, report)
    if not collection.levels and not report.has_errors():
        message = "this file contains no level"
        report.error("level-missing", SourceLocation(source), message, hint=row.level)
    if report.has_errors() or all(level.mistakes for level in collection.levels):
        for level in collection.levels:
            report.extend(level.mistakes)
    report.raise_if_errors()
    return collection


def _format_of_text(source: Source, report: Report) -> Format:
    """The format that the suffix implies, unless the text is in another format and does not look like this one.

    Reports a text in an unknown format, unless the text contains only comments and blank lines.
    """
    name = format_of(source.name)
    named = READERS[name or "xsb"]
    if _is_blank(source.text):
        return named
    if _is_chosen(source.name) and named.reader.recognises(source.text):
        return named
    row_of_text = next((row for row in READERS.values() if row.matches(source)), None)
    if row_of_text is None and name is not None and "\0" not in source.text:
        # the whole text is read, because `recognises` checks only its beginning
        levels = named.reader.read(source, Report()).levels
        row_of_text = named if any(map(_is_almost_right, levels)) else None
    row_of_text = row_of_text or next(
        (row for row in READERS.values() if row.resembles(source.text)), None
    )
    if row_of_text is not None:
        return row_of_text
    line = next((n for n, line in enumerate(source.lines, 1) if not _is_blank(line)), 1)
    report.error(
        "unknown-format",
        SourceLocation(source, line, 1, min(80, max(1, len(source.line(line))))),
        "unknown format: this file is not in any of the supported level formats",
        expected=f"{named.level} ({splitext(source.name)[1]})" if _is_chosen(source.name) else None,
        hint=f"the formats are {formats()}",
    )
    return named


def _is_almost_right(level: Level) -> bool:
    """Whether a level has no mistake, or its first mistake is a character without meaning."""
    return not level.mistakes or level.mistakes[0].code == "level-character"


def _is_chosen(name: str) -> bool:
    """Whether a file name has the suffix of a format, other than `.txt`, which files of every format may have."""
    return format_of(name) is not None and not name.lower().endswith(".txt")


def _is_blank(text: str) -> bool:
    return all(map(re.compile(_COMMENT).fullmatch, text.split("\n")))


def formats() -> str:
    """All formats and their suffixes, for messages."""
    rows = (f"{row.text} ({', '.join(row.suffixes)})" for row in READERS.values())
    return "; ".join([*rows, f"puzzle documents ({', '.join(_DOCUMENT_SUFFIXES)})"])
