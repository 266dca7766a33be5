"""`fewest sweep` prints tables and formulas, resumes its file, and handles Ctrl-C and several processes."""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path

import click
import pytest

from fewest.cli.options import Values
from fewest.commands.sweep import Family, Member, Sweep, family, fits, sweep
from fewest.commands.sweep.file import SweepFile
from fewest.commands.sweep.levels import levels
from fewest.errors import DocumentError, NotFoundError, UsageError
from fewest.formats.collection import Collection
from fewest.formats.lines import driftingdroids
from tests.helpers.command_line import begun, run
from tests.helpers.effort import wait_until

# A corridor of n cells. For n = 4, the last cell is a wall, so this member has no solution.
CORRIDOR = """
puzzle: corridor
parameters: {n: {default: 3, min: 1, max: 9}}
model: sliding-blocks
board: "A{'.' * (n - 1) if n != 4 else '.#.'}"
goal: {A: {touches: right}}
metrics: {steps: {}, slides: {merge: line}, both: [slides, steps]}
metric: steps
"""


def solved(ref: str | Path, metric: str | None = None, jobs: int = 1, **ranges: list[int]) -> Sweep:
    return sweep(family(ref, ranges, metric), jobs=jobs)


def table(done: Sweep) -> list[tuple[object, ...]]:
    """Each member without its seconds."""
    return [
        (dict(m.parameters), m.status, m.cost, m.lower_bound, m.states, m.reason, m.error)
        for m in done.members
    ]


@pytest.fixture
def corridor(tmp_path: Path) -> Path:
    path = tmp_path / "corridor.yaml"
    path.write_text(CORRIDOR)
    return path


def test_arrows_give_n_squared_plus_two_n() -> None:
    done = solved("machinarium", n=list(range(8)))
    assert [m.cost for m in done.members] == [n * (n + 2) for n in range(8)]
    assert [fit.form.text for fit in done.fits] == ["n² + 2n"]


def test_hanoi_gives_two_to_the_n_minus_one() -> None:
    done = solved("hanoi", disks=[1, 2, 3, 4, 5, 6])
    assert [fit.form.text for fit in done.fits] == ["2^disks − 1"]
    assert [fit.form.expression for fit in done.fits] == ["2**disks - 1"]


def test_four_pegs_get_no_formula_but_three_do() -> None:
    done = solved("hanoi", disks=[1, 2, 3, 4, 5, 6], pegs=[3, 4])
    assert len(done.members) == 12
    assert [(fit.fixed, fit.form.text) for fit in done.fits] == [({"pegs": 3}, "2^disks − 1")]


def test_unsolvable_and_invalid_members_are_shown_and_not_fitted(corridor: Path) -> None:
    done = solved(corridor, n=list(range(11)))
    statuses = {m.parameters["n"]: m.status for m in done.members}
    assert [n for n, status in statuses.items() if status == "invalid"] == [0, 10]
    assert [n for n, status in statuses.items() if status == "unsolvable"] == [4]
    assert {m.reason for m in done.members if m.status == "invalid"} == {"parameter-range"}
    (fit,) = done.fits
    assert (fit.form.text, fit.form.num_values) == ("n − 1", 8)


def test_a_pair_of_costs_is_fitted_part_by_part(corridor: Path) -> None:
    done = solved(corridor, "both", n=[2, 3, 5, 6, 7, 8, 9])
    assert done.members[-1].cost == (1, 8)
    assert [(fit.part, fit.form.text) for fit in done.fits] == [(0, "1"), (1, "n − 1")]


def test_a_limit_leaves_a_member_open_and_its_bound_can_refute_a_formula() -> None:
    proven = [Member({"n": n}, "optimal", n * n, n * n) for n in range(6)]
    fine = Member({"n": 6}, "limit", None, 36, reason="time")
    assert [f.form.text for f in fits(["n"], [*proven, fine])] == ["n²"]
    refuted = Member({"n": 6}, "limit", None, 37, reason="time")
    assert fits(["n"], [*proven, refuted]) == ()
    cheaper = Member({"n": 6}, "solved", 35, 0)
    assert fits(["n"], [*proven, cheaper]) == ()


def test_a_time_limit_is_shown_with_its_lower_bound() -> None:
    done = sweep(family("machinarium", {"n": [2, 60]}, seconds=0.3, memory=1 << 30))
    first, second = done.members
    assert (first.status, first.cost) == ("optimal", 8)
    assert (second.status, second.reason) == ("limit", "time")
    assert isinstance(second.lower_bound, int) and 0 < second.lower_bound <= 60 * 62


