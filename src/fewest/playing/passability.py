"""Decides whether a piece can pass between two cells."""

from __future__ import annotations

from fewest.model.board import Board, Direction
from fewest.model.puzzle import PieceClass


def is_passable(
    board: Board, piece: PieceClass, anchor: int, direction: Direction, cells: tuple[int, ...]
) -> bool:
    """Whether every cell of a piece can pass to the cell that it will cover."""
    under = board.cover(piece.shape, anchor) or ()
    return all(
        board.step(cell, direction.offset) == target
        for cell, target in zip(under, cells, strict=True)
    )
