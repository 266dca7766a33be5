"""Tables in plain text."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from fewest.drawing.text import text_width

GAP = 2


def table(
    header: Sequence[str], rows: Sequence[Sequence[str]], *, left: Collection[int] = ()
) -> list[str]:
    """The lines of a table, with the header first; empty columns are omitted.

    The columns in `left` are left-aligned; all others are right-aligned.
    """
    columns = [column for column in range(len(header)) if any(row[column] for row in rows)]
    widths = column_widths(header, rows)
    return [
        (" " * GAP).join(_cell(line[c], widths[c], c in left) for c in columns).rstrip()
        for line in [header, *rows]
    ]


def column_widths(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[int]:
    """The width of each column; 0 for a column without texts below its header."""
    return [
        max(text_width(cell) for cell in cells) if any(cells[1:]) else 0
        for cells in zip(header, *rows, strict=True)
    ]


def _cell(text: str, width: int, is_left: bool) -> str:
    gap = " " * (width - text_width(text))
    return text + gap if is_left else gap + text