def test_processes_give_the_same_table() -> None:
    ranges = {"disks": [0, 1, 2, 3, 4, 5], "pegs": [2, 3, 4]}
    one, three = solved("hanoi", jobs=1, **ranges), solved("hanoi", jobs=3, **ranges)
    assert table(one) == table(three)
    assert {m.status for m in one.members} == {"optimal", "unsolvable", "invalid"}
    assert one.fits == three.fits


def test_members_are_shown_in_the_order_of_the_family() -> None:
    seen: list[Member] = []
    query = family("machinarium", {"n": [9, 1, 8, 0]})
    done = sweep(query, jobs=2, on_member=seen.append)
    assert tuple(seen) == done.members
    assert [m.parameters["n"] for m in seen] == [9, 1, 8, 0]


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_request_that_an_engine_does_not_support_is_a_usage_error(
    tmp_path: Path, jobs: int
) -> None:
    path = tmp_path / "no-goal.yaml"
    path.write_text("\n".join(line for line in CORRIDOR.splitlines() if "goal:" not in line))
    with pytest.raises(UsageError, match="no goal"):
        sweep(family(path, {"n": [1, 2, 3]}), jobs=jobs)


def test_bad_queries_are_usage_errors_before_anything_is_solved() -> None:
    with pytest.raises(UsageError, match="did you mean `disks`"):
        family("hanoi", {"disk": [1]})
    with pytest.raises(UsageError, match="no metric `pushes`"):
        family("hanoi", {"disks": [1]}, "pushes")
    with pytest.raises(UsageError, match="no engine `bsf`"):
        family("hanoi", {"disks": [1]}, engine="bsf")
    with pytest.raises(UsageError, match="100,000 members"):
        family("hanoi", {"disks": list(range(1000)), "pegs": list(range(101))})
    with pytest.raises(NotFoundError):
        family("hanoi-of-no-kind", {"n": [1]})
    with pytest.raises(DocumentError):
        family("hanoi", {"disks": [0, -1]})


# -- the file -----------------------------------------------------------------------------------------


def sweep_into(path: Path, query: Family, jobs: int = 1) -> Sweep:
    with SweepFile(path) as file:
        return sweep(query, jobs=jobs, file=file)


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_second_run_takes_everything_from_the_file(tmp_path: Path, jobs: int) -> None:
    path = tmp_path / "arrows.jsonl"
    first = sweep_into(path, family("machinarium", {"n": [0, 1, 2, 3]}), jobs)
    content = path.read_bytes()
    assert len(content.splitlines()) == 4
    again = sweep_into(path, family("machinarium", {"n": [0, 1, 2, 3]}), jobs)
    assert again.members == first.members  # their seconds are also equal
    assert path.read_bytes() == content
    longer = sweep_into(path, family("machinarium", {"n": [3, 4, 5]}), jobs)
    assert [m.cost for m in longer.members] == [15, 24, 35]
    assert len(path.read_bytes().splitlines()) == 6


def test_a_line_has_the_query_and_the_answer(tmp_path: Path) -> None:
    path = tmp_path / "arrows.jsonl"
    sweep_into(path, family("machinarium", {"n": [2]}, seconds=60, memory=1 << 30))
    row = json.loads(path.read_text())
    assert len(row.pop("document")) == len(row.pop("check")) == 16 and row.pop("seconds") > 0
    assert row.pop("audit").keys() == {"positions", "all"}  # its numbers depend on the time
    assert row == {
        "sweep": 1,
        "puzzle": "machinarium-arrows",
        "metric": "moves",
        "engine": "auto",
        "time": 60,
        "memory": 1 << 30,
        "parameters": {"n": 2},
        "status": "optimal",
        "cost": 8,
        "lower_bound": 8,
        "states": 23,
        "reason": None,
        "error": None,
        "lurd": None,
        "argument": None,
    }


def test_answers_under_other_settings_are_not_taken(corridor: Path, tmp_path: Path) -> None:
    path = tmp_path / "corridor.jsonl"

    def lines_after(metric: str = "steps", engine: str = "bfs", n: int = 5) -> int:
        sweep_into(path, family(corridor, {"n": [n]}, metric, engine=engine))
        return len(path.read_text().splitlines())

    assert lines_after() == 1
    assert lines_after() == 1
    assert lines_after(metric="slides") == 2
    assert lines_after(engine="python") == 3
    corridor.write_text(CORRIDOR + "title: the same rules\n# as before\n")
    assert lines_after() == 3
    corridor.write_text(CORRIDOR.replace("touches: right", "at: [0, 1]"))
    assert lines_after() == 4
    corridor.write_text(CORRIDOR)
    assert lines_after() == 4


