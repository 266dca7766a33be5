"""If parts of a condition contradict each other, there is an error; no key of a condition is ignored."""

from __future__ import annotations

from pathlib import Path

import pytest

import fewest
from fewest.errors import Diagnostic, DocumentError

POND = """puzzle: pond
legend: {".": floor, "#": wall, $: box, "!": target, "~": ice}
terrain: [target, ice]
pieces: {box: {}}
moves: {slide: {slide: box}}
board: |
  $.!
  .#~
"""


def mistakes(text: str) -> list[Diagnostic]:
    with pytest.raises(DocumentError) as error:
        fewest.load("x.yaml", text=text)
    return list(error.value.diagnostics)


@pytest.mark.parametrize("key", ["on: ice", "touches: left", "at: [0, 0]", "covers: ice"])
def test_a_placement_beside_the_key_holds_is_an_error(key: str) -> None:
    (mistake,) = mistakes(POND + f"goal: {{every: target, holds: box, {key}}}\n")
    assert mistake.code == "goal-form"
    assert (mistake.line, mistake.column) == (9, 35)


def test_a_goal_drawing_with_a_wall_where_the_board_has_none_is_an_error() -> None:
    (mistake,) = mistakes(POND + "goal:\n  board: |\n    .#$\n    .#.\n")
    assert (mistake.code, "(0, 1)" in mistake.message) == ("goal-impossible", True)
    assert (
        fewest.load("x.yaml", text=POND + "goal:\n  board: |\n    ..$\n    .#.\n").solve().cost == 2
    )


def test_a_goal_drawing_with_a_piece_that_is_not_on_the_board_is_an_error() -> None:
    text = """puzzle: gone
model: sliding-blocks
board: |
  AA.
goal: {board: "?BB"}
"""
    (mistake,) = mistakes(text)
    assert mistake.code == "goal-impossible"
    assert mistake.message == "this drawing contains `B` at (0, 1), but the board has none"


def test_forbid_replaces_the_forbid_of_the_model(tmp_path: Path) -> None:
    """A merged map would forbid only the positions with both."""
    model = POND.split("board:")[0].replace("puzzle:", "model:") + "forbid: {box: {at: [1, 1]}}\n"
    (tmp_path / "pond.yaml").write_text(model)
    board = "board: |\n  $.!\n  ..~\ngoal: {box: {on: target}}\n"
    head = "puzzle: p\nmodel: pond.yaml\n"

    def cost(extra: str) -> object:
        (tmp_path / "p.yaml").write_text(head + board + extra)
        return fewest.load(tmp_path / "p.yaml").solve().cost

    assert cost("") == 2
    assert cost("forbid: {some: box, at: [0, 1]}\n") == 4
    assert cost("forbid: null\n") == 2
    both = "forbid: [{some: box, at: [0, 1]}, {some: box, at: [1, 1]}]\n"
    assert cost(both) is None


def test_a_pair_of_metrics_does_not_contain_a_pair() -> None:
    metrics = "metrics: {a: {}, b: {}, c: {}, p: [a, b], %s}\ngoal: {box: {on: target}}\n"
    for pair in ("q: [p, c]", "q: [c, p]", "q: [q, c]"):
        (mistake,) = mistakes(POND + metrics % pair)
        assert (mistake.code, mistake.line) == ("metric-pair", 9)
    before = "metrics: {q: [p, c], a: {}, b: {}, c: {}, p: [a, b]}\ngoal: {box: {on: target}}\n"
    assert [mistake.code for mistake in mistakes(POND + before)] == ["metric-pair"]
