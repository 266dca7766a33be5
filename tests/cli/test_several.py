"""`solve` solves several puzzles in order, and an error in one of them does not stop the rest."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from fewest.commands import api, sweep
from fewest.commands.outputs import OUTPUTS
from fewest.errors import InternalError
from tests.helpers.cells import BAD
from tests.helpers.command_line import begun, run

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
        (["hanoi", "bird", "-m", "slides"], 2),
    ],
)
def test_all_puzzles_are_solved_and_the_exit_code_is_the_worst(
    puzzles: list[str], code: int
) -> None:
    done = run("solve", *puzzles)
    assert done.returncode == code
    assert "bird: 34 steps" in done.stdout or "bird: 24 slides" in done.stdout


@pytest.mark.parametrize(
    "options",
    [
        "-e nobody",
        "-e bfs --at-most 3",
        "-e sat --encoding nobody",
        "-e sat --solver nobody",
        "-e sat --from 5 --to 3",
        "-e sat --threads 2",
        "--jobs 2",
        "--resume left.jsonl",
        "--actors 2",
    ],
)
def test_an_option_that_is_wrong_for_every_puzzle_is_reported_once(options: str) -> None:
    done = run("solve", "bird", "hanoi", *options.split())
    assert (done.returncode, done.stdout, done.stderr.count("error: ")) == (2, "", 1)


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


@pytest.fixture
def raising(monkeypatch: pytest.MonkeyPatch) -> Callable[[type[BaseException]], None]:
    """A function that makes the reading of hanoi raise an exception."""

    def begin(error: type[BaseException]) -> None:
        load = api.load

        def failing(ref: str, *arguments: Any) -> Any:
            if ref == "hanoi":
                raise error("at this point")
            return load(ref, *arguments)

        monkeypatch.setattr(api, "load", failing)

    return begin


@pytest.mark.parametrize(
    ("error", "code"), [(InternalError, 70), (ZeroDivisionError, 70), (MemoryError, 4)]
)
def test_a_bug_in_one_puzzle_is_one_line_and_does_not_stop_the_rest(
    error: type[Exception], code: int, raising: Callable[[type[BaseException]], None]
) -> None:
    raising(error)
    done = run("solve", "bird", "hanoi", "jugs", "--json")
    first, second, third = map(json.loads, done.stdout.splitlines())
    assert (first["puzzle"], third["puzzle"], done.returncode) == ("bird", "jugs", code)
    assert second["error"]["exit_code"] == code


@pytest.mark.parametrize(
    ("puzzles", "code", "num_answers"), [("bird hanoi jugs", 4, 1), ("hanoi jugs", 130, 0)]
)
def test_ctrl_c_ends_the_command_and_keeps_the_answers(
    puzzles: str,
    code: int,
    num_answers: int,
    raising: Callable[[type[BaseException]], None],
) -> None:
    raising(KeyboardInterrupt)
    done = run("solve", *puzzles.split(), "--json")
    *answers, last = map(json.loads, done.stdout.splitlines())
    assert (done.returncode, len(answers)) == (code, num_answers)
    assert last["error"]["kind"] == "interrupted"


def test_a_bug_in_a_collection_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_: Any, **__: Any) -> None:
        raise InternalError("at this point")

    monkeypatch.setattr(sweep, "sweep", failing)
    done = run("solve", "microban.xsb", "--json")
    assert json.loads(done.stdout)["error"]["kind"] == "bug"
    assert (done.returncode, done.stdout.count("\n")) == (70, 1)


@pytest.mark.skipif(os.name == "nt", reason="Windows cannot send Ctrl-C to a process")
def test_ctrl_c_in_a_collection_also_ends_the_puzzles_after_it() -> None:
    with begun("solve", "microban.xsb", "hanoi", "-e", "python") as process:
        assert process.stdout is not None
        for _ in range(2):  # the title, and the line of the first level
            process.stdout.readline()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 4 and "interrupted: " in err
    assert "hanoi" not in out
