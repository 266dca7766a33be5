"""The backward search finds the minima of breadth-first search in every metric, and proves every bound on the way."""

from __future__ import annotations

import re
import time
from math import inf
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fewest
from fewest.engines import sat
from fewest.errors import DocumentError, UsageError
from fewest.model.answer import Horizon, LimitReached, Limits
from fewest.model.costs import cost_table, plan_cost
from fewest.model.metric import Metric, metric_of
from fewest.model.task import Task
from fewest.planning.bounds import Bounds
from fewest.planning.free_graph import free_graph
from fewest.planning.horizons import operators_of
from fewest.planning.sat import backward
from fewest.planning.sat.backward import BackwardSearch, can_search_backward
from fewest.planning.sat.messages import Reply, Request
from fewest.planning.sat.solver import BundledSolver, Meanwhile
from fewest.planning.task import PlanningTask, planning_task
from fewest.search import search
from tests.grounding.test_permutations import permuting
from tests.helpers.agreement import is_refused, relaxed
from tests.helpers.random_puzzles import cycles, puzzles
from tests.helpers.symmetric_puzzles import MIRRORED, mirrored_slides


def check_backward(task: Task, metric: Metric, slice_seconds: float = inf) -> bool:
    """Check that the search, stopped after every slice, finds the minimum of breadth-first search. Returns False if it
    does not support the task and metric.
    """
    try:
        planning = planning_task(task, metric)
        if not can_search_backward(planning):
            return False
        if planning.free:
            free_graph(planning)
    except UsageError:
        return False
    outcome = search(task.problem, cost_table(task, metric))
    found = BackwardSearch(Bounds(planning))
    bounds = [found.refuted]
    while not found.is_over:
        found.advance(time.perf_counter() + slice_seconds)
        bounds.append(found.refuted)
    assert bounds == sorted(bounds)
    if outcome.cost is None:
        assert found.is_exhausted and found.states is None
    else:
        assert found.states is not None and not found.is_exhausted
        length, operators = operators_of(planning, found.states)
        assert (length * planning.unit,) == outcome.cost == plan_cost(task, metric, operators)
        assert found.refuted == length - 1 == len(found.states) - 2
    return True


def check_random(text: str) -> None:
    try:
        compiled = fewest.load("random.yaml", text=text)
        task = compiled.grounded
    except (DocumentError, UsageError):
        return
    for metric in compiled.puzzle.metrics.values():
        check_backward(task, metric)


@settings(relaxed, max_examples=60)
@given(st.one_of(puzzles(), mirrored_slides()))
def test_random_puzzles_have_the_same_minima(text: str) -> None:
    check_random(text)


@pytest.mark.slow
@settings(relaxed, max_examples=500)
@given(st.one_of(puzzles(), mirrored_slides()))
def test_hundreds_of_random_puzzles_have_the_same_minima(text: str) -> None:
    check_random(text)


@settings(relaxed, max_examples=10)
@given(cycles())
def test_permutations_have_the_same_minima(text: str) -> None:
    compiled = permuting(text)
    for metric in compiled.puzzle.metrics.values():
        if not is_refused(compiled.grounded, metric):
            check_backward(compiled.grounded, metric)


PASSING = """
puzzle: passing
board: |
  a...b
  .#.#.
  ..c..
legend: {".": floor, "#": wall}
pieces: {piece: {letters: a-c}}
moves: {slide: {slide: piece}}
forbid: [{a: {at: [0, 2]}}, [{b: {at: [0, 3]}}, {c: {at: [2, 3]}}]]
goal: [{a: {at: [0, 4]}}, {b: {at: [0, 0]}}]
metrics: {turns: {merge: path}, slides: {merge: line}, weighted: {count: 3}}
"""
WEIGHTS = """
puzzle: weights
variables: {a: {values: range(12), initial: 0}, b: {values: range(4), initial: 0}}
moves:
  one: {when: a < 11, set: {a: a + 1}}
  five: {when: a < 7 and b < 3, set: {a: a + 5, b: b + 1}}
  back: {when: b > 0, set: {b: b - 1}}
goal: a == 11 and b == 0
metrics: {fuel: {count: {one: 4, five: 6, back: 2}}}
"""


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("guarini", {}),
        ("jugs", {}),
        ("hanoi", {"disks": 3}),
        ("machinarium", {"n": 2}),
        ("lights-out-3x3", {}),  # several automorphisms
        ("tiles-2x3", {}),
        ("tiles-2x3-swapped", {}),  # there is no plan
        ("qi-bu-cheng-shi", {}),  # the start is not its own mirror image
        ("microban-001", {}),  # free moves in pushes
        ("microban-004", {}),
    ],
)
def test_shipped_puzzles_have_the_same_minima(name: str, parameters: dict[str, int]) -> None:
    compiled = fewest.load(name, parameters)
    supported = [check_backward(compiled.grounded, m) for m in compiled.puzzle.metrics.values()]
    assert any(supported)


