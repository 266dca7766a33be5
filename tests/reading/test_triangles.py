"""Boards of triangles have three neighbours and six straight directions for each cell, and exclude some features."""

from __future__ import annotations

import pytest

import fewest
from fewest.drawing.pictures.grid import UNIT, grid_of
from fewest.drawing.text import draw
from fewest.errors import DocumentError
from fewest.model.board import STRIPS, Board

BOARD = """puzzle: triangles
legend: {".": floor, a: a}
pieces: {a: {}}
moves: {go: {slide: a}}
geometry: triangle-up
board: |
  a...
  ....
  ....
goal: {a: {touches: right}}
"""


def board_of(text: str) -> Board:
    board = fewest.load("triangles.yaml", text=text).puzzle.board
    assert board is not None
    return board


def near(board: Board, cell: int) -> set[int | None]:
    return {board.step(cell, direction.offset) for direction in board.directions} - {None}


@pytest.mark.parametrize("first", ["up", "down"])
def test_cells_have_the_neighbours_with_which_they_share_two_corners(first: str) -> None:
    board = board_of(BOARD.replace("triangle-up", f"triangle-{first}"))
    grid = grid_of(fewest.load("t.yaml", text=BOARD.replace("-up", f"-{first}")).puzzle)
    corners = [
        {(round(x), round(y)) for x, y in grid.polygon(*board.at(cell))}
        for cell in range(board.num_cells)
    ]
    for cell in range(board.num_cells):
        drawn = {n for n in range(board.num_cells) if len(corners[cell] & corners[n]) == 2}
        assert near(board, cell) == drawn
        assert board.points_up(cell) == (sum(board.at(cell)) % 2 == (first == "down"))


def test_strips_go_straight_on_and_back() -> None:
    board = board_of(BOARD)
    grid = grid_of(fewest.load("t.yaml", text=BOARD).puzzle)
    assert {direction.offset for direction in board.straight} == set(STRIPS)
    for cell in range(board.num_cells):
        for offset in STRIPS:
            there = board.step(cell, offset)
            if there is None:
                continue
            assert board.step(there, (-offset[0], -offset[1])) == cell
            assert there in near(board, cell)
            beyond = board.step(there, offset)
            if beyond is None:
                continue
            (x, y), (x2, y2) = (grid.middle(*board.at(c)) for c in (cell, beyond))
            # Two steps in any direction lead to a triangle one side length away in that direction.
            assert (x2 - x) ** 2 + (y2 - y) ** 2 == pytest.approx(3 * UNIT**2)
            assert (y2 > y, y2 < y) == (offset[0] > 0, offset[0] < 0)


def test_a_position_is_drawn_with_its_sides_and_read_with_or_without() -> None:
    compiled = fewest.load("triangles.yaml", text=BOARD)
    lines = ["/a\\./.\\./", "\\./.\\./.\\", "/.\\./.\\./"]
    assert draw(compiled.start) == lines
    moved = [lines[0].replace("a", "."), lines[1], "/.\\./a\\./"]
    for text in ("\n".join(moved), "....\n....\n..a.", "..../..../..a."):
        assert draw(compiled.at(text).start) == moved


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("geometry", "edges: {walls: []}\ngeometry", "edge-form"),
        ("geometry", "levels: 3\ngeometry", "edge-form"),
        ("geometry", "wrap: columns\ngeometry", "edge-form"),
        ("{a: {}}", "{a: {letters: ab}}", "piece-torn"),
        ("{slide: a}", "{before: [[a], [empty]], after: [[empty], [a]]}", "pattern-length"),
        ("{slide: a}", "{pivot: a}", "move-key-unused"),
        ("geometry: triangle-up", "geometry: square", "unknown-direction"),
    ],
)
def test_constructs_without_a_meaning_on_triangles_are_refused(
    old: str, new: str, code: str
) -> None:
    text = BOARD.replace(old, new).replace("{slide: a}", "{slide: a, directions: strips}")
    if code == "piece-torn":
        text = text.replace("a...", "aa..").replace(", a: a}", "}")
    with pytest.raises(DocumentError) as caught:
        fewest.load("triangles.yaml", text=text)
    assert code in {diagnostic.code for diagnostic in caught.value.diagnostics}


def test_closed_rows_of_an_even_number_of_cells_are_fine() -> None:
    board = board_of(BOARD.replace("geometry", "wrap: rows\ngeometry"))
    assert board.step(0, (0, -1)) == 3
    assert board.points_up(0) != board.points_up(3)
