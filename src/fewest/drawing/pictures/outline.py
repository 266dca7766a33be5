"""The outline of a set of cells as a single path, moved inwards and with rounded corners.

Cells are polygons with corners in clockwise order (y points down). An edge that two cells share occurs once in each
direction. Edges that occur in only one direction form the boundary, and this module joins them into loops.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from math import atan2, hypot

Point = tuple[float, float]
Polygon = Sequence[Point]


def outline(cells: Iterable[Polygon], inset: float = 0.0, radius: float = 0.0) -> str:
    """The SVG path around the cells: `inset` inside their boundary, with corners rounded by at most `radius`."""
    return _outline(tuple(map(tuple, cells)), inset, radius)


# A picture draws each cell of the floor, and the frames of an animation draw the same cells and pieces.
@lru_cache(maxsize=1_000)
def _outline(cells: Sequence[Polygon], inset: float, radius: float) -> str:
    return "".join(_rounded(_moved_in(loop, inset), radius) for loop in loops(cells))


def loops(cells: Iterable[Polygon]) -> list[list[Point]]:
    """The outlines of the cells as closed polygons, without points in the middle of a straight line.

    Outer boundaries are clockwise, and boundaries of holes are counter-clockwise. Cells that touch only at a corner
    have separate loops.
    """
    edges = dict.fromkeys(
        (_key(a), _key(b))
        for polygon in cells
        for a, b in zip(polygon, [*polygon[1:], polygon[0]], strict=True)
    )
    onward: dict[Point, list[Point]] = {}
    for a, b in edges:
        if (b, a) not in edges:
            onward.setdefault(a, []).append(b)
    out: list[list[Point]] = []
    for start in list(onward):
        while onward.get(start):
            here, there = start, onward[start].pop(0)
            loop = [here]
            while there != start:
                loop.append(there)
                choices = onward[there]
                choice = max(choices, key=lambda c, a=here, b=there: _turn(a, b, c))  # type: ignore[misc]
                choices.remove(choice)
                here, there = there, choice
            out.append(_corners(loop))
    return out


def _key(point: Point) -> Point:
    return round(point[0], 2), round(point[1], 2)


def _turn(a: Point, b: Point, c: Point) -> float:
    """The angle, in radians, of the turn to the right at b on the path a, b, c."""
    before, after = (b[0] - a[0], b[1] - a[1]), (c[0] - b[0], c[1] - b[1])
    cross = before[0] * after[1] - before[1] * after[0]
    return atan2(cross, before[0] * after[0] + before[1] * after[1])


def _corners(loop: list[Point]) -> list[Point]:
    size = len(loop)
    return [
        loop[i]
        for i in range(size)
        if abs(_turn(loop[i - 1], loop[i], loop[(i + 1) % size])) > 1e-2
    ]


def _direction(a: Point, b: Point) -> Point:
    length = hypot(b[0] - a[0], b[1] - a[1]) or 1.0
    return (b[0] - a[0]) / length, (b[1] - a[1]) / length


def _moved_in(loop: list[Point], inset: float) -> list[Point]:
    """The loop with every edge shifted to its right by `inset`."""
    out: list[Point] = []
    for i, (x, y) in enumerate(loop):
        before = _direction(loop[i - 1], loop[i])
        after = _direction(loop[i], loop[(i + 1) % len(loop)])
        normals = (-before[1], before[0]), (-after[1], after[0])
        scale = inset / (1 + normals[0][0] * normals[1][0] + normals[0][1] * normals[1][1])
        out.append(
            (
                x + scale * (normals[0][0] + normals[1][0]),
                y + scale * (normals[0][1] + normals[1][1]),
            )
        )
    return out


def _rounded(loop: list[Point], radius: float) -> str:
    """A closed path along the loop. Each corner is a curve that begins `radius` before the corner, or halfway along the
    line if the line is short.
    """
    if radius <= 0:
        return "M" + "L".join(f"{number(x)} {number(y)}" for x, y in loop) + "Z"
    parts: list[str] = []
    for i, (x, y) in enumerate(loop):
        begin, end = loop[i - 1], loop[(i + 1) % len(loop)]
        cut = [min(radius, hypot(p[0] - x, p[1] - y) / 2) for p in (begin, end)]
        vectors = _direction((x, y), begin), _direction((x, y), end)
        at, to = (
            (x + vector[0] * c, y + vector[1] * c) for vector, c in zip(vectors, cut, strict=True)
        )
        sign = "L" if parts else "M"
        parts.append(
            f"{sign}{number(at[0])} {number(at[1])}Q{number(x)} {number(y)} {number(to[0])} {number(to[1])}"
        )
    return "".join(parts) + "Z"


def number(value: float) -> str:
    """A coordinate, rounded to two decimal places, as the shortest possible text, such as `12` or `3.5`."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text