FORBIDDEN_START = """
puzzle: forbidden-start
board: "a..."
legend: {".": floor, a: a}
pieces: {a: {}}
variables: {y: {values: range(3), initial: 0}}
moves: {go: {before: [a, empty], after: [empty, a]}}
goal: {a: {at: [0, 3]}}
forbid: y != 1
"""


GOAL_AT_START = """
puzzle: goal-at-start
variables: {a: {values: range(3), initial: 1}}
moves: {up: {when: a < 2, set: {a: a + 1}}}
goal: a > 0
"""


@pytest.mark.parametrize("text", [PASSING, WEIGHTS, FORBIDDEN_START, GOAL_AT_START])
def test_forbidden_positions_several_goals_and_weights(text: str) -> None:
    compiled = fewest.load("test.yaml", text=text)
    for metric in compiled.puzzle.metrics.values():
        assert check_backward(compiled.grounded, metric)
        assert (compiled.solve(metric.name).status == "optimal") == (text != FORBIDDEN_START)


def planned(compiled: fewest.CompiledPuzzle, metric: str | None = None) -> PlanningTask:
    return planning_task(compiled.grounded, metric_of(compiled.grounded, metric))


def finished(planning: PlanningTask) -> BackwardSearch:
    search = BackwardSearch(Bounds(planning))
    search.advance(inf)
    return search


