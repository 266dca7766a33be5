"""Messages explain mistakes (broken links, empty names, paths that are not files, missing folders), and use the plural
only for several things."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

import fewest
from fewest.model.answer import counted, singular
from tests.cli.test_output import shell
from tests.helpers.command_line import run

pytestmark = pytest.mark.skipif(os.name == "nt", reason="POSIX files")


@pytest.mark.parametrize("command", ["solve {}", "check {}", "show {}", "convert {} --to slc"])
def test_a_link_that_leads_nowhere_is_named(command: str, tmp_path: Path) -> None:
    suffix = ".xsb" if "convert" in command else ".yaml"
    dangling, loop = tmp_path / f"dangling{suffix}", tmp_path / f"loop{suffix}"
    dangling.symlink_to("nowhere")
    loop.symlink_to(loop)
    done = run(*command.format(dangling).split())
    assert done.returncode == 3 and "is a link to nowhere, which does not exist" in done.stderr
    done = run(*command.format(loop).split())
    assert done.returncode == 3 and "is a link that leads back to itself" in done.stderr


@pytest.mark.parametrize(
    "args",
    [
        ["solve", ""],
        ["show", " "],
        ["check", ""],
        ["draw", "bird", "-o", ""],
        ["hint", "bird", "--at", ""],
    ],
)
def test_an_empty_name_is_no_name(args: list[str]) -> None:
    done = run(*args)
    assert done.returncode == 2 and "is empty" in done.stderr


def test_an_empty_name_in_python_is_an_error() -> None:
    with pytest.raises(fewest.NotFoundError, match="the name of the puzzle is empty"):
        fewest.load("")


@pytest.mark.parametrize(
    "text", ["root:x:0:0\n", "secret: sesame\n", "secret: [sesame\n", "- sesame\n"]
)
def test_puzzles_are_never_quoted_as_models(text: str, tmp_path: Path) -> None:
    (tmp_path / "inside").mkdir()
    (tmp_path / "other").write_text(text)
    (tmp_path / "inside" / "it.yaml").write_text("puzzle: it\nmodel: ../other\nboard: A.\n")
    done = run("solve", str(tmp_path / "inside" / "it.yaml"))
    assert done.returncode == 3 and "it.yaml:2:8: error[model-not-found]" in done.stderr
    assert "sesame" not in done.stderr and "root" not in done.stderr.replace("pytest-of-root", "")


def test_the_mistakes_of_a_model_of_ones_own_are_shown(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text("model: mine\nmovs: {}\n")
    (tmp_path / "it.yaml").write_text("puzzle: it\nmodel: ./mine.yaml\nboard: A.\n")
    assert "mine.yaml:2:1: error[unknown-key]" in run("solve", str(tmp_path / "it.yaml")).stderr


def test_a_deleted_folder_does_not_stop_the_watch(tmp_path: Path) -> None:
    gone = 'mkdir gone; cd gone; rmdir "$PWD";'
    done = shell(f"{gone} fewest solve bird", tmp_path)
    assert done.returncode == 0, done.stderr
    done = shell(f"{gone} fewest draw bird -o bird.svg", tmp_path)
    assert done.returncode == 3 and b"bird.svg: No such file" in done.stderr


def test_a_piece_without_a_long_axis_is_shown_on_the_board() -> None:
    text = "puzzle: x\nmodel: rush-hour\nboard: |\n  XX.\n  ..A\n"
    with pytest.raises(fewest.DocumentError) as raised:
        fewest.load("x.yaml", text=text)
    (mistake,) = raised.value.diagnostics
    assert (mistake.code, mistake.file, mistake.line, mistake.column) == (
        "no-long-axis",
        "x.yaml",
        5,
        5,
    )


def test_a_puzzle_is_found_by_its_title() -> None:
    assert fewest.load("横刀立马").puzzle.name == "heng-dao-li-ma"


@pytest.mark.parametrize(
    ("metric", "one"),
    [
        ("moves", "move"),
        ("pushes", "push"),
        ("steps", "step"),
        ("effort", "effort"),
        ("a-b", "a-b"),
        ("box-lines", "box-line"),
        ("dead positions", "dead position"),
        ("boxes", "box"),
        ("sizes", "size"),
        ("bodies", "body"),
        ("ties", "tie"),
        ("radius", "radius"),
        ("h2s", "h2s"),
        ("loss", "loss"),
    ],
)
def test_the_singular_of_the_unit_of_a_metric(metric: str, one: str) -> None:
    assert singular(metric) == one
    assert counted(1, metric) == f"1 {one}" and counted(2, metric) == f"2 {metric}"


def test_one_move_is_one_move() -> None:
    text = "puzzle: x\nmodel: sliding-blocks\nboard: A.\ngoal: {A: {touches: right}}\n"
    compiled = fewest.load("x.yaml", text=text)
    assert compiled.solve().summary().startswith("x: 1 step (proven")
    assert "1 step to the goal" in compiled.hint().summary()


def test_a_proof_of_unsolvability_names_its_engine_and_its_limits() -> None:
    done = run("solve", "bird", "-m", "slides", "-e", "sat", "--at-most", "3")
    assert done.returncode == 4
    assert "no plan of at most 3 slides (proven: sat); there may be one of 4 or more" in done.stdout


def test_the_progress_of_a_deepening_search_never_falls() -> None:
    updates: list[tuple[int, int]] = []
    enough = threading.Event()

    def note(now: object) -> None:
        updates.append((getattr(now, "cost", 0), getattr(now, "num_states", 0)))
        if len(updates) > 3 and len({cost for cost, _ in updates}) > 2:
            enough.set()

    compiled = fewest.load("tiles-3x4")
    compiled.solve(engine="astar", algorithm="ida", memory=100 << 20, progress=note, cancel=enough)
    assert len(updates) > 3
    assert updates == sorted(updates) and [s for _, s in updates] == sorted(s for _, s in updates)
