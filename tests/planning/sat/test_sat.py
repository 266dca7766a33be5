"""SAT encodings count correctly, have the enumerated walks as models in every profile, and work with all solvers."""

from __future__ import annotations

import itertools
import os
import re
import stat
import sys
from functools import cache
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

import fewest
from fewest.engines import sat
from fewest.errors import UsageError
from fewest.machine.resources import encoding_folder
from fewest.model.answer import LimitReached
from fewest.model.metric import metric_of
from fewest.planning import horizons as deepening
from fewest.planning.asp import program_texts
from fewest.planning.bounds import Bounds
from fewest.planning.sat.cardinality import AT_MOST_ONE, counter
from fewest.planning.sat.clauses import Clauses, Layer, following, formula, packed
from fewest.planning.sat.dimacs import read_solution, write_dimacs
from fewest.planning.sat.encoding import Encoding
from fewest.planning.sat.messages import Request
from fewest.planning.sat.profile import Profile, PruningPart, load_profile, profiles
from fewest.planning.sat.solver import bundled_solvers, newest_cadical, open_solver
from fewest.planning.task import PlanningTask, planning_task
from tests.helpers.cells import ROOT
from tests.helpers.layers import (
    UNPRUNED,
    asp_walks,
    is_pruned,
    layered,
    models,
    unpruned,
    walks,
)

ASP = encoding_folder() / "asp"
PROFILES = [name for name, _ in profiles()]
every_profile = pytest.mark.parametrize("profile", PROFILES)


@pytest.mark.parametrize("name", sorted(AT_MOST_ONE))
@pytest.mark.parametrize("n", [1, 2, 5, 7, 13])
def test_at_most_one_has_n_plus_one_models(name: str, n: int) -> None:
    layer, clauses = Layer(), Clauses()
    literals = [layer.new(f"x{i}") for i in range(n)]
    AT_MOST_ONE[name](layer, clauses, literals, "test")
    assert len(models(clauses.template(layer.num_variables).at(range(1)), literals)) == n + 1


@pytest.mark.parametrize("n", range(1, 7))
def test_exactly_k_has_n_choose_k_models(n: int) -> None:
    for k in range(n + 1):
        layer, clauses = Layer(), Clauses()
        literals = [layer.new(f"x{i}") for i in range(n)]
        counter(layer, clauses, literals, k, "test")
        arrays = clauses.template(layer.num_variables).at(range(1))
        assert len(models(arrays, literals)) == comb(n, k)
        # The auxiliary variables are functions of the literals.
        assert len(models(arrays, list(range(1, layer.num_variables + 1)))) == comb(n, k)


def test_a_template_is_shifted_layer_by_layer() -> None:
    layer, clauses = Layer(), Clauses()
    x, y = layer.new("x"), layer.new("y")
    clauses.add(x, -following(y))
    clauses.add(-y)
    template = clauses.template(layer.num_variables)
    assert [rows.tolist() for rows in template.at(range(2, 4))] == [
        [[-6], [-8]],
        [[5, -8], [7, -10]],
    ]


# Puzzles, parameters and metrics: every rule kind; free moves, idle layers, merged moves, captures, several goals.
SMALL = [
    ("hanoi", {"disks": 2}, None),
    ("machinarium", {"n": 1}, None),
    ("jugs", {}, None),
    ("wolf-goat-cabbage", {}, None),
    ("guarini", {}, None),
    ("microban-001", {}, "pushes"),
    ("microban-001", {}, "moves"),
    ("lights-out-3x3", {"n": 2}, None),
    ("qi-bu-cheng-shi", {}, "turns"),
    ("tiles-2x2", {}, None),
    ("top-spin", {}, None),
]


@cache
def planning_of(name: str, metric: str | None, **parameters: int) -> PlanningTask:
    task = fewest.load(name, parameters).grounded
    return planning_task(task, metric_of(task, metric))


@cache
def bounds_of(name: str, metric: str | None, **parameters: int) -> Bounds:
    return Bounds(planning_of(name, metric, **parameters))


@cache
def walks_of(
    name: str, metric: str | None, horizon: int, **parameters: int
) -> frozenset[tuple[int, ...]]:
    return frozenset(walks(planning_of(name, metric, **parameters), horizon))


