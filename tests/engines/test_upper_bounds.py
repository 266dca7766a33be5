"""A search that a limit stops returns the best plan found so far as an upper bound."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

import fewest
from fewest import search
from fewest.engines.answers import KnownPlan, answer_of, pieces_of, with_plan
from fewest.engines.portfolio import _Run, _Runner
from fewest.engines.stage_searches import AStar, LayeredSearch, Request
from fewest.model.answer import Answer, Limits
from fewest.model.costs import cost_table
from fewest.playing.validate import validate
from fewest.search.informed import InformedProblem, InformedSearch
from fewest.search.interface import ALL, NO_LIMITS, Budget, SearchLimits


@pytest.mark.skipif(not search.NATIVE, reason="A* needs the native core")
def test_a_stopped_search_has_the_plan_with_which_its_ends_met() -> None:
    compiled = fewest.load("microban.xsb:6")
    metric = compiled.puzzle.metrics["pushes"]
    minimum = compiled.solve("pushes", engine="bfs").cost
    task = compiled.task
    problem = InformedProblem(task.problem, cost_table(task, metric), **pieces_of(task))
    num_stopped = 0
    for budget in range(20, 400, 20):
        one = InformedSearch(problem, "bidirectional a*")
        if one.advance(Budget(expansions=budget), NO_LIMITS) == "running":
            one.advance(ALL, SearchLimits(seconds=0))
        outcome = one.outcome()
        assert outcome.lower_bound <= (minimum,)
        if outcome.cost is not None:
            assert outcome.cost >= (minimum,)
            validate(compiled.puzzle, task, metric, outcome.plan, outcome.cost)
            num_stopped += outcome.status == "time"
    assert num_stopped > 0


LEAP = """
puzzle: a-dear-leap
variables:
  c[i]: {for: {i: range(3)}, values: range(20), initial: 0}
  x[i]: {for: {i: range(3)}, values: [0, 1], initial: 0}
moves:
  count: {for: {i: range(3), v: range(19)}, when: "c[i] == v", set: {"c[i]": v + 1}}
  put: {for: {i: range(3)}, when: "c[0] == 15 and c[1] == 15 and c[2] == 15 and x[i] == 0", set: {"x[i]": 1}}
  leap: {set: {"x[i] for i in range(3)": 1}}
goal: all(x[i] == 1 for i in range(3))
metrics: {cost: {count: {leap: 100}}}
"""


@pytest.mark.skipif(not search.NATIVE, reason="A* needs the native core")
@pytest.mark.parametrize("threads", [1, 2])
def test_a_stopped_search_has_a_plan_whose_end_it_has_not_expanded(threads: int) -> None:
    compiled = fewest.load("leap.yaml", text=LEAP)
    task, metric = compiled.task, compiled.puzzle.metrics["cost"]
    problem = InformedProblem(task.problem, cost_table(task, metric), **pieces_of(task))
    one = InformedSearch(problem, threads=threads)
    assert one.advance(Budget(expansions=256), NO_LIMITS) == "running"
    assert one.advance(ALL, SearchLimits(seconds=0)) == "time"
    stopped = one.outcome()
    assert stopped.cost == (100,)
    validate(compiled.puzzle, task, metric, stopped.plan, stopped.cost)
    whole = InformedSearch(problem, threads=threads)
    assert whole.advance(ALL, NO_LIMITS) == "goal"
    assert stopped.lower_bound <= whole.outcome().cost == (48,)


# After 256 expansions of a weighted search, `back` has just made the state before `leap` cheaper.
DETOUR = """
puzzle: a-late-detour
variables:
  v: {values: range(257), initial: 0}
  k: {values: [0, 1], initial: 0}
moves:
  step: {for: {i: range(253)}, when: v == i, set: {v: i + 1}}
  dear: {when: v == 253, set: {v: 254}}
  side: {when: v == 253, set: {v: 255}}
  back: {when: v == 255, set: {v: 254}}
  last: {when: v == 254 and k == 1, set: {v: 256}}
  leap: {when: v == 254, set: {v: 256}}
  flip: {when: v == 256 and k == 0, set: {k: 1}}
