"""Diagrams of measured times as SVG text, drawn without any other package: cactus plots and scatter plots.

Both axes of a scatter plot, and the time axis of a cactus plot, are logarithmic. Lines and marks differ in both colour
and form, so that colour-blind readers can distinguish them. The colours are from Tol (2021).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from html import escape

from msgspec import Struct

COLOURS = ("#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#bbbbbb")
# dash patterns; their combinations with the marks distinguish 20 lines
_DASHES = ("", "6 3", "2 3", "8 3 2 3", "14 4")
_MARKS = ("circle", "square", "triangle", "cross")
_WIDTH, _HEIGHT = 640, 420
_LEFT, _RIGHT, _TOP, _BOTTOM = 70, 20, 34, 54


class _Axis(Struct, frozen=True):
    """Maps values to coordinates between `begin` and `end` in the picture."""

    low: float
    high: float
    begin: float
    end: float
    is_log: bool

    def place(self, value: float) -> float:
        low, high, value = (
            (math.log10(v) for v in (self.low, self.high, max(value, self.low)))
            if self.is_log
            else (self.low, self.high, value)
        )
        return self.begin + (self.end - self.begin) * (value - low) / (high - low)

    def ticks(self) -> list[float]:
        """The values that have labels on the axis."""
        if self.is_log:
            first, last = round(math.log10(self.low)), round(math.log10(self.high))
            return [10.0**power for power in range(first, last + 1)]
        step = 10.0 ** math.floor(math.log10(max(self.high - self.low, 1)))
        while (self.high - self.low) / step < 4:
            step /= 2
        step = max(1.0, math.ceil(step))
        return [step * n for n in range(int(self.low / step), int(self.high / step) + 1)]


def cactus_chart(
    title: str, lines: Mapping[str, Sequence[tuple[int, float]]], limit: float | None
) -> str:
    """A cactus plot: the number of instances (x) that each engine solves within a time (y). A line marks `limit` (in
    seconds).
    """
    times = [time for line in lines.values() for _, time in line]
    most = max((count for line in lines.values() for count, _ in line), default=1)
    down = _log_axis([*times, *([] if limit is None else [limit])], _HEIGHT - _BOTTOM, _TOP)
    across = _Axis(0, max(most, 1), _LEFT, _WIDTH - _RIGHT, False)
    parts = list(_frame(title, "instances solved", "CPU seconds", across, down))
    legend = [_legend_ground(list(lines))]
    if limit is not None:
        parts.append(_level(limit, down))
        place = f'x="{_WIDTH - _RIGHT - 4}" y="{down.place(limit) - 4:.1f}"'
        parts.append(f'<text {place} text-anchor="end">limit</text>')
    for number, (name, line) in enumerate(lines.items()):
        places = [(across.place(count), down.place(time)) for count, time in line]
        colour, dash = COLOURS[number % len(COLOURS)], _DASHES[number % len(_DASHES)]
        if places:
            points = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
            parts.append(
                f'<polyline fill="none" stroke="{colour}" stroke-width="1.6" '
                f'stroke-dasharray="{dash}" points="{points}"/>'
            )
        parts += [_mark(number, *place) for place in places[:: max(1, len(places) // 12)]]
        legend += _legend(number, name)
    return _svg(title, [*parts, *legend])


def scatter_chart(
    title: str, x: str, y: str, points: Sequence[tuple[float | None, float | None]], limit: float
) -> str:
    """A scatter plot with a mark for each instance: the CPU seconds of one engine against the CPU seconds of another.

    Unsolved instances (None) are on the dashed lines at the limit. For marks below the diagonal, the engine `y` is
    faster.
    """
    times = [time for point in points for time in point if time is not None]
    across = _log_axis([*times, limit], _LEFT, _WIDTH - _RIGHT)
    down = _log_axis([*times, limit], _HEIGHT - _BOTTOM, _TOP)
    parts = list(_frame(title, f"{x}: CPU seconds", f"{y}: CPU seconds", across, down))
    corners = (across.low, down.low), (across.high, down.high)
    (x1, y1), (x2, y2) = ((across.place(a), down.place(b)) for a, b in corners)
    parts.append(f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="#999"/>')
    parts += [_level(limit, down), _level(limit, across, upright=True)]
    for one, other in points:
        is_solved = one is not None and other is not None
        place = (
            across.place(limit if one is None else one),
            down.place(limit if other is None else other),
        )
        parts.append(_mark(0 if is_solved else 1, *place))
    return _svg(title, parts)


def _log_axis(values: Sequence[float], begin: float, end: float) -> _Axis:
    """A logarithmic axis, from the power of ten below all values to the power of ten above them."""
    known = [max(value, 1e-4) for value in values] or [1.0]
    low = 10.0 ** math.floor(math.log10(min(known)))
    high = 10.0 ** math.ceil(math.log10(max(known)))
    return _Axis(low, high if high > low else 10 * low, begin, end, True)


def _frame(title: str, x: str, y: str, across: _Axis, down: _Axis) -> Iterator[str]:
    yield f'<text x="{_WIDTH / 2}" y="20" text-anchor="middle" font-size="14">{escape(title)}</text>'
    for value in across.ticks():
        place = across.place(value)
        yield f'<line x1="{place:.1f}" y1="{_TOP}" x2="{place:.1f}" y2="{_HEIGHT - _BOTTOM}" stroke="#ddd"/>'
        yield f'<text x="{place:.1f}" y="{_HEIGHT - _BOTTOM + 16}" text-anchor="middle">{value:g}</text>'
    for value in down.ticks():
        place = down.place(value)
        yield f'<line x1="{_LEFT}" y1="{place:.1f}" x2="{_WIDTH - _RIGHT}" y2="{place:.1f}" stroke="#ddd"/>'
        yield f'<text x="{_LEFT - 6}" y="{place + 4:.1f}" text-anchor="end">{value:g}</text>'
    yield f'<text x="{(_LEFT + _WIDTH - _RIGHT) / 2}" y="{_HEIGHT - 14}" text-anchor="middle">{escape(x)}</text>'
    middle = (_TOP + _HEIGHT - _BOTTOM) / 2
    yield (
        f'<text x="18" y="{middle}" text-anchor="middle" transform="rotate(-90 18 {middle})">'
        f"{escape(y)}</text>"
    )


def _level(value: float, axis: _Axis, *, upright: bool = False) -> str:
    place = axis.place(value)
    ends = (
        f'x1="{place:.1f}" y1="{_TOP}" x2="{place:.1f}" y2="{_HEIGHT - _BOTTOM}"'
        if upright
        else f'x1="{_LEFT}" y1="{place:.1f}" x2="{_WIDTH - _RIGHT}" y2="{place:.1f}"'
    )
    return f'<line {ends} stroke="#555" stroke-dasharray="4 3"/>'


def _mark(number: int, x: float, y: float) -> str:
    colour, form = COLOURS[number % len(COLOURS)], _MARKS[number % len(_MARKS)]
    if form == "circle":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>'
    if form == "square":
        return f'<rect x="{x - 3:.1f}" y="{y - 3:.1f}" width="6" height="6" fill="{colour}"/>'
    if form == "triangle":
        path = f"M{x:.1f} {y - 4:.1f}l4 7h-8z"
        return f'<path d="{path}" fill="{colour}"/>'
    path = f"M{x - 3:.1f} {y - 3:.1f}l6 6m0 -6l-6 6"
    return f'<path d="{path}" stroke="{colour}" stroke-width="2"/>'


def _legend_ground(names: Sequence[str]) -> str:
    """The rectangle behind the legend; it prevents lines from crossing the words of the legend."""
    width = 48 + 6.5 * max(map(len, names), default=0)
    place = f'x="{_LEFT + 2}" y="{_TOP + 2}" width="{width:.0f}" height="{8 + 16 * len(names)}"'
    return f'<rect {place} fill="white" fill-opacity="0.85"/>'


def _legend(number: int, name: str) -> list[str]:
    y = _TOP + 14 + 16 * number
    colour, dash = COLOURS[number % len(COLOURS)], _DASHES[number % len(_DASHES)]
    return [
        f'<line x1="{_LEFT + 8}" y1="{y}" x2="{_LEFT + 36}" y2="{y}" stroke="{colour}" '
        f'stroke-width="1.6" stroke-dasharray="{dash}"/>',
        _mark(number, _LEFT + 22, y),
        f'<text x="{_LEFT + 42}" y="{y + 4}">{escape(name)}</text>',
    ]


def _svg(title: str, parts: Sequence[str]) -> str:
    body = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" '
        f'font-family="sans-serif" font-size="11" role="img">\n<title>{escape(title)}</title>\n'
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="white"/>\n{body}\n</svg>\n'
    )
