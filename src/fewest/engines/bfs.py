"""Exhaustive search: in layers if all moves cost the same or if an agent walks at no cost, otherwise with Dijkstra's
algorithm (1959).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from fewest import search
from fewest.engines.blind_search import required_symmetry, unserved
from fewest.engines.registry import word_of
from fewest.errors import UsageError, conflict
from fewest.search.interface import UnusedSymmetryError
from fewest.store.location import IndexLocation

if TYPE_CHECKING:
    from fewest.model.answer import Answer, Limits
    from fewest.model.metric import Metric
    from fewest.model.task import Task
    from fewest.search.interface import Progress
    from fewest.store.checkpoint import CheckpointLocation
    from fewest.store.location import StoreLocation


def solve(
    task: Task,
    metric: Metric,
    limits: Limits,
    progress: Callable[[Progress], None] | None = None,
    *,
    exhaust: bool = False,
    symmetry: str = "auto",
    store: str | StoreLocation | IndexLocation = "hash",
    depth: int | None = None,
    checkpoint: str | CheckpointLocation | None = None,
    threads: int | None = None,
) -> Answer:
    """The minimum, or the proof that no plan exists. With `exhaust`, the search continues until it has counted all
    states.

    - `symmetry`: "on" searches by symmetry, and raises UsageError if that is impossible. "auto" searches by
      symmetry if the search is in memory and long, and a symmetry is found quickly (`portfolio.BY_LAYERS`).
    - `store`: the representation of the reached states. "hash" is a table, which a long search with reversible moves
      later replaces with sorted layers in memory (`store.spill`). "index" or an `IndexLocation` is an index with two
      bits per consistent state. "disk", "disk:FOLDER" or a `StoreLocation` is a folder. "auto" begins as "hash" and
      continues in a folder when memory is full.
    - `depth`: the number of the last layer, only for an index or a folder.
    - `checkpoint`: see `index.search_index` and, without an index, `checkpointed.search_checkpointed`.
    - `threads`: the maximum number of threads; the default is one per processor, but at most 8. Small searches use only
      one thread.

    Also raises UsageError if options cannot be used together, or if an index, a store or a checkpoint does not support
    the query; and StoreError if a folder is damaged or does not belong to this search.
    """
    requested: dict[str, Any] = {"exhaust": exhaust, "symmetry": symmetry, "threads": threads}
    if store == "index" or isinstance(store, IndexLocation):
        from fewest.engines.index import search_index

        outcome = search_index(
            task,
            metric,
            limits,
            progress,
            exhaust=exhaust,
            depth=depth,
            symmetry=symmetry,
            checkpoint=checkpoint,
            threads=threads,
            store=store,
        )
        return outcome.answer
    if word_of(store) == "disk":
        from fewest.engines.external import search_disk

        if checkpoint is not None:
            raise conflict(
                "--checkpoint",
                "--store",
                hint="--checkpoint determines the store; leave out --store",
            )
        return search_disk(task, metric, limits, progress, store=store, depth=depth, **requested)
    if checkpoint is not None:
        from fewest.engines.checkpointed import search_checkpointed

        return search_checkpointed(
            task, metric, limits, progress, checkpoint, depth=depth, **requested
        )
    if depth is not None:
        raise UsageError(
            "--depth needs a store on disk or an index",
            hint="use --store disk or --store index",
        )
    make: dict[str, Any] = {"make_search": search.make_search, "hands_over": not task.consequences}
    if task.permutations:
        make["hands_over"] = False
        requested["symmetry"] = "off"  # `registry.check_features` has already refused "on"
    if store == "hash" or not make["hands_over"] or not search.NATIVE:
        return in_memory(task, metric, limits, progress, **make, **requested)
    from fewest.engines.external import in_place

    def solve_in(place: StoreLocation | None) -> Answer:
        return in_memory(task, metric, limits, progress, place=place, **make, **requested)

    return in_place(store, task, metric, limits, solve_in)


def in_memory(
    task: Task,
    metric: Metric,
    limits: Limits,
    progress: Callable[[Progress], None] | None,
    *,
    exhaust: bool,
    symmetry: str,
    **options: Any,
) -> Answer:
    """The answer of a search in memory.

    The options are the same as those of `Request`. The function `make_search` creates the search in a core. Raises
    UsageError if `symmetry` is "on" and symmetry is impossible.
    """
    from fewest.engines import portfolio
    from fewest.engines.stage_searches import Request

    request = Request(task, metric, limits, exhaust=exhaust, **options)
    if symmetry == "on":
        request.symmetry = required_symmetry(request.problem, request.cost, exhaust=exhaust)
    stages = portfolio.BY_LAYERS if symmetry == "auto" else portfolio.ALONE
    try:
        found = portfolio.run(stages, request, progress)
    except UnusedSymmetryError as error:
        raise unserved(error) from error
    assert found is not None, "the search in layers supports every task"
    return replace(found, engine=None)
