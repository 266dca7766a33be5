"""The anchors and steps of pieces, cached for all puzzles on equal boards.

A list of Rush Hour boards contains hundreds of cars in only a few shapes; all cars of the same shape share the results.
"""

from __future__ import annotations

from functools import lru_cache

from msgspec import Struct

from fewest.model.board import Board, Direction, Shape


class AnchorPlacement(Struct, frozen=True):
    """An anchor where a shape fits, with the covered cells as a tuple and as the bit set `mask`. `text` is
    `row,column`.
    """

    anchor: int
    cells: tuple[int, ...]
    mask: int
    text: str


class Step(Struct, frozen=True):
    """A step of a piece: the direction, the indices of the placements before and after it, and the cells that the piece
    enters.
    """

    direction: Direction
    start: int
    end: int
    entered: tuple[int, ...]


@lru_cache(maxsize=512)
def anchor_placements(
    board: Board, shape: Shape, allowed: frozenset[int]
) -> tuple[AnchorPlacement, ...]:
    """The placements of a shape on its allowed cells, in reading order."""
    out: list[AnchorPlacement] = []
    for anchor in range(board.num_cells):
        cells = board.cover(shape, anchor)
        if cells is not None and allowed.issuperset(cells):
            mask = sum(1 << cell for cell in cells)
            out.append(AnchorPlacement(anchor, cells, mask, ",".join(map(str, board.at(anchor)))))
    return tuple(out)


def _is_passage(
    board: Board, start: AnchorPlacement, end: AnchorPlacement, direction: Direction
) -> bool:
    """Whether every cell of a piece can pass to the next cell in the step's direction."""
    if not board.exits:
        return True
    beyond = tuple(board.step(cell, direction.offset) for cell in start.cells)
    return beyond == end.cells


@lru_cache(maxsize=512)
def steps_of(
    board: Board, shape: Shape, allowed: frozenset[int], directions: tuple[Direction, ...]
) -> tuple[Step, ...]:
    """The steps between neighbouring placements of `anchor_placements`, one direction after another."""
    places = anchor_placements(board, shape, allowed)
    index_of = {place.anchor: index for index, place in enumerate(places)}
    out: list[Step] = []
    for direction in directions:
        for start, place in enumerate(places):
            there = board.next_anchor(shape, place.anchor, direction.offset)
            end = None if there is None else index_of.get(there)
            if end is None or end == start:
                continue
            if _is_passage(board, place, places[end], direction):
                entered = tuple(c for c in places[end].cells if c not in place.cells)
                out.append(Step(direction, start, end, entered))
    return tuple(out)
