"""What expressions see of a position: what stands in a cell, what lies there, where a piece is."""

from __future__ import annotations

import fewest
from fewest.model.position import start
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


def test_a_view_tells_pieces_and_empty_cells_from_walls_and_what_is_outside() -> None:
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
