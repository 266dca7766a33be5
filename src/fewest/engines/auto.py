"""The default: A* where the task's shape says that its lower bounds pay, else breadth-first search.

They pay, measured over all puzzles that come with the package,

- where an agent walks among pieces (Sokoban and its kin): what breadth-first search takes three times
  as long for, or cannot do at all, and never the other way round by more than a few milliseconds;
- without an agent, where the bound at the start is more than half of what a breadth-first search of
  about a million states gets to (in the 15-puzzle about as much; in Klotski and Rush Hour a tenth). So
  one begins; when it is that long it is compared with the bound, and goes on or gives way.

Nothing but time depends on the choice: both prove the minimum. A search that is long is also ended by a sum
that no move changes or raises and that every goal needs otherwise (`analysis.refutation`), or by combinations
that no move leads to and that every goal has (`planning.reachability`).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from fewest.engines import bfs
from fewest.engines.registry import check_metric
from fewest.errors import UsageError
from fewest.model.answer import Answer, Limits

if TYPE_CHECKING:
    from fewest.model.metric import Metric
    from fewest.model.task import Task
    from fewest.search.interface import Progress

_THOUGHT = 2.0  # seconds for a sum, in a search that is long


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

    `threads` and all `options` are those of `bfs`; with any of `options` the answer is its. Where the
    memory ends A* is asked, which goes on in little of it; the better lower bound of both is answered.
    Raises UsageError as `bfs` does.
    """

    began = time.perf_counter()
    by_layers = partial(_by_layers, task, metric, limits, progress, threads)
    if options or task.turns:  # what bounds and sums are made of are flips
        return by_layers(**options)
    has_bounds = _has_bounds(metric) and not task.consequences
    bounds = _Bounds(task, metric) if has_bounds else None
    if bounds is not None and has_agent(task):
        try:
            return bounds.solve(limits, progress)
        except UsageError:
            return by_layers()
    try:
        answer = by_layers(rethink=partial(_think, task, bounds))
        if bounds is None or answer.reason != "memory" or bounds.initial is None:
            return answer
        found = answer.lower_bound  # who has bounds goes on when the memory ends
    except _BoundsPay as pays:
        found = (pays.cost, *(0 for _ in metric.parts[1:]))
    except _Refuted as refuted:
        bound = (refuted.cost, *(0 for _ in metric.parts[1:]))
        known = {"argument": refuted.argument, "seconds": time.perf_counter() - began}
        return Answer("unsolvable", None, bound, None, None, known)
    assert bounds is not None
    if limits.seconds is not None:
        left = limits.seconds - (time.perf_counter() - began)
        limits = replace(limits, seconds=max(0.0, left))
    # It may be stopped before it is as far as the first search came.
    answer = bounds.solve(limits, progress)
    return replace(answer, lower_bound=max(answer.lower_bound, found))


def _by_layers(
    task: Task,
    metric: Metric,
    limits: Limits,
    progress: Callable[[Progress], None] | None,
    threads: int | None,
    **options: Any,
) -> Answer:
    answer = bfs.solve(task, metric, limits, progress, threads=threads, **options)
    return replace(answer, engine="bfs")


class _Bounds:
    """A* for a task in a metric."""

    def __init__(self, task: Task, metric: Metric) -> None:
        self.task, self.metric = task, metric

    @cached_property
    def initial(self) -> int | None:
        """The bound at the start (its first number); None for too many facts, or costs that are too large."""
        try:
            begun = self.solve(Limits(seconds=0.0))
        except UsageError:
            return None
        bound: int = begun.statistics["initial_bound"][0]
        return bound

    def solve(self, limits: Limits, progress: Callable[[Progress], None] | None = None) -> Answer:
        """The answer. Raises UsageError where `initial` is None."""
        from fewest.engines import astar

        answer = astar.solve(self.task, self.metric, limits, progress)
        return replace(answer, engine="astar")


def _think(task: Task, bounds: _Bounds | None, known: Progress) -> None:
    """Asked when the search is long: raises what ends it, for an argument or for bounds that pay."""
    from fewest.analysis.refutation import refute

    sums = refute(task, _THOUGHT)
    if sums is not None:
        raise _Refuted(known.cost, sums[0].words())
    if bounds is not None and bounds.initial is not None and 2 * bounds.initial > known.cost:
        raise _BoundsPay(known.cost)


class _BoundsPay(Exception):  # noqa: N818 - a change of mind, not an error
    """Ends a breadth-first search that was long and had come to `cost`."""

    def __init__(self, cost: int) -> None:
        super().__init__()
        self.cost = cost


class _Refuted(Exception):  # noqa: N818 - a proof, not an error
    """Ends a search that had come to `cost`: no goal can be reached, and why."""

    def __init__(self, cost: int, argument: str) -> None:
        super().__init__()
        self.cost, self.argument = cost, argument


def _has_bounds(metric: Metric) -> bool:
    try:
        check_metric("astar", metric)
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
