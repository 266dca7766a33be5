"""The edges of a board that is a graph, as SVG."""

from __future__ import annotations

from fewest.drawing.pictures.outline import number
from fewest.drawing.pictures.puzzle_style import PuzzleStyle
from fewest.model.board import GRAPH


def edges(look: PuzzleStyle) -> str:
    """A line for every edge, with an arrow if the edge is one-way; empty for boards that are not graphs."""
    board = look.puzzle.board
    if board is None or board.geometry != GRAPH:
        return ""
    colour = look.theme.faint
    pairs = {(cell, there) for (cell, _), there in board.exits.items() if there is not None}
    parts: list[str] = []
    for cell, there in sorted(pairs):
        is_two_way = (there, cell) in pairs
        if is_two_way and there < cell:
            continue
        (x1, y1), (x2, y2) = (look.grid.middle(*board.at(one)) for one in (cell, there))
        path = f"M{number(x1)} {number(y1)}L{number(x2)} {number(y2)}"
        parts.append(f'<path d="{path}" stroke="{colour}" stroke-width="3"/>')
        if not is_two_way:
            size = ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5
            dx, dy = (x2 - x1) / size, (y2 - y1) / size
            tip = (x2 - 22 * dx, y2 - 22 * dy)
            wings = [(tip[0] - 9 * dx + s * 6 * dy, tip[1] - 9 * dy - s * 6 * dx) for s in (1, -1)]
            points = " ".join(f"{number(x)},{number(y)}" for x, y in (tip, *wings))
            parts.append(f'<polygon points="{points}" fill="{colour}"/>')
    return "".join(parts)
