"""Iterative deepening over a stored tree of pushes with a transposition table, made right."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import TYPE_CHECKING

from fewest import search
from fewest.errors import UsageError
from fewest.model.answer import Answer, Limits
from fewest.model.costs import cost_table

if TYPE_CHECKING:
    from fewest.model.metric import Metric
    from fewest.model.task import Task
    from fewest.search.interface import Progress


def solve(
    task: Task,
    metric: Metric,
    limits: Limits,
    progress: Callable[[Progress], None] | None = None,
) -> Answer:
    """The minimum, proven: no leaf of the tree has a lower bound below it.

    There to be compared with A*: the same distances of pieces, dead spots and frozen pieces, and none of the
    rest. Takes every metric that does not merge moves (weights, free moves, lexicographic pairs). Raises
    UsageError for one that does, for a task with too many facts, and where the native core is missing.

    In the statistics, `iterations` are (limit, nodes, expanded) after each iteration, counted from the
    start; `cut` are successors that the transposition table cut off, `reopened` nodes expanded again.
    Sources: Korf (1985) for iterative deepening; Reinefeld and Marsland (1994) for its transposition table.
    """
    if any(part.merge != "none" for part in metric.parts):
        raise UsageError(
            f"`{metric.name}` counts several moves as one: iterative deepening takes only metrics "
            "that do not",
            hint="use --engine bfs",
        )
    if not search.NATIVE:
        raise UsageError(
            "--engine iterative-deepening needs the native core",
            hint="use --engine bfs, or install a compiler",
        )
    from fewest.search.informed import iterative_deepening

    try:
        outcome = iterative_deepening(
            task.problem,
            cost_table(task, metric),
            groups=[group.facts for group in task.exactly],
            numbers=[fact.cell for fact in task.facts],
            seconds=inf if limits.seconds is None else limits.seconds,
            memory=limits.memory,
            progress=progress,
        )
    except (ValueError, OverflowError) as error:
        raise UsageError(f"{task.name}: {error}", hint="use --engine bfs") from error
    statistics = {
        "algorithm": "iterative deepening",
        **outcome.facts,
        "initial_bound": list(outcome.initial_bound),
        "exhausted": outcome.status == "exhausted",
    }
    if outcome.cost is not None:
        return Answer("optimal", outcome.cost, outcome.cost, outcome.plan, None, statistics)
    if outcome.status == "exhausted":
        return Answer("unsolvable", None, outcome.lower_bound, None, None, statistics)
    return Answer("limit", None, outcome.lower_bound, None, outcome.status, statistics)
