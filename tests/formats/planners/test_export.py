"""Other solvers find the same minimum from an export, and people can read the plan."""

from __future__ import annotations

import json
import re
import stat
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from pysat.formula import CNF
from pysat.solvers import Solver

import fewest
from fewest.commands.export import FORMATS, Export, export, write_files
from fewest.drawing.text import draw
from fewest.errors import DocumentError, UsageError
from fewest.formats.planners.pddl import action_names
from fewest.formats.planners.strips import strips
from fewest.machine.resources import puzzle_path
from fewest.machine.resources import puzzles as shipped
from fewest.model.position import Position
from fewest.model.states import decode
from fewest.planning.names import PlanningNames, name
from fewest.planning.sat.profile import profiles
from fewest.planning.task import planning_task, weighted_task
from fewest.playing.exhaust import TooManyPositionsError, exhaust
from fewest.playing.move import Move
from fewest.playing.validate import validate
from tests.helpers.agreement import LIMIT, compiled_or_none, is_refused, relaxed
from tests.helpers.command_line import run
from tests.helpers.planners import cheapest, clingo, fast_downward, read_pddl, read_sas
from tests.helpers.random_puzzles import puzzles

# These instances cover every kind of rule, goal and metric: merged moves, weights, free moves, forbidden states, many
# goals.
INSTANCES = [
    ("jugs", None),
    ("bridge", "minutes"),
    ("wolf-goat-cabbage", None),
    ("hanoi", None),
    ("lights-out-3x3", None),
    ("keys-and-doors", None),
    ("machinarium", None),
    ("tiles-2x3", None),
    ("guarini", None),
    ("two-kings", None),
    ("knights-feast", None),
    ("triangle-10", "turns"),
    ("frozen-pond", None),
    ("lunar-two", "turns"),
    ("two-colours", "turns"),
    ("toll", "effort"),
    ("microban-001", "pushes"),
    ("microban-044", "moves"),
    ("pull-home", "pulls"),
    ("forty-01", "slides"),
    ("two-exits", "turns"),
    ("hughes", "steps"),
    ("tiles-2x3-swapped", None),
    ("top-spin", None),
    ("pancakes-7", None),
    ("hungarian-rings", None),
]


def texts(made: Export) -> list[str]:
    return [data.decode() for data in made.files.values()]


def costs(made: Export) -> int | None:
    """The optimal cost of an exported planning task, from its text alone."""
    read = texts(made)
    task = read_pddl(*read) if len(read) == 2 else read_sas(*read)
    return cheapest(*task)


@pytest.mark.parametrize("to", ["pddl", "sas"])
@pytest.mark.parametrize(("puzzle", "metric"), INSTANCES)
def test_fast_downward_finds_the_same_minimum_and_a_plan_that_is_legal(
    puzzle: str, metric: str | None, to: str, tmp_path: Path
) -> None:
    compiled = fewest.load(puzzle)
    result = compiled.solve(metric)
    files = write_files(export(compiled, to, metric), tmp_path / "task")
    cost, plan = fast_downward(files, tmp_path)
    assert cost == result.cost
    if cost is None:
        return
    chosen = compiled.grounded.metrics[result.metric]
    planning = weighted_task(compiled.grounded, chosen)
    task = strips(planning)
    names = action_names(task, PlanningNames(compiled.puzzle, planning))
    move_of = {called: action.move for called, action in zip(names, task.actions, strict=True)}
    moves = [move for called in plan if (move := move_of[called]) is not None]
    operators = [index for move in moves for index in move.operators]
    validate(compiled.puzzle, compiled.grounded, chosen, operators, (cost,))


def small_minimum(
    compiled: fewest.CompiledPuzzle,
    metric: str,
    moves: dict[Position, list[Move]] | None = None,
) -> int | None:
    """The minimum by the reference interpreter; -1 if there are too many positions. `moves` is as in `exhaust`."""
    try:
        reach = exhaust(compiled.puzzle, compiled.puzzle.metrics[metric], LIMIT, moves)
    except (TooManyPositionsError, DocumentError):
        return -1
    return None if reach.minimum is None else reach.minimum[0]


