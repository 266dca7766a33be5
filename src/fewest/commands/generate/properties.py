"""Properties of a position that a spec can require: it is symmetric, and it has no redundant piece and no redundant
wall.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from msgspec.structs import replace

from fewest.commands.generate.documents import document_at
from fewest.commands.limited import completed
from fewest.engines.registry import solve
from fewest.model.answer import Limits
from fewest.model.states import decode

if TYPE_CHECKING:
    from fewest.commands.api import CompiledPuzzle
    from fewest.commands.generate.universe import Universe
    from fewest.model.metric import Metric
    from fewest.model.position import Position
    from fewest.reading.board_spec import BoardSpec

_Place = tuple[int, int]


def is_symmetric(position: Position) -> bool:
    """Whether some mirror image or rotation of the board is the same board with the same pieces."""
    board, classes = position.board, position.puzzle.classes

    def places(cells: Iterable[int]) -> frozenset[_Place]:
        return frozenset(divmod(cell, board.columns) for cell in cells)

    pieces = {
        (classes[class_id].kind, classes[class_id].label, places(cells))
        for class_id, anchor in position.pieces
        if (cells := board.cover(classes[class_id].shape, anchor)) is not None
    }
    fixed = [places(board.walls), *(places(cells) for cells in board.terrain.values())]
    for image in _images(board.rows, board.columns):
        moved = {(kind, label, frozenset(map(image, cells))) for kind, label, cells in pieces}
        if moved == pieces and all(frozenset(map(image, cells)) == cells for cells in fixed):
            return True
    return False


def _images(rows: int, columns: int) -> Iterator[Callable[[_Place], _Place]]:
    """The mirror images and rotations of a board of squares, without the identity."""
    down, right = rows - 1, columns - 1
    yield lambda place: (place[0], right - place[1])
    yield lambda place: (down - place[0], place[1])
    yield lambda place: (down - place[0], right - place[1])
    if rows == columns:
        yield lambda place: (place[1], place[0])
        yield lambda place: (down - place[1], right - place[0])
        yield lambda place: (place[1], right - place[0])
        yield lambda place: (down - place[1], place[0])


def has_redundant_piece(universe: Universe, metric: Metric, state: int, minimum: int) -> bool:
    """Whether some piece that is optional according to the spec can be removed without changing the minimum."""
    least = universe.rules.least
    present = [placed for placed in universe.facts if state >> placed.fact & 1]
    for placed in present:
        same = sum(other.class_id == placed.class_id for other in present)
        fewer = state & ~(1 << placed.fact)
        if same <= least[placed.class_id] or universe.task.is_forbidden(fewer):
            continue
        task = replace(universe.task, initial=fewer)
        if completed(solve("bfs", task, metric, Limits())).cost == (minimum,):
            return True
    return False


def puzzle_at(
    spec: BoardSpec, universe: Universe, state: int, *, without: int = -1
) -> CompiledPuzzle:
    """The puzzle that starts at a position; `without` is the cell of a wall to omit (-1: none). Raises UndrawableError
    as `document_at` does.
    """
    position = decode(universe.puzzle, universe.task, state)
    return document_at(spec, position, "board", without=without)[1]


def has_redundant_wall(
    spec: BoardSpec, universe: Universe, metric: Metric, state: int, minimum: int
) -> bool:
    """Whether there is a wall such that the minimum stays the same when the wall becomes floor."""
    board = universe.puzzle.board
    assert board is not None
    return any(
        completed(
            puzzle_at(spec, universe, state, without=cell).solve(metric.name, audit="off")
        ).cost
        == minimum
        for cell in sorted(board.walls)
    )
