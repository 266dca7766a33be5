"""Text to a positioned tree: YAML read safely, every node with its place in the file.

Scalars keep their text: what is a number, a truth value or a name is decided by who reads it, so
YAML's `no` stays a word. Aliases are allowed but counted; nothing is ever constructed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

import yaml

from fewest.errors import Report, suggest

MAX_BYTES = 1_000_000
MAX_DEPTH = 50
MAX_NODES = 100_000

_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True, eq=False)
class Source:
    """A document's text and what to call it."""

    name: str
    text: str

    @cached_property
    def lines(self) -> list[str]:
        return self.text.split("\n")

    def line(self, number: int) -> str:
        """Line `number`, from 1; empty past the end."""
        lines = self.lines
        return lines[number - 1].rstrip("\r") if 0 < number <= len(lines) else ""


@dataclass(frozen=True, eq=False)
class Place:
    """A stretch of one line of a source; line and column count from 1."""

    source: Source
    line: int = 1
    column: int = 1
    length: int = 1


@dataclass(frozen=True, eq=False)
class Node:
    """A node of the tree with its place."""

    place: Place


@dataclass(frozen=True, eq=False)
class Scalar(Node):
    """Text; `is_plain` if it was written without quotes and not as a block."""

    text: str
    style: str  # "", "'", '"', "|" or ">"

    @property
    def is_plain(self) -> bool:
        return self.style == ""

    @property
    def is_null(self) -> bool:
        return self.is_plain and self.text in ("", "~", "null")

    def inside(self, row: int, column: int, length: int = 1) -> Place:
        """The place of a character of the text, by row and column from 0; a best effort if folded."""
        source, line = self.place.source, self.place.line
        if self.style in ("|", ">"):
            first = line + 1
            indent = self._indent(first)
            if self.style == ">":
                return Place(source, first, indent + 1, max(1, len(source.line(first)) - indent))
            return Place(source, first + row, indent + column + 1, length)
        start = self.place.column + (1 if self.style else 0)
        if row > 0 or start + column > len(source.line(line)) + 1:
            return self.place
        return Place(source, line, start + column, length)

    def _indent(self, first: int) -> int:
        """How far the block is indented: as much as its text says its first full line is."""
        for offset, text in enumerate(self.text.split("\n")):
            if text.strip():
                raw = self.place.source.line(first + offset)
                return max(0, raw.find(text))
        return 0


@dataclass(frozen=True, eq=False)
class Sequence(Node):
    items: tuple[Node, ...]


@dataclass(frozen=True, eq=False)
class Mapping(Node):
    """Keys in order; each with the place of the key."""

    items: dict[str, Node]
    keys: dict[str, Place] = field(default_factory=dict)


def parse(source: Source, report: Report) -> Mapping | None:
    """The tree of a document, None if it is unusable; mistakes go to the report."""
    start = Place(source)
    if len(source.text) > MAX_BYTES or len(source.text.encode("utf-8", "replace")) > MAX_BYTES:
        report.error(
            "document-too-large", Place(Source(source.name, "")),
            f"the document has over {MAX_BYTES:,} bytes; that is the limit",
        )  # fmt: skip
        return None
    bad = next((i for i, c in enumerate(source.text) if not _is_printable(c)), None)
    if bad is not None:
        line = source.text.count("\n", 0, bad) + 1
        column = bad - (source.text.rfind("\n", 0, bad) + 1) + 1
        shown = f"U+{ord(source.text[bad]):04X}"
        report.error(
            "document-encoding", Place(source, line, column),
            f"the character {shown} cannot stand in a document",
        )  # fmt: skip
        return None
    try:
        root = _Builder(source, report).document()
    except yaml.YAMLError as error:
        _report_yaml(source, report, error)
        return None
    except RecursionError:
        report.error("yaml-depth", start, f"nested deeper than {MAX_DEPTH} levels")
        return None
    if root is None or (report.has_errors() and not isinstance(root, Mapping)):
        return None
    if isinstance(root, Scalar) and root.is_null:
        report.error("document-empty", start, "this document is empty")
        return None
    if not isinstance(root, Mapping):
        report.error(
            "document-not-mapping", root.place, "a document is a map of keys",
            hint="start with `puzzle: NAME`",
        )  # fmt: skip
        return None
    return root


