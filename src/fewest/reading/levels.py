"""Reads three-dimensional boards: `levels` is the number of boards of equal size that are drawn one below another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from fewest.model.answer import counted
from fewest.model.board import DIRECTION_GROUPS, GRAPH, Board, Direction, Offset
from fewest.reading.context import Context


def with_levels(context: Context, board: Board) -> Board:
    """The board in which only the directions above and below connect the levels. Reports mistakes."""
    levels = context.document.levels
    if levels is None:
        return board
    height = board.rows // max(levels, 1)
    if levels < 2 or board.rows % levels or height < 2:
        message = (
            f"{counted(board.rows, 'rows')} cannot form {counted(levels, 'levels')} of equal size"
        )
        hint = "define at least two levels, each with at least two rows"
        context.error(("levels",), "edge-form", message, hint=hint)
        return board
    if board.wraps_columns or board.geometry == GRAPH:
        message = "`levels` cannot be used together with a graph or with columns that wrap"
        context.error(("levels",), "edge-form", message)
        return board
    steps = {offset for group in DIRECTION_GROUPS.values() for offset in group}
    steps |= {*_given_offsets(context)} - {(-height, 0), (height, 0)}
    cut = {
        (cell, offset): None
        for cell in range(board.num_cells)
        for offset in steps
        if _leaves(board, cell, offset, height)
    }
    directions = (
        *board.directions,
        Direction((-height, 0), "above", "⇑"),
        Direction((height, 0), "below", "⇓"),
    )
    return replace(board, exits={**cut, **board.exits}, directions=directions)


def _given_offsets(context: Context) -> Iterator[Offset]:
    """The offsets that the document can use as directions."""
    document = context.document
    rules = [*(document.moves or {}).values(), *(document.then or {}).values()]
    kinds = [kind for kind in (document.pieces or {}).values() if kind is not None]
    given = [
        *_pairs([rule.directions for rule in rules]),
        *_pairs([kind.directions for kind in kinds]),
        *_pairs(context.constants),
    ]
    for down, right in given:  # pieces with a `mirror` can move in the mirrored directions
        yield from ((down, right), (down, -right), (-down, right), (-down, -right))


def _pairs(value: object) -> Iterator[Offset]:
    """The pairs of whole numbers in a list or a table."""
    if isinstance(value, Mapping):
        value = list(value.values())
    if not isinstance(value, (list, tuple)):
        return
    if len(value) == 2 and all(isinstance(part, int) for part in value):
        yield value[0], value[1]
        return
    for part in value:
        yield from _pairs(part)


def _leaves(board: Board, cell: int, offset: Offset, height: int) -> bool:
    """Whether a step within the drawing would lead to another level."""
    row, _ = board.at(cell)
    below = row + offset[0]
    return 0 <= below < board.rows and below // height != row // height
