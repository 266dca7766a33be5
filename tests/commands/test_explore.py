"""`fewest explore` prints its table, writes its files, and respects its limits."""

from __future__ import annotations

import json
import os
import signal
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

import fewest
from fewest.commands.check import Effort, check_document
from tests.helpers.command_line import begun, run

STILL = """
puzzle: still
variables: {x: {values: range(2), initial: 0}}
moves: {go: {when: "x == 1", set: {x: 0}}}
"""


def test_explore_prints_a_table_that_fits_the_terminal() -> None:
    from fewest.drawing.text import text_width

    for name in ("heng-dao-li-ma", "microban-001", "hanoi", "clones-three"):
        done = run("explore", name)
        assert done.returncode == 0, done.stderr
        assert max(map(text_width, done.stdout.splitlines())) <= 80
    done = run("explore", "heng-dao-li-ma", "--every")
    assert "25,955 reachable positions" in done.stdout
    assert "optimal plans  256" in done.stdout
    assert "hardest start  93 turns to the goal: 2 positions" in done.stdout


def test_explore_as_json_has_every_number() -> None:
    data = json.loads(run("explore", "hardest-6x6", "--json").stdout)
    assert (data["states"], data["minimum"], data["exhausted"]) == (24_132, 93, True)
    assert sum(count for _, count in data["layers"]) == 24_132
    assert sum(count for _, count in data["goal_distances"]) == data["solvable"] == 24_132
    assert data["optimal_plans"] == 24628859373927622029855884007597071232
    assert data["unique"] is False and len(data["hardest"]) == 6
    data = json.loads(run("explore", "microban-001", "-m", "pushes-then-moves", "--json").stdout)
    assert data["minimum"] == [8, 33] and data["unique"] is True and data["dead"] == 481


@pytest.mark.parametrize(
    ("name", "metric"),
    [
        ("heng-dao-li-ma", "turns"),
        ("microban-001", "pushes-then-moves"),
        ("hanoi", "moves"),
        ("keys-and-doors", "moves"),
        ("frozen-pond", None),
        ("hardest-6x6-typed", "slides"),
        ("eight-puzzle", "moves"),
        ("lights-out-3x3", "moves"),
        ("jugs", "moves"),
    ],
)
def test_the_hardest_start_is_shown_separately_with_its_number(
    name: str, metric: str | None, tmp_path: Path
) -> None:
    path = tmp_path / "hard.yaml"
    options = [] if metric is None else ["--metric", metric]
    done = run("explore", name, "--write-hardest", str(path), *options, "--json")
    assert done.returncode == 0, done.stderr
    hardest = json.loads(done.stdout)["goal_eccentricity"]
    cost = fewest.load(path).solve().cost
    assert (list(cost) if isinstance(cost, tuple) else cost) == hardest
    check = check_document(path, Effort())
    assert check.verdict == "ok" and not check.warnings


def test_a_puzzle_over_a_model_of_its_own_is_written_out_whole(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text(
        "model: mine\nextends: sliding-blocks\nlegend: {'=': gate}\n"
        "terrain: {gate: X}\nmoves: {hop: {slide: X, directions: up, count: 2}}\n"
    )
    (tmp_path / "mine-1.yaml").write_text(
        "puzzle: mine-1\nmodel: mine.yaml\nparameters: {n: 1}\nboard: |\n  XA.#\n  ..=.\n  BB..\n"
        "goal: {X: {at: [1, n + 2]}}\n"
    )
    puzzle = fewest.load(tmp_path / "mine-1.yaml")
    found = puzzle.explore("slides")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "hard.yaml").write_text(puzzle.hardest_document(found))
    assert found.goal_distances is not None
    assert (
        fewest.load(elsewhere / "hard.yaml").solve("slides").cost
        == found.goal_distances.eccentricity
    )


def test_one_position_is_counted_in_the_singular(tmp_path: Path) -> None:
    path = tmp_path / "still.yaml"
    path.write_text(STILL)
    done = run("explore", str(path))
    assert done.stdout.startswith("still: 1 reachable position\n"), done.stdout
    found = fewest.load(str(path)).explore()
    assert repr(found) == "<Exploration: 1 position, moves>"
    assert "<b>1 position</b>" in (found._repr_html_() or "")


def test_an_unsolvable_puzzle_has_no_hardest_start(tmp_path: Path) -> None:
    path = tmp_path / "hard.yaml"
    done = run("explore", "zou-tou-wu-lu", "--write-hardest", str(path))
    assert done.returncode == 0 and "unsolvable (proven)" in done.stdout
    assert "not written" in done.stderr and not path.exists()


def test_plots_are_pictures(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    svg, png = tmp_path / "space.svg", tmp_path / "space.png"
    assert run("explore", "heng-dao-li-ma", "--plot", str(svg)).returncode == 0
    assert ElementTree.parse(svg).getroot().tag.endswith("svg")
    assert run("explore", "microban-001", "--plot", str(png)).returncode == 0
    assert png.read_bytes().startswith(b"\x89PNG")


def test_errors_about_files_come_before_the_exploration(tmp_path: Path) -> None:
    done = run("explore", "tiles-3x4", "--plot", str(tmp_path / "space.pdf"))
    assert done.returncode == 2 and ".svg or .png" in done.stderr
    done = run("explore", "tiles-3x4", "--write-hardest", str(tmp_path / "no" / "hard.yaml"))
    assert done.returncode == 3 and "hard.yaml" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_plot_without_matplotlib_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    from fewest.drawing.plot import check_plot
    from fewest.errors import UsageError

    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(UsageError, match=r"pip install '\.\[plot\]'") as error:
        check_plot(Path("space.svg"))
    assert "matplotlib" in error.value.message


def test_limits_leave_a_partial_answer() -> None:
    done = run("explore", "tiles-3x4", "--time", "0.1s")
    assert done.returncode == 4
    assert "at least" in done.stdout and "not all positions were explored" in done.stdout
    data = json.loads(run("explore", "tiles-2x4", "--memory", "400K", "--json").stdout)
    assert data["reason"] == "memory" and data["goal_distances"] is None


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
def test_ctrl_c_leaves_a_partial_answer() -> None:
    with begun("explore", "tiles-3x4", "--memory", "1G") as process:
        assert process.stderr is not None
        process.stderr.readline()  # the first line of progress: the search is running
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 4, err
    assert "stopped (interrupted)" in out and "Traceback" not in err


def test_a_twisty_puzzle_is_measured_unless_it_is_too_large(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    done = run("explore", "top-spin", "--every")
    assert done.returncode == 0, done.stderr
    assert "181,440 reachable positions" in done.stdout
    found = fewest.load("top-spin").explore()
    assert (found.num_states, found.minimum, found.eccentricity) == (181_440, 19, 23)
    assert (
        found.goal_distances is not None and found.goal_distances.eccentricity == 23
    )  # the same eccentricity as that of the start
    measured = fewest.load("pancakes-7").explore()
    assert (
        measured.goal_distances is not None and measured.goal_distances.eccentricity == 8
    )  # the pancake number P(7)
    monkeypatch.setattr("fewest.commands.explore.computation._by_core", lambda *_, **__: None)
    monkeypatch.setattr("fewest.commands.explore.computation._MOST_TURNED", 1_000)
    done = run("explore", "pancakes-7")
    assert "not measured because arrays cannot hold so many moves" in done.stdout
    found = fewest.load("pancakes-7").explore()
    assert found.goal_distances is None and found.num_plans is None and found.is_exhausted
    refused = run("explore", "top-spin", "--store", "index")
    assert refused.returncode == 2
    assert "permutes" in refused.stderr
