"""Drawings of walls and doors between cells are equivalent to lists of them, and lead to equal boards."""

from __future__ import annotations

import pytest

import fewest
from fewest.drawing.text import draw
from fewest.errors import DocumentError
from fewest.model.board import DIRECTION_GROUPS, Board
from fewest.model.position import start
from fewest.playing.rules import legal_moves

HEAD = 'puzzle: x\nlegend: {".": floor, "#": wall, a: a, b: b}\npieces: {a: {}, b: {}, block: {letters: A-Z}}\n'
WALK = HEAD + "moves: {walk: {slide: any, directions: all}}\n"
DRAWN = """edges: drawn
board: |
  +-+-+-+
  |a b .1
  + +-+v+
  1.|.<.|
  +-+-+-+
"""
PORTAL = "{leaving: [0, 2], by: right, entering: [0, 0]"


def board_of(text: str) -> Board:
    board = fewest.load("x.yaml", text=text).puzzle.board
    assert board is not None
    return board


def test_lines_and_lists_describe_the_same_edges() -> None:
    listed = (
        "edges:\n"
        "  walls: [[[0, 1], [1, 1]], [[1, 1], [1, 0]]]\n"
        "  one-way: [[[0, 2], [1, 2]], [[1, 2], [1, 1]]]\n"
        "  portals: [{leaving: [0, 2], by: right, entering: [1, 0]}]\n"
        "board: |\n  ab.\n  ...\n"
    )
    one, other = board_of(WALK + DRAWN), board_of(WALK + listed)
    assert one == other
    steps = DIRECTION_GROUPS["all"]
    found = [
        [board.step(cell, step) for cell in range(6) for step in steps] for board in (one, other)
    ]
    assert found[0] == found[1]


def test_a_diagonal_step_needs_a_free_corner() -> None:
    board = board_of(WALK + "edges: {walls: [[[0, 0], [0, 1]]]}\nboard: |\n  a.\n  ..\n")
    assert board.step(0, (1, 1)) == 3
    walls = "[[[0, 0], [0, 1]], [[0, 0], [1, 0]]]"
    board = board_of(WALK + f"edges: {{walls: {walls}}}\nboard: |\n  a.\n  ..\n")
    assert board.step(0, (1, 1)) is None and board.step(3, (-1, -1)) is None
    assert board.step(1, (1, -1)) == 2


def test_no_piece_extends_across_a_wall_or_moves_through_one() -> None:
    text = HEAD + "moves: {walk: {slide: block}}\nedges: {walls: [[[1, 1], [1, 2]]]}\nboard: |\n"
    compiled = fewest.load("x.yaml", text=text + "  .BB.\n  ....\n  ....\n")
    directions = sorted(
        move.direction.name for move in legal_moves(start(compiled.puzzle)) if move.direction
    )
    assert directions == ["left", "right"]  # below this cell, the piece would lie across the wall
    letters = fewest.load("x.yaml", text=text + "  ....\n  .BB.\n  ....\n").puzzle.pieces
    assert [piece.anchor for piece in letters] == [5, 6]  # the wall makes two pieces of the letters


def test_a_line_of_a_pattern_ends_at_a_wall_and_a_rectangle_contains_none() -> None:
    edges = "edges: {walls: [[[0, 1], [0, 2]]]}\nboard: |\n  .a..\n  ....\n"
    stops = (
        HEAD
        + "moves: {stop: {before: [a, wall], after: [a, wall], directions: right, set: {n: 1}}}\n"
    )
    text = stops + "variables: {n: {values: [0, 1], initial: 0}}\n" + edges
    assert len(list(legal_moves(start(fewest.load("x.yaml", text=text).puzzle)))) == 1
    square = (
        HEAD
        + "moves: {hop: {before: [[a, empty], [empty, empty]], after: [[empty, empty], [empty, a]]}}\n"
    )
    assert not list(legal_moves(start(fewest.load("x.yaml", text=square + edges).puzzle)))


def test_positions_are_drawn_with_lines_and_read_with_or_without() -> None:
    text = WALK + "edges: drawn\nboard: |\n  +-+-+\n  |a>.|\n  +-+ +\n  |.|b|\n  +-+-+\n"
    compiled = fewest.load("x.yaml", text=text)
    rows = draw(start(compiled.puzzle))
    assert rows == ["+-+-+", "|a>.|", "+-+ +", "|.|b|", "+-+-+"]
    moved = [draw(move.target) for move in legal_moves(start(compiled.puzzle))]
    for lines in moved:
        plain = [row[1::2] for row in lines[1::2]]
        assert draw(compiled.at("/".join(plain)).start) == draw(compiled.at("\n".join(lines)).start)


