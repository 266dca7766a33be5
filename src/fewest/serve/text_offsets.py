"""Offsets in a text for an editor, in UTF-16 units from the start of the text."""

from __future__ import annotations

from bisect import bisect_right
from typing import Any

from fewest.errors import Diagnostic, line_break
from fewest.sanitize import shown


class Offsets:
    """Converts lines and columns, counted from 1 in characters, to offsets in a text."""

    def __init__(self, text: str) -> None:
        self.size = len(text)
        self.starts = [0, *(match.end() for match in line_break().finditer(text))]
        self.ends = [*(match.start() for match in line_break().finditer(text)), self.size]
        # the indices of the characters that take two units
        self.wide = [i for i, c in enumerate(text) if c > "\uffff"]

    def at(self, line: int, column: int) -> int:
        """The offset of a character; for a column beyond the end of the line, the offset of the end of the line."""
        line = min(max(line, 1), len(self.starts))
        return self.units(min(self.starts[line - 1] + max(column, 1) - 1, self.ends[line - 1]))

    def units(self, index: int) -> int:
        """The offset of the character with this index."""
        return index + bisect_right(self.wide, index - 1)


def marked(diagnostic: Diagnostic, offsets: Offsets, *, is_here: bool) -> dict[str, Any]:
    """A mistake that the editor underlines. If the mistake is in another file (a model), the editor underlines the
    first character of the text, and the message names the file and the line.
    """
    start = end = 0
    if is_here:
        start = offsets.at(diagnostic.line, diagnostic.column)
        end = offsets.at(diagnostic.line, diagnostic.column + diagnostic.length)
    where = "" if is_here else f"{diagnostic.file}:{diagnostic.line}: "
    return {
        "from": start,
        "to": max(start, end),
        "line": diagnostic.line,
        "column": diagnostic.column,
        "severity": diagnostic.severity,
        "code": diagnostic.code,
        "message": shown(where + diagnostic.message),
        "expected": None if diagnostic.expected is None else shown(diagnostic.expected),
        "found": None if diagnostic.found is None else shown(diagnostic.found),
        "hint": None if diagnostic.hint is None else shown(diagnostic.hint),
    }
