"""The lines between cells in a picture: walls are thick lines, one-way edges are arrows, and portals have labels."""

from __future__ import annotations

from collections.abc import Iterator

from fewest.drawing.lines import Side, sides
from fewest.drawing.pictures.grid import Grid
from fewest.drawing.pictures.outline import Point, number
from fewest.drawing.pictures.puzzle_style import PuzzleStyle, text_at
from fewest.model.board import Board

_THICK = 6.0


def thin_walls(look: PuzzleStyle) -> str:
    """All walls and marks between cells, as SVG; empty if there are none, or if the cells are triangles."""
    board = look.puzzle.board
    if board is None or not board.exits or look.grid.is_triangular:
        return ""
    colour = look.puzzle.style.colours.get("wall", look.theme.wall)
    return "".join(_drawn(look, board, side, colour) for side in _shown(board, look.grid))


def _shown(board: Board, grid: Grid) -> Iterator[Side]:
    """Every side once, except the edge of the board and the edges of wall cells. A portal is included even there,
    unless its own cell is a wall.
    """
    seen: set[frozenset[int | None]] = set()
    for side in sides(board):
        row, column = board.at(side.cell)
        other = board.cell(row + side.step[0], column + side.step[1])
        pair = frozenset((side.cell, other))
        is_hidden = side.cell in board.walls or (other in board.walls and not side.portal)
        if is_hidden or (other is None and not side.portal) or (pair in seen and other is not None):
            continue
        seen.add(pair)
        yield side


def _drawn(look: PuzzleStyle, board: Board, side: Side, colour: str) -> str:
    a, b = _ends(look.grid, board, side)
    middle = ((a[0] + b[0]) / 2, (a[1] + b[1]) / 2)
    if side.portal:
        ring = f'<circle cx="{number(middle[0])}" cy="{number(middle[1])}" r="8" fill="{colour}"/>'
        return ring + text_at(*middle, side.portal, 11, look.theme.floor)
    if not side.is_open and not side.lets_in:
        path = f"M{number(a[0])} {number(a[1])}L{number(b[0])} {number(b[1])}"
        return (
            f'<path d="{path}" stroke="{colour}" stroke-width="{_THICK:g}" stroke-linecap="round"/>'
        )
    x, y = look.grid.middle(*board.at(side.cell))
    vector = (middle[0] - x, middle[1] - y) if side.is_open else (x - middle[0], y - middle[1])
    size = (vector[0] ** 2 + vector[1] ** 2) ** 0.5
    dx, dy = vector[0] / size, vector[1] / size
    corners = [
        (middle[0] + 7 * dx, middle[1] + 7 * dy),
        (middle[0] - 5 * dx - 8 * dy, middle[1] - 5 * dy + 8 * dx),
        (middle[0] - 5 * dx + 8 * dy, middle[1] - 5 * dy - 8 * dx),
    ]
    points = " ".join(f"{number(px)},{number(py)}" for px, py in corners)
    return f'<polygon points="{points}" fill="{colour}"/>'


def _ends(grid: Grid, board: Board, side: Side) -> tuple[Point, Point]:
    """The ends of the line between two neighbouring cells: the two corners of one cell that are nearest to the other
    cell.
    """
    row, column = board.at(side.cell)
    x, y = grid.middle(row + side.step[0], column + side.step[1])
    corners = sorted(grid.polygon(row, column), key=lambda p: (p[0] - x) ** 2 + (p[1] - y) ** 2)
    return corners[0], corners[1]
