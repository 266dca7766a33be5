"""The pure-Python core as an engine, for comparisons."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from fewest.engines.bfs import in_memory
from fewest.search.pure import breadth_first as pure

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
    exhaust: bool = False,
    symmetry: str = "off",
) -> Answer:
    """Like `bfs.solve`, but about a hundred times slower. The engine supports `symmetry` in every metric."""
    return in_memory(
        task,
        metric,
        limits,
        progress,
        exhaust=exhaust,
        symmetry=symmetry,
        make_search=pure.make_search,
    )
