"""Exhaustive search with its layers in a folder, either from the beginning or when the table in memory is full."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from fewest import search
from fewest.engines.blind_search import search_all
from fewest.errors import UsageError
from fewest.machine.memory import memory_allowed
from fewest.model.costs import cost_table
from fewest.store.location import StoreLocation, store_location

if TYPE_CHECKING:
    from fewest.model.answer import Answer, Limits
    from fewest.model.metric import Metric
    from fewest.model.task import Task
    from fewest.search.interface import InverseProblem, Outcome, Progress

LEAST = 128 << 20
"""The lowest memory limit, in bytes, with which a search in memory may continue in a folder. With a lower limit, the
store would have room only for its buffers.
"""


def search_disk(
    task: Task,
    metric: Metric,
    limits: Limits,
    progress: Callable[[Progress], None] | None = None,
    *,
    store: str | StoreLocation = "disk",
    exhaust: bool = False,
    depth: int | None = None,
    symmetry: str = "auto",
    threads: int | None = None,
) -> Answer:
    """Like `bfs.solve`, but in a folder; the search resumes an existing store of the same query.

    `depth`: the maximum number of moves; if it ends the search, the reason is "depth". The memory limit does not end
    the search; a full disk does, with the reason "disk". If `symmetry` is "auto", the search uses no symmetry, because
    a store uses symmetry from the beginning or not at all. Raises UsageError if the search is not breadth-first, if the
    task has permutations or consequences, if states are too wide, if `symmetry` is "on" and symmetry is impossible, or
    if the native core is missing. Raises StoreError if the folder cannot be used, is damaged or is not a store, or does
    not belong to this search.
    """
    if not search.NATIVE:
        raise UsageError("a store on disk needs the native core, which is not installed")
    task.require_operators("a store on disk")
    import shutil

    from fewest.analysis.reversibility import is_reversible
    from fewest.store.metadata import has_layers
    from fewest.store.search import SearchRequest
    from fewest.store.search import search as stored

    place = _placed(store, task, metric)
    is_new = _is_new(place)
    undoable = is_reversible(task, cost_table(task, metric))
    request = SearchRequest(task.name, metric.name, undoable, depth)
    totals: dict[str, int] = {}

    def core(*arguments: Any, **options: Any) -> Outcome:
        outcome, figures = stored(*arguments, place=place, request=request, **options)
        totals.update(figures)
        return outcome

    with _removed_if_temporary(place):
        try:
            answer = search_all(
                core,
                task,
                metric,
                limits,
                progress,
                exhaust=exhaust,
                symmetry="on" if symmetry == "on" else "off",
                threads=threads,
            )
        except (UsageError, KeyboardInterrupt):
            if is_new and not has_layers(place.folder):  # there is nothing to resume
                shutil.rmtree(place.folder, ignore_errors=True)
            raise
        except ValueError as error:  # the states are wider than every compiled width
            raise UsageError(f"{task.name} is too large for a store: {error}") from error
        return with_store(answer, place, totals)


def _is_new(place: StoreLocation) -> bool:
    """Whether the folder does not exist yet; False for a location with a `backend`. Raises StoreError if the folder is
    not a store, but contains other files (`metadata.may_begin`).
    """
    from fewest.store.error_translation import StoreError
    from fewest.store.metadata import is_store, may_begin

    if place.backend is not None:
        return False
    if not place.folder.exists():
        return True
    if not is_store(place.folder) and not may_begin(place.folder):
        taken = f"{place.folder} already exists and is not a store"
        raise StoreError(taken, hint="choose another folder")
    return False


def in_place(
    store: str | StoreLocation,
    task: Task,
    metric: Metric,
    limits: Limits,
    solve: Callable[[StoreLocation | None], Answer],
) -> Answer:
    """The answer of a search in memory that can continue in a folder when memory is full.

    `solve` receives the location of the folder, or None if `has_room` excludes a folder.
    """
    place: StoreLocation | None = _placed(store, task, metric)
    if place is not None and not has_room(place, limits.memory):
        place = None
    with _removed_if_temporary(place):
        return solve(place)


@contextmanager
def _removed_if_temporary(place: StoreLocation | None) -> Iterator[None]:
    """Remove a temporary folder afterwards, even after an error. Ctrl-C does not interrupt the removal."""
    try:
        yield
    finally:
        if place is not None and place.is_temporary:
            try:
                _remove(place)
            except KeyboardInterrupt:
                _remove(place)
                raise


def _remove(place: StoreLocation) -> None:
    if os.path.exists(place.where):  # checked first, because importing `shutil` takes time
        import shutil

        shutil.rmtree(place.where, ignore_errors=True)


def _placed(store: str | StoreLocation, task: Task, metric: Metric) -> StoreLocation:
    """The location; if distances to the goal are requested, it contains a function that creates the reversed
    problem.
    """

    def back() -> InverseProblem:
        from fewest.analysis.regression import reverse

        return reverse(task, ())

    place = store_location(store, task.name, metric.name)
    if place.goal_search is not None:
        place.goal_search.back = back
    return place


def has_room(place: StoreLocation, memory: int | None) -> bool:
    """Whether the folder can be created and the free disk space is at least the memory limit.

    The result is False if there is no memory limit, because the search then stays in memory, and if the memory limit is
    below LEAST. The result is also False if the address space is limited (`ulimit -v`): once the address space is full,
    the code that writes layers cannot allocate memory.
    """
    if memory is None or memory < LEAST or memory_allowed() is not None:
        return False
    parent = os.path.dirname(os.path.abspath(place.where))
    try:
        disk = os.statvfs(parent)
        return os.access(parent, os.W_OK) and disk.f_bavail * disk.f_frsize >= memory
    except (OSError, AttributeError):  # AttributeError means that the system has no `statvfs`
        return False


def with_store(answer: Answer, place: StoreLocation, totals: Mapping[str, int]) -> Answer:
    """The answer, extended by the store's statistics. If the search is complete and the store has
    `is_removed_after_answer`, the store is removed.
    """
    from fewest.store.metadata import remove_store

    known = {"folder": place.name, "bytes": place.num_bytes(), **totals}
    is_done = place.goal_search is None or place.goal_search.stopped is None
    if place.is_temporary:  # the folder is removed when the search ends
        known["folder"] = None
    elif place.is_removed_after_answer and is_done and answer.reason in (None, "depth"):
        with suppress(OSError):
            remove_store(place.folder)
        known["folder"] = None
    return replace(answer, statistics={**answer.statistics, "store": known})
