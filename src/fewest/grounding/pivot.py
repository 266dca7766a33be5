"""Grounds pivots: one operator for each anchor, centre and direction of a turn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache

from fewest.grounding.grounder import Grounder
from fewest.grounding.guard import ground_guard
from fewest.grounding.motion import bindings_in
from fewest.grounding.partial import partial
from fewest.model.board import Board, Direction, Offset, Shape
from fewest.model.puzzle import PieceClass
from fewest.model.rules import CLOCKWISE, Pivot

Turned = Mapping[tuple[int, Shape], PieceClass]
"""By family and shape, the class of the family that has this shape."""


def ground_pivot(rule: Pivot, grounder: Grounder) -> None:
    turned = {(piece.family, piece.shape): piece for piece in grounder.puzzle.classes}
    for piece in grounder.puzzle.answering(rule.word):
        for anchor in grounder.anchors(piece.id):
            for centre in _centres(rule, grounder.board, piece, anchor):
                for direction in rule.directions:
                    _add(rule, grounder, turned, piece, anchor, centre, direction)


def _centres(rule: Pivot, board: Board, piece: PieceClass, anchor: int) -> Iterator[int]:
    """The possible centres of a turn."""
    own = board.cover(piece.shape, anchor) or ()
    if rule.about is None:
        yield from own
    else:
        yield from (rule.about.intersection(own) if rule.is_covered else rule.about)


def _add(
    rule: Pivot,
    grounder: Grounder,
    turned: Turned,
    piece: PieceClass,
    anchor: int,
    centre: int,
    direction: Direction,
) -> None:
    board = grounder.board
    own = board.cover(piece.shape, anchor) or ()
    routes = [_route(board, centre, cell, direction) for cell in own]
    if rule.is_swept and not all(_is_path(board, piece, route) for route in routes):
        return
    ends = [route[-1] for route in routes]
    target = _fact_over(grounder, turned, piece, ends)
    start = grounder.fact(piece.id, anchor)
    assert start is not None, "it is an anchor of the class"
    if target is None or target == start:
        return
    passed = {place for route in (routes if rule.is_swept else [ends]) for place in route}
    cells = {board.cell(*place) for place in passed}
    entered = tuple(
        grounder.layer_cell(cell, piece.layer)
        for cell in sorted(cell for cell in cells if cell is not None)
        if cell not in own
    )
    at = partial([start], grounder.covering_any(entered))
    for binding, names in bindings_in(rule.guard, direction):
        for refined, changes in ground_guard(rule.guard, grounder, names, at):
            grounder.add(
                rule.name,
                refined,
                changes,
                moved=[(start, target)],
                direction=direction,
                binding=binding,
            )


@lru_cache(maxsize=64)
def _ring(radius: int) -> list[Offset]:
    """The offsets of the cells at a distance (in king's moves) from a centre, clockwise."""
    if radius == 0:
        return [(0, 0)]
    side = range(-radius, radius)
    top = [(-radius, x) for x in side]
    right = [(y, radius) for y in side]
    return [*top, *right, *((radius, -x) for x in side), *((-y, -radius) for y in side)]


def _route(board: Board, centre: int, cell: int, direction: Direction) -> list[tuple[int, int]]:
    """The rows and columns on the path of a cell, from the cell itself to its image."""
    (row, column), (y, x) = board.at(centre), board.at(cell)
    radius = max(abs(y - row), abs(x - column))
    ring = _ring(radius)
    first = ring.index((y - row, x - column))
    sense = 1 if direction == CLOCKWISE else -1
    offsets = [ring[(first + sense * step) % len(ring)] for step in range(2 * radius + 1)]
    return [(row + down, column + right) for down, right in offsets]


def _is_path(board: Board, piece: PieceClass, route: list[tuple[int, int]]) -> bool:
    """Whether the piece may be on all of these cells and no walls separate them."""
    cells = [board.cell(*place) for place in route]
    if not piece.cells.issuperset(cells):
        return False
    return all(
        board.step(here, (after[0] - before[0], after[1] - before[1])) == there
        for here, there, before, after in zip(cells, cells[1:], route, route[1:], strict=False)
        if here is not None
    )


def _fact_over(
    grounder: Grounder, turned: Turned, piece: PieceClass, ends: list[tuple[int, int]]
) -> int | None:
    """The fact of the turned piece that covers these cells; None if the piece does not fit there."""
    top, left = min(row for row, _ in ends), min(column for _, column in ends)
    anchor = grounder.board.cell(top, left)
    shape = tuple(sorted((row - top, column - left) for row, column in ends))
    after = turned.get((piece.family, shape))
    return None if after is None or anchor is None else grounder.fact(after.id, anchor)