def test_fewer_cubes_are_needed_if_the_automorphisms_are_known(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    planning = planned(fewest.load("qi-bu-cheng-shi"), "turns")
    with_mirror = finished(planning)
    monkeypatch.setattr(backward, "automorphism_group", lambda _: [])
    without = finished(planning)
    assert with_mirror.refuted == without.refuted
    assert with_mirror.num_cubes < 0.6 * without.num_cubes


def test_a_start_gets_its_own_plan_if_its_mirror_image_is_found() -> None:
    """The search finds only one of the two mirror images of this board, but both have plans."""
    board = "AAX\n.B.\n.CD\n"
    lengths = set()
    for rows in (board, "\n".join(row[::-1] for row in board.split("\n"))):
        text = MIRRORED.replace("  AXA\n  BCB\n  .D.\n", "".join(f"  {r}\n" for r in rows.split()))
        planning = planned(fewest.load("mirrored.yaml", text=text), "steps")
        found = finished(planning)
        assert found.states is not None and found.states[0] == planning.initial
        lengths.add(operators_of(planning, found.states)[0])
    assert len(lengths) == 1


def test_a_search_that_stops_after_each_cube_gives_the_same_result() -> None:
    task = fewest.load("tiles-2x3").grounded
    assert check_backward(task, metric_of(task, None), slice_seconds=0.0005)


@pytest.mark.parametrize(("limit", "value"), [("_MAX_CUBES", 20), ("_MAX_CONFLICTS", 1)])
def test_at_a_limit_the_search_gives_up_and_keeps_its_bound(
    limit: str, value: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backward, limit, value)
    search = finished(planned(fewest.load("qi-bu-cheng-shi")))
    assert search.is_over and not search.has_answer
    assert 0 <= search.refuted < 21
    cubes = search.num_cubes
    search.advance(inf)
    assert search.num_cubes == cubes


WALKER = """
puzzle: walker
board: "p..b.t"
legend: {p: p, b: b, ".": floor, t: target}
terrain: [target]
pieces: {p: {}, b: {}}
moves:
  walk: {before: [p, empty], after: [empty, p], directions: horizontal}
  push: {before: [p, b, empty], after: [empty, p, b], directions: horizontal}
goal: {p: {at: [0, 4]}}
metrics: {pushes: {count: {push: 1, walk: 0}}}
"""


def test_unsupported_tasks_are_recognized(monkeypatch: pytest.MonkeyPatch) -> None:
    walker = fewest.load("walker.yaml", text=WALKER)
    assert not can_search_backward(planned(walker))
    assert walker.solve(engine="sat").cost == 2
    assert not can_search_backward(planned(fewest.load("landslide")))
    planning = planned(fewest.load("guarini"))
    assert can_search_backward(planning)
    monkeypatch.setattr(backward, "_MAX_MOVES", len(planning.moves) - 1)
    assert not can_search_backward(planning)


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the backward search begin before the first horizon."""
    monkeypatch.setattr(sat, "BACKWARD_START", 0.0)


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("name", ["guarini", "tiles-2x3", "qi-bu-cheng-shi", "jugs"])
def test_the_engine_alternates_horizons_and_the_backward_search(name: str) -> None:
    compiled = fewest.load(name)
    progress: list[Horizon] = []
    found = compiled.solve(engine="sat", progress=progress.append)
    assert (found.status, found.cost) == ("optimal", compiled.solve(engine="bfs").cost)
    rows = found.statistics["horizons"]
    assert progress == rows and [row.verdict for row in rows].count("plan") >= 1
    refuted = [row.horizon for row in rows if row.verdict == "no plan"]
    assert refuted == sorted(set(refuted))
    if rows[-1].cubes is not None:
        cubes = found.statistics["backward"]["cubes"]
        assert rows[-1].cubes == cubes
        assert f"a backward search over {cubes:,} cubes" in found.summary()


class Unanswering(BundledSolver):
    """A solver that never answers; meanwhile, other work is done."""

    def solve(self, request: Request, deadline: float, meanwhile: Meanwhile | None = None) -> Reply:
        while True:
            assert meanwhile is not None
            meanwhile(time.perf_counter() + 0.01)


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize(
    ("name", "status"), [("qi-bu-cheng-shi", "optimal"), ("tiles-2x3-swapped", "unsolvable")]
)
def test_an_answer_of_the_backward_search_ends_a_horizon(
    name: str, status: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        sat, "open_solver", lambda name, *rest: Unanswering(name or "cadical195", *rest)
    )
    monkeypatch.setattr("fewest.planning.sat.unsolvability.prove_unsolvable", lambda *_: None)
    monkeypatch.setattr("fewest.planning.sat.unsolvability.can_search", lambda _: False)
    monkeypatch.setattr("fewest.planning.sat.unsolvability.START", inf)
    found = fewest.load(name).solve(engine="sat")
    assert found.status == status
    assert re.search(r"sat, a backward search over [\d,]+ cubes", found.summary())


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("options", [{"encoding": "incremental"}, {"last": 20}, {"stride": 2}])
def test_a_profile_without_it_and_chosen_horizons_search_only_forward(
    options: dict[str, Any],
) -> None:
    found = fewest.load("tiles-2x3").solve(engine="sat", **options)
    assert "backward" not in found.statistics


@pytest.mark.usefixtures("at_once")
def test_a_time_limit_leaves_the_bound_of_the_backward_search() -> None:
    task = fewest.load("tiles-2x5").task
    for seconds in (
        0.4,
        2,
        20,
    ):  # on a busy machine, 0.4 s may be over before the first layers are complete
        answer = sat.solve(task, metric_of(task, None), Limits(seconds=seconds))
        found = answer.statistics["backward"]["refuted"]
        if found > 2:
            break
    assert (answer.status, answer.reason) == ("limit", "time")
    bound = answer.lower_bound
    assert bound is not None and bound > (found,) > (2,)


@pytest.mark.usefixtures("at_once")
def test_a_limit_in_the_first_horizon_leaves_the_bound_of_the_backward_search(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The backward search completes layers while a solver works, so no horizon reports them."""

    searches: list[BackwardSearch] = []

    def opened(bounds: Bounds) -> BackwardSearch:
        searches.append(BackwardSearch(bounds))
        return searches[-1]

    class Late(Unanswering):
        def solve(
            self, request: Request, deadline: float, meanwhile: Meanwhile | None = None
        ) -> Reply:
            assert meanwhile is not None
            while searches[-1].refuted < 23:
                meanwhile(time.perf_counter() + 0.01)
            raise LimitReached("time")

    monkeypatch.setattr(sat, "open_solver", lambda name, *rest: Late(name or "cadical195", *rest))
    monkeypatch.setattr(sat, "BackwardSearch", opened)
    task = fewest.load("dads-puzzler").task
    answer = sat.solve(task, metric_of(task, "steps"), Limits())
    found = answer.statistics["backward"]["refuted"]
    assert found >= 23
    assert (answer.status, answer.lower_bound) == ("limit", (found + 1,))
    assert answer.statistics["horizons"][-1].cubes == answer.statistics["backward"]["cubes"]