@pytest.mark.parametrize("profile", UNPRUNED)
@pytest.mark.parametrize("horizon", [1, 2, 3])
@pytest.mark.parametrize(("name", "parameters", "metric"), SMALL)
def test_a_profile_without_pruning_has_a_model_for_every_walk_and_no_other(
    profile: str, name: str, parameters: dict[str, int], metric: str | None, horizon: int
) -> None:
    planning = planning_of(name, metric, **parameters)
    expected = walks_of(name, metric, horizon, **parameters)
    bounds = bounds_of(name, metric, **parameters)
    assert layered(planning, unpruned(profile), horizon, bounds) == expected


@every_profile
@pytest.mark.parametrize(("name", "parameters", "metric"), SMALL)
def test_pruning_removes_only_walks(
    profile: str, name: str, parameters: dict[str, int], metric: str | None
) -> None:
    planning = planning_of(name, metric, **parameters)
    loaded = load_profile(profile)
    found = layered(planning, loaded, 2, bounds_of(name, metric, **parameters))
    expected = walks_of(name, metric, 2, **parameters)
    # The tests of minima show that pruning keeps a shortest plan.
    assert found <= expected
    if loaded.pruning == PruningPart():
        assert found == expected
    elif not planning.has_whole_runs:
        assert found == {walk for walk in expected if not is_pruned(planning, walk)}


@pytest.mark.parametrize("is_exact", [False, True])
@pytest.mark.parametrize("horizon", [1, 2, 3])
@pytest.mark.parametrize(("name", "parameters", "metric"), SMALL)
def test_the_asp_programs_have_an_answer_set_for_every_walk(
    name: str, parameters: dict[str, int], metric: str | None, horizon: int, is_exact: bool
) -> None:
    planning = planning_of(name, metric, **parameters)
    expected = walks_of(name, metric, horizon, **parameters)
    bounds = bounds_of(name, metric, **parameters)

    def is_near_goal(state: int) -> bool:
        return any(map(planning.is_goal, deepening.free_paths(planning, state)))

    if is_exact:  # only the last layer may be a goal
        expected = frozenset(w for w in expected if not any(map(is_near_goal, w[:-1])))
    texts = [text for text in program_texts(planning) if "undoes(" not in text]
    assert asp_walks(planning, texts, horizon, is_exact, bounds) == expected
    states, moves = ((ASP / name).read_text() for name in ("states.lp", "moves.lp"))
    if states in texts:
        texts[texts.index(states)] = moves
        assert asp_walks(planning, texts, horizon, is_exact, bounds) == expected


def test_every_asp_program_is_needed_by_some_puzzle_and_tested() -> None:
    tested: set[str] = set()
    for name, parameters, metric in SMALL:
        tested.update(program_texts(planning_of(name, metric, **parameters)))
    tested.add(
        (ASP / "conditional_effects.lp").read_text()
    )  # tests/engines/test_intermediate_states.py tests this program
    assert tested == {path.read_text() for path in ASP.glob("*.lp")}


@every_profile
@pytest.mark.parametrize(
    ("name", "metric", "minimum"),
    [
        ("hanoi", None, 7),
        ("jugs", None, 6),
        ("microban-001", "pushes", 8),
        ("wolf-goat-cabbage", None, 7),
    ],
)
def test_every_profile_finds_the_minimum(
    profile: str, name: str, metric: str | None, minimum: int
) -> None:
    result = fewest.load(name).solve(metric, engine="sat", encoding=profile)
    assert (result.status, result.cost, result.lower_bound) == ("optimal", minimum, minimum)


@pytest.mark.parametrize("solver", ["cadical153", "glucose42", "minisat22", "lingeling"])
def test_every_solver_finds_the_minimum(solver: str) -> None:
    assert fewest.load("two-kings").solve(engine="sat", solver=solver).cost == 8


