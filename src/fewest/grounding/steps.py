"""The anchors that pieces reach in one step, and the cells of a pattern's places, found by following the board's
exits.
"""

from __future__ import annotations

from itertools import pairwise

from fewest.grounding.facts import ProvisionalFacts
from fewest.model.board import Board, Offset
from fewest.model.rules import Form, Orientation


def shifted(facts: ProvisionalFacts, class_id: int, anchor: int, offset: Offset) -> int | None:
    """The anchor of a piece after one step; None if the piece does not fit there or cannot pass."""
    board = facts.board
    shape = facts.puzzle.classes[class_id].shape
    there = board.next_anchor(shape, anchor, offset)
    if there is None or facts.fact(class_id, there) is None:
        return None
    if board.exits:
        beyond = tuple(board.step(cell, offset) for cell in board.cover(shape, anchor) or ())
        if beyond != board.cover(shape, there):
            return None
    return there


def shifted_fact(facts: ProvisionalFacts, fact: int, offset: Offset) -> int | None:
    """The fact of a piece after one step; None in the same cases as for `shifted`."""
    class_id = facts.class_of(fact)
    there = shifted(facts, class_id, facts.facts[fact].cell, offset)
    return None if there is None else facts.fact(class_id, there)


def places_from(
    board: Board, first: int, orientation: Orientation, form: Form, outside: int = 0
) -> list[int | None] | None:
    """The cells of a form's places.

    The first `outside` places are outside the board; the next place is at the cell `first`. The result is None if a
    wall between cells crosses a rectangle, if a graph has no such path, or if a place that must be outside the board is
    on it.
    """
    if orientation.offsets:
        return _rectangle(board, first, orientation.offsets, outside)
    steps = orientation.steps[: form.num_places - 1]
    if outside:
        if board.nodes:
            return None
        if board.is_entered(first, steps[0]):
            return None
    cells: list[int | None] = [None] * outside + [first]
    for step in steps[outside:]:
        last = cells[-1]
        cells.append(None if last is None else board.step(last, step))
    if board.nodes and (None in cells or len(orientation.steps) + 1 != form.num_places):
        return None
    return cells


def _rectangle(
    board: Board, first: int, offsets: tuple[Offset, ...], outside: int
) -> list[int | None] | None:
    row, column = board.at(first)
    down, right = offsets[outside]
    top, left = row - down, column - right
    cells = [board.cell(top + down, left + right) for down, right in offsets]
    if any(cell is not None for cell in cells[:outside]):
        return None
    if not board.exits:
        return cells
    at = {offset: cell for offset, cell in zip(offsets, cells, strict=True) if cell is not None}
    for line in (sorted(at), sorted(at, key=lambda offset: offset[::-1])):
        for one, other in pairwise(line):
            between = (other[0] - one[0], other[1] - one[1])
            if between in ((0, 1), (1, 0)) and board.is_cut(at[one], between):
                return None
    return cells
