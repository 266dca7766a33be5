"""Two positions are equal if the same moves are possible in both."""

from __future__ import annotations

import fewest
from fewest.model.position import Position
from fewest.playing.rules import legal_moves

STAYS = """
puzzle: stays
variables: {x: {values: range(2), initial: 0}}
moves: {stay: {set: {x: x}}, go: {set: {x: 1 - x}}}
goal: x == 1
"""


def test_positions_with_the_same_pieces_and_values_are_equal_and_not_unequal() -> None:
    start = fewest.load("jugs").start
    again = Position(start.puzzle, start.pieces, start.values)
    assert start == again and (start != again) is False and hash(start) == hash(again)


def test_what_changes_nothing_is_no_move() -> None:
    start = fewest.load("stays.yaml", text=STAYS).start
    assert [move.rule for move in legal_moves(start)] == ["go"]
