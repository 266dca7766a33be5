"""The comparison of engines compares the right values, finds contradictions, and has results after a crash."""

from __future__ import annotations

import csv
import io
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from textwrap import indent
from typing import Any

import pytest

from fewest.commands.compare import Comparison, EngineSpec, Entry, compare, parse_engine_spec
from fewest.commands.compare.summary import notable
from fewest.commands.compare.text import (
    disagreement_text,
    engine_table,
    format_bytes,
    panels,
    profile_table,
)
from fewest.drawing.table import table
from fewest.engines import ENGINES, Engine
from fewest.engines.sat import QUICK_SOLVER
from fewest.errors import UsageError
from fewest.machine.memory import memory_of_tree, peak_memory
from fewest.model.answer import Horizon
from tests.helpers.command_line import begun
from tests.helpers.command_line import run as run_here
from tests.helpers.effort import wait_until

LINE = "puzzle: line\nmodel: sliding-blocks\nboard: |\n  A...\ngoal: {A: {touches: right}}\n"

# Incorrect engines, each given by the body of its `solve`: one makes a detour before it goes to the goal, one makes the
# same detour but does not claim optimality, one denies that there is a plan, one crashes, one raises an error, one
# returns operators that are no plan, one ignores its limits, and one uses too much memory.
DETOUR = """
answer = bfs.solve(task, metric, limits)
first = answer.plan[0]
back = next(number for number, operator in enumerate(task.operators)
            if operator.flip == task.operators[first].flip and number != first)
return Answer({claim}, (first, back, *answer.plan))
"""
FAKES = {
    "detour": DETOUR.format(claim='"optimal", (5,), (5,)'),
    "finder": DETOUR.format(claim='"solved", (5,), (0,)'),
    "denier": 'return Answer("unsolvable", None, (0,), None)',
    "crasher": "os.kill(os.getpid(), signal.SIGSEGV)",
    "thrower": 'raise ZeroDivisionError("division by zero")',
    "liar": 'return Answer("optimal", (1,), (1,), bfs.solve(task, metric, limits).plan[:1])',
    "deaf": """
signal.signal(signal.SIGINT, signal.SIG_IGN)
progress(Horizon(1, "no plan", 2.0))
while True: signal.pause()
""",
    "glutton": """
progress(Horizon(2, "no plan", 0.1))
block = bytearray(600 << 20)
while True: signal.pause()
""",
}


