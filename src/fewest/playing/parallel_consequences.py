"""Consequences that apply everywhere simultaneously: all matches are found first, and then applied in order."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from fewest.model.position import Position
from fewest.playing.move import Move


def apply_simultaneously(position: Position, marks: Sequence[Move]) -> list[Move]:
    """The results of moves that all fit a position; each move starts from the result of the previous move.

    If a move moves or creates pieces, all pieces that it moves or removes must still be there, and the target cells
    must be free. If a move only removes pieces, it removes those that are still there.
    """
    made: list[Move] = []
    here = position
    for mark in marks:
        sources = {source for source, _ in mark.moved}
        arriving = {*(target for _, target in mark.moved), *mark.created}
        gone = {*sources, *mark.removed}
        standing = gone & here.pieces
        if arriving and (standing != gone or not _have_room(here, arriving, gone)):
            continue
        new_values = tuple(
            after if after != before else now
            for before, after, now in zip(
                position.values, mark.target.values, here.values, strict=True
            )
        )
        here = Position(here.puzzle, (here.pieces - gone) | arriving, new_values)
        left = tuple(spot for spot in mark.removed if spot in standing)
        made.append(replace(mark, target=here, removed=left))
    return made


def _have_room(here: Position, arriving: set[tuple[int, int]], gone: set[tuple[int, int]]) -> bool:
    """Whether the target cells of the arriving pieces are empty, not counting pieces that leave."""
    for class_id, anchor in arriving:
        piece = here.puzzle.classes[class_id]
        for cell in here.board.cover(piece.shape, anchor) or ():
            spot = here.layers[piece.layer].get(cell)
            if spot is not None and spot not in gone:
                return False
    return True
