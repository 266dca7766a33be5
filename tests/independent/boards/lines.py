"""The lines of cells on which a pattern can lie."""

from __future__ import annotations

from collections.abc import Iterator

from tests.independent.boards.board import GRAPH, Board, Direction
from tests.independent.boards.edges import Cell

Place = Cell | None  # a cell, or a place outside the board or behind a line that counts as its edge


_CACHE: dict[tuple[int, Direction, int], tuple[Board, list[list[Place]]]] = {}


def lines(board: Board, direction: Direction, length: int) -> list[list[Place]]:
    """All lines of a length in a direction that have a cell on the board and pass no cell twice."""
    key = (id(board), direction, length)
    if key not in _CACHE or _CACHE[key][0] is not board:
        if len(_CACHE) > 500:
            _CACHE.clear()
        _CACHE[key] = (board, list(_lines(board, direction, length)))
    return _CACHE[key][1]


def _lines(board: Board, direction: Direction, length: int) -> Iterator[list[Place]]:
    cells = board.plane.cells()
    entered = {end for cell in cells for end in board.steps(cell, direction)}
    for cell in cells:
        yield from continued(board, [cell], direction, length)
        if cell not in entered and board.plane.geometry != GRAPH:
            # The cell is the first place on the board, and the places before it are outside.
            for before in range(1, length):
                for line in continued(board, [cell], direction, length - before):
                    yield [None] * before + line


def continued(
    board: Board, line: list[Place], direction: Direction, length: int
) -> Iterator[list[Place]]:
    """The lines of a length that begin with these places. On a graph, they are paths, which do not leave the graph."""
    if len(line) == length:
        yield line
        return
    here = line[-1]
    ends: list[Place] = [] if here is None else [*board.steps(here, direction)]
    if not ends and board.plane.geometry != GRAPH:
        ends = [None]
    for end in ends:
        if end is None or end not in line:
            yield from continued(board, [*line, end], direction, length)
