"""Exhaustive search, layer by layer: Dijkstra (1959), breadth-first where all moves cost the same."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import TYPE_CHECKING

from fewest import core
from fewest.metrics import cost_table
from fewest.results import Answer, Limits

if TYPE_CHECKING:
    from fewest.core.interface import Outcome, Progress
    from fewest.language.puzzle import Metric
    from fewest.task import Task


def solve(
    task: Task,
    metric: Metric,
    limits: Limits,
    progress: Callable[[Progress], None] | None = None,
    *,
    exhaust: bool = False,
    threads: int | None = None,
) -> Answer:
    """The minimum, or the proof that there is none; `exhaust` goes on to count all states.

    `threads` may be used at most, by default as many as there are processors; small searches take one.
    """
    return run(core.search, task, metric, limits, progress, exhaust, threads)


def run(
    search: Callable[..., Outcome],
    task: Task,
    metric: Metric,
    limits: Limits,
    progress: Callable[[Progress], None] | None,
    exhaust: bool,
    threads: int | None = None,
) -> Answer:
    """What a core's `search` says: a goal reached is optimal, exhaustion without one unsolvable."""
    outcome = search(
        task.problem,
        cost_table(task, metric),
        exhaust=exhaust,
        seconds=inf if limits.seconds is None else limits.seconds,
        memory=limits.memory,
        threads=threads,
        progress=progress,
    )
    statistics = {
        "algorithm": outcome.algorithm,
        "states": outcome.num_states,
        "goal_states": outcome.num_goal_states,
        "expanded": outcome.num_expanded,
        "generated": outcome.num_generated,
        "layers": [[list(cost), count] for cost, count in outcome.layers],
        "seconds": outcome.seconds,
        "bytes": outcome.bytes,
        "exhausted": outcome.status == "exhausted",
    }
    stopped = outcome.status not in ("goal", "exhausted")
    reason = outcome.status if stopped else None
    if outcome.cost is not None:
        return Answer("optimal", outcome.cost, outcome.cost, outcome.plan, reason, statistics)
    if outcome.status == "exhausted":
        return Answer("unsolvable", None, outcome.lower_bound, None, None, statistics)
    return Answer("limit", None, outcome.lower_bound, None, reason, statistics)
