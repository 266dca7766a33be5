"""The progress callback stops an exploration at its limits, and receives the amount of memory in use."""

from __future__ import annotations

from time import perf_counter

import pytest

import fewest
from fewest.model.answer import LimitReached
from fewest.search.interface import Progress
from fewest.space.state_graph import build_state_graph, limit_watch


def test_a_watch_stops_at_a_limit_and_names_it() -> None:
    now = perf_counter()
    with pytest.raises(LimitReached) as stopped:
        limit_watch(1.0, None, now - 1.5, None)(1, 1)
    assert stopped.value.reason == "time"
    limit_watch(1000.0, None, now, None)(1, 1)
    watch = limit_watch(None, 100, now - 1e6, None)
    watch(1, 100)
    with pytest.raises(LimitReached) as stopped:
        watch(1, 101)
    assert stopped.value.reason == "memory"


def test_a_watch_reports_at_most_ten_times_a_second() -> None:
    reports: list[Progress] = []
    watch = limit_watch(None, None, perf_counter() - 5, reports.append)
    for number in range(1, 4):
        watch(number, 10 * number)
    assert [(p.num_states, p.bytes) for p in reports] == [(1, 10)]
    assert reports[0].seconds >= 5


@pytest.mark.parametrize("name", ["tiles-2x3", "microban-001", "two-rings"])
def test_the_progress_callback_gets_at_least_the_memory_of_the_space(name: str) -> None:
    reports: list[tuple[int, int]] = []
    space = build_state_graph(fewest.load(name).task.problem, lambda *seen: reports.append(seen))
    assert [states for states, _ in reports] == sorted(states for states, _ in reports)
    at_the_end = [num_bytes for num_states, num_bytes in reports if num_states == len(space)]
    assert len(at_the_end) >= 2  # there is one report at the end of each pass
    assert all(space.num_bytes <= num_bytes < 4 * space.num_bytes for num_bytes in at_the_end)
