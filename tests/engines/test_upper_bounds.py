"""A bidirectional search that is stopped after its directions met reports its plan as an upper bound."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

import fewest
from fewest import search
from fewest.engines.answers import answer_of, pieces_of
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


@pytest.mark.skipif(not search.NATIVE, reason="A* needs the native core")
def test_an_open_answer_with_a_plan_says_between_which_bounds_the_minimum_is() -> None:
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
