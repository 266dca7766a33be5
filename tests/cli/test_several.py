"""`solve` solves several puzzles in order, and an error in one of them does not stop the rest."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from fewest.questions.outputs import OUTPUTS
from tests.helpers.cells import BAD
from tests.helpers.command_line import run

RAGGED = str(BAD / "board-ragged.yaml")


def test_several_puzzles_are_answered_in_their_order() -> None:
    done = run("solve", "bird", "hanoi", "heng-dao-li-ma", "-q")
    assert done.returncode == 0
    alone = [run("solve", name).stdout for name in ("bird", "hanoi", "heng-dao-li-ma")]
    assert done.stdout == "\n".join(alone)


@pytest.mark.parametrize(
    ("puzzles", "code"),
    [
        (["bird", "zou-tou-wu-lu"], 0),
        (["bird", "nobody", "hanoi"], 3),
        ([RAGGED, "bird"], 3),
        (["tiles-3x4", "bird", "--memory", "200K", "-e", "bfs"], 4),
        (["bird", "hanoi", "-m", "slides"], 2),
        (["bird", "hanoi", "-e", "nobody"], 2),
    ],
)
def test_all_puzzles_are_solved_and_the_exit_code_is_the_worst(
    puzzles: list[str], code: int
) -> None:
    done = run("solve", *puzzles)
    assert done.returncode == code
    if "-e" not in puzzles or code == 4:
        assert "bird: 34 steps" in done.stdout or "bird: 24 slides" in done.stdout


def test_with_json_every_answer_and_every_error_is_a_line() -> None:
    done = run("solve", "bird", RAGGED, "hanoi", "--json")
    first, second, third = done.stdout.splitlines()
    assert msgspec.json.decode(first, type=OUTPUTS["solve"]).puzzle == "bird"
    assert msgspec.json.decode(third, type=OUTPUTS["solve"]).puzzle == "hanoi"
    error = msgspec.json.decode(second, type=OUTPUTS["error"]).error
    assert error.mistakes[0].code == "board-ragged" and json.loads(second)
    assert done.returncode == 3


def test_levels_at_a_time_keep_their_order(tmp_path: Path) -> None:
    walk = "#######\n#@$ . #\n#######\n"
    hard = "########\n#@ $ . #\n#  $ . #\n#      #\n########\n"
    path = tmp_path / "four.xsb"
    path.write_text("\n".join([hard, walk, hard, walk]))
    done = run("solve", str(path), "--threads", "2", "--json")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert (done.returncode, [line["level"] for line in lines]) == (0, [1, 2, 3, 4])
    assert [line["cost"] for line in lines] == [4, 2, 4, 2]
    both = run("solve", str(path), "--threads", "2", "--jobs", "2")
    assert both.returncode == 2 and "--threads and --jobs cannot be used together" in both.stderr