@pytest.mark.parametrize(
    "engine",
    [
        {"engine": "sat", "encoding": "incremental"},
        {"engine": "sat", "encoding": "leave-arrive"},
        {"engine": "asp"},
    ],
)
def test_horizons_may_start_late_and_rise_by_more_than_one(engine: dict[str, str]) -> None:
    for name, metric, minimum, starts in (
        ("microban-001", "pushes", 8, ({"first": 6}, {"first": 10}, {"first": 3, "stride": 4})),
        ("two-kings", "moves", 8, ({"first": 6}, {"first": 10}, {"first": 3, "stride": 4})),
    ):
        compiled = fewest.load(name)
        for options in starts:
            result = compiled.solve(metric, **engine, **options)
            assert (result.status, result.cost) == ("optimal", minimum), options


@pytest.mark.parametrize("engine", ["sat", "asp"])
def test_one_horizon_is_decided_and_no_more_is_claimed(engine: str) -> None:
    compiled = fewest.load("two-kings")
    below = compiled.solve(engine=engine, at_most=7)
    assert (below.status, below.reason, below.lower_bound) == ("limit", "horizon", 8)
    summary = below.summary().partition("; ")[0]
    assert summary.endswith(f": no plan of at most 7 moves (proven: {engine})")
    at = compiled.solve(engine=engine, at_most=10)
    assert at.status == "solved" and 8 <= at.cost <= 10 and at.lower_bound == 1


