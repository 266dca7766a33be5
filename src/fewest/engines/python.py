"""The pure-Python core as an engine of its own, to compare with."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from fewest.core import pure
from fewest.engines.bfs import run
from fewest.results import Answer, Limits

if TYPE_CHECKING:
    from fewest.core.interface import Progress
    from fewest.language.puzzle import Metric
    from fewest.task import Task


def solve(
    task: Task,
    metric: Metric,
    limits: Limits,
    progress: Callable[[Progress], None] | None = None,
    *,
    exhaust: bool = False,
    symmetry: str = "off",
) -> Answer:
    """As `bfs.solve`, some hundred times slower; `symmetry` in every metric."""
    return run(pure.search, task, metric, limits, progress, exhaust, symmetry)
