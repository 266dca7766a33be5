"""A start that `forbid` excludes is allowed, but no move may return to it."""

from __future__ import annotations

import pytest

import fewest

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
