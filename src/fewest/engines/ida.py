"""IDA*: the bounds of A* in hardly any memory, at the price of looking at states again."""

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
    from fewest.store.checkpoint import CheckpointPlace


def solve(
    task: Task,
    metric: Metric,
    limits: Limits,
    progress: Callable[[Progress], None] | None = None,
    *,
    patterns: Patterns = "auto",
    checkpoint: str | CheckpointPlace | None = None,
) -> Answer:
    """The minimum, proven: everything with a lower bound below it has been looked at.

    In the statistics, `states` counts a state as often as it was expanded; `iterations` are (limit, states
    expanded under it). Memory for its table: 256 MB or `limits.memory`. Takes what A* takes; raises as it
    does. `checkpoint`: a folder that keeps the limit below which all has been looked at, from where it is gone on
    with, and the answer. Source: Korf, Depth-first iterative-deepening, 1985.
    """
    return astar.solve(
        task,
        metric,
        limits,
        progress,
        is_deepening=True,
        patterns=patterns,
        checkpoint=checkpoint,
    )
