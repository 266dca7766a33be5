"""Positions: which spots are taken, and the values of the variables; puzzles that start at one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from fewest.model.board import Board
from fewest.model.puzzle import Piece, Puzzle, Spot


@dataclass(frozen=True)
class Position:
    """A state as people see it, for playing and drawing; two are equal if the same can happen in both."""

    puzzle: Puzzle = field(compare=False, repr=False)
    pieces: frozenset[Spot]
    values: tuple[int | str, ...]

    @property
    def board(self) -> Board:
        assert self.puzzle.board is not None
        return self.puzzle.board

    @cached_property
    def occupied(self) -> Mapping[int, Spot]:
        """The piece on each cell that has one."""
        found: dict[int, Spot] = {}
        for class_id, anchor in self.pieces:
            for cell in self.board.cover(self.puzzle.classes[class_id].shape, anchor) or ():
                found[cell] = (class_id, anchor)
        return found


def start(puzzle: Puzzle) -> Position:
    """The start position."""
    return Position(
        puzzle,
        frozenset((piece.class_id, piece.anchor) for piece in puzzle.pieces),
        tuple(variable.initial for variable in puzzle.variables),
    )


def reading_order_labels(position: Position) -> dict[Spot, str]:
    """A letter for every piece where nobody kept track: those of its class in reading order."""
    free: dict[int, list[str]] = {}
    for piece in position.puzzle.pieces:
        free.setdefault(piece.class_id, []).append(piece.label)
    out: dict[Spot, str] = {}
    for spot in sorted(position.pieces):
        letters = free.get(spot[0])
        out[spot] = letters.pop(0) if letters else position.puzzle.classes[spot[0]].kind
    return out


def start_at(puzzle: Puzzle, position: Position) -> Puzzle:
    """The puzzle that starts at a position of it, its pieces lettered in reading order."""
    labels = reading_order_labels(position)
    pieces: list[Piece] = []
    for class_id, anchor in sorted(position.pieces, key=lambda spot: (spot[1], spot[0])):
        label, kind = labels[class_id, anchor], puzzle.classes[class_id].kind
        name = puzzle.names.get(label, puzzle.names.get(kind, label))
        pieces.append(Piece(class_id, anchor, label, name))
    variables = tuple(
        replace(variable, initial=value)
        for variable, value in zip(puzzle.variables, position.values, strict=True)
    )
    return replace(puzzle, pieces=tuple(pieces), variables=variables)