def test_an_open_member_is_tried_again_under_another_limit_only(tmp_path: Path) -> None:
    path = tmp_path / "arrows.jsonl"

    def seconds_of(limit: float, memory: int = 1 << 30) -> tuple[float, int]:
        query = family("machinarium", {"n": [60]}, seconds=limit, memory=memory)
        done = sweep_into(path, query)
        return done.members[0].seconds, len(path.read_text().splitlines())

    first, _ = seconds_of(0.1)
    assert seconds_of(0.1) == (first, 1)
    assert seconds_of(0.1, memory=1 << 29) == (first, 1)
    assert seconds_of(0.2)[1] == 2


@pytest.mark.parametrize("keep", [0, 1, 5, 40, -1])
def test_a_torn_last_line_is_solved_again(tmp_path: Path, keep: int) -> None:
    path = tmp_path / "arrows.jsonl"
    query = family("machinarium", {"n": [0, 1, 2, 3]})
    first = sweep_into(path, query)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:3]) + lines[3][:keep])
    again = sweep_into(path, query)
    assert table(again) == table(first)
    assert again.members[:3] == first.members[:3]
    assert [json.loads(line)["parameters"]["n"] for line in path.read_text().splitlines()] == [
        0,
        1,
        2,
        3,
    ]


@pytest.mark.parametrize(
    "content",
    ["my notes", "my notes\n", '{"sweep": 1}\n', "[1]\n", '{"sweep":1,"x":2}\n', "\xff\n"],
)
def test_a_file_of_something_else_is_refused_and_left_alone(tmp_path: Path, content: str) -> None:
    path = tmp_path / "notes.txt"
    path.write_text(content, encoding="latin-1")
    before = path.read_bytes()
    with pytest.raises(UsageError, match="line 1: this is not a line of a sweep"):
        SweepFile(path)
    assert path.read_bytes() == before


# -- the command --------------------------------------------------------------------------------------


def test_the_command_prints_a_table_and_the_formula() -> None:
    done = run("sweep", "machinarium", "n=0..6")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0] == "machinarium-arrows: moves"
    assert lines[1].split() == ["n", "moves", "states", "seconds"]
    assert [line.split()[:3] for line in lines[2:5]] == [
        ["0", "0", "1"],
        ["1", "3", "6"],
        ["2", "8", "23"],
    ]
    assert lines[-2] == "moves = n² + 2n fits all 7 proven minima, 4 more than its coefficients"
    assert lines[-1] == "A fit is not a proof."


@pytest.mark.parametrize(
    ("disks", "number"), [("3", "1 proven minimum"), ("3..4", "2 proven minima")]
)
def test_the_command_reports_that_there_are_too_few_minima_for_a_formula(
    disks: str, number: str
) -> None:
    lines = run("sweep", "hanoi", f"disks={disks}").stdout.splitlines()
    assert lines[-1] == f"{number}: too few for a formula"


def test_the_command_as_json_and_csv() -> None:
    data = json.loads(run("sweep", "hanoi", "disks=1..5", "--json").stdout)
    assert [m["cost"] for m in data["members"]] == [1, 3, 7, 15, 31]
    assert [fit["expression"] for fit in data["fits"]] == ["2**disks - 1"]
    assert data["fits"][0]["proof"] is False and data["interrupted"] is False
    lines = run("sweep", "hanoi", "disks=0..2", "--csv").stdout.splitlines()
    assert lines[0] == "disks,status,moves,lower_bound,states,seconds,reason"
    assert lines[1].startswith("0,invalid,,,,") and lines[1].endswith(",puzzle-empty")
    assert lines[3].startswith("2,optimal,3,3,7,")


@pytest.mark.parametrize(
    ("args", "code", "words"),
    [
        (["machinarium", "n=0..3", "--csv", "--json"], 2, "cannot be used together"),
        (["machinarium", "n=1", "n=2"], 2, "given twice"),
        (["machinarium"], 2, "NAME=VALUES"),
        (["machinarium", "k=1..2"], 2, "the only parameter is n"),
        (["machinarium", "n=5..1"], 2, "write 1..5"),
        (["machinarium", "n=a"], 2, "n=0..10"),
        (["machinarium", "n=1..9..0"], 2, "step of the range 1..9..0"),
        (["machinarium", "n=0..100000"], 2, "100,000 values"),
        (["hanoi", "disks=-3..0"], 3, "puzzle-empty"),
        (["hanoi", "disks=2001,2002"], 3, ""),
        (["machinarium", "n=60", "--time", "0.2s", "--memory", "1G"], 4, ""),
        (["machinarium", "n=1", "--resume", "/"], 3, "/: "),
    ],
)
def test_exit_codes_and_messages(args: list[str], code: int, words: str) -> None:
    done = run("sweep", *args)
    assert done.returncode == code, done.stderr
    output = done.stderr + done.stdout  # with --json, errors go to stdout as JSON
    assert words in output and "Traceback" not in output


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("n=0..4", (0, 1, 2, 3, 4)),
        ("n=0..20..5", (0, 5, 10, 15, 20)),
        ("n=1,2,5", (1, 2, 5)),
        ("n=-2..1,7,7,0", (-2, -1, 0, 1, 7)),
        ("n=3", (3,)),
    ],
)
def test_ranges_are_read(text: str, values: tuple[int, ...]) -> None:
    assert Values().convert(text, None, None) == ("n", values)


