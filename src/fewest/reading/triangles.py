"""Reads boards of triangles: cells point up and down alternately, and each cell has three neighbours."""

from __future__ import annotations

from msgspec.structs import replace

from fewest.model.board import Board, Offset
from fewest.reading.context import Context

_DIAGONALS: tuple[Offset, ...] = ((-1, -1), (-1, 1), (1, -1), (1, 1))


def with_triangles(context: Context, board: Board) -> Board:
    """The board with steps across the sides of its cells.

    Reports keys that are not possible on such a board, and closed rows or columns of odd length. Cells that point up
    have no step up; cells that point down have no step down. A diagonal direction follows a strip: it leads up or down
    if the cell has a side in that direction, and left or right otherwise.
    """
    for key in ("edges", "levels"):
        if context.loaded.has((key,)):
            message = f"`{key}` and triangular cells cannot be used together"
            context.error((key,), "edge-form", message, at_key=True)
    for is_closed, number, what in (
        (board.wraps_rows, board.columns, "rows with an odd number of cells"),
        (board.wraps_columns, board.rows, "columns with an odd number of cells"),
    ):
        if is_closed and number % 2:
            message = f"{what} cannot wrap, because neighbouring triangles would point in the same direction"
            context.error(("wrap",), "edge-form", message)
    exits: dict[tuple[int, Offset], int | None] = {}
    for cell in range(board.num_cells):
        row, column = board.at(cell)
        base = 1 if board.points_up(cell) else -1
        exits[cell, (-base, 0)] = None
        for down, right in _DIAGONALS:
            ahead = (row + down, column) if down == base else (row, column + right)
            exits[cell, (down, right)] = board.cell(*ahead)
    return replace(board, exits=exits)
