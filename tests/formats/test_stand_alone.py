"""A document that is written for a position has the same tokens, terrain and pieces when it is read again."""

from __future__ import annotations

import pytest

import fewest
from fewest.formats.stand_alone import UndrawableError, check_same_start

TOKENS = """puzzle: tokens
legend: {_: floor, 3: goal}
terrain: [goal]
pieces: {b: {letters: [01, 02, 007, 1_0, -0, 1e3, "5"]}}
variables: {x: {values: ['1', 'true', 2], initial: 2}}
moves: {s: {slide: b}, t: {set: {x: 1}}}
board:
  - [01, _, 02, -0]
  - [007, 3, 1e3, 5]
goal: {01: {on: goal}}
"""


def test_tokens_that_look_like_numbers_stay_as_they_are() -> None:
    compiled = fewest.load("tokens.yaml", text=TOKENS)
    text = compiled.document_at(
        compiled.start, "x", title="x", metric="moves", expect={}, source="s", notes="n"
    )
    again = fewest.load("x.yaml", text=text)
    labels = [piece.label for piece in again.puzzle.pieces]
    assert labels == ["01", "02", "-0", "007", "1e3", "5"]
    assert again.puzzle.variables == compiled.puzzle.variables
    assert again.solve().cost == compiled.solve().cost == 2


def test_another_terrain_is_no_copy_of_the_start() -> None:
    one = fewest.load("tokens.yaml", text=TOKENS)
    moved = TOKENS.replace("_, 02", "3, 02").replace("007, 3", "007, _")
    other = fewest.load("tokens.yaml", text=moved)
    check_same_start(one.puzzle, one.puzzle)
    with pytest.raises(UndrawableError):
        check_same_start(one.puzzle, other.puzzle)
