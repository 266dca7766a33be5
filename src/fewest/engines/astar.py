"""A* with admissible lower bounds derived from the task: few states where pieces have far to go."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import TYPE_CHECKING

from fewest import search
from fewest.errors import UsageError
from fewest.model.answer import Answer, Limits
from fewest.model.costs import cost_table
from fewest.model.task import facts_in

if TYPE_CHECKING:
    from fewest.model.costs import CostTable
    from fewest.model.metric import Metric
    from fewest.model.task import Task
    from fewest.search.informed import Patterns
    from fewest.search.interface import Progress

MAX_IMAGES = 48  # every successor is looked at in each


def solve(
    task: Task,
    metric: Metric,
    limits: Limits,
    progress: Callable[[Progress], None] | None = None,
    *,
    is_deepening: bool = False,
    patterns: Patterns = "auto",
) -> Answer:
    """The minimum, proven: no open state has a lower bound below it.

    Where the memory ends it goes on by iterative deepening (docs/astar.md); `is_deepening`: from the beginning.
    `patterns`: whether pattern databases are built.
    Takes every metric that does not merge moves. Raises UsageError for one that does, for a task with
    too many facts, and where the native core is missing.
    """
    if any(part.merge != "none" for part in metric.parts):
        raise UsageError(
            f"`{metric.name}` counts several moves as one: A* and IDA* take only metrics that do not",
            hint="use --engine bfs",
        )
    if not search.NATIVE:
        raise UsageError(
            "A* and IDA* need the native core", hint="use --engine bfs, or install a compiler"
        )
    from fewest.search.informed import astar

    costs = cost_table(task, metric)
    try:
        outcome = astar(
            task.problem,
            costs,
            groups=[group.facts for group in task.exactly],
            numbers=[fact.cell for fact in task.facts],
            images=_images(task, costs),
            dead=_dead_sets(task),
            is_deepening=is_deepening,
            patterns=patterns,
            seconds=inf if limits.seconds is None else limits.seconds,
            memory=limits.memory,
            progress=progress,
        )
    except (ValueError, OverflowError) as error:
        raise UsageError(f"{task.name}: {error}", hint="use --engine bfs") from error
    statistics = {
        **outcome.facts,
        "initial_bound": list(outcome.initial_bound),
        "exhausted": outcome.status == "exhausted",
    }
    if outcome.cost is not None:
        return Answer("optimal", outcome.cost, outcome.cost, outcome.plan, None, statistics)
    if outcome.status == "exhausted":
        return Answer("unsolvable", None, outcome.lower_bound, None, None, statistics)
    return Answer("limit", None, outcome.lower_bound, None, outcome.status, statistics)


def _dead_sets(task: Task) -> list[tuple[list[int], list[int]]]:
    """Sets of pieces that are lost together, each with the facts of which one must be true to save them.

    Single pieces are left out: their distances say the same.
    """
    from fewest.deadends.dead_ends import dead_ends

    found = [end.cube for end in dead_ends(task).found if end.size > 1]
    return [(facts_in(value), facts_in(mask & ~value)) for mask, value in found]


def _images(task: Task, costs: CostTable) -> list[list[int]]:
    """The symmetries of the task in the metric, if they are few enough to try all on every state."""
    from fewest.analysis.symmetry import find_symmetry

    symmetry = find_symmetry(task.problem, costs)
    if symmetry is None or symmetry.order > MAX_IMAGES:
        return []
    images: list[list[int]] = symmetry.facts.tolist()
    return images
