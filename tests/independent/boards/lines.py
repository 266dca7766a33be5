"""The lines of cells on which a pattern can lie."""

from __future__ import annotations

from collections.abc import Iterator

from tests.independent.boards.board import Board
from tests.independent.boards.edges import Cell
from tests.independent.boards.headings import Offset

Place = Cell | None  # a cell, or a place outside the board or behind a line that counts as its edge


_CACHE: dict[tuple[int, Offset, int], tuple[Board, list[list[Place]]]] = {}


def lines(board: Board, way: Offset, length: int) -> list[list[Place]]:
    """All lines of a length in a direction that have a cell on the board."""
    key = (id(board), way, length)
    if key not in _CACHE or _CACHE[key][0] is not board:
        if len(_CACHE) > 500:
            _CACHE.clear()
        _CACHE[key] = (board, list(_lines(board, way, length)))
    return _CACHE[key][1]


def _lines(board: Board, way: Offset, length: int) -> Iterator[list[Place]]:
    cells = [(r, c) for r in range(board.height) for c in range(board.width)]
    entered = {board.step(cell, way) for cell in cells}
    for cell in cells:
        yield line(board, cell, way, length)
        if cell not in entered:
            # The cell is the first place on the board, and the places before it are outside.
            for before in range(1, length):
                yield [None] * before + line(board, cell, way, length - before)


def line(board: Board, start: Cell, way: Offset, length: int) -> list[Place]:
    """The line that begins at a cell."""
    found: list[Place] = [start]
    while len(found) < length:
        here = found[-1]
        found.append(None if here is None else board.step(here, way))
    return found
