"""Positions: the place of every piece and the value of every variable."""

from __future__ import annotations

from typing import Any, NamedTuple

from tests.independent.boards.edges import Cell


class Piece(NamedTuple):
    """A piece at its place. Pieces with equal fields are interchangeable.

    `letter` is None unless a rule or the goal names the letter. `mark` distinguishes pieces that the document
    distinguishes. `shape`: the cells at the start, relative to the top-left cell.
    """

    kind: str
    letter: str | None
    mark: int | None
    shape: frozenset[Cell]
    cells: frozenset[Cell]
    layer: int

    def moved(self, cells: frozenset[Cell]) -> Piece:
        """The same piece at another place."""
        return self._replace(cells=cells)


class State:
    """A position. It is equal to another position with the same pieces at the same places, and the same values."""

    __slots__ = ("_hash", "at", "pieces", "values")

    def __init__(self, pieces: frozenset[Piece], values: tuple[Any, ...]) -> None:
        self.pieces = pieces
        self.values = values
        self.at: dict[tuple[Cell, int], Piece] = {}
        for piece in pieces:
            for cell in piece.cells:
                self.at[cell, piece.layer] = piece
        self._hash = hash((pieces, values))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, State) and self.pieces == other.pieces and self.values == other.values
        )

    def replacing(self, old: set[Piece], new: list[Piece]) -> State | None:
        """The position with new pieces in place of old ones; None if two pieces would share a layer cell."""
        pieces = (self.pieces - old) | set(new)
        taken = [(cell, piece.layer) for piece in pieces for cell in piece.cells]
        if len(pieces) != len(self.pieces) - len(old) + len(new) or len(taken) != len(set(taken)):
            return None
        return State(pieces, self.values)

    def with_values(self, values: tuple[Any, ...]) -> State:
        """The position with other values of the variables."""
        return State(self.pieces, values)
