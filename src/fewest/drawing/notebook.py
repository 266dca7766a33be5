"""HTML fragments for notebooks: tables, histograms, bars and collapsible sections. The fragments are readable on both
light and dark pages.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from fewest.drawing.pictures.puzzle_style import escaped

_BAR = "#0072b2"
_CELL = "padding:2px 14px 2px 0;text-align:{};font-variant-numeric:tabular-nums"


def table(
    header: Sequence[str], rows: Iterable[Sequence[str]], *, left: Sequence[int] = (0,)
) -> str:
    """A table of texts; the columns in `left` are left-aligned, and all other columns are right-aligned."""
    head = _row("th", header, left) if header else ""
    return (
        f'<table style="border-collapse:collapse">{head}'
        f"{''.join(_row('td', row, left) for row in rows)}</table>"
    )


def _row(tag: str, cells: Sequence[str], left: Sequence[int]) -> str:
    return "<tr>" + "".join(
        f'<{tag} style="{_CELL.format("left" if i in left else "right")}">{escaped(cell)}</{tag}>'
        for i, cell in enumerate(cells)
    ) + "</tr>"  # fmt: skip


def histogram(title: str, rows: Sequence[tuple[str, int]]) -> str:
    """A histogram: a bar for each name, with the number as its height, and a title below the bars."""
    top = max((count for _, count in rows), default=1) or 1
    wide = max(1.0, min(24.0, 600 / max(1, len(rows))))
    width = wide * len(rows)
    bars = "".join(
        f'<rect x="{i * wide:.2f}" y="{100 - max(1.0, 100 * count / top):.2f}"'
        f' width="{max(0.5, wide * 0.9):.2f}" height="{max(1.0, 100 * count / top):.2f}" fill="{_BAR}">'
        f"<title>{escaped(name)}: {count:,}</title></rect>"
        for i, (name, count) in enumerate(rows)
    )
    ends = f"{rows[0][0]} … {rows[-1][0]}" if rows else ""
    return (
        f'<figure style="margin:10px 0"><svg xmlns="http://www.w3.org/2000/svg" role="img"'
        f' aria-label="{escaped(title)}" viewBox="0 0 {width:.2f} 100" width="{width:.0f}" height="100"'
        f' style="max-width:100%">{bars}</svg>'
        f'<figcaption style="opacity:.7;font-size:90%">{escaped(title)}: {escaped(ends)}</figcaption></figure>'
    )


def bars(rows: Sequence[tuple[str, float, str]]) -> str:
    """A line for each row: a name, a bar with the number as its length, and a text beside the bar."""
    top = max((number for _, number, _ in rows), default=1.0) or 1.0
    lines = "".join(
        f'<tr><td style="{_CELL.format("left")}">{escaped(name)}</td><td style="width:260px">'
        f'<div style="height:12px;width:{max(0.5, 100 * number / top):.1f}%;background:{_BAR};'
        f'border-radius:3px"></div></td><td style="padding-left:8px">{escaped(words)}</td></tr>'
        for name, number, words in rows
    )
    return f'<table style="border-collapse:collapse">{lines}</table>'


def folded(summary: str, inner: str, *, is_open: bool) -> str:
    """A section that opens or closes when its summary is clicked; `is_open`: the initial state; `inner` is HTML."""
    state = " open" if is_open else ""
    return f"<details{state}><summary>{escaped(summary)}</summary>{inner}</details>"