@pytest.mark.parametrize(
    "edges",
    [
        "edges: {walls: [[[0, 0], [5, 5]]]}",
        "edges: {walls: [[[0, 0]]]}",
        "edges: {portals: [{leaving: [9, 9], by: up, entering: [0, 0]}]}",
        "edges: drawn",
    ],
)
def test_invalid_edges_are_refused(edges: str) -> None:
    with pytest.raises(DocumentError) as error:
        fewest.load("x.yaml", text=WALK + edges + "\nboard: |\n  ab\n  ..\n")
    assert {found.code for found in error.value.diagnostics} == {"edge-form"}


@pytest.mark.parametrize(
    "rows", [["+-+-+", "|a.b|", "+-+-+"], ["+-+-+", "|a1b|", "+-+-+"], ["*-+-+", "|a b|", "+-+-+"]]
)
def test_wrong_lines_are_reported_with_their_place(rows: list[str]) -> None:
    text = WALK + "edges: drawn\nboard: |\n" + "".join(f"  {row}\n" for row in rows)
    if "." in rows[1]:
        fewest.load("x.yaml", text=text)  # a dot and a space mean the same
        return
    with pytest.raises(DocumentError) as error:
        fewest.load("x.yaml", text=text)
    assert error.value.diagnostics[0].code == "edge-form"


@pytest.mark.parametrize(
    "rule",
    [
        "{slide: block}",
        "{slide: block, distance: blocked}",
        "{slide: block, carries: any}",
        "{together: block}",
        "{slide: block, when: count(block) == 1}",
    ],
)
@pytest.mark.parametrize(
    "edges",
    [
        "{walls: [[[0, 0], [1, 0]]]}",
        "{one-way: [[[0, 0], [1, 0]]]}",
        "{portals: [{leaving: [1, 0], by: up, entering: [2, 0]}]}",
    ],
)
def test_an_edge_at_a_cell_that_a_piece_does_not_cover_does_not_stop_it(
    rule: str, edges: str
) -> None:
    if "together" in rule and "portals" in edges:
        return  # a portal is not allowed there
    text = f"""puzzle: corner
legend: {{".": floor}}
pieces: {{block: {{letters: A-Z}}}}
moves: {{slide: {rule}}}
edges: {edges}
board: |
  ..
  .A
  AA
goal: {{A: {{at: [0, 0]}}}}
"""
    result = fewest.load("x.yaml", text=text).solve(audit="all")
    assert result.cost == 1 and result.plan is not None and "↑" in result.plan.text()


@pytest.mark.parametrize(
    ("edges", "first", "board", "fits"),
    [
        ("one-way: [[[0, 1], [0, 0]]]", "wall", ".b.", True),  # no cell leads rightwards to the bee
        ("one-way: [[[0, 1], [0, 0]]]", "_", ".b.", True),
        ("one-way: [[[0, 1], [0, 0]]]", "empty", ".b.", False),
        ("one-way: [[[0, 0], [0, 1]]]", "wall", ".b.", False),  # the cell on the left does
        ("one-way: [[[0, 0], [0, 1]]]", "empty", ".b.", True),
        ("walls: [[[0, 0], [0, 1]]]", "wall", ".b.", True),
        (f"portals: [{PORTAL}, both: false}}]", "wall", "b..", False),
        (f"portals: [{PORTAL}, both: false}}]", "empty", "b..", True),
        (f"portals: [{PORTAL}}}]", "wall", "b..", False),
    ],
)
def test_a_line_begins_at_one_way_edges_and_portals_in_its_direction(
    edges: str, first: str, board: str, fits: bool
) -> None:
    text = f"""\
puzzle: x
legend: {{".": floor, b: bee}}
pieces: {{bee: {{}}}}
edges: {{{edges}}}
moves: {{go: {{before: [{first}, bee, empty], after: [_, empty, bee], directions: right}}}}
goal: {{bee: {{at: [0, {board.index("b") + 1}]}}}}
board: |
  {board}
"""
    compiled = fewest.load("x.yaml", text=text)
    assert bool(list(legal_moves(start(compiled.puzzle)))) is fits
    assert compiled.explore(plans=False).minimum == (1 if fits else None)


def test_a_piece_that_a_wall_divides_is_refused_with_the_true_reason() -> None:
    board = "+-+-+/|A|A|/+ + +/|A A|/+-+-+".replace("/", "\n  ")
    text = f"""
puzzle: divided
legend: {{" ": floor}}
pieces: {{block: {{letters: A-Z}}}}
moves: {{slide: {{slide: block}}}}
edges: drawn
board: |
  {board}
"""
    with pytest.raises(DocumentError) as refused:
        fewest.load("divided.yaml", text=text)
    (error,) = refused.value.diagnostics
    assert (error.code, error.message) == ("piece-misplaced", "`A` at (0, 0) lies across a wall")
