"""The default: A* where the task's shape says that its lower bounds pay, else breadth-first search.

They pay, measured over all puzzles that come with the package,

- where an agent walks among pieces (Sokoban and its kin): what breadth-first search takes three times
  as long for, or cannot do at all, and never the other way round by more than a few milliseconds;
- without an agent, where the bound at the start is more than half of what a breadth-first search of
  about a million states gets to (in the 15-puzzle about as much; in Klotski and Rush Hour a tenth). So
  one begins; when it is that long it is compared with the bound, and goes on or gives way.

Nothing but time depends on the choice: both prove the minimum.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from fewest.engines import astar, bfs
from fewest.engines.registry import check
from fewest.errors import UsageError

if TYPE_CHECKING:
    from fewest.model.answer import Answer, Limits
    from fewest.model.metric import Metric
    from fewest.model.task import Task
    from fewest.search.interface import Progress


def solve(
    task: Task,
    metric: Metric,
    limits: Limits,
    progress: Callable[[Progress], None] | None = None,
    *,
    threads: int | None = None,
    **options: Any,
) -> Answer:
    """The minimum, proven, by `astar` or `bfs`; the answer says which.

    `threads` and all `options` are those of `bfs`; with any of `options` the answer is its.
    Raises UsageError as `bfs` does.
    """

    def by_layers(**options: Any) -> Answer:
        answer = bfs.solve(task, metric, limits, progress, threads=threads, **options)
        return replace(answer, engine="bfs")

    def by_bounds(limits: Limits) -> Answer:
        return replace(astar.solve(task, metric, limits, progress), engine="astar")

    def give_way_to_bounds(known: Progress) -> None:
        try:
            begun = astar.solve(task, metric, replace(limits, seconds=0.0))
        except UsageError:  # too many facts, or costs that are too large
            return
        if 2 * begun.statistics["initial_bound"][0] > known.cost:
            raise _BoundsPay(known.cost)

    if options or not _has_bounds(metric):
        return by_layers(**options)
    if has_agent(task):
        try:
            return by_bounds(limits)
        except UsageError:
            return by_layers()
    began = time.perf_counter()
    try:
        return by_layers(rethink=give_way_to_bounds)
    except _BoundsPay as pays:
        reached = pays.cost
    if limits.seconds is not None:
        left = limits.seconds - (time.perf_counter() - began)
        limits = replace(limits, seconds=max(0.0, left))
    answer = by_bounds(limits)
    # It may be stopped before it is as far as the first search came.
    first = (reached, *(0 for _ in metric.parts[1:]))
    return replace(answer, lower_bound=max(answer.lower_bound, first))


class _BoundsPay(Exception):  # noqa: N818 - a change of mind, not an error
    """Ends a breadth-first search that was long and had come to `cost`."""

    def __init__(self, cost: int) -> None:
        super().__init__()
        self.cost = cost


def _has_bounds(metric: Metric) -> bool:
    try:
        check("astar", metric)
    except UsageError:
        return False
    return True


def has_agent(task: Task) -> bool:
    """Whether one thing is in one place, has a part in every operator, and walks: moves alone."""
    for group in task.exactly:
        if group.count != 1:
            continue
        places = sum(1 << fact for fact in group.facts)
        if all((o.value & places).bit_count() == 1 for o in task.operators) and any(
            o.flip & places == o.flip for o in task.operators
        ):
            return True
    return False
