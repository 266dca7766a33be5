"""Commands to all pieces of a kind on a position: the pieces slide one after another. The foremost piece is first: the
one with the cell that is furthest in the direction of the command.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from msgspec.structs import replace

from fewest.model.board import Direction, direction_of
from fewest.model.position import Position
from fewest.model.puzzle import Spot
from fewest.model.rules import Together
from fewest.playing.guard import assigned, binding_of
from fewest.playing.move import Move
from fewest.playing.slide import slide_moves

_MIRRORS = (None, "columns", "rows", "both")


def together_moves(rule: Together, position: Position) -> Iterator[Move]:
    """The moves that the rule allows: for each binding, one for each direction in which some piece can move."""
    for binding, names in enumerate(rule.guard.bindings):
        changes = assigned(rule.guard, position, names)
        if changes is None:
            continue
        for direction in (
            rule.guard.directions_of_binding[binding]
            if rule.guard.directions_of_binding
            else rule.directions
        ):
            found = _carried_out(rule, position, direction)
            if found is None:
                continue
            pieces, moved = found
            values = list(position.values)
            for slot, value in changes.items():
                values[slot] = value
            yield Move(
                rule=rule.name,
                target=Position(position.puzzle, pieces, tuple(values)),
                moved=moved,
                removed=(),
                created=(),
                direction=direction,
                ring=None,
                words=binding_of(rule.guard, names),
                binding=binding,
                carrier=None,
            )


def _carried_out(
    rule: Together, position: Position, direction: Direction
) -> tuple[frozenset[Spot], tuple[tuple[Spot, Spot], ...]] | None:
    """The pieces after the command, and the moves that the pieces made; None if no piece moves, or if a piece moves
    endlessly.
    """
    came_from = {spot: spot for spot in position.pieces}
    here = position
    seen: set[Position] = set()
    while here not in seen:
        seen.add(here)
        steps = list(_round(rule, here, direction))
        for step in steps:
            origins = [came_from.pop(source) for source, _ in step.moved]
            came_from.update(zip((end for _, end in step.moved), origins, strict=True))
        if not steps and here == position:
            return None
        if steps:
            here = steps[-1].target
        if not steps or not rule.goes_on:
            moved = sorted((origin, spot) for spot, origin in came_from.items() if spot != origin)
            return here.pieces, tuple(moved)
    return None


def _round(rule: Together, here: Position, direction: Direction) -> Iterator[Move]:
    """The slides of one round: each piece moves at most once, after the slide of the previous piece; mirrored pieces
    move last.
    """
    classes = here.puzzle.classes
    for mirror in _MIRRORS:
        towards = _mirrored(here.board.geometry, direction, mirror)
        slide = replace(rule.slide, directions=(towards,))
        turn = _turns(here, towards)
        for cell, layer in product(turn, range(here.puzzle.num_layers)):
            spot = here.layers[layer].get(cell)
            if spot is None or classes[spot[0]].mirror != mirror:
                continue
            if min(here.puzzle.under[spot], key=turn.__getitem__) != cell:
                continue  # this is not the foremost cell of the piece
            move = next(slide_moves(slide, here, spot), None)
            if move is not None:
                yield move
                here = move.target


def _turns(position: Position, towards: Direction) -> dict[int, int]:
    """The number of each cell in the order of visits: the cell that is furthest in a direction is first; cells at the
    same distance are in reading order.
    """
    board = position.board

    def backward_order(cell: int) -> tuple[int, int]:
        row, column = board.at(cell)
        return -(row * towards.offset[0] + column * towards.offset[1]), cell

    cells = sorted(range(board.num_cells), key=backward_order)
    return {cell: number for number, cell in enumerate(cells)}


def _mirrored(geometry: str, direction: Direction, mirror: str | None) -> Direction:
    """The direction in the mirror. The directions above and below lead to other levels, so no mirror changes them."""
    if mirror is None or direction.name in ("above", "below"):
        return direction
    down, right = direction.offset
    shift = {"hex-right": 1, "hex-left": -1}.get(geometry, 0)
    # twice the distance to the right, because every row of a hexagonal board is shifted by half a cell
    across = 2 * right + shift * down
    if mirror in ("rows", "both"):
        down = -down
    if mirror in ("columns", "both"):
        across = -across
    return direction_of((down, (across - shift * down) // 2))
