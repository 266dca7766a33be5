"""Patterns, legends and drawings can describe kinds in layers, and cells that several pieces share."""

from __future__ import annotations

import pytest

import fewest
from fewest.drawing.text import draw
from fewest.errors import DocumentError
from fewest.playing.rules import legal_moves

PUZZLE = """
puzzle: shared
legend:
  {{".": floor, "@": walker, t: tile, b: box, c: cloud, "%": walker & tile, "*": cloud & tile, B: box & tile}}
pieces:
  walker: {{}}
  box: {{}}
  tile: {{layer: -1}}
  cloud: {{layer: 3}}
moves:
  rule: {rule}
board: |
  {board}
"""


def after(rule: str, board: str) -> list[str]:
    """The boards after each legal move, for a board of one row."""
    text = PUZZLE.format(rule=rule, board=board)
    position = fewest.load("layers.yaml", text=text).start
    return sorted({draw(move.target)[0] for move in legal_moves(position)})


@pytest.mark.parametrize(
    ("rule", "board", "expected"),
    [
        # `empty` refers to the uppermost layer that the rule names
        ("{before: [walker, empty], after: [empty, walker]}", "%t", ["t%"]),
        ("{before: [walker & tile, empty], after: [tile, walker]}", "%t", ["t%"]),
        # a piece that `after` no longer names is removed
        ("{before: [walker & tile, empty], after: [empty, walker]}", "%t", [".%"]),
        # a cell that gets a piece must be empty in that layer, even if `before` does not say so
        ("{before: [walker, empty], after: [tile, walker]}", "@.", ["t@"]),
        ("{before: [walker, empty], after: [tile, walker]}", "%.", []),
        # `not tile` names no piece, so nothing is removed
        ("{before: [walker & not tile, empty], after: [empty, walker]}", "@t", [".%"]),
        ("{before: [tile, walker], after: [walker, empty]}", "t@", ["@."]),
        # `_` leaves everything in the cell as it is
        ("{before: [walker & tile, box], after: [_, empty]}", "%B", ["%t"]),
        # slides depend only on their own layer, and carry no piece of another layer
        ("{slide: tile}", "%.", ["@t"]),
        ("{slide: walker, carries: any, directions: right}", "%B.", ["t%b"]),
        ("{slide: cloud}", "*B", ["tc"]),
        # a ring moves all layers of its cells
        ("{cycle: [[0, 0], [0, 1]]}", "%.", [".%"]),
    ],
)
def test_pieces_of_different_layers_share_a_cell(
    rule: str, board: str, expected: list[str]
) -> None:
    assert after(rule, board) == expected


def test_kinds_of_one_layer_cannot_share_a_cell() -> None:
    for rule in (
        "{before: [walker & box], after: [walker]}",
        "{before: [walker|tile, empty], after: [empty, walker|tile]}",
    ):
        with pytest.raises(DocumentError) as error:
            after(rule, "@.")
        assert "layer-clash" in {found.code for found in error.value.diagnostics}


def test_empty_beside_the_uppermost_kind_is_explained() -> None:
    with pytest.raises(DocumentError) as error:
        after("{before: [tile, empty & not tile], after: [empty, tile]}", "%.")
    hints = [d.hint or "" for d in error.value.diagnostics if d.code == "layer-clash"]
    assert hints and hints[0].startswith("`empty` refers to the uppermost layer")
    assert "put `tile` into a lower layer" in hints[0]


def test_expressions_can_name_the_layer_of_a_cell() -> None:
    actions = "{when: '%s', set: {x: 1}}\nvariables: {x: {values: [0, 1], initial: 0}}"
    for condition, is_true in (
        ("cell(0, 0) == walker and cell(0, 0, -1) == tile", True),
        ("cell(0, 0, 3) == empty", True),
        ("cell(0, 1) == tile", False),
    ):
        assert bool(after(actions % condition, "%t")) == is_true


def test_a_drawn_goal_describes_each_cell_completely() -> None:
    walk = "{before: [walker, empty], after: [empty, walker]}"
    for board, goal, moves in (("%.", "t@", 1), ("%.", ".@", None), ("%.", "?@", 1)):
        text = PUZZLE.format(rule=walk, board=board) + f"goal: {{board: '{goal}'}}\n"
        result = fewest.load("layers.yaml", text=text).solve()
        assert (result.cost if result.status == "optimal" else None) == moves


def test_a_written_position_contains_all_pieces_of_a_cell() -> None:
    walk = "{before: [walker, empty], after: [empty, walker]}"
    puzzle = fewest.load("layers.yaml", text=PUZZLE.format(rule=walk, board="@.t"))
    assert draw(puzzle.at("..%").start) == ["..%"]
    text = PUZZLE.format(rule=walk, board="@.t").replace('"%": walker & tile, ', "")
    puzzle = fewest.load("layers.yaml", text=text)
    at = next(
        m.target
        for m in legal_moves(next(legal_moves(puzzle.start)).target)
        if m.target != puzzle.start
    )
    assert draw(at) == ["..@"]
    texts = dict.fromkeys(("title", "source", "notes"), "")
    moved = puzzle.document_at(at, "again", metric="", expect=[], **texts)
    assert "walker & tile" in moved
    assert fewest.load("again.yaml", text=moved).start.pieces == at.pieces
