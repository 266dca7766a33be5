"""Expressions about a position give the content of a cell, its terrain, and the place of a piece."""

from __future__ import annotations

import pytest

import fewest
from fewest.model.position import start
from fewest.playing.rules import legal_moves
from fewest.playing.view import PositionView

BOARD = """
puzzle: seen
board: |
  A#.
  AB~
legend: {".": floor, "#": wall, "~": ice}
terrain: [ice]
pieces: {block: {letters: A-Z}}
moves: {slide: {slide: block}}
goal: {all: [{B: {at: [0, 2]}}, {A: {at: [0, 0]}}]}
"""


def test_a_view_distinguishes_pieces_empty_cells_walls_and_the_outside() -> None:
    view = PositionView(start(fewest.load("seen.yaml", text=BOARD).puzzle))
    drawn = ["A#.", "AB~"]
    for row in range(-1, 3):
        for column in range(-1, 4):
            is_inside = 0 <= row < 2 and 0 <= column < 3
            seen = drawn[row][column] if is_inside else "#"
            content, ground = view.content(row, column, 0), view.ground(row, column)
            kinds = {"#": ("wall", None), ".": ("empty", None), "~": ("empty", None)}
            assert (content.kind, content.label) == kinds.get(seen, ("block", seen))
            assert ground.names == {{"#": "wall", "~": "ice"}.get(seen, "floor")}
    assert (view.place("A"), view.place("B"), view.place("C")) == ((0, 0), (1, 1), (-1, -1))


SIGHT = """
puzzle: sight
legend: {".": floor, "#": wall, a: a, b: b, c: c, t: t}
pieces: {a: {}, b: {}, c: {}, t: {layer: -1}, L: {letters: L}}
moves: {slide: {slide: b}}
BOARD
"""


@pytest.mark.parametrize(
    ("board", "one", "other", "is_seen"),
    [
        ("board: [[a, ., b]]", "a", "b", True),
        ("board: [[a, c, b]]", "a", "b", False),
        ("board: [[a, '#', b]]", "a", "b", False),
        ("board: [[a, t, b]]", "a", "b", True),  # `t` is in a lower layer than `a` and `b`
        ("board: [[a, t, ., t]]", "a", "t", True),
        ("board: [[a, c, ., t]]", "a", "t", False),
        ("board: [[a, .], [., b]]", "a", "b", False),
        ("board: [[a, .], [., b]]\ngeometry: hex-left", "a", "b", True),
        ("board: [[., a, ., '#', b]]", "a", "b", False),
        ("board: [[., a, ., '#', b]]\nwrap: rows", "a", "b", True),
        ("board: [[L, L, c], [., ., a], [L, ., .]]", "a", "L", False),
        ("board: [[L, L, .], [., ., .], [., a, .]]", "a", "L", True),
        ("board: [[L, ., L]]", "L", "L", True),
        ("board: [[L, L, L]]", "L", "L", False),
        ("board: [[a, b]]\nedges: {walls: [[[0, 0], [0, 1]]]}", "a", "b", False),
    ],
)
def test_visibility_between_pieces(board: str, one: str, other: str, is_seen: bool) -> None:
    text = SIGHT.replace("BOARD", board)
    puzzle = fewest.load("sight.yaml", text=text).puzzle
    assert PositionView(start(puzzle)).sees(one, other) == is_seen
    changed = text.replace("slide: b", f"slide: b, when: 'sees({one}, {other})'")
    compiled = fewest.load("sight.yaml", text=changed)
    applies = any(op.is_applicable(compiled.grounded.initial) for op in compiled.grounded.operators)
    moves = list(legal_moves(start(compiled.puzzle)))
    assert applies == bool(moves)


def test_can_is_true_where_a_pattern_matches_even_if_it_changes_nothing() -> None:
    text = """
puzzle: can
legend: {".": floor, a: a}
pieces: {a: {}}
moves:
  go: {before: [a, empty], after: [empty, a], directions: right}
  stay: {before: [a], after: [a]}
goal: {a: {at: [0, 1]}}
board: """
    for board, expected in (("a.", True), (".a", False)):
        view = PositionView(start(fewest.load("can.yaml", text=f'{text}"{board}"\n').puzzle))
        assert (view.can("go"), view.can("stay")) == (expected, True)
