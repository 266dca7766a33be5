"""Parses YAML text safely into a tree with locations. Aliases are allowed, but their nodes are counted. Tags are
rejected, so a text cannot create Python objects of its choice.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import yaml

from fewest.errors import Report, Source, SourceLocation, Trail, has_line_break, line_break
from fewest.reading.clock import look
from fewest.reading.text import MAX_BYTES, NAME_WITH_LINE_BREAK, TOO_LARGE
from fewest.reading.tree import MappingNode, ScalarNode, SequenceNode, TreeNode

MAX_DEPTH = 50
MAX_NODES = 100_000
_TOO_DEEP = f"the document is nested more than {MAX_DEPTH} levels deep"
_QUOTE = "put the whole text in quotes"

_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_UNREADABLE = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_PROPERTIES = re.compile(r"(?:[&!]\S*\s+)+")  # anchors and tags before a value


def parse(source: Source, report: Report) -> MappingNode | None:
    """The tree of a document; None if it is unusable. Reports mistakes."""
    start = SourceLocation(source)
    if len(source.text) > MAX_BYTES or len(source.text.encode("utf-8", "replace")) > MAX_BYTES:
        report.error(
            "document-too-large",
            SourceLocation(Source(source.name, "")),
            TOO_LARGE,
        )
        return None
    if bad := _UNREADABLE.search(source.text):
        above = line_break().split(source.text[: bad.start()])
        report.error(
            "document-encoding",
            SourceLocation(source, len(above), len(above[-1]) + 1),
            f"the character U+{ord(bad[0]):04X} is not allowed in a document",
        )
        return None
    try:
        root = _Builder(source, report).document()
    except (yaml.YAMLError, RecursionError) as error:
        if isinstance(error, RecursionError) or _is_nested_too_deep(error):
            report.error("yaml-depth", start, _TOO_DEEP)
        else:
            _report_yaml(source, report, error)
        return None
    if root is None or (report.has_errors() and not isinstance(root, MappingNode)):
        return None
    if isinstance(root, ScalarNode) and root.is_null:
        report.error("document-empty", start, "this document is empty")
        return None
    if not isinstance(root, MappingNode):
        report.error(
            "document-not-mapping",
            root.location,
            "the top level of the document is not a map of keys and values",
            hint="start with `puzzle: NAME`",
        )
        return None
    return root


def _height(node: TreeNode) -> int:
    """The number of levels below a node."""
    if isinstance(node, SequenceNode):
        return 1 + max(map(_height, node.items), default=0)
    if isinstance(node, MappingNode):
        return 1 + max(map(_height, node.items.values()), default=0)
    return 0


class _Builder:
    """Builds the tree from parser events. The builder does not enter nodes that are nested too deeply."""

    def __init__(self, source: Source, report: Report) -> None:
        self.source = source
        self.report = report
        self.anchors: dict[str, tuple[TreeNode, int]] = {}
        self.open_anchors: set[str] = set()
        self.num_nodes = 0

    def document(self) -> TreeNode | None:
        loader = _Loader(self.source.text)
        try:
            self.events: Iterator[yaml.Event] = iter(loader.get_event, None)
            next(self.events)  # skip the start of the stream
            event = next(self.events)
            if isinstance(event, yaml.StreamEndEvent):
                return ScalarNode(SourceLocation(self.source), "", "")
            node = self._node(next(self.events), 0, None)
            if node is None:
                return None
            next(self.events)  # skip the end of the document
            event = next(self.events)
            if not isinstance(event, yaml.StreamEndEvent):
                self.report.error(
                    "document-several",
                    self._location(event),
                    "this file contains several documents, but only one is allowed",
                    hint="put each document in a separate file",
                )
            return node[0]
        finally:
            loader.dispose()

    def _location(
        self, event: yaml.Event, trail: Trail = None, *, with_properties: bool = False
    ) -> SourceLocation:
        """The location of the event's value, optionally including its anchor and tag."""
        start, end = event.start_mark, event.end_mark
        assert start is not None and end is not None
        line, column = self.source.line(start.line + 1), start.column
        if not with_properties and line[column : column + 1] in ("&", "!"):
            properties = _PROPERTIES.match(line, column)
            column = column if properties is None else properties.end()
        length = (end.column if end.line == start.line else len(line.rstrip())) - column
        return SourceLocation(self.source, start.line + 1, column + 1, max(1, length), trail)

    def _node(self, event: yaml.Event, depth: int, trail: Trail) -> tuple[TreeNode, int] | None:
        """The node that begins at the event, and the number of nodes in it, including those of aliases; None if parsing
        must stop.
        """
        look()
        location = self._location(event, trail)
        if depth > MAX_DEPTH:
            self.report.error("yaml-depth", location, _TOO_DEEP)
            return None
        if isinstance(event, yaml.AliasEvent):
            return self._alias(event, location, depth)
        tag = getattr(event, "tag", None)
        if tag is not None and tag != "!":
            self.report.error(
                "yaml-tag",
                self._location(event, trail, with_properties=True),
                f"the tag `{tag}` is not supported",
                hint="remove the tag",
            )
        anchor = getattr(event, "anchor", None)
        if anchor is not None:
            self.open_anchors.add(anchor)
        found: tuple[TreeNode, int] | None
        if isinstance(event, yaml.ScalarEvent):
            style = event.style or ""
            found = ScalarNode(location, event.value, "" if style == ":" else style), 1
        elif isinstance(event, yaml.SequenceStartEvent):
            found = self._sequence(location, depth, trail)
        else:
            found = self._mapping(location, depth, trail)
        if found is None:
            return None
        if anchor is not None:
            self.open_anchors.discard(anchor)
            self.anchors[anchor] = found
        self.num_nodes += 1
        if self.num_nodes > MAX_NODES:
            self.report.error(
                "yaml-alias", location, f"the document exceeds the limit of {MAX_NODES:,} nodes"
            )
            return None
        return found

    def _alias(
        self, event: yaml.AliasEvent, location: SourceLocation, depth: int
    ) -> tuple[TreeNode, int] | None:
        if event.anchor in self.open_anchors:
            self.report.error("yaml-alias", location, f"`*{event.anchor}` contains itself")
            return None
        if event.anchor not in self.anchors:
            self.report.error("yaml-alias", location, f"there is no anchor `&{event.anchor}` above")
            return None
        node, size = self.anchors[event.anchor]
        self.num_nodes += size
        if self.num_nodes > MAX_NODES:
            self.report.error(
                "yaml-alias",
                location,
                f"with its aliases, the document exceeds the limit of {MAX_NODES:,} nodes",
                hint="use fewer aliases",
            )
            return None
        if depth + _height(node) > MAX_DEPTH:
            self.report.error("yaml-depth", location, f"with its aliases, {_TOO_DEEP}")
            return None
        return node, size

    def _sequence(
        self, location: SourceLocation, depth: int, trail: Trail
    ) -> tuple[TreeNode, int] | None:
        items: list[TreeNode] = []
        size = 1
        while not isinstance(event := next(self.events), yaml.SequenceEndEvent):
            found = self._node(event, depth + 1, (trail, len(items)))
            if found is None:
                return None
            size += found[1]
            if items and self._is_torn(items[-1], found[0]):
                continue
            items.append(found[0])
        return SequenceNode(location, tuple(items)), size

    def _mapping(
        self, location: SourceLocation, depth: int, trail: Trail
    ) -> tuple[TreeNode, int] | None:
        items: dict[str, TreeNode] = {}
        keys: dict[str, SourceLocation] = {}
        size = 1
        last: TreeNode | None = None
        while not isinstance(event := next(self.events), yaml.MappingEndEvent):
            key = self._node(event, depth + 1, trail)
            if key is None:
                return None
            text = key[0].text if isinstance(key[0], ScalarNode) else ""
            key_trail = (trail, text)
            key_location = self._location(event, key_trail)
            value = self._node(next(self.events), depth + 1, key_trail)
            if value is None:
                return None
            size += key[1] + value[1]
            if last is not None and self._is_torn(last, key[0]):
                continue
            last = value[0]
            if not isinstance(key[0], ScalarNode):
                self.report.error("wrong-type", key_location, "a key must be plain text")
                continue
            if has_line_break(text):
                self.report.error("bad-name", key_location, NAME_WITH_LINE_BREAK)
                continue
            if text in items:
                self.report.error(
                    "duplicate-key",
                    key_location,
                    f"the key `{text}` already occurs in line {keys[text].line}",
                    hint="remove one of them",
                )
                continue
            items[text], keys[text] = value[0], key_location
        return MappingNode(location, items, keys), size

    def _is_torn(self, first: TreeNode, second: TreeNode) -> bool:
        """Whether a comma within parentheses splits a text, as in `range(2, n)`; reports this as a mistake."""
        if not (isinstance(first, ScalarNode) and isinstance(second, ScalarNode)):
            return False
        opens, closes = _open_parentheses(first.text), _open_parentheses(second.text)
        is_one_line = first.location.line == second.location.line
        if not (first.is_plain and second.is_plain and is_one_line and opens > 0 > closes):
            return False
        from fewest.reading.yaml_hints import whole_quoted

        line = whole_quoted(self.source.line(first.location.line), first.location.column - 1)
        self.report.error(
            "yaml-quote",
            first.location,
            "YAML ends this text at the comma, because the text is not in quotes",
            hint=_QUOTE if line is None else f"{_QUOTE}: {line.strip()}",
        )
        return True