def check_planning_exports(compiled: fewest.CompiledPuzzle | None) -> None:
    assume(compiled is not None)
    assert compiled is not None
    moves: dict[Position, list[Move]] = {}
    for metric, entry in compiled.puzzle.metrics.items():
        if len(entry.parts) > 1 or is_refused(compiled.grounded, entry):
            continue
        minimum = small_minimum(compiled, metric, moves)
        assume(minimum != -1)
        for to in ("pddl", "sas"):
            assert costs(export(compiled, to, metric)) == minimum, (
                to,
                metric,
                compiled.puzzle.name,
            )


@settings(relaxed, max_examples=30)
@given(puzzles())
def test_exported_planning_tasks_have_the_minimum_of_the_reference(text: str) -> None:
    check_planning_exports(compiled_or_none(text))


@pytest.mark.slow
@settings(relaxed, max_examples=2000)
@given(puzzles())
def test_thousands_of_exported_planning_tasks_have_the_minimum_of_the_reference(text: str) -> None:
    check_planning_exports(compiled_or_none(text))


def test_fast_downward_agrees_on_random_puzzles(tmp_path: Path) -> None:
    @settings(relaxed, max_examples=12)
    @given(puzzles())
    def check(text: str) -> None:
        compiled = compiled_or_none(text)
        assume(compiled is not None)
        assert compiled is not None
        metric = next(m for m, entry in compiled.puzzle.metrics.items() if len(entry.parts) == 1)
        minimum = small_minimum(compiled, metric)
        assume(minimum != -1)
        for to in ("pddl", "sas"):
            files = write_files(export(compiled, to, metric), tmp_path / to)
            assert fast_downward(files, tmp_path)[0] == minimum, (to, metric, text)

    check()


@pytest.mark.slow
@pytest.mark.parametrize("to", ["pddl", "sas"])
def test_fast_downward_reads_every_shipped_puzzle_that_is_small(to: str, tmp_path: Path) -> None:
    for _, puzzle, path in shipped():
        compiled = fewest.load(path)
        if compiled.grounded.permutations:
            continue
        for metric, entry in compiled.puzzle.metrics.items():
            if len(entry.parts) > 1 or len(compiled.task.operators) > 600:
                continue
            if compiled.task.consequences:
                continue
            result = compiled.solve(metric, seconds=5, memory=1 << 30)
            if result.status == "limit" or result.statistics["states"] > 100_000:
                continue
            made = export(compiled, to, metric)
            if made.sizes["actions"] > 3_000:
                continue
            files = write_files(made, tmp_path / to)
            assert fast_downward(files, tmp_path)[0] == result.cost, (puzzle, metric)


@pytest.mark.parametrize(
    ("puzzle", "metric"),
    [
        ("jugs", None),
        ("machinarium", None),
        ("microban-001", "pushes"),
        ("forty-01", "slides"),
        ("wolf-goat-cabbage", None),
        ("bridge", "minutes"),
    ],
)
def test_clingo_stops_at_the_minimum_and_shows_the_plan(
    puzzle: str, metric: str | None, tmp_path: Path
) -> None:
    compiled = fewest.load(puzzle)
    (path,) = write_files(export(compiled, "asp", metric), tmp_path / "puzzle.lp")
    printed = clingo(path)
    assert "SATISFIABLE" in printed.splitlines()
    plan = dict(re.findall(r'(?<!\S)move\((\d+),"([a-z][a-z0-9_-]*)"\)', printed))
    assert sorted(map(int, plan)) == list(range(1, compiled.solve(metric).cost + 1))


@pytest.mark.parametrize("to", ["pddl", "sas"])
def test_turns_of_many_pieces_that_look_alike_are_conditional_effects(
    to: str, tmp_path: Path
) -> None:
    """The pocket cube is three turns from the goal, and farther if `forbid` excludes an intermediate position."""
    cube = fewest.load("pocket-cube")
    three = [1, 2, 6]
    state = cube.grounded.initial
    for index in three:
        state = cube.grounded.moves[index].apply(state)
    position = decode(cube.puzzle, cube.grounded, state)
    drawn = "\n".join(draw(position))
    for forbid in ("", "forbid: cell(0, 2) == red and cell(0, 3) != red\n"):
        text = puzzle_path("pocket-cube").read_text(encoding="utf-8").partition("goal:")[0]
        near = fewest.load("x.yaml", text=f"{text}{forbid}goal: {{board: {json.dumps(drawn)}}}\n")
        assert near.grounded.permutations
        files = write_files(export(near, to), tmp_path / "task")
        assert fast_downward(files, tmp_path)[0] == near.solve().cost


