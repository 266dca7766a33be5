"""Boards of several levels have the right cells above and below each cell, and the right edges of each level."""

from __future__ import annotations

import pytest

import fewest
from fewest.drawing.text import draw
from fewest.errors import DocumentError
from fewest.playing.rules import legal_moves

HOUSE = """
puzzle: house
legend: {".": floor, "#": wall, a: a, b: b}
pieces: {a: {}, b: {}}
moves: {move: RULE}
levels: 2
constants: {far: [[2, 2]]}
board: |
  ..b
  a..
  #..
  ..b
"""


def ends(rule: str) -> set[str]:
    """The boards after each legal move, row by row, without the characters between cells."""
    position = fewest.load("house.yaml", text=HOUSE.replace("RULE", rule)).start
    moved = (draw(move.target)[1::2] for move in legal_moves(position))
    return {" ".join(row[1::2] for row in rows) for rows in moved}


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("{slide: a, directions: below above}", {"..b ... #.. a.b"}),
        ("{slide: a, directions: vertical}", {"a.b ... #.. ..b"}),  # the level ends below `a`
        ("{slide: a}", {"a.b ... #.. ..b", "..b .a. #.. ..b", "..b ... #.. a.b"}),
        ("{slide: a, directions: diagonal}", {".ab ... #.. ..b"}),
        ("{before: [a, empty], after: [empty, a], directions: below}", {"..b ... #.. a.b"}),
        ("{before: [[a], [empty]], after: [[empty], [a]]}", set()),
        ("{slide: b, directions: [[0, -2]]}", {"b.. a.. #.. ..b", "..b a.. #.. b.."}),
        ("{before: [a, b], after: [empty, a], directions: [[2, 2]]}", set()),
        ("{before: [a, b], after: [empty, a], directions: far}", set()),
    ],
)
def test_moves_within_a_level_and_between_levels(rule: str, expected: set[str]) -> None:
    assert ends(rule) == expected


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("levels: 2", "levels: 3"),  # the board has four rows
        ("levels: 2", "levels: 4"),  # with one row each, `above` would be `up`
        ("levels: 2", "levels: 2\nwrap: columns"),
        ("levels: 2", "levels: 0"),
        ("levels: 2", ""),  # without levels, `below` does not exist
    ],
)
def test_invalid_levels_are_refused(old: str, new: str) -> None:
    text = HOUSE.replace("RULE", "{slide: a, directions: below}").replace(old, new)
    with pytest.raises(DocumentError):
        fewest.load("house.yaml", text=text)
