"""Pivots on a position: a piece turns by 90° about a cell. The rule may require the cells on its path to be free."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from fewest.model.board import Board, Direction, Offset
from fewest.model.position import Position
from fewest.model.puzzle import PieceClass, Spot
from fewest.model.rules import CLOCKWISE, Pivot
from fewest.playing.guard import assigned
from fewest.playing.move import Move, made

Place = tuple[int, int]  # (row, column)


def pivot_moves(
    rule: Pivot,
    position: Position,
    carrier: Spot | None = None,
    in_direction: Direction | None = None,
) -> Iterator[Move]:
    """The moves that the rule allows. If `carrier` is given, the result contains only moves of the piece at this spot;
    if `in_direction` is given, only moves in this direction.
    """
    classes = position.puzzle.classes
    for spot in sorted(position.pieces) if carrier is None else [carrier]:
        if not classes[spot[0]].answers_to_one_of(rule.alternatives):
            continue
        for about in _centres(rule, position.board, classes[spot[0]], spot[1]):
            for direction in rule.directions:
                if in_direction is not None and direction != in_direction:
                    continue
                target = _turned(rule, position, spot, about, direction)
                if target is None or target == spot:
                    continue
                for binding, names in enumerate(rule.guard.bindings):
                    if (
                        rule.guard.directions_of_binding
                        and direction not in rule.guard.directions_of_binding[binding]
                    ):
                        continue
                    changes = assigned(rule.guard, position, names)
                    if changes is not None:
                        yield made(
                            position,
                            rule.name,
                            {spot: target},
                            changes,
                            direction=direction,
                            binding=binding,
                        )


def _centres(rule: Pivot, board: Board, piece: PieceClass, anchor: int) -> list[Place]:
    """The possible centres of a turn."""
    row, column = board.at(anchor)
    own = [(row + down, column + right) for down, right in piece.shape]
    if rule.about is None:
        return own
    about = [board.at(cell) for cell in sorted(rule.about)]
    return [place for place in about if place in own or not rule.is_covered]


def _turned(
    rule: Pivot, position: Position, spot: Spot, about: Place, direction: Direction
) -> Spot | None:
    """The place of the piece after the turn; None if the piece does not fit there or an obstacle blocks it."""
    board, classes = position.board, position.puzzle.classes
    piece = classes[spot[0]]
    row, column = board.at(spot[1])
    ends: list[Place] = []
    for down, right in piece.shape:
        place = (row + down, column + right)
        path = _arc(place, about, direction)
        if rule.is_swept and not _is_open(position, spot, [place, *path]):
            return None
        ends.append(path[-1] if path else place)
    top, left = min(y for y, _ in ends), min(x for _, x in ends)
    shape = tuple(sorted((y - top, x - left) for y, x in ends))
    anchor = board.cell(top, left)
    cells = None if anchor is None else board.cover(shape, anchor)
    if anchor is None or cells is None or not piece.cells.issuperset(cells):
        return None
    taken = position.layers[piece.layer]
    if any(taken.get(cell, spot) != spot for cell in cells):
        return None
    (after,) = (c for c in classes if c.family == piece.family and c.shape == shape)
    return after.id, anchor


def _arc(place: Place, about: Place, direction: Direction) -> list[Place]:
    """The cells over which a cell passes when it moves along the square around the centre."""
    y, x = place[0] - about[0], place[1] - about[1]
    radius = max(abs(y), abs(x))
    sense = 1 if direction == CLOCKWISE else -1
    out: list[Place] = []
    for _ in range(2 * radius):
        step = _along_ring(y, x, radius, sense)
        y, x = y + step[0], x + step[1]
        out.append((about[0] + y, about[1] + x))
    return out


def _along_ring(y: int, x: int, radius: int, sense: int) -> Offset:
    """The step from a cell of a square ring to the next cell, clockwise (1) or counter-clockwise (-1)."""
    x = sense * x  # in the mirror image, clockwise and counter-clockwise are exchanged
    if y == -radius and x < radius:
        return 0, sense
    if x == radius and y < radius:
        return 1, 0
    if y == radius and x > -radius:
        return 0, -sense
    return -1, 0


def _is_open(position: Position, spot: Spot, path: list[Place]) -> bool:
    """Whether a cell of a piece can follow this path: the piece may be on its cells, no wall separates them, and no
    other piece is on them.
    """
    board, piece = position.board, position.puzzle.classes[spot[0]]
    taken = position.layers[piece.layer]
    here = board.cell(*path[0])
    for last, place in pairwise(path):
        there = board.cell(*place)
        if here is None or there is None or there not in piece.cells:
            return False
        if board.step(here, (place[0] - last[0], place[1] - last[1])) != there:
            return False
        if taken.get(there, spot) != spot:
            return False
        here = there
    return True