def read_file(path: str, name: str, report: Report) -> Source | None:
    """The text of a file, None after reporting. Raises OSError if it cannot be read at all."""
    with open(path, "rb") as file:
        raw = file.read(MAX_BYTES + 1)
    if len(raw) > MAX_BYTES:
        report.error(
            "document-too-large", Place(Source(name, "")),
            f"the document has over {MAX_BYTES:,} bytes; that is the limit",
        )  # fmt: skip
        return None
    try:
        return Source(name, raw.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        report.error(
            "document-encoding", Place(Source(name, ""), line), "this file is not UTF-8 text",
            hint="save it as UTF-8",
        )  # fmt: skip
        return None


def _is_printable(character: str) -> bool:
    code = ord(character)
    if code < 0x20:
        return character in "\t\n\r"
    is_control = 0x7F <= code < 0xA0 and code != 0x85
    is_surrogate = 0xD800 <= code < 0xE000
    return not is_control and not is_surrogate and code not in (0xFFFE, 0xFFFF)


class _Builder:
    """Builds the tree from parser events, without recursion into what is too deep."""

    def __init__(self, source: Source, report: Report) -> None:
        self.source = source
        self.report = report
        self.anchors: dict[str, tuple[Node, int]] = {}
        self.open_anchors: set[str] = set()
        self.num_nodes = 0

    def document(self) -> Node | None:
        loader = _Loader(self.source.text)
        try:
            self.events: Iterator[yaml.Event] = iter(loader.get_event, None)
            next(self.events)  # stream start
            event = next(self.events)
            if isinstance(event, yaml.StreamEndEvent):
                return Scalar(Place(self.source), "", "")
            node = self._node(next(self.events), 0)
            if node is None:
                return None
            next(self.events)  # document end
            event = next(self.events)
            if not isinstance(event, yaml.StreamEndEvent):
                self.report.error(
                    "document-several", self._place(event), "a file holds one document",
                    hint="put the second one in a file of its own",
                )  # fmt: skip
            return node[0]
        finally:
            loader.dispose()

    def _place(self, event: yaml.Event) -> Place:
        start, end = event.start_mark, event.end_mark
        assert start is not None and end is not None
        length = end.column - start.column if end.line == start.line else 1
        line = self.source.line(start.line + 1)
        if end.line != start.line:
            length = len(line.rstrip()) - start.column
        return Place(self.source, start.line + 1, start.column + 1, max(1, length))

    def _node(self, event: yaml.Event, depth: int) -> tuple[Node, int] | None:
        """The node that starts here and how many nodes it has, aliases counted; None: give up."""
        place = self._place(event)
        if depth > MAX_DEPTH:
            self.report.error("yaml-depth", place, f"nested deeper than {MAX_DEPTH} levels")
            return None
        if isinstance(event, yaml.AliasEvent):
            return self._alias(event, place)
        tag = getattr(event, "tag", None)
        if tag is not None and tag != "!":
            self.report.error(
                "yaml-tag", place, f"the tag `{tag}` is not read", hint="leave it out",
            )  # fmt: skip
        anchor = getattr(event, "anchor", None)
        if anchor is not None:
            self.open_anchors.add(anchor)
        found: tuple[Node, int] | None
        if isinstance(event, yaml.ScalarEvent):
            style = event.style or ""
            found = Scalar(place, event.value, "" if style == ":" else style), 1
        elif isinstance(event, yaml.SequenceStartEvent):
            found = self._sequence(place, depth)
        else:
            found = self._mapping(place, depth)
        if found is None:
            return None
        if anchor is not None:
            self.open_anchors.discard(anchor)
            self.anchors[anchor] = found
        self.num_nodes += 1
        if self.num_nodes > MAX_NODES:
            self.report.error("yaml-alias", place, f"over {MAX_NODES:,} nodes; that is the limit")
            return None
        return found

    def _alias(self, event: yaml.AliasEvent, place: Place) -> tuple[Node, int] | None:
        if event.anchor in self.open_anchors:
            self.report.error("yaml-alias", place, f"`*{event.anchor}` contains itself")
            return None
        if event.anchor not in self.anchors:
            self.report.error("yaml-alias", place, f"there is no anchor `&{event.anchor}` above")
            return None
        node, size = self.anchors[event.anchor]
        self.num_nodes += size
        if self.num_nodes > MAX_NODES:
            self.report.error(
                "yaml-alias", place, f"with its aliases this document has over {MAX_NODES:,} nodes",
                hint="write the parts out",
            )  # fmt: skip
            return None
        return node, size

    def _sequence(self, place: Place, depth: int) -> tuple[Node, int] | None:
        items: list[Node] = []
        size = 1
        while not isinstance(event := next(self.events), yaml.SequenceEndEvent):
            found = self._node(event, depth + 1)
            if found is None:
                return None
            items.append(found[0])
            size += found[1]
        return Sequence(place, tuple(items)), size

    def _mapping(self, place: Place, depth: int) -> tuple[Node, int] | None:
        items: dict[str, Node] = {}
        keys: dict[str, Place] = {}
        size = 1
        while not isinstance(event := next(self.events), yaml.MappingEndEvent):
            key_place = self._place(event)
            key = self._node(event, depth + 1)
            if key is None:
                return None
            value = self._node(next(self.events), depth + 1)
            if value is None:
                return None
            size += key[1] + value[1]
            if not isinstance(key[0], Scalar):
                self.report.error("wrong-type", key_place, "a key is plain text")
                continue
            text = key[0].text
            if text in items:
                self.report.error(
                    "duplicate-key", key_place, f"`{text}` is already given in line {keys[text].line}",
                    hint="keep one of them",
                )  # fmt: skip
                continue
            items[text], keys[text] = value[0], key_place
        return Mapping(place, items, keys), size


def _report_yaml(source: Source, report: Report, error: yaml.YAMLError) -> None:
    """A YAML error as a diagnostic, with a hint for what people usually did."""
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    line, column = (mark.line + 1, mark.column + 1) if mark is not None else (1, 1)
    line = max(1, min(line, len(source.lines)))
    place = Place(source, line, column)
    problem = str(getattr(error, "problem", None) or "this is no YAML")
    text = source.line(line)
    head = text[: len(text) - len(text.lstrip())]
    if "\t" in head or "\\t" in problem or "'\t'" in problem:
        at = text.find("\t") + 1
        report.error(
            "yaml-tab", Place(source, line, max(1, at)), "a tab; YAML is indented with spaces",
            hint="set your editor to write spaces",
        )  # fmt: skip
        return
    hint = None
    if "mapping values are not allowed" in problem:
        hint = "quote a text that contains `: `, and check the indentation"
    elif "could not find expected ':'" in problem:
        hint = "after a key comes `: `"
    elif "did not find expected key" in problem or "block mapping" in problem:
        hint = "keys of one map start in the same column"
    elif "cannot start any token" in problem:
        hint = "quote a text that starts with this character"
    elif suggest(problem, ["found undefined alias"]):
        report.error("yaml-alias", place, "there is no such anchor above")
        return
    report.error("yaml-syntax", place, f"cannot read this as YAML: {problem}", hint=hint)
