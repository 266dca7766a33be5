"""Exhaustive search with a checkpoint: a search in layers uses a store, and any other search saves its tables."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from fewest import search
from fewest.engines.blind_search import search_all
from fewest.errors import UsageError
from fewest.model.costs import cost_table
from fewest.store.checkpoint import checkpoint_location, opened
from fewest.store.location import StoreLocation

if TYPE_CHECKING:
    from fewest.model.answer import Answer, Limits
    from fewest.model.metric import Metric
    from fewest.model.task import Task
    from fewest.search.interface import Progress
    from fewest.store.checkpoint import CheckpointLocation


TABLES = "weighed"  # the file in a checkpoint that contains the tables of Dijkstra's algorithm


def require_core(task: Task) -> None:
    """Raises UsageError if the native core cannot search the task, because the pure-Python core has no checkpoints."""
    if not search.NATIVE:
        raise UsageError("a checkpoint needs the native core, which is not installed")
    from fewest.search.native import is_too_wide

    if is_too_wide(task.problem):
        raise UsageError(
            f"the states of {task.name} are too wide for a checkpoint",
            hint="leave out --checkpoint",
        )


def search_checkpointed(
    task: Task,
    metric: Metric,
    limits: Limits,
    progress: Callable[[Progress], None] | None,
    checkpoint: str | CheckpointLocation,
    *,
    depth: int | None = None,
    **options: Any,
) -> Answer:
    """Like `bfs.solve`, but the search resumes from the contents of the folder.

    If every move costs the same, or if an agent walks at no cost, the folder is a store (`external.search_disk`). In
    other metrics, the folder is a checkpoint that contains the whole state of Dijkstra's algorithm, saved once a minute
    and at the end of the search. Raises UsageError if neither is possible, if `depth` is given for a search that is not
    in layers, or if `symmetry` is "on" and symmetry is impossible. Raises StoreError if the folder is damaged or does
    not belong to this search.
    """
    require_core(task)
    task.require_operators("a checkpoint of an exhaustive search")
    from fewest.search import native

    place = checkpoint_location(checkpoint)
    if native.is_layered(task.problem, cost_table(task, metric)):
        from fewest.engines.external import search_disk

        store = StoreLocation(place.folder, about=place.about, goal_search=place.goal_search)
        return search_disk(task, metric, limits, progress, store=store, depth=depth, **options)
    if depth is not None:
        raise UsageError(
            f"--depth needs a breadth-first search, which does not support the metric `{metric.name}`",
            hint="leave out --depth",
        )
    with opened(place, task, metric) as saved:
        core = partial(native.search, file=str(saved.folder / TABLES))
        return search_all(core, task, metric, limits, progress, **options)