@pytest.mark.parametrize("text", ["n", "n=", "=1", "n=1..", "n=..4", "n=1,,2", "2n=1", "n=1.5"])
def test_invalid_ranges_are_refused(text: str) -> None:
    with pytest.raises(click.UsageError):
        Values().convert(text, None, None)


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize("to_group", [False, True])
def test_ctrl_c_keeps_finished_members(tmp_path: Path, jobs: str, to_group: bool) -> None:
    path = tmp_path / "arrows.jsonl"
    args = ["sweep", "machinarium", "--resume", str(path), "--memory", "1G", "--jobs", jobs]
    # A second process continues with the member after the slow one.
    expected = 6 if jobs == "1" else 7
    with begun(*args, "n=0..5,80,6") as process:
        wait_until(lambda: path.exists() and path.read_bytes().count(b"\n") >= expected)
        assert process.stderr is not None
        began = ""
        while not began.startswith("n=80: moves"):  # it has a bound
            began = process.stderr.readline()
            assert began, "the sweep has ended"
        if to_group:
            os.killpg(process.pid, signal.SIGINT)  # as a terminal does
        else:
            process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    err = began + err
    assert process.returncode == 4, err
    assert "Traceback" not in err
    assert f"interrupted: {expected} of 8 members finished; they are in {path}" in err
    assert "fits all" in out and "n² + 2n" in out
    row = next(line for line in out.splitlines() if line.lstrip().startswith("80"))
    assert "≥" in row and row.endswith("interrupted")
    assert path.read_bytes().count(b"\n") == expected
    again = run(*args, "n=0..6", "--json")
    assert again.returncode == 0
    members = json.loads(again.stdout)["members"]
    assert [m["cost"] for m in members] == [n * (n + 2) for n in range(7)]
    saved = {r["parameters"]["n"]: r for r in map(json.loads, path.read_text().splitlines())}
    assert [m["seconds"] for m in members] == [saved[n]["seconds"] for n in range(7)]


@pytest.mark.skipif(sys.platform != "linux", reason="children are looked up in /proc")
def test_a_process_that_the_system_kills_leaves_only_its_member_open(tmp_path: Path) -> None:
    query = family("machinarium", {"n": [80, 3, 4]}, memory=1 << 30)
    path = tmp_path / "arrows.jsonl"
    killed: list[int] = []

    def children() -> set[int]:
        files = Path(f"/proc/{os.getpid()}/task").glob("*/children")
        return {int(pid) for file in files for pid in file.read_text().split()}

    others = children()  # for example, idle solver processes

    def kill(parameters: object, found: object) -> None:
        below = children() - others
        if not killed and len(below) == 1:  # only the slow member is left
            killed.append(below.pop())
            os.kill(killed[0], signal.SIGKILL)

    with SweepFile(path) as file:
        done = sweep(query, jobs=2, file=file, progress=kill)
    assert [(m.status, m.cost, m.reason) for m in done.members] == [
        ("limit", None, "killed"),
        ("optimal", 15, None),
        ("optimal", 24, None),
    ]
    assert path.read_bytes().count(b"\n") == 2


def test_answers_of_a_level_with_another_goal_are_not_reused(tmp_path: Path) -> None:
    def answers(robot: int) -> list[object]:
        walls = [[False] * 16 for _ in range(4)]
        level = driftingdroids._level(
            1, "", 1, driftingdroids._Board(4, 4, walls, [0, 3], 15, robot)
        )
        batch = levels(Collection("it.droids", driftingdroids.MODEL, (level,)))
        with SweepFile(tmp_path / "answers.jsonl") as file:
            return [member.cost for member in sweep(batch, file=file).members]

    assert answers(0) == [2]
    assert answers(1) == [1]  # the drawing is the same, but the other robot must reach the target