goal: v == 256
metrics: {cost: {count: {dear: 10, leap: 1000}}}
"""


@pytest.mark.skipif(not search.NATIVE, reason="A* needs the native core")
def test_the_cost_of_a_stopped_search_is_that_of_its_plan() -> None:
    """The stored cost of the last state does not include that a state before it has become cheaper."""
    compiled = fewest.load("detour.yaml", text=DETOUR)
    task, metric = compiled.task, compiled.puzzle.metrics["cost"]
    problem = InformedProblem(task.problem, cost_table(task, metric), **pieces_of(task))
    one = InformedSearch(problem, weight=(20, 1))
    assert one.advance(Budget(expansions=1), NO_LIMITS) == "running"
    assert one.advance(ALL, SearchLimits(seconds=0)) == "time"
    stopped = one.outcome()
    assert stopped.facts["expanded"] == 256 and stopped.cost == (1255,)
    validate(compiled.puzzle, task, metric, stopped.plan, stopped.cost)
    assert stopped.lower_bound <= stopped.cost


@pytest.mark.skipif(not search.NATIVE, reason="A* needs the native core")
def test_an_answer_at_a_limit_gives_both_bounds_of_the_minimum() -> None:
    compiled = fewest.load("microban.xsb:6")
    task, metric = compiled.task, compiled.puzzle.metrics["pushes"]
    problem = InformedProblem(task.problem, cost_table(task, metric), **pieces_of(task))
    one = InformedSearch(problem)
    one.advance(ALL, NO_LIMITS)
    outcome = one.outcome()
    assert outcome.cost is not None
    stopped = replace(outcome, status="time", lower_bound=(7,))
    answer = answer_of(stopped, {})
    assert (answer.status, answer.cost, answer.lower_bound) == ("limit", outcome.cost, (7,))
    assert answer_of(replace(outcome, status="time"), {}).status == "optimal"
    result = replace(
        compiled.solve("pushes"), status="limit", reason="time", lower_bound=7, statistics={}
    )
    assert f"time limit; between 7 and {outcome.cost[0]} pushes" in result.summary()
    assert (result.to_json()["lower_bound"], result.to_json()["upper_bound"]) == (
        7,
        outcome.cost[0],
    )


def leap() -> tuple[fewest.CompiledPuzzle, Request]:
    compiled = fewest.load("leap.yaml", text=LEAP)
    request = Request(
        compiled.task, compiled.puzzle.metrics["cost"], Limits(), make_search=search.make_search
    )
    return compiled, request


def check_leap(compiled: fewest.CompiledPuzzle, request: Request, answer: Answer) -> None:
    """The answer contains the plan of one expensive move, and no proof."""
    assert (answer.status, answer.reason, answer.cost) == ("limit", "time", (100,))
    assert answer.plan is not None
    assert answer.lower_bound <= (48,)
    validate(compiled.puzzle, compiled.task, request.metric, answer.plan, (100,))


@pytest.mark.skipif(not search.NATIVE, reason="A* needs the native core")
def test_a_new_stage_of_astar_keeps_the_plan_of_the_one_before() -> None:
    compiled, request = leap()
    stage = AStar(request)
    assert stage.advance(Budget(expansions=256), None) == "running"
    stage.search._begin("a*")
    request.limits = Limits(seconds=0)
    assert stage.advance(ALL, None) == "time"
    assert stage.search._search.outcome().cost is None
    check_leap(compiled, request, stage.answer())


@pytest.mark.skipif(not search.NATIVE, reason="A* needs the native core")
def test_a_search_with_hints_keeps_the_plan_of_the_one_without() -> None:
    compiled, request = leap()
    stage = AStar(request)
    assert stage.advance(Budget(expansions=256), None) == "running"
    stage.is_due = True
    request.limits = Limits(seconds=0)
    assert stage.advance(ALL, None) == "time"
    assert stage.search.outcome().cost is None
    check_leap(compiled, request, stage.answer())


@pytest.mark.skipif(not search.NATIVE, reason="A* needs the native core")
@pytest.mark.parametrize("options", [{"weight": (21, 20)}, {"ends": "both"}, {"patterns": "off"}])
def test_an_engine_that_a_limit_stops_has_both_bounds(options: dict[str, Any]) -> None:
    compiled, request = leap()
    request.astar = replace(request.astar, **options)
    stage = AStar(request)
    assert stage.advance(Budget(expansions=256), None) == "running"
    request.limits = Limits(seconds=0)
    portfolio = _Run(request, None, ())
    portfolio.running = [_Runner("astar", stage, 0.0)]
    answer = portfolio.run(())
    assert answer is not None
    check_leap(compiled, request, answer)
    assert answer.lower_bound > (0,)


@pytest.mark.skipif(not search.NATIVE, reason="A* needs the native core")
def test_the_plan_of_a_dropped_search_is_in_the_answer() -> None:
    compiled, request = leap()
    stage = AStar(request)
    assert stage.advance(Budget(expansions=256), None) == "running"
    portfolio = _Run(request, None, ())
    portfolio.running = [_Runner("astar", stage, 0.0), _Runner("layers", LayeredSearch(request), 0)]
    portfolio._drop(portfolio.running[0], "thrown away")
    request.limits = Limits(seconds=0)
    answer = portfolio.run(())
    assert answer is not None
    assert answer.statistics["stages"][0]["stage"] == "astar"
    check_leap(compiled, request, answer)


def test_a_known_plan_that_costs_no_more_than_the_bound_is_optimal() -> None:
    known = KnownPlan((7,), (3,))
    stopped = Answer("limit", None, (7,), None, "time")
    assert with_plan(stopped, known) == Answer("optimal", (7,), (7,), (3,), "time")
    dearer = Answer("limit", (9,), (5,), (1,), "time")
    assert with_plan(dearer, known) == Answer("limit", (7,), (5,), (3,), "time")
    cheaper = Answer("limit", (6,), (5,), (1,), "time")
    assert with_plan(cheaper, known) == cheaper
    assert with_plan(stopped, None) == stopped
    unsolvable = Answer("unsolvable", None, (0,), None)
    assert with_plan(unsolvable, known) == unsolvable
