"""The pure-Python core respects its limits before a search begins, and in the middle of a step."""

from __future__ import annotations

import time
from collections.abc import Callable
from math import inf
from typing import Any

import pytest

import fewest
from fewest.analysis.regression import goal_states, reverse
from fewest.engines import blind_search
from fewest.model.answer import Limits
from fewest.model.costs import CostTable, cost_table
from fewest.search.interface import Progress
from fewest.search.pure import breadth_first
from fewest.search.pure.bidirectional import PureMeetingSearch


def test_memory_that_ends_within_a_step_is_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    task = fewest.load("tiles-2x3").task
    successors = breadth_first.ProblemTables.successors
    calls = 0

    def failing(tables: breadth_first.ProblemTables, state: int) -> Any:
        nonlocal calls
        calls += 1
        if calls == 100:
            raise MemoryError
        yield from successors(tables, state)

    monkeypatch.setattr(breadth_first.ProblemTables, "successors", failing)
    metric = task.metrics[task.default_metric]
    found = breadth_first.search(task.problem, cost_table(task, metric))
    assert found.status == "memory" and found.num_expanded == 100
    assert found.lower_bound > (0,) and found.cost is None


class _StopError(Exception):
    pass


def test_the_time_for_preparations_counts_towards_the_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    task = fewest.load("tiles-2x3").task

    def slow(*arguments: Any) -> CostTable:
        time.sleep(0.2)
        return cost_table(*arguments)

    def core(*arguments: Any, seconds: float, **options: Any) -> Any:
        raise _StopError(seconds)

    monkeypatch.setattr(blind_search, "cost_table", slow)
    for limit, left in ((10.0, 9.8), (0.1, 0.0)):
        with pytest.raises(_StopError) as stopped:
            blind_search.search_all(
                core,
                task,
                task.metrics[task.default_metric],
                Limits(limit, None),
                None,
                exhaust=False,
                symmetry="off",
            )
        assert 0.0 <= stopped.value.args[0] <= left


def _from_start() -> breadth_first.PureSearch:
    task = fewest.load("tiles-2x3").task
    costs = cost_table(task, task.metrics[task.default_metric])
    return breadth_first.make_search(task.problem, costs)


def _from_both_ends() -> PureMeetingSearch:
    task = fewest.load("tiles-2x3").task
    costs = cost_table(task, task.metrics[task.default_metric])
    back = reverse(task, goal_states(task, 10))
    return PureMeetingSearch(task.problem, costs, back, None)


@pytest.mark.parametrize("made", [_from_start, _from_both_ends])
def test_an_exception_of_the_callback_ends_the_search(
    made: Callable[[], breadth_first.PureSearch | PureMeetingSearch],
) -> None:
    search = made()
    search.slice.reported = -inf  # the first report is due at once

    def fail(progress: Progress) -> None:
        raise _StopError

    with pytest.raises(_StopError):
        search.advance(progress=fail)
    assert search.advance() == search.status == "interrupted"
