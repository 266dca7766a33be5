"""The reference interpreter handles the swept cells, the pivot cells and the geometries of pivots."""

from __future__ import annotations

import pytest

import fewest
from fewest.drawing.text import draw
from fewest.errors import DocumentError
from fewest.playing.rules import legal_moves

PUZZLE = """
puzzle: swings
legend: {{".": floor, "#": wall, "o": post, "x": stone}}
terrain: [post]
pieces: {{bar: {{letters: A-Z}}, stone: {{}}}}
moves:
  swing: {{pivot: bar, {rule}}}
{more}
board: |
  {board}
"""


def ends(rule: str, board: str, more: str = "") -> set[str]:
    """The boards after each move; spaces separate the rows of a board."""
    text = PUZZLE.format(rule=rule, board=board.replace(" ", "\n  "), more=more)
    position = fewest.load("swings.yaml", text=text).start
    return {" ".join(draw(move.target)) for move in legal_moves(position)}


@pytest.mark.parametrize(
    ("rule", "board", "expected"),
    [
        ("about: own", "AA ..", {"A. A.", ".A .A"}),
        # the swept corner must be free, unless the rule says `swept: any`
        ("about: own", "AA .x", set()),
        ("about: own, swept: any", "AA .x", {"A. Ax"}),
        ("about: own, swept: any", "AA .#", {"A. A#"}),
        # only one direction of rotation
        ("directions: clockwise", "AA ..", {"A. A."}),
        ("directions: counterclockwise", "AA ..", {".A .A"}),
        # the pivot is a cell with the given terrain that the piece covers, or a cell given by its coordinates, whether
        # the piece covers it or not
        ("about: post", "AA. o..", set()),
        ("about: [[0, 2]]", "AA. ... ...", {"... ..A ..A"}),
        ("about: [[1, 1]], directions: clockwise", "AA. ... ...", {"..A ..A ..."}),
        ("about: [[1, 1]], directions: clockwise", "AA. .#. ...", {"..A .#A ..."}),
        # an L that rotates about its corner
        ("about: [[0, 0]]", "AA A.", set()),
    ],
)
def test_a_pivot_leads_to_these_positions(rule: str, board: str, expected: set[str]) -> None:
    assert ends(rule, board) == expected


def test_walls_between_cells_block_a_sweep() -> None:
    walls = "edges: {walls: [[[0, 1], [1, 1]]]}"
    assert ends("about: own, directions: clockwise", "AA ..", walls) == set()
    swung = ends("about: own, directions: clockwise, swept: any", "AA ..", walls)
    assert len(swung) == 1


def test_a_turned_piece_is_still_the_same_piece() -> None:
    text = PUZZLE.format(rule="about: own", board="AA.\n  ..B\n  ..B", more="goal: row(A) == 1")
    result = fewest.load("swings.yaml", text=text).solve()
    assert (result.status, result.cost) == ("optimal", 2)


@pytest.mark.parametrize("more", ["wrap: rows", "geometry: hex-left"])
def test_boards_without_right_angles_or_ends_are_refused(more: str) -> None:
    with pytest.raises(DocumentError):
        ends("about: own", "AA. ...", more)


def test_cells_outside_the_board_are_refused() -> None:
    with pytest.raises(DocumentError):
        ends("about: [[5, 0]]", "AA. ...")
