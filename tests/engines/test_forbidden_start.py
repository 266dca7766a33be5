"""A start that `forbid` excludes is allowed, but no move may return to it."""

from __future__ import annotations

import pytest

import fewest
from fewest import search
from fewest.engines.index import search_index
from fewest.model.answer import Limits
from fewest.model.metric import metric_of

TEXT = """
puzzle: forbidden-start
legend: {".": floor, "a": a, "b": b}
pieces: {a: {}, b: {}}
moves:
  on: {before: [a, empty], after: [empty, a], directions: right}
  free: {before: [b, empty], after: [empty, b]}
metrics: {all: {}, runs: {merge: line}, some: {count: {free: 0}}}
forbid: {a: {at: [0, 0]}}
goal: {a: {at: [0, 3]}}
board: |
  a..b
  ....
"""


@pytest.mark.parametrize("engine", ["bfs", "python", "sat", "asp"])
@pytest.mark.parametrize(("metric", "cost"), [("all", 4), ("runs", 3), ("some", 3)])
def test_all_engines_leave_a_forbidden_start(engine: str, metric: str, cost: int) -> None:
    answer = fewest.load("it.yaml", text=TEXT).solve(metric, engine=engine, seconds=20)
    assert (answer.status, answer.cost) == ("optimal", cost)


DETOUR = """
puzzle: detour
board: |
  a....
  ###..
  ###..
legend: {".": floor, "#": wall, a: a}
pieces: {a: {}}
moves: {step: {before: [a, empty], after: [empty, a]}}
forbid: {a: {at: [1, 3]}}
goal: {a: {at: [2, 3]}}
"""

PASSAGE = """
puzzle: passage
board: ".a."
legend: {".": floor, a: a}
pieces: {a: {}}
moves: {step: {before: [a, empty], after: [empty, a], directions: horizontal}}
forbid: {a: {at: [0, 1]}}
goal: {a: {at: [0, 2]}}
"""


@pytest.mark.skipif(not search.NATIVE, reason="an index needs the native core")
def test_an_index_searches_backward_around_forbidden_positions() -> None:
    """The way through the forbidden cell would be shorter."""
    answer = fewest.load("detour.yaml", text=DETOUR).solve(engine="bfs", store="index")
    assert (answer.status, answer.cost) == ("optimal", 7)


@pytest.mark.skipif(not search.NATIVE, reason="an index needs the native core")
def test_goal_distances_of_an_index_do_not_lead_through_a_forbidden_start() -> None:
    task = fewest.load("passage.yaml", text=PASSAGE).task
    found = search_index(
        task, metric_of(task, None), Limits(), exhaust=True, plan=False, goal_distances=True
    )
    assert found.goal_distances is not None
    assert found.goal_distances.layers == (((0,), 1), ((1,), 1))
    assert found.goal_distances.num_dead == 1
