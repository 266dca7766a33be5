"""Two positions are equal if the same moves are possible in both."""

from __future__ import annotations

from typing import Any

import pytest

import fewest
from fewest.errors import UsageError
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


def test_a_move_that_changes_nothing_is_not_a_move() -> None:
    start = fewest.load("stays.yaml", text=STAYS).start
    assert [move.rule for move in legal_moves(start)] == ["go"]


LAYERS = """
puzzle: layers
legend: {"_": floor, "#": wall, "~": water, k: king}
terrain: [water]
pieces: {king: {enters: [floor]}, block: {letters: A-C}}
moves: {slide: {slide: any}}
goal: {king: {at: [0, 0]}}
board: |
  _k_AA
  ~##B_
"""


def moved(**places: list[int]) -> dict[str, Any]:
    data = fewest.load("layers.yaml", text=LAYERS).start.to_json()
    for piece, name in zip(data["pieces"], ("king", "long", "short"), strict=True):
        piece["at"] = places.get(name, piece["at"])
    return data


def test_data_of_a_position_are_read() -> None:
    puzzle = fewest.load("layers.yaml", text=LAYERS)
    assert puzzle.at(puzzle.start.to_json()).start == puzzle.start
    assert puzzle.at(moved(king=[0, 0])).solve().cost == 0


@pytest.mark.parametrize(
    "places",
    [
        {"king": [0, 3]},  # on the long block
        {"short": [0, 4]},
        {"king": [1, 0]},  # on water
        {"king": [1, 1]},  # on a wall
        {"long": [0, 4]},  # partly outside the board
    ],
)
def test_data_of_an_impossible_position_are_refused(places: dict[str, list[int]]) -> None:
    with pytest.raises(UsageError, match="this is not a position of layers"):
        fewest.load("layers.yaml", text=LAYERS).at(moved(**places))


@pytest.mark.parametrize("first", ["BA./..C", "C../.BA", "A../B.C", "..B/CA."])
@pytest.mark.parametrize("second", ["AB./..C", ".BA/.C.", "BCA/...", "C.A/.B."])
def test_a_second_start_keeps_the_pieces_that_are_not_interchangeable(
    first: str, second: str
) -> None:
    text = """puzzle: three
legend: {".": floor}
pieces: {block: {letters: A-C, interchangeable: false}}
moves: {slide: {slide: block}, eat: {before: [A, B], after: [empty, A]}}
board: |
  AB.
  ..C
goal: {A: {at: [1, 1]}}
"""
    compiled = fewest.load("three.yaml", text=text)

    def standing(puzzle: Any) -> set[tuple[int, int, str]]:
        return {(piece.class_id, piece.anchor, piece.label) for piece in puzzle.puzzle.pieces}

    moved = compiled.at(first)
    assert standing(moved.at(second)) == standing(compiled.at(second))
    assert moved.at(second).start == compiled.at(second).start
    # a piece that is missing in the first position is the same piece in the second position
    fewer = compiled.at(first.replace("B", "."))
    assert standing(fewer.at(second)) == standing(compiled.at(second))