def test_clingo_without_incremental_mode_is_reported(tmp_path: Path) -> None:
    import clingo as library

    (path,) = write_files(export(fewest.load("jugs"), "asp"), tmp_path / "jugs.lp")
    control = library.Control()
    control.load(str(path))
    control.ground([("base", [])])
    with control.solve(yield_=True) as handle:
        shown = [str(symbol) for symbol in handle.model().symbols(shown=True)]
    assert len(shown) == 1 and "incremental mode" in shown[0]


@pytest.mark.parametrize("encoding", [called for called, _ in profiles()])
@pytest.mark.parametrize(("puzzle", "metric"), [("jugs", None), ("microban-001", "pushes")])
def test_the_cnf_of_a_horizon_has_the_verdict_of_the_engine(
    puzzle: str, metric: str | None, encoding: str, tmp_path: Path
) -> None:
    compiled = fewest.load(puzzle)
    minimum = compiled.solve(metric).cost
    assert isinstance(minimum, int)
    for horizon in (0, 1, minimum - 1, minimum):
        made = export(compiled, "dimacs", metric, horizon=horizon, encoding=encoding)
        (path,) = write_files(made, tmp_path / "puzzle.cnf")
        cnf = CNF(from_file=str(path))
        assert len(cnf.clauses) == made.sizes["clauses"]
        with Solver("cadical195", bootstrap_with=cnf.clauses) as solver:
            assert solver.solve() == (horizon == minimum)


def test_the_symbol_table_of_a_cnf_names_every_variable() -> None:
    made = export(fewest.load("jugs"), "dimacs", horizon=3)
    (text,) = texts(made)
    rule = re.search(r"^c variable v of layer t \(0 to 3\) is number v \+ t \* (\d+);", text, re.M)
    assert rule
    rows = re.findall(r"^c (\d+) (\S.*)$", text, re.M)
    assert [int(number) for number, _ in rows] == list(range(1, int(rule[1]) + 1))
    assert rows[0] == ("1", "a = 0")
    header = re.search(r"^p cnf (\d+) (\d+)$", text, re.M)
    assert header and int(header[1]) <= made.sizes["variables"]


def test_plans_can_be_read_by_people() -> None:
    (text,) = texts(export(fewest.load("rush-hour/bird"), "sas", "slides"))
    names = [action[0] for action in read_sas(text)[2]]
    assert {"slide_x-2-2_left", "slide_block-3x1-0-0_down3"} <= set(names)
    (text,) = texts(export(fewest.load("jugs"), "sas"))
    assert "a-to-b_a-0_b-3" in text.splitlines()


def test_names_consist_of_characters_that_parsers_accept() -> None:
    assert name("曹操") == "u66f9u64cd"
    assert name("Zürich, 3 Äpfel") == "zurich-3-apfel"
    assert (name("3", "v"), name("-3", "v")) == ("v3", "v-3")
    assert name("when") == "when-"
    compiled = fewest.load("heng-dao-li-ma")
    domain, problem = texts(export(compiled, "pddl"))
    read_pddl(domain, problem)
    assert "关羽" in domain and "at ?x" in domain  # the legend names the pieces


# Puzzles with more than 1,000 operators, or with too many different merged moves; the test would only skip them.
TOO_LARGE = {
    "a-troublesome-table",
    "copy-and-paste",
    "muddled-monsters",
    "ricochet-straight",
    "sticky-blocks",
    "water-three-colours",
}


def test_every_name_is_different_and_every_cell_has_its_own(tmp_path: Path) -> None:
    chosen = (path for _, name, path in shipped()[::5] if name not in TOO_LARGE)
    for puzzle in (*chosen, "thin-ice"):
        compiled = fewest.load(puzzle)
        if compiled.grounded.permutations:
            continue
        metric = compiled.task.metrics[compiled.task.default_metric]
        if len(metric.parts) > 1 or len(compiled.task.operators) > 1000:
            continue
        if compiled.task.consequences:
            continue
        try:
            names = PlanningNames(compiled.puzzle, planning_task(compiled.task, metric))
        except UsageError:  # too many different merged moves
            continue
        assert len(names.covered_cells()) == len(compiled.task.at_most_one)
        assert len(set(names.terms)) == len(names.terms)
        assert len(set(names.facts)) == len(names.facts)


