"""On hexagonal boards, cells touch across six sides."""

from __future__ import annotations

import pytest

import fewest
from fewest.errors import DocumentError
from fewest.model.position import start
from fewest.playing.rules import legal_moves
from tests.helpers.matrix.compare import compare

HEXAGONS = """puzzle: hexagons
legend: {{".": floor, a: a}}
geometry: {geometry}
pieces: {{block: {{letters: A-Z}}, a: {{}}, bent: {{shape: "{shape}"}}}}
moves: {{slide: {rule}}}
{extra}board: |
{board}goal: count(any) == 9
"""


def puzzle_of(
    board: str, geometry: str, rule: str = "{slide: any}", **texts: str
) -> fewest.CompiledPuzzle:
    rows = "".join(f"  {row}\n" for row in board.split("/"))
    texts = {"shape": "#", "extra": "", **texts}
    text = HEXAGONS.format(board=rows, geometry=geometry, rule=rule, **texts)
    return fewest.load("hexagons.yaml", text=text)


@pytest.mark.parametrize(
    ("board", "geometry", "pieces"),
    [
        (".A/A.", "hex-right", 1),
        ("A./.A", "hex-right", 2),
        ("A./.A", "hex-left", 1),
        (".A/A.", "hex-left", 2),
        ("A./.A", "square", 2),
        ("AB/BA", "hex-right", 3),
    ],
)
def test_cells_of_a_letter_that_touch_are_one_piece(board: str, geometry: str, pieces: int) -> None:
    assert len(puzzle_of(board, geometry).puzzle.pieces) == pieces


def test_a_shape_can_be_connected_across_any_side() -> None:
    assert puzzle_of("..", "hex-right", shape=".#\\n#.").puzzle.pieces == ()
    for geometry in ("hex-left", "square"):
        with pytest.raises(DocumentError, match="piece-torn"):
            puzzle_of("..", geometry, shape=".#\\n#.")


@pytest.mark.parametrize(("geometry", "number"), [("hex-right", 6), ("hex-left", 6), ("square", 4)])
def test_pieces_stick_across_every_side(geometry: str, number: int) -> None:
    """Each of the eight pieces around A moves along if it touches A."""
    rule = "{slide: block, sticky: a, most: 1, directions: right}"
    stuck = 0
    for place in range(9):
        rows = [list("..."), list(".A."), list("...")]
        if place != 4:
            rows[place // 3][place % 3] = "a"
            board = "/".join("".join(row) + "." for row in rows)
            compiled = puzzle_of(board, geometry, rule)
            (move,) = legal_moves(start(compiled.puzzle))
            stuck += len(move.moved) == 2
            compare(compiled.puzzle)
    # the piece on the right of A must move out of the way, and so it moves along in any case
    assert stuck == number


def test_a_wall_across_the_third_side_divides_a_piece() -> None:
    walls = "edges: {walls: [[[0, 1], [1, 0]]]}\n"
    assert len(puzzle_of(".A/A.", "hex-right", extra=walls).puzzle.pieces) == 2
    compiled = puzzle_of(".A./A../...", "hex-right", extra="edges: {walls: [[[1, 1], [2, 0]]]}\n")
    moves = {move.direction.name for move in legal_moves(start(compiled.puzzle)) if move.direction}
    assert moves == {"right"}  # below, the wall would divide the piece
    compare(compiled.puzzle)
