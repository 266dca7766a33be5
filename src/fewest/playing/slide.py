"""Slides on a position: a piece moves by one cell, or until something stops it."""

from __future__ import annotations

from collections.abc import Iterator

from fewest.model.board import Board, Direction
from fewest.model.position import Position
from fewest.model.puzzle import PieceClass, Spot
from fewest.model.rules import Slide
from fewest.playing.guard import assigned
from fewest.playing.move import Move, made


def slide_moves(
    rule: Slide,
    position: Position,
    carrier: Spot | None = None,
    in_direction: Direction | None = None,
) -> Iterator[Move]:
    """The moves that the rule allows. If `carrier` is given, the result contains only moves of the piece at this spot;
    if `in_direction` is given, only moves in this direction.
    """
    board, classes, words = position.board, position.puzzle.classes, rule.alternatives
    has_pushing = rule.has_pushing
    for class_id, anchor in sorted(position.pieces) if carrier is None else [carrier]:
        piece = classes[class_id]
        if not piece.answers_to_one_of(words):
            continue
        for direction in directions_of(rule, piece, board):
            if in_direction is not None and direction != in_direction:
                continue
            if has_pushing:
                from fewest.playing.pushing import pushed_group

                moved = pushed_group(rule, position, (class_id, anchor), direction)
            else:
                target = _rest(rule, position, piece, anchor, direction)
                moved = None if target is None else {(class_id, anchor): (class_id, target)}
            if moved is None:
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
                        position, rule.name, moved, changes, direction=direction, binding=binding
                    )


def _rest(
    rule: Slide, position: Position, piece: PieceClass, anchor: int, direction: Direction
) -> int | None:
    """The final anchor of the piece; None if the piece cannot move, or would never stop."""
    board, under = position.board, position.puzzle.under
    occupied = position.layers[piece.layer]
    own = (piece.id, anchor)
    here, moved = anchor, False
    if board.exits:
        from fewest.playing.passability import is_passable
    for _ in range(board.num_cells + 1):
        if moved and (not rule.is_blocked or _has_left(rule, board, piece, here)):
            return here
        there = board.next_anchor(piece.shape, here, direction.offset)
        cells = () if there is None else under[piece.id, there]
        if there is None or not cells or not piece.cells.issuperset(cells):
            return here if moved and rule.is_blocked and rule.wall_stops else None
        if board.exits and not is_passable(board, piece, here, direction, cells):
            return here if moved and rule.is_blocked and rule.wall_stops else None
        for cell in cells:
            if occupied.get(cell, own) != own:
                return here if moved and rule.is_blocked and rule.piece_stops else None
        if there == anchor:
            return None  # the piece has gone around a closed row once without meeting an obstacle
        here, moved = there, True
    return None


def directions_of(rule: Slide, piece: PieceClass, board: Board) -> list[Direction]:
    """The directions of the piece: those of the rule that are also directions of the piece's kind, in the order of the
    rule; by default, those of the kind or of the board.
    """
    own = piece.directions
    if rule.directions is None:
        return list(board.directions if own is None else own)
    return [each for each in rule.directions if own is None or each in own]


def _has_left(rule: Slide, board: Board, piece: PieceClass, anchor: int) -> bool:
    """Whether some cell of the piece is outside the cells of `over`."""
    if rule.over is None:
        return False
    row, column = board.at(anchor)
    under = {board.cell(row + down, column + right) for down, right in piece.shape}
    return not under <= rule.over