BULBS = """
puzzle: bulbs
parameters: {n: 4}
variables:
  lit[i]: {for: {i: range(n)}, values: [0, 1], initial: 0}
  gate: {values: [open, shut], initial: open}
moves:
  press: {for: {i: range(n)}, set: {"lit[i]": "1 - lit[i]"}}
  shut: {when: gate == open, set: {gate: shut}}
goal: gate == shut and lit[0] == 1
forbid: gate == shut and sum(lit[i] for i in range(n)) in [0, n // 2]
"""


def test_forbidden_cubes_become_preconditions_or_are_refused_with_a_reason() -> None:
    for n in (2, 3, 4, 6):
        compiled = fewest.load("bulbs.yaml", {"n": n}, text=BULBS)
        for to in ("pddl", "sas"):
            assert costs(export(compiled, to)) == compiled.solve().cost
    with pytest.raises(UsageError, match="split a move into more than 200 cases"):
        export(fewest.load("bulbs.yaml", {"n": 12}, text=BULBS), "sas")


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["export", "jugs"], "--to"),
        (["export", "jugs", "--to", "pdll"], "did you mean `pddl`"),
        (["export", "jugs", "--to", "dimacs"], "--horizon 20"),
        (["export", "jugs", "--to", "dimacs", "--horizon", "-1"], "--horizon"),
        (["export", "jugs", "--to", "sas", "--horizon", "5"], "--to dimacs"),
        (
            ["export", "jugs", "--to", "dimacs", "--horizon", "5", "--encoding", "operatrs"],
            "`operators`",
        ),
        (["export", "jugs", "--to", "pddl"], "-o FOLDER"),
        (["export", "jugs", "--to", "asp", "--metric", "mvoes"], "did you mean `moves`"),
        (
            ["export", "microban-001", "--to", "sas", "-m", "pushes-then-moves"],
            "`pushes` or `moves`",
        ),
    ],
)
def test_errors_in_exports_are_reported(args: list[str], words: str) -> None:
    done = run(*args)
    assert (done.returncode, done.stdout) == (2, "")
    assert words in done.stderr and "Traceback" not in done.stderr


def test_files_are_written_completely_and_replace_existing_files(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "jugs"
    done = run("export", "jugs", "--to", "pddl", "-o", str(folder))
    assert (done.returncode, done.stdout) == (0, "") and "46 actions" in done.stderr
    assert sorted(path.name for path in folder.iterdir()) == ["domain.pddl", "problem.pddl"]
    file = tmp_path / "jugs.sas"
    file.write_text("old")
    assert run("export", "jugs", "--to", "sas", "-o", str(file)).returncode == 0
    assert file.read_text() == run("export", "jugs", "--to", "sas").stdout
    assert stat.S_IMODE(file.stat().st_mode) == 0o666 & ~_umask()
    done = run("export", "jugs", "--to", "sas", "-o", str(tmp_path))
    assert done.returncode == 3 and "directory" in done.stderr
    done = run("export", "jugs", "--to", "sas", "-o", str(tmp_path / "no" / "jugs.sas"))
    assert done.returncode == 3 and "No such file" in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["jugs.sas", "new"]
    assert run("export", "jugs", "--to", "sas", "-o", "/dev/null").returncode == 0
    assert Path("/dev/null").is_char_device()


def _umask() -> int:
    import os

    mask = os.umask(0o022)
    os.umask(mask)
    return mask


def test_export_as_json_lists_the_written_files_or_contains_the_text(tmp_path: Path) -> None:
    data = json.loads(run("export", "jugs", "--to", "pddl", "--json").stdout)
    assert [file["name"] for file in data["files"]] == ["domain.pddl", "problem.pddl"]
    assert read_pddl(*(file["text"] for file in data["files"]))
    target = str(tmp_path / "jugs.lp")
    data = json.loads(run("export", "jugs", "--to", "asp", "-o", target, "--json").stdout)
    assert data["files"] == [{"path": target}] and data["sizes"]["facts"] == 10


def test_every_format_is_refused_without_a_goal() -> None:
    compiled = fewest.load(
        "free.yaml", text="puzzle: free\nmodel: sliding-blocks\nboard: |\n  A.\n"
    )
    for to in FORMATS:
        with pytest.raises(UsageError, match="no goal"):
            export(compiled, to, horizon=1 if to == "dimacs" else None)
