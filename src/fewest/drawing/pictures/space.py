"""A state space as a picture: a histogram of the layers, with the positions and moves drawn above it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

from fewest.drawing.pictures.colours import THEMES, Theme
from fewest.drawing.pictures.outline import number
from fewest.drawing.pictures.puzzle_style import FONTS, escaped, text_at

WIDTH = 1200.0
_SIDE, _HEAD = 36.0, 64.0  # the space at the sides of the picture and above it, in pixels
_GRAPH, _BARS = 620.0, 150.0  # the heights of the graph and of the histogram, in pixels
_START, _GOAL, _DEAD, _BEST = "#0072b2", "#009e73", "#d55e00", "#e69f00"
_PLAIN = "#8c95a3"


class Graph(Struct, frozen=True):
    """Positions, their places in the picture, and the moves between them. `layer` and `height` (from -1 to 1) give the
    place of each position; `moves` has no duplicates.

    `kinds`: `plain`, `goal` or `dead` for each position; position 0 is the start. `best` are the moves of optimal
    plans.
    """

    layer: Sequence[int]
    height: Sequence[float]
    kinds: Sequence[str]
    moves: Sequence[tuple[int, int]]
    best: Sequence[tuple[int, int]]


class Layers(Struct, frozen=True):
    """The number of positions of each kind in a layer: `plain`, `goal`, `dead`."""

    name: str
    plain: int
    goal: int = 0
    dead: int = 0


def space_svg(
    title: str,
    about: str,
    layers: Sequence[Layers],
    graph: Graph | None,
    theme: Theme | None = None,
) -> str:
    """The picture of a space; if `graph` is None, the picture contains only the histogram."""
    shown = theme or THEMES["light"]
    tall = _GRAPH if graph is not None else 0.0
    height = _HEAD + tall + _BARS + 58
    step = (WIDTH - 2 * _SIDE) / max(1, len(layers))
    parts = [
        text_at(_SIDE, 26, title, 20, shown.ink, bold=True, anchor="start"),
        text_at(_SIDE, 48, about, 13, shown.faint, anchor="start"),
    ]
    if graph is not None:
        parts += [_drawn(graph, step, shown), _legend(shown)]
    parts.append(_histogram(layers, step, _HEAD + tall, shown))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {number(WIDTH)} {number(height)}"'
        f' width="{number(WIDTH)}" height="{number(height)}" role="img" aria-label="{escaped(title)}"'
        f' font-family="{FONTS}"><title>{escaped(title)}</title>'
        f'<rect width="{number(WIDTH)}" height="{number(height)}" fill="{shown.page}"/>'
        f"{''.join(parts)}</svg>\n"
    )


def _drawn(graph: Graph, step: float, theme: Theme) -> str:
    """The moves, and above them the positions; there is only one SVG path for each kind of move and each kind of
    position, so that viewers can display fifty thousand moves.
    """
    middle = _HEAD + _GRAPH / 2
    half = _GRAPH / 2 - 14
    xs = [round(_SIDE + (layer + 0.5) * step, 1) for layer in graph.layer]
    ys = [round(middle - high * half, 1) for high in graph.height]
    size = len(xs)
    dot = 9.0 if size <= 60 else 6.0 if size <= 1_000 else 3.6 if size <= 8_000 else 2.4
    thin = 1.0 if size <= 1_000 else 0.5 if size <= 8_000 else 0.3

    def lines(moves: Iterable[tuple[int, int]]) -> str:
        return "".join(
            f"M{number(xs[a])} {number(ys[a])}{_curve(xs[a], ys[a], xs[b], ys[b], step)}"
            for a, b in moves
        )

    def dots(states: Iterable[int]) -> str:
        return "".join(f"M{number(xs[i])} {number(ys[i])}h.01" for i in states)

    by_kind: dict[str, list[int]] = {"plain": [], "dead": [], "goal": []}
    for i, kind in enumerate(graph.kinds):
        by_kind[kind].append(i)
    on_best = sorted({state for move in graph.best for state in move})
    parts = [
        f'<path d="{lines(graph.moves)}" fill="none" stroke="{theme.faint}" stroke-opacity="0.35"'
        f' stroke-width="{thin}"/>',
        f'<path d="{lines(graph.best)}" fill="none" stroke="{_BEST}" stroke-width="{max(1.4, 3 * thin)}"/>',
    ]
    for states, colour, wide in (
        (by_kind["plain"], _PLAIN, dot),
        (by_kind["dead"], _DEAD, dot),
        (on_best, _BEST, dot * 1.15),
        (by_kind["goal"], _GOAL, dot * 1.4),
        ([0], _START, max(12.0, dot * 1.8)),
    ):
        if states:
            parts.append(
                f'<path d="{dots(states)}" fill="none" stroke="{colour}" stroke-width="{number(wide)}"'
                ' stroke-linecap="round"/>'
            )
    return "".join(parts)


def _curve(x: float, y: float, to_x: float, to_y: float, step: float) -> str:
    """A straight line if the move leads to another layer; otherwise, an arc."""
    if x != to_x:
        return f"L{number(to_x)} {number(to_y)}"
    bend = min(step * 0.45, 4 + abs(to_y - y) / 4)
    return f"Q{number(x + bend)} {number((y + to_y) / 2)} {number(to_x)} {number(to_y)}"


def _legend(theme: Theme) -> str:
    parts, x = [], WIDTH - _SIDE
    for name, colour in (
        ("dead position", _DEAD), ("goal", _GOAL), ("on a shortest plan", _BEST), ("start", _START)
    ):  # fmt: skip
        x -= 14 + 7.4 * len(name)
        parts.append(f'<circle cx="{number(x)}" cy="26" r="5.5" fill="{colour}"/>')
        parts.append(text_at(x + 11, 26, name, 13, theme.ink, anchor="start"))
        x -= 16
    return "".join(parts)


def _histogram(layers: Sequence[Layers], step: float, top: float, theme: Theme) -> str:
    """A bar for each layer: goal positions at the bottom, then the other positions that are not known to be dead, and
    dead positions at the top.
    """
    most = max((one.plain + one.goal + one.dead for one in layers), default=1) or 1
    foot = top + _BARS + 14
    wide = max(step - (2 if step > 6 else 0.4), 0.5)
    parts: list[str] = []
    every = max(1, -(-len(layers) // 24))
    for i, one in enumerate(layers):
        x, y = _SIDE + i * step + (step - wide) / 2, foot
        total = one.plain + one.goal + one.dead
        bars = []
        for count, colour in ((one.goal, _GOAL), (one.plain, _PLAIN), (one.dead, _DEAD)):
            if count:
                high = max(0.8, _BARS * count / most)
                y -= high
                bars.append(
                    f'<rect x="{number(x)}" y="{number(y)}" width="{number(wide)}"'
                    f' height="{number(high)}" fill="{colour}"/>'
                )
        parts.append(f"<g><title>{escaped(one.name)}: {total:,}</title>{''.join(bars)}</g>")
        if i % every == 0:
            parts.append(text_at(x + wide / 2, foot + 12, one.name, 11, theme.faint))
    end = number(WIDTH - _SIDE)
    parts.append(
        f'<path d="M{number(_SIDE)} {number(foot)}H{end}" stroke="{theme.line}" fill="none"/>'
    )
    words = f"positions by layer, at most {most:,} in one"
    parts.append(text_at(_SIDE, foot + 32, words, 12, theme.faint, anchor="start"))
    return "".join(parts)
