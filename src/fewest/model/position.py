"""Positions: which spots are taken, and the values of the variables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from fewest.model.board import Board
from fewest.model.puzzle import Puzzle

Spot = tuple[int, int]  # (class id, anchor): a piece that stands somewhere


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