@pytest.mark.parametrize("engine", ["sat", "asp"])
@pytest.mark.parametrize(
    ("most", "status"), [(0, "limit"), (2, "limit"), (3, "limit"), (8, "limit"), (9, "solved")]
)
def test_the_largest_cost_is_in_the_unit_of_the_metric(engine: str, most: int, status: str) -> None:
    text = """puzzle: threes
variables: {x: {values: range(9), initial: 0}}
moves: {up: {when: x < 8, set: {x: x + 1}, count: 3}, jump: {when: x == 0, set: {x: 2}, count: 6}}
goal: x == 3
"""
    result = fewest.load("threes.yaml", text=text).solve(engine=engine, at_most=most)
    assert result.status == status
    if status == "solved":
        assert result.cost == 9
    else:
        assert result.lower_bound == 3 * (most // 3 + 1)


@pytest.mark.parametrize("engine", ["sat", "asp"])
def test_no_horizon_after_the_last_one_is_tried(engine: str) -> None:
    result = fewest.load("forty-02").solve("slides", engine=engine, last=9, stride=4)
    assert [h.horizon for h in result.statistics["horizons"]] == [4, 8, 9]
    assert (result.status, result.lower_bound) == ("limit", 10)


def test_options_that_contradict_each_other_are_refused() -> None:
    compiled = fewest.load("bird")
    for options in (
        {"at_most": 3, "first": 2},
        {"first": 5, "last": 4},
        {"stride": 0},
        {"first": -1},
        {"encoding": "exact", "first": 3},
        {"encoding": "nonsense"},
        {"solver": "nonsense"},
        {"solver": "kissat404"},
    ):
        with pytest.raises(UsageError):
            compiled.solve("slides", engine="sat", **options)


def test_an_exact_encoding_refuses_options_by_name() -> None:
    compiled = fewest.load("bird")
    for options in ({"first": 3}, {"stride": 2}, {"at_most": 5}):
        with pytest.raises(UsageError, match="horizons are exact") as refused:
            compiled.solve("slides", engine="sat", encoding="exact", **options)
        named = set(re.findall(r"--([a-z-]+)", f"{refused.value} {refused.value.hint}"))
        assert named == {"from", "stride", "at-most", "encoding"}


def test_the_newest_cadical_continues_after_the_quick_solver(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert newest_cadical() in bundled_solvers()
    compiled = fewest.load("hanoi", {"disks": 4})
    result = compiled.solve(engine="sat")
    assert result.statistics["solver"] == sat.QUICK_SOLVER
    monkeypatch.setattr(sat, "QUICK_CONFLICTS", 20)
    changed = compiled.solve(engine="sat")
    assert changed.statistics["solver"] == f"{sat.QUICK_SOLVER}, {newest_cadical()}"
    assert (changed.status, changed.cost) == (result.status, result.cost) == ("optimal", 15)


@pytest.mark.parametrize(
    ("options", "encoding", "solver"),
    [
        ({}, sat.SINGLE_PROFILE, sat.SINGLE_SOLVER),
        # The default solver does not support a seed.
        ({"seed": 3}, sat.SINGLE_PROFILE, newest_cadical()),
        ({"solver": "minisat22"}, sat.SINGLE_PROFILE, "minisat22"),
        ({"encoding": "incremental"}, "incremental", newest_cadical()),
    ],
)
def test_a_single_horizon_has_a_profile_and_a_solver_of_its_own(
    options: dict[str, Any], encoding: str, solver: str
) -> None:
    result = fewest.load("hanoi").solve(engine="sat", at_most=7, **options)
    assert (result.statistics["encoding"], result.statistics["solver"]) == (encoding, solver)
    assert (result.status, result.cost) == ("solved", 7)


def test_sums_over_pieces_that_are_alike_are_not_in_every_formula() -> None:
    every = load_profile("leave-arrive")
    adaptive = replace(every, state=replace(every.state, exactly="adaptive"))

    def num_variables(puzzle: str, profile: Profile) -> int:
        task = fewest.load(puzzle).task
        bounds = Bounds(planning_task(task, metric_of(task, None)))
        return Encoding(bounds, profile).num_variables

    # The first two puzzles have one empty cell; the arrows are alike, and the tiles are not.
    assert num_variables("machinarium", adaptive) < num_variables("machinarium", every)
    assert num_variables("eight-puzzle", adaptive) == num_variables("eight-puzzle", every)
    assert num_variables("guarini", adaptive) == num_variables("guarini", every)


SWAPPED = "puzzle: swapped\nmodel: tiles\nboard: |\n  21\n  3_\ngoal:\n  board: |\n    12\n    3_\n"
CORNER = "puzzle: corner\nmodel: sokoban\nboard: |\n  #######\n  #$ @  #\n  #   . #\n  #     #\n  #######\n"


SUM = "no move changes whether the arrangement"
REACHABILITY = "property-directed reachability: an invariant of"


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let attempts to prove that there is no plan begin immediately, and let them take most of the time."""
    monkeypatch.setattr("fewest.planning.sat.unsolvability.START", 0.0)
    monkeypatch.setattr("fewest.planning.sat.unsolvability.SHARE", 100.0)


@pytest.fixture
def without_sums(at_once: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let attempts begin immediately, and let no sum prove anything."""
    monkeypatch.setattr("fewest.planning.sat.unsolvability.prove_unsolvable", lambda *_: None)


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("engine", ["sat", "asp"])
@pytest.mark.parametrize(
    ("text", "argument"), [(SWAPPED, SUM), (CORNER, "no goal can be reached in an abstraction")]
)
def test_an_unsolvable_puzzle_is_refuted(text: str, argument: str, engine: str) -> None:
    result = fewest.load("unsolvable.yaml", text=text).solve(engine=engine, seconds=300)
    assert result.status == "unsolvable" and argument in result.summary()


@pytest.mark.usefixtures("without_sums")
@pytest.mark.parametrize("encoding", ["incremental", "leave-arrive", "operators", "exact", "asp"])
def test_reachability_refutes_beside_every_encoding(encoding: str) -> None:
    options = {"engine": "asp"} if encoding == "asp" else {"engine": "sat", "encoding": encoding}
    result = fewest.load("unsolvable.yaml", text=SWAPPED).solve(**options, seconds=300)
    assert result.status == "unsolvable" and REACHABILITY in result.summary()


@pytest.mark.usefixtures("without_sums")
@pytest.mark.parametrize(
    "encoding",
    [
        "incremental",
        "exact",
        "asp",
        pytest.param("leave-arrive", marks=pytest.mark.slow),
        pytest.param("operators", marks=pytest.mark.slow),
    ],
)
def test_where_moves_permute_facts_k_induction_refutes(
    encoding: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fewest.planning.sat.unsolvability.can_search", lambda _: False)
    options = {"engine": "asp"} if encoding == "asp" else {"engine": "sat", "encoding": encoding}
    result = fewest.load("unsolvable.yaml", text=SWAPPED).solve(**options, seconds=300)
    assert result.status == "unsolvable" and "k-induction with k = " in result.summary()


@pytest.mark.usefixtures("without_sums")
def test_horizons_that_need_no_solver_end() -> None:
    result = fewest.load("clones-three").solve(engine="sat", encoding="incremental", seconds=300)
    assert result.status == "unsolvable" and REACHABILITY in result.summary()


def test_a_profile_of_ones_own_is_a_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("title: mine\ntransition: {moves: operators}\n")
    assert fewest.load("hanoi").solve(engine="sat", encoding=str(path)).cost == 7
    path.write_text("title: mine\ntransition: {moves: sideways}\n")
    with pytest.raises(UsageError, match=r"sideways"):
        load_profile.__wrapped__(str(path))
    path.write_text("title: [")
    with pytest.raises(UsageError, match="not an encoding profile"):
        load_profile.__wrapped__(str(path))
    path.write_bytes(b"title: \xff")
    with pytest.raises(UsageError, match="is not UTF-8 text"):
        load_profile.__wrapped__(str(path))
    with pytest.raises(UsageError, match="cannot read"):
        load_profile(str(tmp_path / "nobody.yaml"))


def test_a_solver_in_a_process_keeps_to_its_limits() -> None:
    pigeons = [[p * 12 + h + 1 for h in range(12)] for p in range(13)]
    pigeons += [
        [-(p * 12 + h + 1), -(q * 12 + h + 1)]
        for h in range(12)
        for p, q in itertools.combinations(range(13), 2)
    ]
    solver = open_solver("minisat22", None)
    with pytest.raises(LimitReached) as stopped:
        solver.solve(Request(packed(formula(pigeons)), True, ()), 0.0)
    assert stopped.value.reason == "time"
    assert solver.solve(Request(packed(formula([[1], [-2, 3]])), True, ()), 1e9).verdict is True
    solver.close()
    small = open_solver("minisat22", 250 << 20)
    with pytest.raises(LimitReached) as stopped:
        many = np.arange(1, 30_000_001, dtype=np.int32).reshape(-1, 3)
        small.solve(Request(packed([many]), True, ()), 1e9)
    assert stopped.value.reason == "memory"
    small.close()


def test_an_executable_on_the_path_is_a_solver(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "kissat"
    script.write_text(
        f"#!{sys.executable}\n"
        "import sys\n"
        "from pysat.formula import CNF\n"
        "from pysat.solvers import Solver\n"
        "with Solver(name='glucose4', bootstrap_with=CNF(from_file=sys.argv[-1])) as solver:\n"
        "    print('c conflicts: 17')\n"
        "    print('s', 'SATISFIABLE' if solver.solve() else 'UNSATISFIABLE')\n"
        "    for literal in solver.get_model() or []: print('v', literal)\n"
        "    print('v 0')\n"
    )
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    compiled = fewest.load("hanoi")
    result = compiled.solve(engine="sat", solver="kissat", encoding="leave-arrive")
    assert (result.status, result.cost) == ("optimal", 7)
    # The potential excludes the first horizons without a call of the solver, so these horizons have no count.
    assert {h.conflicts for h in result.statistics["horizons"]} == {None, 17}
    with pytest.raises(UsageError, match="needs an incremental solver"):
        compiled.solve(engine="sat", solver="kissat")


def test_dimacs_is_written_as_solvers_read_it(tmp_path: Path) -> None:
    path = tmp_path / "small.cnf"
    with path.open("wb") as file:
        write_dimacs(file, formula([[1, -2], [3], [2, -3, 1]]), ["hello"])
    assert path.read_text() == "c hello\np cnf 3 3\n3 0\n1 -2 0\n2 -3 1 0\n"
    assert read_solution("c x\ns SATISFIABLE\nv 1 -2\nv 3 0\n") == (True, [1, -2, 3])
    assert read_solution("s UNSATISFIABLE\n") == (False, [])
    assert read_solution("killed") == (None, [])


def test_profiles_read_as_they_are_documented() -> None:
    text = (ROOT / "encodings" / "README.md").read_text(encoding="utf-8")
    for name, path in profiles():
        assert isinstance(load_profile(name), Profile)
        assert f"`{path.name}`" in text, f"{path.name} is not in encodings/README.md"