def _open_parentheses(text: str) -> int:
    return text.count("(") - text.count(")")


def _is_nested_too_deep(error: yaml.YAMLError) -> bool:
    """Whether libyaml rejected the depth of nesting. libyaml reads ahead, so it can reach its own limit (1,000 levels
    since version 0.2.6) before the builder reaches MAX_DEPTH.
    """
    return "nesting depth" in str(getattr(error, "problem", ""))


def _report_yaml(source: Source, report: Report, error: yaml.YAMLError) -> None:
    """Report a YAML error, with a hint for common mistakes."""
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    opening = getattr(error, "context_mark", None)
    is_open = opening is not None and mark is not None and not source.line(mark.line + 1).strip()
    # if the file ends inside a construct, the beginning of that construct is a better location
    if is_open:
        mark = opening
    line, column = (mark.line + 1, mark.column + 1) if mark is not None else (1, 1)
    from fewest.reading.yaml_hints import joined_drawing, quoted_line

    line = max(1, min(line, len(source.lines)))
    location = SourceLocation(source, line, column)
    problem = str(getattr(error, "problem", None) or "this is not YAML")
    text = source.line(line)
    head = text[: len(text) - len(text.lstrip())]
    if "\t" in head or "\\t" in problem or "'\t'" in problem:
        at = text.find("\t") + 1
        report.error(
            "yaml-tab",
            SourceLocation(source, line, max(1, at)),
            "this line contains a tab where YAML requires spaces",
            hint="configure your editor to indent with spaces",
        )
        return
    if (above := joined_drawing(source.text, line)) is not None:
        _report_joined(report, source, above)
        return
    hint = None
    if (better := quoted_line(source.text, line)) is not None:
        report.error(
            "yaml-quote",
            location,
            "YAML interprets brackets, braces, commas and quotes in this text as syntax",
            hint=f"{_QUOTE}: {better.strip()}",
        )
        return
    if re.fullmatch(r"\s*\w+ \|\s*", text):
        hint = f"write `: ` after a key, as in `{text.split()[0]}: |`"
    elif opening is not None and (comment := _comment(source.line(opening.line + 1))) is not None:
        location = SourceLocation(source, opening.line + 1, comment + 1)
        hint = "this `#` begins a comment; put a `#` that is not a comment in quotes"
    elif is_open and text[column - 1 : column] in ("[", "{", "'", '"'):
        hint = "close the bracket, brace or quote that opens here"
    elif "mapping values are not allowed" in problem:
        hint = "put a text that contains `: ` in quotes, and check the indentation"
    elif "could not find expected ':'" in problem:
        hint = "write `: ` after a key"
    elif "did not find expected key" in problem or "block mapping" in problem:
        hint = "start all keys of a map in the same column"
    elif "cannot start any token" in problem:
        hint = "put a text that starts with this character in quotes"
    report.error("yaml-syntax", location, f"cannot read this as YAML: {problem}", hint=hint)


def _comment(line: str) -> int | None:
    """The column (from 0) of a `#` that begins a comment inside brackets or braces; None for any other line."""
    bare = re.sub(r"'[^']*'|\"[^\"]*\"", lambda found: "_" * len(found[0]), line)
    found = re.search(r"[\[{].*?\s(#)", bare)
    return found.start(1) if found is not None else None


def _report_joined(report: Report, source: Source, line: int) -> None:
    """Report a drawing that follows its key although the `|` is missing."""
    from fewest.reading.yaml_hints import JOINED

    text = source.line(line)
    key = text.strip().removeprefix("- ").split(":")[0]
    report.error(
        "board-joined",
        SourceLocation(source, line, text.index(key) + 1, len(key)),
        JOINED,
        hint=f"write `{key}: |`",
    )
