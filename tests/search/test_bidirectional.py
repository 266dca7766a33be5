"""Bidirectional search finds the minima of breadth-first search and of the reference interpreter."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import assume, given, settings

import fewest
from fewest import search
from fewest.analysis.regression import TooManyStatesError, goal_states, reverse
from fewest.errors import DocumentError, UsageError
from fewest.machine.resources import puzzles as shipped
from fewest.model.costs import cost_table, plan_cost
from fewest.model.problem import sets_in
from fewest.model.states import encode
from fewest.model.task import Task
from fewest.playing.exhaust import TooManyPositionsError, exhaust
from fewest.playing.validate import validate
from fewest.search.bidirectional import bidirectional
from fewest.search.interface import ALL, NO_LIMITS, Meeting
from fewest.search.pure.bidirectional import PureMeetingSearch
from tests.helpers.agreement import LIMIT, compiled_or_none, relaxed
from tests.helpers.random_puzzles import puzzles


def found_by(search: PureMeetingSearch) -> Meeting:
    assert search.advance(ALL, NO_LIMITS) != "running"
    return search.meeting()


def check_both_cores(text: str) -> None:
    compiled = compiled_or_none(text)
    assume(compiled is not None)
    assert compiled is not None
    puzzle, task = compiled.puzzle, compiled.task
    try:
        back = reverse(task, goal_states(task, 5_000))
    except TooManyStatesError:
        assume(False)
    for metric in puzzle.metrics.values():
        try:
            reach = exhaust(puzzle, metric, LIMIT)
        except (TooManyPositionsError, DocumentError):
            assume(False)
        table = cost_table(task, metric)
        found = [
            found_by(PureMeetingSearch(task.problem, table, back, None)),
            bidirectional(task.problem, table, back),
        ]
        for meeting in found:
            outcome = meeting.outcome
            assert outcome.cost == reach.minimum, (outcome.algorithm, metric.name, text)
            assert outcome.status == ("exhausted" if reach.minimum is None else "goal")
            if outcome.cost is not None:
                assert outcome.lower_bound == outcome.cost
                assert plan_cost(task, metric, outcome.plan) == outcome.cost
                validate(puzzle, task, metric, outcome.plan, outcome.cost)


@settings(relaxed, max_examples=40)
@given(puzzles())
def test_both_cores_find_the_minimum_of_the_reference_in_every_metric(text: str) -> None:
    check_both_cores(text)


@pytest.mark.slow
@settings(relaxed, max_examples=3000)
@given(puzzles())
def test_both_cores_agree_with_the_reference_on_thousands_of_puzzles(text: str) -> None:
    check_both_cores(text)


@settings(relaxed, max_examples=40)
@given(puzzles())
def test_every_step_has_its_inverse_and_every_goal_reached_is_enumerated(text: str) -> None:
    compiled = compiled_or_none(text)
    assume(compiled is not None)
    assert compiled is not None
    task = compiled.task
    try:
        goals = goal_states(task, 5_000)
        reach = exhaust(compiled.puzzle, next(iter(compiled.puzzle.metrics.values())), LIMIT)
    except (TooManyStatesError, TooManyPositionsError, DocumentError):
        assume(False)
    back = reverse(task, goals)
    rows = zip(
        *(sets_in(rows, task.words) for rows in (back.problem.mask, back.problem.value)),
        strict=True,
    )
    inverse = dict(zip(back.operators, rows, strict=True))
    for state in (encode(task, position) for position in reach.costs):
        if task.is_goal(state) and not task.is_forbidden(state):
            assert state in goals
        for number, operator in enumerate(task.operators):
            if operator.is_applicable(state):
                mask, value = inverse[number]
                assert operator.apply(state) & mask == value
    assert set(goals) == brute_force(task)


def brute_force(task: Task) -> set[int]:
    """The goal states among all sets of facts; skips tasks with too many facts."""
    if len(task.facts) > 12:
        return set(goal_states(task, 5_000))
    found: set[int] = set()
    for state in range(1 << len(task.facts)):
        exact = (sum(state >> f & 1 for f in g.facts) == g.count for g in task.exactly)
        covered = (sum(state >> f & 1 for f in facts) <= 1 for facts in task.at_most_one)
        is_allowed = state == task.initial or not task.is_forbidden(state)
        if task.is_goal(state) and is_allowed and all(exact) and all(covered):
            found.add(state)
    return found


@pytest.mark.parametrize(
    "path", [path for _, _, path in shipped()[::8]], ids=lambda path: path.stem
)
def test_the_answers_of_shipped_puzzles_are_those_that_are_known(path: Path) -> None:
    check_known_answers(path)


@pytest.mark.slow
@pytest.mark.parametrize("path", [path for _, _, path in shipped()], ids=lambda path: path.stem)
def test_the_answers_of_all_shipped_puzzles_are_those_that_are_known(path: Path) -> None:
    check_known_answers(path)


def check_known_answers(path: Path) -> None:
    compiled = fewest.load(path)
    expected = {e.key: e for e in compiled.puzzle.expectations}
    for metric in compiled.metrics:
        known = expected.get(metric, expected.get("unsolvable"))
        if known is None or known.slow:
            continue
        try:
            result = compiled.solve(metric, engine="bidirectional", seconds=60)
        except UsageError as error:
            task = compiled.grounded
            assert (
                task.permutations
                or task.consequences
                or "at most 100,000 goal positions" in str(error)
            )
            break
        answer = None if known.key == "unsolvable" else known.value
        assert (result.cost, result.is_proven) == (answer, True), metric


def test_a_search_from_a_single_goal_state_expands_far_fewer_states() -> None:
    compiled = fewest.load("fifteen-20")
    both, one = compiled.solve(engine="bidirectional"), compiled.solve(engine="bfs")
    assert both.cost == one.cost == 20
    assert both.statistics["goal_states"] == 1
    assert both.statistics["states"] * 10 < one.statistics["states"]


def test_a_position_of_the_fifteen_puzzle_that_breadth_first_search_cannot_afford_is_solved() -> (
    None
):
    result = fewest.load("fifteen-30").solve(engine="bidirectional")
    assert (result.status, result.cost) == ("optimal", 30)
    assert result.statistics["states"] < 500_000


@pytest.mark.parametrize(
    ("name", "metric", "algorithm"),
    [
        ("hanoi", "moves", "bfs"),
        ("heng-dao-li-ma", "turns", "bfs over runs"),
        ("two-rings", "turns", "bfs over runs"),
        ("microban-001", "pushes", "bfs over regions"),
        ("microban-001", "pushes-then-moves", "dijkstra"),
        ("bridge", "minutes", "dijkstra"),
    ],
)
def test_the_native_core_has_an_algorithm_for_each_kind_of_metric(
    name: str, metric: str, algorithm: str
) -> None:
    if not search.NATIVE:
        pytest.skip("the pure-Python core has one algorithm")
    result = fewest.load(name).solve(metric, engine="bidirectional")
    assert result.statistics["algorithm"] == f"bidirectional {algorithm}"


def test_a_goal_with_too_many_positions_is_refused_with_their_number() -> None:
    with pytest.raises(
        UsageError, match=r"at most 100,000 goal .* has more \(the upper bound is 18,623,404,800\)"
    ):
        fewest.load("climb-12").solve(engine="bidirectional")


FORBIDDEN_START = """
puzzle: forbidden-start
board: "a..b"
legend: {".": floor, a: a, b: b}
pieces: {a: {}, b: {}}
moves: {go: {before: [a, empty], after: [empty, a], directions: horizontal}}
forbid: {a: {at: [0, 0]}}
goal: {board: "..ab"}
metrics: {steps: {}, slides: {merge: line}, effort: {count: {go: 3}, merge: path}}
"""


@pytest.mark.parametrize(("metric", "cost"), [("steps", 2), ("slides", 1), ("effort", 3)])
def test_a_start_that_is_forbidden_can_be_left_but_not_entered(metric: str, cost: int) -> None:
    compiled = fewest.load("forbidden-start.yaml", text=FORBIDDEN_START)
    result = compiled.solve(metric, engine="bidirectional")
    assert (result.status, result.cost) == ("optimal", cost)
    assert compiled.solve(metric).cost == cost
    home = FORBIDDEN_START.replace('"..ab"', '"a..b"')
    assert fewest.load("f.yaml", text=home).solve(metric, engine="bidirectional").cost == 0
    away = home.replace('board: "a..b"\nlegend', 'board: ".a.b"\nlegend')
    result = fewest.load("f.yaml", text=away).solve(metric, engine="bidirectional")
    assert (result.status, result.statistics["goal_states"]) == ("unsolvable", 0)


def test_the_lower_bound_of_a_limit_grows_and_never_passes_the_minimum() -> None:
    bounds = []
    for memory in (100_000, 1_000_000, 4_000_000):
        result = fewest.load("fifteen-30").solve(engine="bidirectional", memory=memory)
        bounds.append(result.lower_bound)
        if result.status == "limit":
            assert result.reason == "memory"
    assert all(a <= b for a, b in pairwise(bounds))
    assert 0 < bounds[0] < 30 and bounds[-1] <= 30


def test_a_time_limit_also_applies_to_the_enumeration_of_goal_states() -> None:
    result = fewest.load("climb-12").solve(engine="bidirectional", seconds=0.01)
    assert (result.status, result.reason, result.lower_bound) == ("limit", "time", 0)


def test_there_is_no_plan_if_either_search_ends() -> None:
    compiled = fewest.load("tiles-2x3-swapped")
    result = compiled.solve(engine="bidirectional")
    assert (result.status, result.cost) == ("unsolvable", None)
    assert result.statistics["exhausted"]
