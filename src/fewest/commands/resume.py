"""Resumes the query of a store or a checkpoint at the point where it was interrupted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from fewest.commands.api import CompiledPuzzle
from fewest.commands.stored_query import is_checkpoint_in, stored_query
from fewest.store.location import IndexLocation, StoreLocation

if TYPE_CHECKING:
    from fewest.commands.explore import Exploration
    from fewest.commands.result import Result
    from fewest.model.answer import Horizon
    from fewest.search.interface import Progress


class Resumed(Struct, frozen=True):
    """The puzzle, and the answer of `solve` or `explore`. This answer is the same as after an uninterrupted run."""

    compiled: CompiledPuzzle
    result: Result | None
    exploration: Exploration | None


def resume(
    folder: str | Path,
    *,
    store: str | StoreLocation | IndexLocation | None = None,
    seconds: float | None = None,
    memory: int | None = None,
    threads: int | None = None,
    progress: Callable[[Progress | Horizon], None] | None = None,
) -> Resumed:
    """Resume the query in a folder or at a URL; limits and `threads` are as in `solve`.

    If `threads` is None, a search on this machine uses the `threads` of its last query, if the folder records them.
    `store` overrides the location of the store. For a URL, a cluster continues the search. In this case, `store` comes
    from `cluster.connect.cluster_location` or, for the marks of an index, from `cluster_index`. The puzzle is read from
    the store, which contains its documents. Raises StoreError if the folder is not a store, is damaged, was written by
    another version, or is in use; UsageError for an invalid URL; and the errors of `solve` and `explore`.
    """
    query, document, puzzle = stored_query(folder)
    compiled = CompiledPuzzle(puzzle, document)
    given: dict[str, Any] = {
        **query.options,
        "seconds": seconds,
        "memory": memory,
        "progress": progress,
    }
    if threads is not None:
        given["threads"] = threads
    if is_checkpoint_in(folder):
        checkpoint = str(folder)
        if isinstance(store, IndexLocation):
            given |= {"store": store, "threads": threads}
        if query.kind == "explore":
            exploration = compiled.explore(query.metric, **given, checkpoint=checkpoint)
            return Resumed(compiled, None, exploration)
        result = compiled.solve(query.metric, engine=query.engine, **given, checkpoint=checkpoint)
        return Resumed(compiled, result, None)
    if isinstance(store, StoreLocation):
        given["threads"] = threads  # a cluster does not use the threads of the last query
    given["store"] = store or f"disk:{folder}"
    if query.kind == "solve":
        return Resumed(compiled, compiled.solve(query.metric, engine="bfs", **given), None)
    return Resumed(compiled, None, compiled.explore(query.metric, **given))
