"""Changes that leave no valid puzzle are reported with the reader's reason, and results claim only what is true."""

from __future__ import annotations

import fewest

DRAWN = """\
puzzle: drawn
model: sliding-blocks
board: |
  AA.B
  ..C.
goal: {board: "?AA.\\n...C"}
"""
NO_A = "this drawing contains `A` at (0, 1), but the board has none"
NO_C = "this drawing contains `C` at (1, 3), but the board has none"


def test_a_piece_that_the_goal_names_is_missed_with_a_reason() -> None:
    found = fewest.load("drawn.yaml", text=DRAWN).explain_hardness()
    lines = list(found.lines())
    assert f"  A (0, 0): not a valid puzzle: {NO_A} (goal-impossible)" in lines
    rows = found.to_json()["without"]
    assert [(row["status"], row["code"], row["message"]) for row in rows] == [
        ("invalid", "goal-impossible", NO_A),
        ("optimal", None, None),
        ("invalid", "goal-impossible", NO_C),
    ]


def test_invalid_boards_one_change_away_have_reasons() -> None:
    found = fewest.load("drawn.yaml", text=DRAWN).vary(kinds=["remove-piece"])
    assert f"  2 changes leave no valid puzzle: for example, {NO_A} (goal-impossible)" in list(
        found.lines()
    )
    reasons = {row["text"]: row["message"] for row in found.to_json()["boards"]}
    assert reasons == {"remove A (0, 0)": NO_A, "remove B (0, 3)": None, "remove C (1, 2)": NO_C}


def test_parts_that_cannot_be_removed_have_reasons() -> None:
    found = fewest.load("drawn.yaml", text=DRAWN).minimize()
    assert found.summary() == "drawn: still 7 steps; nothing can be taken away"
    assert found.to_json()["invalid"] == [{"code": "goal-impossible", "message": NO_A, "number": 2}]


def test_sets_of_parts_that_cannot_be_removed_have_reasons() -> None:
    text = """\
puzzle: stuck
model: sliding-blocks
board: |
  AB.
goal: {A: {at: [0, 2]}}
"""
    found = fewest.load("stuck.yaml", text=text).explain(always=True)
    assert found.removals is not None
    assert "  1 set leaves no valid puzzle: there is no piece `A` (unknown-piece)" in list(
        found.lines()
    )
    assert [str(one) for one in found.removals.found] == ["B (0, 1)"]


def test_a_minimum_that_changed_is_not_called_still_the_minimum() -> None:
    text = """\
puzzle: detour
model: sliding-blocks
board: |
  AB
  ..
goal: {A: {at: [0, 1]}}
"""
    found = fewest.load("detour.yaml", text=text).minimize("steps", keep="unique")
    assert found.summary() == (
        "detour: still only one optimal plan, now of 1 step, without 1 of its pieces, "
        "and 1 row or column smaller; nothing more can be taken away"
    )
