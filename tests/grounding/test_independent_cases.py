"""The cases of assignments that depend only on variables are computed once, and the operators are the same."""

from __future__ import annotations

import pytest

import fewest
from fewest.grounding import guard
from fewest.model.task import Task

RUNS = """
puzzle: runs
legend: {".": floor}
pieces: {robot: {letters: R}, helper: {letters: H}}
variables:
  way: {values: [none, across, along], initial: none}
  turned: {values: [0, 1], initial: 0}
  here: {values: range(5), initial: 0}
moves:
  help: {slide: helper, distance: blocked, set: {here: "max(col(robot), 0)"}}
  across:
    slide: robot
    directions: horizontal
    distance: blocked
    set: {turned: "1 if way == along else turned", way: across}
  along:
    slide: robot
    directions: vertical
    distance: blocked
    set: {turned: "1 if way == across else turned", way: along}
goal: {R: {at: [2, 0]}}
board: |
  R..
  ..H
  ...
"""


def operators(task: Task) -> list[tuple[int, int, int]]:
    return [(move.mask, move.value, move.flip) for move in task.moves]


def test_operators_do_not_depend_on_when_the_cases_are_computed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    expected = fewest.load("runs.yaml", text=RUNS)
    found = operators(expected.task)
    monkeypatch.setattr(guard, "MOST_CALLS", 0)
    one_by_one = fewest.load("runs.yaml", text=RUNS)
    assert operators(one_by_one.task) == found
    assert len(found) > 50
    assert expected.solve().cost == one_by_one.solve().cost


def test_cases_are_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = 0
    computed = guard._independent_cases

    def counting(*arguments: object) -> object:
        nonlocal calls
        calls += 1
        return computed(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(guard, "_independent_cases", counting)
    assert len(fewest.load("ricochet-straight").task.moves) > 30_000
    assert calls == 2  # `across` and `along`; `help` sets nothing
