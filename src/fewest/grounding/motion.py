"""The directions in which slides and pivots move a piece."""

from __future__ import annotations

from collections.abc import Iterator

from fewest.model.board import Board, Direction
from fewest.model.puzzle import PieceClass
from fewest.model.rules import Guard, Names, Slide


def bindings_in(guard: Guard, direction: Direction) -> Iterator[tuple[int, Names]]:
    """The bindings with which a rule moves pieces in a direction, each with its number."""
    every = enumerate(guard.bindings)
    if not guard.directions_of_binding:
        return every
    return (
        (binding, names)
        for binding, names in every
        if direction in guard.directions_of_binding[binding]
    )


def directions_of(rule: Slide, piece: PieceClass, board: Board) -> tuple[Direction, ...]:
    """The directions that the rule and the class have in common, in the order of the rule. If only one of the two has
    directions, the result contains these; if neither has, it contains the directions of the board.
    """
    if piece.directions is None:
        return board.directions if rule.directions is None else rule.directions
    if rule.directions is None:
        return piece.directions
    return tuple(d for d in rule.directions if d in piece.directions)
