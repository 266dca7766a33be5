"""A* and a search from both ends in turns: whoever has the answer first, and what neither forgets."""

from typing import Any

import pytest

import fewest
from fewest import search
from fewest.deadends.dead_ends import forbidding
from fewest.engines import auto, bidirectional, in_turns
from fewest.engines.bfs import solve as by_layers
from fewest.model.answer import Answer, Limits
from tests.helpers.small_levels import level

pytestmark = pytest.mark.skipif(not search.NATIVE, reason="A* has only the native core")


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The other search's turn is whenever A* says how far it is."""
    monkeypatch.setattr(in_turns, "FIRST", 0.0)


def test_a_search_from_both_ends_has_its_turn(at_once: None) -> None:
    result = fewest.load("microban.xsb:99").solve("moves")
    assert (result.status, result.cost, result.engine) == ("optimal", 349, "bidirectional")


def test_astar_goes_on_where_it_was(at_once: None, monkeypatch: pytest.MonkeyPatch) -> None:
    turns: list[float | None] = []

    def stopped(task: Any, metric: Any, limits: Limits, progress: Any = None) -> Answer:
        turns.append(limits.seconds)
        return Answer("limit", None, (7,), None, "time")

    monkeypatch.setattr(bidirectional, "solve", stopped)
    result = fewest.load("microban.xsb:99").solve("moves")
    assert (result.status, result.cost, result.engine) == ("optimal", 349, "astar")
    assert turns


def test_its_lower_bound_is_not_forgotten(at_once: None, monkeypatch: pytest.MonkeyPatch) -> None:
    known = Answer("limit", None, (300,), None, "memory")
    monkeypatch.setattr(bidirectional, "solve", lambda *_: known)
    costs: list[int] = []
    result = fewest.load("microban.xsb:93").solve(
        "moves", seconds=1.0, progress=lambda now: costs.append(now.cost)
    )
    assert (result.status, result.reason, result.lower_bound) == ("limit", "time", 300)
    assert costs[-1] == 300


def test_too_many_goals_are_none_of_its_turns(
    at_once: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bidirectional, "MAX_GOAL_STATES", 3)
    result = fewest.load("microban.xsb:99").solve("moves")
    assert (result.status, result.cost, result.engine) == ("optimal", 349, "astar")


def test_where_astar_has_both_ends_nobody_else_has_turns(
    at_once: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(bidirectional, "solve")
    result = fewest.load("microban.xsb:144").solve("pushes")
    assert (result.status, result.cost, result.engine) == ("optimal", 36, "bidirectional-astar")


def test_an_interruption_ends_both(at_once: None, monkeypatch: pytest.MonkeyPatch) -> None:
    stopped = Answer("limit", None, (5,), None, "interrupted")
    monkeypatch.setattr(bidirectional, "solve", lambda *_: stopped)
    result = fewest.load("microban.xsb:93").solve("moves")
    assert (result.status, result.reason) == ("limit", "interrupted")


def test_the_other_search_has_a_share_of_the_limits() -> None:
    task = fewest.load("microban-001").task
    turns = in_turns._Turns(task, task.metrics["moves"], Limits(1e6, 1000), None)
    now = search.Progress(cost=3, num_states=5, num_expanded=4, seconds=1.0, bytes=600)
    share = turns._share(now, 2.0)
    assert (share.seconds, share.memory) == (2.0, 300)


@pytest.mark.parametrize("metric", ["moves", "pushes", "lines", "pushes-then-moves"])
def test_what_is_lost_is_on_no_plan(metric: str) -> None:
    """The forward side of small levels with and without what is lost, and both sides: the same minimum."""
    fewer = 0
    for seed in range(30):
        task = fewest.load("level.yaml", text=level(seed)).task
        cost = task.metrics[metric]
        plain = by_layers(task, cost, Limits())
        for wherever in (False, True):
            spared = by_layers(forbidding(task, 3, wherever_agent=wherever), cost, Limits())
            assert (spared.status, spared.cost) == (plain.status, plain.cost), seed
            fewer += spared.statistics["states"] < plain.statistics["states"]
        both = bidirectional.solve(task, cost, Limits())
        assert (both.status, both.cost) == (plain.status, plain.cost), seed
        assert auto.solve(task, cost, Limits()).cost == plain.cost
    assert fewer > 10
