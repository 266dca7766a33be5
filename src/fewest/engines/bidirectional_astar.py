"""A* from both ends: the detours that A* makes alone are shared by two searches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fewest.engines import astar

if TYPE_CHECKING:
    from collections.abc import Callable

    from fewest.model.answer import Answer, Limits
    from fewest.model.metric import Metric
    from fewest.model.task import Task
    from fewest.search.informed_stages import Patterns
    from fewest.search.interface import Progress


def solve(
    task: Task,
    metric: Metric,
    limits: Limits,
    progress: Callable[[Progress], None] | None = None,
    *,
    patterns: Patterns = "auto",
    threads: int | None = None,
) -> Answer:
    """The minimum, proven: every pair of open states, one of each search, has a lower bound not below it.

    Where an agent walks for nothing among pieces that move one at a time, and the goal says where each of them is;
    elsewhere, and until it is long, it begins at the start alone: `algorithm` in the statistics says which. Two
    `threads` take a side each; with zones one takes both and the other goes on from the start alone, as long as
    that is not far behind. Takes what A* takes; raises as it does. Sources: docs/astar.md.
    """
    return astar.solve(
        task, metric, limits, progress, has_both_ends=True, patterns=patterns, threads=threads
    )
