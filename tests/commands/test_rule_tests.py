"""`fewest check` runs the tests of rules in a document in order, and draws the failed ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from fewest.commands.check import Effort, check_document
from fewest.commands.rule_tests import RuleTest, run_rule_tests
from fewest.errors import DocumentError
from fewest.machine.resources import models
from fewest.reading.loader import load_document
from tests.helpers.command_line import run

ROOM = """
puzzle: room
model: sokoban
board: |
  #######
  #.$@  #
  #######
tests:
TESTS
expect: {pushes: 1}
"""


def played(tests: str) -> list[RuleTest]:
    loaded = load_document("room.yaml", text=ROOM.replace("TESTS", tests))
    return list(run_rule_tests(loaded))


def test_a_test_compares_the_position_after_its_move() -> None:
    found = played(
        """
- {move: walk player →, gives: "#######/#.$ @ #/#######"}
- {at: "#######/#.$ @ #/#######", move: walk player ←, gives: "x"}
- {move: push box ←, gives: goal}
- {move: walk player ←, gives: not allowed}
- {board: "#$@. #", gives: dead}
"""
    )
    assert [test.found == test.expected for test in found] == [True, False, True, True, True]
    assert found[1].found == "#######/#.$@  #/#######"
    assert found[1].drawing == ("#######", "#.$ @ #", "#######")
    assert [test.line for test in found] == [10, 11, 12, 13, 14]


def test_a_failed_test_shows_the_actual_result() -> None:
    found = played(
        """
- {move: walk player ←, gives: goal}
- {move: push box ←, gives: dead}
- {move: walk player →, gives: goal}
- {move: walk player ←, gives: walled}
- {board: "#@Z#", gives: goal}
- {board: "##", move: walk player ←, gives: "##"}
"""
    )
    results = [test.found or "" for test in found]
    assert "the allowed moves are " in results[0] and "push box" in results[0]
    assert results[1] == "a goal can be reached: 0 pushes"
    assert results[2] == "#######/#.$ @ #/#######"
    assert "`walk player ←` is not allowed" in results[3]
    assert "board-character" in results[4]
    assert all(test.found != test.expected for test in found)


@pytest.mark.parametrize(("move", "word"), [("psuh box ←", "psuh"), ("push bxo ←", "bxo")])
def test_a_misspelled_move_is_not_merely_not_allowed(move: str, word: str) -> None:
    (found,) = played(f"- {{board: '#$@ .#', move: {move}, gives: not allowed}}")
    assert found.found is not None and found.found != found.expected
    assert found.found.startswith(f"nothing in the puzzle is called `{word}`")


def test_a_puzzle_does_not_repeat_the_tests_of_its_model() -> None:
    loaded = load_document("room.yaml", text=ROOM.replace("tests:\nTESTS\n", ""))
    assert loaded.document.tests is None
    assert len(load_document("sokoban").document.tests or []) >= 6


@pytest.mark.parametrize("name", [name for name, _ in models()])
def test_the_tests_of_the_shipped_models_pass(name: str) -> None:
    found = list(run_rule_tests(load_document(name)))
    assert [test for test in found if test.found != test.expected] == []
    assert len(found) >= (2 if name in ("sokoban", "rush-hour", "peg-solitaire", "tiles") else 0)


def test_check_draws_what_fails(tmp_path: Path) -> None:
    path = tmp_path / "room.yaml"
    tests = "- {title: away, move: walk player →, gives: goal}\n- {move: push box ←, gives: goal}"
    path.write_text(ROOM.replace("TESTS", tests))
    check = check_document(path, Effort())
    assert [row.verdict for row in check.rows] == ["wrong", "ok", "ok"]
    done = run("check", str(path))
    assert done.returncode == 1
    assert (
        "test 1 (line 9): away: expected goal, the rules say #######/#.$ @ #/#######" in done.stdout
    )
    assert "\n         #.$@  #\n" in done.stdout


def test_a_result_may_omit_the_variables_but_no_row_of_the_board() -> None:
    move = "move: walk player →"
    rows = ["#######", "#.$ @ #", "#######"]
    for number in (1, 2):
        (found,) = played(f"- {{{move}, gives: {'/'.join(rows[:number])!r}}}")
        assert found.found == "/".join(rows), "the drawing ends above the last row"
    (whole,) = played(f"- {{{move}, gives: {'/'.join(rows)!r}}}")
    assert whole.found == whole.expected


def test_a_position_that_cannot_be_read_is_described_in_one_line(tmp_path: Path) -> None:
    (found,) = played("- {at: '#######/#.$Q  #/#######', gives: goal}")
    assert found.found is not None
    assert found.found.startswith("the position has a mistake: `Q` has no meaning here")
    assert "\n" not in found.found


def test_a_warning_is_not_shown_as_a_mistake_of_a_position() -> None:
    text = """
puzzle: trap
legend: {k: king, ".": floor, x: lava}
terrain: [lava]
pieces: {king: {}}
moves: {go: {slide: king}}
goal: {king: {at: [0, 3]}}
board: "k.x."
tests:
- {board: "k..", move: king →, gives: .k.}
"""
    (found,) = run_rule_tests(load_document("trap.yaml", text=text))
    assert found.found is not None
    assert "outside the board" in found.found
    assert "legend-unused" not in found.found


def test_a_mistake_in_a_test_has_its_place() -> None:
    with pytest.raises(DocumentError) as caught:
        played("- {moves: push box ←, gives: goal}")
    assert "room.yaml:9" in str(caught.value)
    assert "moves" in str(caught.value)
