"""From facts for the generic ASP programs, clingo finds the minima of twenty puzzles and refutes shorter plans."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

import fewest
from fewest.commands.export import export, write_files
from fewest.machine.resources import encoding_folder
from tests.helpers.planners import CLINGO

# The columns are the puzzle, the metric (None: the default), and the published minimum (None: not published, or not
# compared). The documents give the sources.
PUZZLES = [
    ("jugs", None, 6),
    ("jugs-8-5-3", None, 7),
    ("hanoi", None, 7),
    ("hanoi-four-pegs", None, None),
    ("wolf-goat-cabbage", None, 7),
    ("guarini", None, 16),
    ("machinarium", None, 15),
    ("tiles-2x2", None, 6),
    ("tiles-2x3", None, 21),
    ("small-4x6", "slides", None),
    ("small-5x5", "slides", None),
    ("forty-01", "slides", 9),
    ("microban-001", "pushes", 8),
    ("microban-002", "pushes", 3),
    ("microban-002", "moves", 16),
    ("triangle-10", None, None),
    ("lights-out-3x3", None, None),
    ("pancakes-7", None, 7),
    ("clones-one", None, None),
    ("frozen-pond", None, None),
]


def clingo_output(file: Path, manner: str, *options: str) -> str:
    """The output of clingo for a file, with the programs that the head of the file lists."""
    head = file.read_text(encoding="utf-8")
    (line,) = re.findall(rf"^%   clingo (.* run/{manner}\.lp run/show\.lp) FILE", head, re.M)
    folder = encoding_folder() / "asp"
    files = [str(folder / name) for name in line.split()]
    done = subprocess.run(
        [*CLINGO, *files, str(file), *options],
        capture_output=True,
        text=True,
        timeout=120,
        encoding="utf-8",
    )
    assert done.stderr == "", done.stderr
    return done.stdout


@pytest.mark.parametrize(("name", "metric", "published"), PUZZLES)
def test_the_clingo_program_finds_the_minimum_with_the_generic_programs(
    name: str, metric: str | None, published: int | None, tmp_path: Path
) -> None:
    compiled = fewest.load(name)
    cost = compiled.solve(metric).cost
    assert isinstance(cost, int)
    assert published is None or cost == published
    made = export(compiled, "asp-facts", metric)
    (file,) = write_files(made, tmp_path / "instance.lp")
    moves = cost // made.unit
    deepening = clingo_output(file, "incremental")
    assert f"Calls        : {moves + 1}" in deepening
    assert len(set(re.findall(r"move\((\d+),", deepening))) == moves
    assert "UNSATISFIABLE" not in deepening and "\nSATISFIABLE" in deepening
    for horizon, verdict in ((moves - 1, "\nUNSATISFIABLE"), (moves, "\nSATISFIABLE")):
        assert verdict in clingo_output(file, "horizon", "-c", f"horizon={horizon}")


def test_the_facts_contain_no_rule_and_no_program(tmp_path: Path) -> None:
    text = export(fewest.load("bird"), "asp-facts", "slides").text()
    lines = [line for line in text.splitlines() if line and not line.startswith("%")]
    assert lines[0] == "#program base."
    assert all(re.fullmatch(r"\w+(\(.*\))?\.", line) for line in lines[1:])
    assert len(lines) > 500


@pytest.mark.parametrize(
    ("name", "left_out", "manner"),
    [
        ("microban-001", "free.lp", "horizon"),
        ("microban-001", "free.lp", "incremental"),
        ("landslide", "conditional_effects.lp", "incremental"),
    ],
)
def test_a_program_that_the_facts_need_is_named_if_it_is_left_out(
    name: str, left_out: str, manner: str, tmp_path: Path
) -> None:
    file = tmp_path / "facts.lp"
    write_files(export(fewest.load(name), "asp-facts"), file)
    text = file.read_text(encoding="utf-8")
    assert f" {left_out} " in text
    file.write_text(re.sub(r"moves\.lp .*? run/", "moves.lp run/", text), encoding="utf-8")
    words = f'("this puzzle also needs the program","{left_out}")'
    assert words in clingo_output(file, manner)
