"""The lines of cells on which a pattern can lie."""

from __future__ import annotations

from collections.abc import Iterator

from tests.independent.boards.board import Board
from tests.independent.boards.edges import NONE, Cell, beside
from tests.independent.boards.headings import Offset

BEHIND = "behind a line"  # a place that a wall, a one-way line or the like separates from the line
Place = Cell | None | str  # a cell, a place outside the board, or BEHIND


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
    for r in range(board.height):
        for c in range(board.width):
            yield line(board, (r, c), way, length)
    for before in range(1, length):
        for r in range(board.height):
            for c in range(board.width):
                # The first place on the board is (r, c), and the places before it are outside.
                behind = (r - way[0], c - way[1])
                if not board.contains(behind):
                    yield [None] * before + line(board, (r, c), way, length - before)


def line(board: Board, start: Cell, way: Offset, length: int) -> list[Place]:
    """The line that begins at a cell."""
    found: list[Place] = [start]
    here: Place = start
    while len(found) < length:
        if isinstance(here, tuple):
            end = board.step(here, way)
            if end is None and board.contains(beside(here, way)) and board.edges != NONE:
                here = BEHIND
            else:
                here = end
        found.append(here)
    return found
