"""The default: A* where the task's shape says that its lower bounds pay, else breadth-first search.

They pay, measured over all puzzles that come with the package,

- where an agent walks among pieces (Sokoban and its kin): what breadth-first search takes three times
  as long for, or cannot do at all, and never the other way round by more than a few milliseconds;
- without an agent, where the bound at the start is more than half of what a breadth-first search of
  about a million states gets to (in the 15-puzzle about as much; in Klotski and Rush Hour a tenth): so
  that one is tried first.

Nothing but time depends on the choice: both prove the minimum.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from fewest import search
from fewest.engines import astar, bfs
from fewest.engines.orbits import PROBE
from fewest.errors import UsageError
from fewest.model.answer import Answer, Limits

if TYPE_CHECKING:
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

    def by_layers(limits: Limits, **options: Any) -> Answer:
        answer = bfs.solve(task, metric, limits, progress, threads=threads, **options)
        return replace(answer, engine="bfs")

    def by_bounds(limits: Limits) -> Answer | None:
        try:
            return replace(astar.solve(task, metric, limits, progress), engine="astar")
        except UsageError:  # too many facts, or costs that are too large
            return None

    may_be_bounded = search.NATIVE and all(part.merge == "none" for part in metric.parts)
    if options or not may_be_bounded:
        return by_layers(limits, **options)
    if has_agent(task):
        return by_bounds(limits) or by_layers(limits)
    if limits.memory is not None and limits.memory <= PROBE:
        return by_layers(limits)
    began = time.perf_counter()
    short = replace(limits, memory=PROBE)  # a fraction of a second: it reports nothing
    probe = replace(bfs.solve(task, metric, short, threads=threads, symmetry="off"), engine="bfs")
    if (probe.status, probe.reason) != ("limit", "memory"):
        return probe
    if limits.seconds is not None:
        limits = replace(limits, seconds=max(0.0, limits.seconds - (time.perf_counter() - began)))
    bound = by_bounds(replace(limits, seconds=0.0))
    answer = None
    if bound is not None and 2 * bound.statistics["initial_bound"][0] > probe.lower_bound[0]:
        answer = by_bounds(limits)
    answer = answer or by_layers(limits)
    # The second search may be stopped before it is as far as the first one came.
    return replace(answer, lower_bound=max(answer.lower_bound, probe.lower_bound))


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
