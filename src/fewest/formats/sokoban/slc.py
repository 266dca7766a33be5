"""Levels as XML, `.slc`: `<SokobanLevels>` with `<Level Id=…>` and one `<L>` per row.

The reader rejects a document that declares entities: levels do not need them, and their expansion can grow without
bound. Source: the document type that Sokoban YASC and the SokobanLevels collections use.
"""

from __future__ import annotations

import re
from xml.etree import ElementTree
from xml.parsers import expat
from xml.sax.saxutils import escape, quoteattr

from fewest.errors import Report, Source, SourceLocation
from fewest.formats.collection import MAX_CELLS, Collection, Level
from fewest.formats.sokoban.levels import MODEL, checked, square
from fewest.sanitize import shown, shown_lines

_ALLOWED = set("#@+$*. -_pPbB")


class _EntityError(Exception):
    pass


def recognises(text: str) -> bool:
    """Whether a text is XML that contains levels."""
    return text.lstrip().startswith("<") and re.search(r"<(Sokoban)?Level", text) is not None


def read(source: Source, report: Report) -> Collection:
    """The levels of an XML text; mistakes outside levels go to the report."""
    name = source.name.rpartition("/")[2]
    reader = _Reader()
    try:
        reader.parser.Parse(source.text.encode(), True)
    except expat.ExpatError as error:
        place = SourceLocation(source, max(1, error.lineno), error.offset + 1)
        report.error(
            "level-xml", place, f"this is not valid XML: {expat.errors.messages[error.code]}"
        )
        return Collection(name, MODEL, ())
    except _EntityError:
        place = SourceLocation(source, reader.parser.CurrentLineNumber)
        report.error(
            "level-xml",
            place,
            "XML entities are not supported",
            hint="write the characters themselves",
        )
        return Collection(name, MODEL, ())
    root = reader.builder.close()
    levels: list[Level] = []
    for number, (node, line) in enumerate(reader.levels, 1):
        elements = list(node.iter("L"))
        rows = [(row.text or "").rstrip() for row in elements]
        if sum(map(len, rows)) > MAX_CELLS:
            report.error(
                "level-run",
                SourceLocation(source, line),
                f"the level has more than {MAX_CELLS:,} cells",
            )
            rows = []
        for at, row in enumerate(rows):
            for unknown in dict.fromkeys(c for c in row if c not in _ALLOWED):
                report.error(
                    "level-character",
                    reader.location(source, elements[at], unknown),
                    f"`{unknown}` in row {at + 1} of level {number} has no meaning in a level",
                    expected="one of # @ + $ * . and floor",
                )
                rows[at] = rows[at].replace(unknown, "#")  # a wall causes no further mistakes
        title = (node.get("Id") or "").strip()
        levels.append(
            Level(
                number,
                "" if title.isdecimal() else title,
                square(rows),
                (node.get("Copyright") or "").strip(),
                "",
                line,
            )
        )
    owner = root.find("LevelCollection")
    author = "" if owner is None else (owner.get("Copyright") or "")
    title, notes = _text(root, "Title"), _text(root, "Description")
    collection = Collection(name, MODEL, tuple(levels), title, author, notes)
    return checked(collection, source, report)


class _Reader:
    """Builds the tree and records where levels begin."""

    def __init__(self) -> None:
        self.builder = ElementTree.TreeBuilder()
        self.levels: list[tuple[ElementTree.Element, int]] = []
        self.begins: dict[
            ElementTree.Element, int
        ] = {}  # the byte at which the tag of a row begins
        # the text is already decoded, so its encoding declaration must be ignored
        self.parser = expat.ParserCreate("utf-8")
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self.builder.data
        self.parser.EntityDeclHandler = self._refuse

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        element = self.builder.start(tag, attributes)
        if tag == "Level":
            self.levels.append((element, self.parser.CurrentLineNumber))
        elif tag == "L":
            self.begins[element] = self.parser.CurrentByteIndex

    def _end(self, tag: str) -> None:
        self.builder.end(tag)

    def location(self, source: Source, row: ElementTree.Element, character: str) -> SourceLocation:
        """The first place of a character in a row; the place of the row's tag if the character is written as a
        reference such as `&#63;`.
        """
        before = source.text.encode()[: self.begins[row]].decode()
        text = source.text[len(before) :]
        begin = text.index(">") + 1
        end = text.find("<", begin)
        found = text.find(character, begin, end if end > 0 else len(text))
        before += text[: max(0, found)]
        return SourceLocation(source, before.count("\n") + 1, len(before) - before.rfind("\n"))

    def _refuse(self, *_: object) -> None:
        raise _EntityError


def _text(root: ElementTree.Element, tag: str) -> str:
    return " ".join((root.findtext(tag) or "").split())


def write(collection: Collection) -> str:
    """The collection as XML that `read` reads back to the same levels."""
    height = max((len(level.rows) for level in collection.levels), default=0)
    width = max((len(level.rows[0]) for level in collection.levels if level.rows), default=0)
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        "<SokobanLevels>",
        f"  <Title>{escape(shown(collection.title))}</Title>",
        f"  <Description>{escape(shown_lines(collection.notes))}</Description>",
        f"  <LevelCollection Copyright={quoteattr(shown(collection.author))} "
        f'MaxWidth="{width}" MaxHeight="{height}">',
    ]
    for level in collection.levels:
        owner = f" Copyright={quoteattr(shown(level.author))}" if level.author else ""
        name = quoteattr(shown(level.title) or str(level.number))
        lines.append(
            f'    <Level Id={name} Width="{len(level.rows[0])}" Height="{len(level.rows)}"{owner}>'
        )
        lines += [f"      <L>{escape(shown(row.rstrip()))}</L>" for row in level.rows]
        lines.append("    </Level>")
    return "\n".join([*lines, "  </LevelCollection>", "</SokobanLevels>"]) + "\n"