@pytest.fixture
def fakes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the wrong engines. They are registered in this process, in the processes that it starts, and in
    every process that has this folder on PYTHONPATH.
    """
    folder = tmp_path / "fakes"
    folder.mkdir()
    head = (
        "import os, signal\nfrom fewest.engines import bfs\n"
        "from fewest.model.answer import Answer, Horizon\n"
        "def solve(task, metric, limits, progress=None):\n"
    )
    registry = "from fewest.engines import ENGINES, Engine\n"
    for name, text in FAKES.items():
        (folder / f"fake_{name}.py").write_text(head + indent(text.strip(), "    ") + "\n")
        registry += f"ENGINES['{name}'] = Engine('fake_{name}', 'wrong')\n"
        monkeypatch.setitem(ENGINES, name, Engine(f"fake_{name}", "wrong"))
    (folder / "sitecustomize.py").write_text(registry)
    monkeypatch.syspath_prepend(str(folder))
    (tmp_path / "line.yaml").write_text(LINE)
    monkeypatch.chdir(tmp_path)
    return folder


def run(*args: str) -> Any:
    """Run `compare` in this process; only the engines run in other processes."""
    return run_here("compare", *args)


def environment(fakes: Path | None = None) -> dict[str, str]:
    paths = [str(fakes)] if fakes else []
    path = os.pathsep.join([*paths, *filter(None, sys.path)])
    return {**os.environ, "PYTHONIOENCODING": "utf-8", "COLUMNS": "80", "PYTHONPATH": path}


# Tests of the comparison of entries, by pure functions.


def entry(engine: str, status: str, cost: Any = None, bound: Any = None, **more: Any) -> Entry:
    plan = None if cost is None else f"1. the plan of {engine}"
    return Entry(engine, status, cost, cost if bound is None else bound, plan=plan, **more)  # type: ignore[arg-type]


def comparison(*entries: Entry, metric: str = "moves") -> Comparison:
    return Comparison("p", "P", "p.yaml", {}, metric, entries)


@pytest.mark.parametrize(
    ("first", "second", "claim"),
    [
        (entry("a", "optimal", 5), entry("b", "optimal", 7), "b"),
        (entry("a", "optimal", 5), entry("b", "solved", 4, 0), "a"),
        (entry("a", "solved", 5, 0), entry("b", "limit", None, 6), "b"),
        (entry("a", "solved", 5, 0), entry("b", "unsolvable", None, 0), "b"),
        (entry("a", "optimal", (3, 9)), entry("b", "optimal", (3, 8)), "a"),
        (entry("a", "limit", 7, 6), entry("b", "optimal", 5), "a"),
    ],
)
def test_engines_that_cannot_both_be_right_disagree(
    first: Entry, second: Entry, claim: str
) -> None:
    for entries in ((first, second), (second, first)):
        found = comparison(*entries)
        assert [one.claim.engine for one in found.disagreements] == [claim]
        assert found.minimum is None
        text = "\n".join(disagreement_text(found))
        assert text.startswith("DISAGREEMENT: ")
        for one in entries:
            assert f"the plan of {one.engine}" in text or f"{one.engine} gives no plan" in text


@pytest.mark.parametrize(
    "entries",
    [
        (entry("a", "optimal", 5), entry("b", "optimal", 5)),
        (entry("a", "optimal", 5), entry("b", "limit", None, 5), entry("c", "solved", 9, 0)),
        (entry("a", "unsolvable", None, 40), entry("b", "unsolvable", None, 0)),
        (entry("a", "unsolvable", None, 0), entry("b", "limit", None, 12)),
        (entry("a", "optimal", (3, 9)), entry("b", "limit", None, (3, 2))),
        (entry("a", "optimal", 5), entry("b", "refused"), entry("c", "failed")),
    ],
)
def test_engines_that_can_both_be_right_agree(entries: tuple[Entry, ...]) -> None:
    found = comparison(*entries)
    assert found.disagreements == ()
    assert found.is_decided
    assert found.minimum == (entries[0].cost if entries[0].status == "optimal" else None)


def test_a_plan_without_proof_is_shown_with_its_distance_from_the_minimum() -> None:
    found = comparison(
        entry("a", "optimal", 5),
        entry("b", "solved", 7, 0),
        entry("c", "solved", 5, 0),
        entry("d", "limit", 6, 2, reason="time"),
    )
    assert [found.above_minimum(one) for one in found.entries] == [0, 2, 0, 1]
    text = "\n".join(engine_table(found))
    assert "found, +2" in text and "found, minimal" in text and "time limit, +1" in text
    pair = comparison(entry("a", "optimal", (3, 9)), entry("b", "solved", (4, 8), (0, 0)))
    assert pair.above_minimum(pair.entries[1]) == (1, -1)
    assert comparison(entry("b", "solved", 7, 0)).above_minimum(entry("b", "solved", 7, 0)) is None


def test_the_same_error_of_several_engines_is_shown_once_with_their_names() -> None:
    error = "the compiled task of p disagrees with the rules, so there is no answer\nIn this position\n\n  A."
    found = comparison(
        entry("bfs", "failed", error=error),
        entry("sat", "failed", error="another"),
        entry("asp", "failed", error=error),
        entry("asp", "failed", error=error, repeat=2),
    )
    text = engine_table(found)
    assert text[5:] == [
        "  bfs, asp: the compiled task of p disagrees with the rules, so there is no",
        "    answer",
        "    In this position",
        "      A.",
        "  sat: another",
    ]
    lines = notable([found])
    assert sum(line.startswith("failed: ") for line in lines) == 2
    assert any(line.startswith("failed: p, moves: bfs, asp: the compiled task") for line in lines)
    assert (found._repr_html_() or "").count("disagrees") == 1


def test_a_comparison_is_decided_by_a_proof_or_if_no_engine_supports_the_metric() -> None:
    assert comparison(entry("a", "refused")).is_decided
    assert not comparison(entry("a", "limit", None, 3), entry("b", "refused")).is_decided
    assert not comparison(entry("a", "solved", 3, 0)).is_decided


def test_a_profile_gives_horizons_and_layers_the_same_costs() -> None:
    horizons = [Horizon(0, "no plan", 0.1, 0, 10, 20), Horizon(1, "plan", 0.2, 3, 20, 40)]
    planner = entry("sat", "optimal", 3, statistics={"horizons": horizons, "unit": 3})
    search = entry("bfs", "optimal", 3, statistics={"layers": [[[0], 1], [[3], 4]], "states": 5})
    rows = [*planner.profile(), *search.profile()]
    assert [(row.cost, row.verdict) for row in rows] == [
        (0, "no plan"),
        (3, "plan"),
        (0, "no plan"),
        (3, "plan"),
    ]
    assert (planner.variables, planner.clauses, planner.conflicts) == (20, 40, 3)
    lines = profile_table(comparison(planner, search))
    assert [line.split()[:2] for line in lines] == [
        ["moves", "engine"],
        ["0", "sat"],
        ["bfs", "no"],
        ["3", "sat"],
        ["bfs", "plan"],
    ]
    (panel,) = panels([comparison(planner, search)])
    assert panel.lines == {"sat": [(0.0, 0.1), (3.0, 0.2)]}


def test_a_table_leaves_out_empty_columns_and_measures_wide_characters() -> None:
    assert table(("a", "b", "c"), [["曹操", "", "1"], ["x", "", "12"]], left=(0,)) == [
        "a      c",
        "曹操   1",
        "x     12",
    ]
    assert [format_bytes(n) for n in (38 << 20, 3 << 29)] == ["38 MiB", "1.5 GiB"]


# The choice of engines.


def test_an_engine_may_carry_an_encoding_and_a_solver() -> None:
    assert parse_engine_spec("bfs") == EngineSpec("bfs", "bfs", {})
    assert parse_engine_spec("sat:operators").options == {"encoding": "operators"}
    assert parse_engine_spec("sat:operators:glucose4").options == {
        "encoding": "operators",
        "solver": "glucose4",
    }
    assert parse_engine_spec("sat::glucose4").options == {"solver": "glucose4"}
    assert parse_engine_spec("asp::tweety").options == {"configuration": "tweety"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("bsf", "did you mean `bfs`"),
        ("sat:operatrs", "did you mean `operators`"),
        ("sat:operators:glucos4", "did you mean `glucose4`"),
        ("sat:glucose4", "sat::glucose4"),
        ("asp::glucose4", "`glucose4` is not a valid value of --configuration"),
        ("asp:operators", "use --engine sat"),
        ("sat:operators:glucose4:more", "engine:encoding:solver"),
    ],
)
def test_an_unknown_name_causes_a_suggestion(text: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        parse_engine_spec(text)


# Processes of engines.


@pytest.mark.usefixtures("engines_here")
def test_every_engine_agrees_on_small_puzzles(tmp_path: Path) -> None:
    path = tmp_path / "line.yaml"
    path.write_text(LINE)
    done = compare(
        [path, "hanoi"], ["bfs", "python", "sat", "sat:operators:glucose4", "asp"], ["all"]
    )
    assert [(c.puzzle, c.metric, c.minimum) for c in done.comparisons] == [
        ("line", "steps", 3),
        ("line", "slides", 1),
        ("line", "turns", 1),
        ("hanoi", "moves", 7),
    ]
    assert done.verdict == "decided"
    for found in done.comparisons:
        assert {one.status for one in found.entries} == {"optimal"}
        for one in found.entries:
            assert one.plan is not None and one.moves
            assert one.seconds is not None and one.seconds > 0
            assert (one.states is None) != (one.clauses is None)
            assert [row.verdict for row in one.profile()][-1] == "plan"
            first = 0 if one.states else 1  # SAT and ASP need no call for a horizon of 0 moves
            costs = [row.cost for row in one.profile()]
            assert costs == list(range(first, int(str(one.cost)) + 1))
    sat = {one.engine: one.statistics for one in done.comparisons[0].entries}
    assert sat["sat"]["solver"] == QUICK_SOLVER
    assert sat["sat:operators:glucose4"]["solver"] == "glucose4"


def test_memory_is_that_of_the_engine_and_not_of_its_parent() -> None:
    ballast = bytearray(b"1") * (300 << 20)
    assert peak_memory() > len(ballast)
    done = compare(["jugs"], ["bfs", "sat", "asp"], memory=200 << 20)
    for one in done.comparisons[0].entries:
        assert one.status == "optimal"
        assert one.memory is not None and one.memory_before is not None
        assert 10 << 20 < one.memory_before <= one.memory < 200 << 20


def test_files_in_the_current_folder_are_not_imported(tmp_path: Path) -> None:
    (tmp_path / "random.py").write_text("raise SystemExit('not this one')\n")
    code = "from fewest.commands.compare import compare; print(compare(['jugs'], ['bfs', 'sat']).verdict)"
    done = subprocess.run(
        [sys.executable, "-P", "-c", code],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env=environment(),
        timeout=60,
    )
    assert done.stdout == "decided\n", done.stderr


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc")
def test_the_memory_of_a_tree_is_that_of_all_its_processes() -> None:
    code = (
        "import subprocess, sys; child = 'a = bytearray(50 << 20); print(1, flush=True); input()'\n"
        "subprocess.run([sys.executable, '-c', child])"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        found = memory_of_tree(process.pid)
        assert found is not None and 60 << 20 < found[0] < 120 << 20
        process.communicate(b"\n")
    assert memory_of_tree(process.pid) is None


@pytest.mark.usefixtures("engines_here")
def test_a_metric_that_an_engine_cannot_count_is_a_row() -> None:
    done = run("microban-001", "-m", "pushes-then-moves")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("refused") == 2
    assert "8 + 33  proven" in done.stdout
    assert "`asp` does not support the lexicographic metric" in done.stdout
    alone = run("microban-001", "-m", "pushes-then-moves", "-e", "asp,sat")
    assert alone.returncode == 2 and "none of these engines" in alone.stderr


def test_limits_are_rows_and_code_four_if_no_engine_proves_anything() -> None:
    done = run("fifteen-30", "--time", "0.2", "-e", "python,asp", "--json")
    assert done.returncode == 4
    data = json.loads(done.stdout)
    assert data["verdict"] == "open"
    for one in data["comparisons"][0]["entries"]:
        assert (one["status"], one["reason"]) == ("limit", "time")
        assert 0 < one["lower_bound"] <= 30


@pytest.mark.parametrize(
    ("args", "code", "words"),
    [
        (["bird", "-e", "bfs,bsf"], 2, "did you mean `bfs`"),
        (["bird", "-e", "bfs,,asp"], 2, "contains an empty name"),
        (["bird", "-m", "slidse"], 2, "did you mean `slides`"),
        (["heng-dao-lima"], 3, "did you mean `heng-dao-li-ma`"),
        (["bird", "--set", "n=5"], 2, "parameter"),
        (["bird", "--plot", "x.pdf"], 2, ".svg or .png"),
        (["bird", "--plot", "no/where/x.svg"], 3, "no/where"),
        ([], 2, "PUZZLE"),
    ],
)
def test_mistakes_are_reported_before_any_engine_starts(
    args: list[str], code: int, words: str
) -> None:
    done = run(*args)
    assert (done.returncode, done.stdout) == (code, ""), done.stderr
    assert words in done.stderr and "Traceback" not in done.stderr


def test_only_one_format_is_allowed_and_errors_follow_json() -> None:
    done = run("bird", "--csv", "--json")
    error = json.loads(done.stdout)["error"]
    assert (done.returncode, error["kind"], error["hint"]) == (2, "usage", "leave out one of them")


# The output.


@pytest.mark.usefixtures("engines_here")
def test_the_table_fits_eighty_columns_and_has_no_colour_in_a_pipe() -> None:
    done = run("wolf-goat-cabbage", "guarini", "--profile", "-m", "all", "-e", "bfs,sat")
    assert done.returncode == 0
    assert max(len(line) for line in done.stdout.splitlines()) <= 80
    assert "\x1b" not in done.stdout
    assert "at the last horizon" in done.stdout


@pytest.mark.usefixtures("engines_here")
def test_csv_has_a_row_for_each_engine_and_with_a_profile_for_each_horizon() -> None:
    args = ["hanoi", "--set", "disks=2", "-e", "bfs,sat,asp", "--csv"]
    rows = list(csv.DictReader(io.StringIO(run(*args).stdout)))
    assert [(row["engine"], row["status"], row["cost"]) for row in rows] == [
        (name, "optimal", "3") for name in ("bfs", "sat", "asp")
    ]
    assert "disks=2" in rows[0]["parameters"]
    assert all(int(row["memory"]) > 10**7 and float(row["seconds"]) > 0 for row in rows)
    rows = list(csv.DictReader(io.StringIO(run(*args, "--profile").stdout)))
    assert [(row["engine"], row["cost"], row["verdict"]) for row in rows] == [
        (name, str(cost), "plan" if cost == 3 else "no plan")
        for name in ("bfs", "sat", "asp")
        for cost in range(0 if name == "bfs" else 1, 4)
    ]
    assert [row["states"] for row in rows[:2]] == ["1", "2"]
    # A bound excludes a horizon of one move without a call: each of the two disks needs a move.
    proved = [row for row in rows[4:] if row["cost"] != "1"]
    assert [row["clauses"] for row in rows[4:] if row not in proved] == ["", ""]
    assert all(int(row["clauses"]) > 0 for row in proved)


@pytest.mark.usefixtures("engines_here")
def test_json_has_everything() -> None:
    data = json.loads(run("guarini", "-e", "bfs,sat", "--json").stdout)
    (found,) = data["comparisons"]
    assert (found["minimum"], found["decided"], found["disagreements"]) == (16, True, [])
    search, sat = found["entries"]
    assert len(search["plan"]) == 16 and len(sat["profile"]) == 16
    assert search["states"] == sum(row["states"] for row in search["profile"])
    assert sat["statistics"]["encoding"] == sat["encoding"] == "alternating"
    assert (data["num_planned"], data["num_finished"], data["interrupted"]) == (2, 2, False)


@pytest.mark.parametrize(("name", "magic"), [("a.svg", b"<?xml"), ("a.PNG", b"\x89PNG")])
@pytest.mark.usefixtures("engines_here")
def test_plots_are_written(
    tmp_path: Path, name: str, magic: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = run("hanoi", "eight-puzzle", "-e", "bfs,asp", "--time", "0.1", "--plot", name)
    assert done.returncode == 0, done.stderr
    data = (tmp_path / name).read_bytes()
    assert data.startswith(magic) and len(data) > 5_000
    assert [path.name for path in tmp_path.iterdir()] == [name]


# Engines that fail.


@pytest.mark.usefixtures("fakes", "engines_here")
def test_two_engines_that_disagree_are_exit_code_one_with_both_plans() -> None:
    done = run("line.yaml", "-e", "bfs,detour,sat,denier")
    assert done.returncode == 1, done.stderr
    assert (
        "DISAGREEMENT: detour says that at least 5 steps are needed, but bfs has a plan of 3 steps"
        in (done.stdout)
    )
    assert "DISAGREEMENT: denier says that there is no plan, but bfs has a plan of 3" in done.stdout
    assert "the plan of bfs, 3 steps:\n1. A →\n2. A →\n3. A →" in done.stdout
    assert "the plan of detour, 5 steps:\n1. A →\n2. A ←\n3. A →" in done.stdout
    assert "denier gives no plan" in done.stdout
    as_json = run("line.yaml", "-e", "bfs,detour", "--json")
    assert as_json.returncode == 1 and "DISAGREEMENT" in as_json.stderr
    (found,) = json.loads(as_json.stdout)["comparisons"]
    assert (found["disagreements"][0]["claim"], found["minimum"]) == ("detour", None)


@pytest.mark.usefixtures("fakes")
def test_a_crash_is_a_row_and_the_other_runs_continue() -> None:
    done = run("line.yaml", "-e", "crasher,thrower,liar,bfs")
    assert done.returncode == 70
    assert done.stdout.count("failed") == 3 and "3  proven" in done.stdout
    assert "crasher: the process crashed (SIGSEGV)" in done.stdout
    assert "thrower: ZeroDivisionError: division by zero" in done.stdout
    assert "liar: a wrong plan: " in done.stdout
    assert "Traceback" not in done.stderr


@pytest.mark.usefixtures("fakes", "engines_here")
def test_a_plan_without_proof_settles_nothing() -> None:
    alone = run("line.yaml", "-e", "finder")
    assert alone.returncode == 4 and "≤ 5  found" in alone.stdout
    both = run("line.yaml", "-e", "finder,bfs")
    assert both.returncode == 0 and "≤ 5  found, +2" in both.stdout


@pytest.mark.usefixtures("fakes")
def test_an_engine_far_beyond_its_limits_is_ended_and_its_bound_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fewest.commands.compare.process._GRACE_SECONDS", 2.0)
    done = compare([tmp_path / "line.yaml"], ["deaf"], seconds=0.5)
    (deaf,) = done.comparisons[0].entries
    assert (deaf.status, deaf.reason, deaf.lower_bound) == ("limit", "time", 2)
    assert done.verdict == "open"
    # without a limit on time, which a busy machine may reach first
    done = compare([tmp_path / "line.yaml"], ["glutton"], memory=200 << 20)
    (glutton,) = done.comparisons[0].entries
    assert (glutton.status, glutton.reason, glutton.lower_bound) == ("limit", "memory", 3)
    assert glutton.memory is not None and glutton.memory > 450 << 20
    assert done.verdict == "open"


@pytest.mark.parametrize("engine", ["python", "sat", "asp", "deaf"])
def test_an_interrupted_comparison_keeps_finished_runs(
    fakes: Path, tmp_path: Path, engine: str
) -> None:
    first = "tiles-3x4" if engine == "python" else "eight-puzzle"  # the others ground it faster
    puzzles, engines = [first, "fifteen-30"], f"{engine},bfs"
    if engine == "deaf":
        puzzles, engines = ["line.yaml", "fifteen-30"], f"bfs,{engine}"
    command = ["compare", *puzzles, "-e", engines]
    with begun(*command, env=environment(fakes), cwd=tmp_path) as process:
        assert process.stderr is not None
        began = (
            process.stderr.readline()
        )  # the first line of progress: the engine has reported a bound
        below = children(process.pid)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    err = began + err
    assert process.returncode == 4, err
    assert "interrupted" in out and "≥" in out
    finished = 1 if engine == "deaf" else 0
    assert f"interrupted: {finished} of 4 answers finished" in err
    assert "Traceback" not in err
    assert not [pid for pid in below if Path(f"/proc/{pid}").exists()]


def test_the_processes_end_with_their_parent(fakes: Path, tmp_path: Path) -> None:
    with begun("compare", "tiles-3x4", "-e", "sat", env=environment()) as process:
        wait_until(lambda: len(children(process.pid)) >= 2)  # the engine and its solver
        below = children(process.pid)
        process.kill()
    wait_until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in below))


def children(pid: int) -> list[int]:
    """All descendants of a process, on systems that list them."""
    found = []
    for thread in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in map(int, thread.read_text().split()):
            found += [child, *children(child)]
    return found
