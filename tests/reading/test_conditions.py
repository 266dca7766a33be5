"""If parts of a condition contradict each other, there is an error; no key of a condition is ignored."""

from __future__ import annotations

from pathlib import Path

import pytest

import fewest
from fewest.commands.check import Effort, check_document
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


POOL = POND.replace("terrain: [target, ice]", "terrain: [target, ice, lava]").replace(
    "pieces: {box: {}}", "pieces: {box: {}, ball: {}}"
)
WON = "goal: {box: {on: target}}\n"


@pytest.mark.parametrize(
    ("condition", "path", "reason"),
    [
        (
            "{box: {on: lava}}",
            ".box.on",
            "no piece in this condition can cover only cells of `lava`",
        ),
        ("{box: {at: [5, 1]}}", ".box.at", "(5, 1) is outside the board"),
        ("{box: {on: ice, touches: left}}", ".box", "there is no place where `box` satisfies"),
        ("{some: ball, at: [0, 1]}", ".some", "there is no piece `ball` on the board"),
        (
            "{every: target, holds: ball}",
            ".every",
            "1 cell has the terrain `target`, but the number of",
        ),
        (
            "{every: floor, holds: box}",
            ".every",
            "3 cells have the terrain `floor`, but the number of",
        ),
        ("{count: {box: 3}}", ".count.box", "the number of `box` can never be 3"),
        ('{board: "#.$/..."}'.replace("/", "\\n"), ".board", "this drawing has a wall at (0, 0)"),
        ('{board: "$.$/.#."}'.replace("/", "\\n"), ".board", "this drawing contains 2 of `box`"),
    ],
)
def test_a_condition_of_forbid_that_can_never_hold_has_no_effect(
    condition: str, path: str, reason: str
) -> None:
    compiled = fewest.load("x.yaml", text=f"{POOL}{WON}forbid: [{condition}]\n")
    (warning,) = compiled.puzzle.warnings
    assert (warning.code, warning.line) == ("forbid-unused", 10)
    assert warning.message.startswith(f"this condition can never hold: {reason}")
    assert warning.path == f"forbid[0]{path}"
    assert compiled.solve().cost == 2
    assert compiled.unused_rules() == ()  # no second warning
    # beside other conditions, it is false, too
    parts = f"{{box: {{at: [0, 1]}}}}, {condition}"
    compiled = fewest.load("x.yaml", text=f"{POOL}{WON}forbid: {{all: [{parts}]}}\n")
    assert compiled.solve().cost == 2
    compiled = fewest.load("x.yaml", text=f"{POOL}{WON}forbid: {{any: [{parts}]}}\n")
    assert compiled.solve().status == "unsolvable"
    assert {one.code for one in mistakes(f"{POOL}goal: {condition}\n")} == {"goal-impossible"}


@pytest.mark.parametrize(
    ("condition", "code", "path"),
    [
        ("{box: {on: lvaa}}", "unknown-terrain", "box.on"),
        ("{bal: {on: target}}", "unknown-piece", "bal"),
        ("{some: bal, on: lava}", "unknown-piece", "some"),
        ("{every: target, holds: bal}", "unknown-piece", "holds"),
        ("{count: {bal: 1}}", "unknown-piece", "count.bal"),
    ],
)
def test_a_name_that_the_document_does_not_declare_is_an_error_under_forbid(
    condition: str, code: str, path: str
) -> None:
    (mistake,) = mistakes(f"{POOL}{WON}forbid: {condition}\n")
    assert (mistake.code, mistake.line, mistake.path) == (code, 10, f"forbid.{path}")


def test_a_condition_of_forbid_that_always_holds_is_an_error() -> None:
    for condition in ("{every: lava, holds: box}", "{every: ball, on: target}"):
        (mistake,) = mistakes(f"{POOL}{WON}forbid: {condition}\n")
        assert mistake.code == "goal-impossible"
        assert "every position" in (mistake.hint or "")


def test_a_condition_on_every_piece_holds_under_forbid_once_no_piece_is_left() -> None:
    text = """puzzle: hungry
legend: {$: box, o: ball}
terrain: [lava]
pieces: {box: {}, ball: {}}
moves: {eat: {directions: right, before: [box, ball], after: [empty, box]}}
goal: {box: {at: [0, 2]}}
forbid: {every: ball, on: lava}
board: $oo
"""
    compiled = fewest.load("x.yaml", text=text)
    assert compiled.puzzle.warnings == ()
    assert compiled.solve().status == "unsolvable"
    assert fewest.load("x.yaml", text=text.replace("$oo", "$ooo")).solve().cost == 2


def test_forbid_of_a_model_may_name_what_a_board_lacks(tmp_path: Path) -> None:
    head = POOL.split("board:")[0].replace("puzzle:", "model:")
    tests = 'tests:\n  - {board: "$.", move: box →, gives: ".$"}\n'
    model = f"{head}forbid: [{{box: {{on: lava}}}}, {{some: ball, on: target}}, {{box: {{at: [3, 3]}}}}]\n"
    (tmp_path / "pond.yaml").write_text(model + tests, encoding="utf-8")
    (tmp_path / "p.yaml").write_text(f"puzzle: p\nmodel: pond.yaml\nboard: $.!\n{WON}")
    compiled = fewest.load(tmp_path / "p.yaml")
    assert compiled.solve().cost == 2
    assert (*compiled.warnings, *compiled.unused_rules()) == ()
    assert check_document(tmp_path / "pond.yaml", Effort()).verdict == "ok"


def test_a_pair_of_metrics_does_not_contain_a_pair() -> None:
    metrics = "metrics: {a: {}, b: {}, c: {}, p: [a, b], %s}\ngoal: {box: {on: target}}\n"
    for pair in ("q: [p, c]", "q: [c, p]", "q: [q, c]"):
        (mistake,) = mistakes(POND + metrics % pair)
        assert (mistake.code, mistake.line) == ("metric-pair", 9)
    before = "metrics: {q: [p, c], a: {}, b: {}, c: {}, p: [a, b]}\ngoal: {box: {on: target}}\n"
    assert [mistake.code for mistake in mistakes(POND + before)] == ["metric-pair"]
