"""The tree of a document: every node with its location in the file.

Scalars remain text, and the reader of a key decides whether the text is a number, a truth value or a name. YAML's `no`,
for example, therefore remains a word.
"""

from __future__ import annotations

import re

from msgspec import Struct, field

from fewest.errors import SourceLocation

_ESCAPE = r"\\(?:x..|u....|U........|.)"


class TreeNode(Struct, frozen=True, eq=False):
    """A node of the tree with its location."""

    location: SourceLocation


class ScalarNode(TreeNode, frozen=True, eq=False):
    """A text; `is_plain` is true if the text has no quotes and is not a block."""

    text: str
    style: str  # "", "'", '"', "|" or ">"

    @property
    def is_plain(self) -> bool:
        return self.style == ""

    @property
    def is_null(self) -> bool:
        return self.is_plain and self.text in ("", "~", "null")

    def inside(self, row: int, column: int, length: int = 1) -> SourceLocation:
        """The location of a character of the text, given by its row and column (counted from 0). If this location
        cannot be determined, the result is the location of the whole scalar.
        """
        source, line, trail = self.location.source, self.location.line, self.location.trail
        if self.style == "|":
            indent = self._indent(line + 1)
            return SourceLocation(source, line + 1 + row, indent + column + 1, length, trail)
        offset = column
        for text in self.text.split("\n")[:row]:
            offset += len(text) + 1
        if self.style in ("'", '"'):
            found = self._in_quotes(offset, length)
        else:
            found = self._in_folded(offset, length)
        return self.location if found is None else found

    def _in_quotes(self, offset: int, length: int) -> SourceLocation | None:
        """Like `inside`, but for a quoted text. One character may be written as several characters in the file, such as
        `''` or an escape. The result is None for characters after the first line.
        """
        location = self.location
        raw = location.source.line(location.line)
        at = location.column
        # for each character of the text, the offset (from 0) at which it ends in the file
        ends: list[int] = []
        while at < len(raw) and len(ends) < offset + length:
            escape = re.compile(_ESCAPE).match(raw, at) if self.style == '"' else None
            at = escape.end() if escape else at + (2 if raw.startswith("''", at) else 1)
            ends.append(at)
        if offset >= len(ends):
            return None
        start = ends[offset - 1] if offset else location.column
        return SourceLocation(
            location.source, location.line, start + 1, max(1, ends[-1] - start), location.trail
        )

    def _in_folded(self, offset: int, length: int) -> SourceLocation | None:
        """Like `inside`, but for a folded or plain text, in which a line break represents one blank; None at other line
        breaks.
        """
        location = self.location
        line, left = location.line, offset
        column = location.column - 1
        if self.style == ">":
            line += 1
            column = self._indent(line)
        while line <= len(location.source.lines):
            raw = location.source.line(line).rstrip()
            if left < len(raw) - column or (left == len(raw) - column and offset >= len(self.text)):
                at = column + left
                if offset < len(self.text) and raw[at] != self.text[offset]:
                    return None
                return SourceLocation(location.source, line, at + 1, length, location.trail)
            if left <= len(raw) - column:  # this is the blank that replaces the line break
                return SourceLocation(location.source, line, max(1, len(raw)), 1, location.trail)
            left -= len(raw) - column + 1
            line += 1
            following = location.source.line(line)
            column = len(following) - len(following.lstrip(" \t"))
        return None

    def _indent(self, first: int) -> int:
        """The indentation of the block: that of its first non-empty line, without the blanks that belong to the
        text.
        """
        for offset, text in enumerate(self.text.split("\n")):
            if text.strip():
                raw = self.location.source.line(first + offset)
                blanks = len(raw) - len(raw.lstrip(" "))
                return max(0, blanks - (len(text) - len(text.lstrip(" "))))
        return 0


class SequenceNode(TreeNode, frozen=True, eq=False):
    items: tuple[TreeNode, ...]


class MappingNode(TreeNode, frozen=True, eq=False):
    """A map: its keys in order, each with its location."""

    items: dict[str, TreeNode]
    keys: dict[str, SourceLocation] = field(default_factory=dict)
