"""Breadth-first search on disk. A layer is complete when its files are synced and renamed, and the record of the store
contains the layer.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from fewest.errors import UsageError
from fewest.machine.locking import LockedFolder, locked_folder
from fewest.search.cost_packing import CostPacking
from fewest.search.interface import Outcome, Progress, UnusedSymmetryError
from fewest.store.driver import Driver
from fewest.store.error_translation import translating_errors
from fewest.store.goal_distances import CompleteStore, measure
from fewest.store.location import SUMMED, StoreLocation, has_grown, summed
from fewest.store.metadata import (
    FORMAT,
    LayerRecord,
    MetadataBackend,
    StoreMetadata,
    check_same,
    costs_digest,
    is_store,
    problem_digest,
    read_record,
    write_record,
)
from fewest.store.redistribution import redistribute_layers
from fewest.store.shard_division import shards_for
from fewest.store.workers import Workers, WorkOrder
from fewest.store.workers import threads as workers_here
from fewest.version import __version__

if TYPE_CHECKING:
    from fewest.model.costs import CostTable
    from fewest.model.problem import Problem, Symmetry

# the number of shards of a single owner, and the minimum total number for several owners
NUM_SHARDS = 128
# the number of bytes of the interpreter and NumPy, which are part of the memory limit
_OURS = 48 << 20
_LEAST = 16 << 20
_USUAL = 4 << 30


class SearchRequest(Struct, frozen=True):
    """The query of a store: the names of the puzzle and of the metric, and whether every move is reversible at the same
    cost (`analysis.reversibility`).
    """

    name: str
    metric: str
    is_reversible: bool
    depth: int | None = None
    """the last layer of the search; None: no limit"""


def search(
    problem: Problem,
    cost: CostTable,
    *,
    place: StoreLocation,
    request: SearchRequest,
    exhaust: bool = False,
    seconds: float = inf,
    memory: int | None = None,
    threads: int | None = None,
    progress: Callable[[Progress], None] | None = None,
    symmetry: Symmetry | None = None,
) -> tuple[Outcome, dict[str, int]]:
    """Like `search.search`, but with layers on disk. Resumes the store in `place`, if there is one. Returns the result
    and the statistics.

    `memory` is the total limit for all owners. It does not end the search; the search may exceed limits below 64 MB per
    owner. Raises UsageError if the search is not breadth-first, UnusedSymmetryError if the search does not support
    symmetry, StoreError if the folder is damaged, cannot be used or belongs to another query, and ValueError for states
    that are too wide.
    """
    from fewest.search import native

    began = time.perf_counter()
    # workers in other processes may use the folder before the first record
    appears_at_once = place.make_workers is not None
    records: MetadataBackend = place.backend or _FolderBackend(
        place.folder, appears_at_once=appears_at_once
    )
    owners, peak, times_grown, times_balanced = place.owners, 0, 0, 0
    ends: tuple[int, ...] | None = None
    totals: dict[str, int] = {}
    with records.entered():
        while True:
            record = records.read()
            is_divided = record is not None and record.owners == owners
            if ends is None:
                ends = record.ends if is_divided and record else ()
            work = WorkOrder(
                problem=problem,
                cost=cost,
                symmetry=symmetry,
                folder=place.folder,
                num_shards=record.num_shards
                if is_divided and record
                else shards_for(owners, NUM_SHARDS),
                owners=owners,
                workers=threads or place.threads or native.default_threads(),
                memory=max(_LEAST, (_USUAL if memory is None else memory) // owners - _OURS),
                is_reversible=request.is_reversible if record is None else record.is_reversible,
                ends=ends,
            )
            workers = _workers(work, place, request)
            wanted = new_record(work, request, workers.packing, place.about)
            if record is not None:
                check_same(record, wanted, records.name)
                wanted = replace(
                    record,
                    about=place.about or record.about,
                    owners=work.owners,
                    num_shards=work.num_shards,
                    ends=work.ends,
                )
            elif place.backend is None:
                # so that the query can be repeated after an interruption at any time
                records.write(wanted)
            keep = partial(_keep, records, wanted)
            driver = Driver(workers, wanted.layers, keep, CostPacking(cost), progress, began)
            driver.peak = peak
            try:
                status = driver.wait_for_start(began + seconds)
                if status is None:
                    if record is not None:
                        redistribute_layers(workers, record, work, keep)
                    status = driver.run(
                        exhaust=exhaust,
                        depth=request.depth,
                        deadline=began + seconds,
                        is_used_up=partial(_is_better_divided, place, owners, driver),
                    )
                if status != "running":
                    outcome = driver.outcome(status, exhaust=exhaust, depth=request.depth)
                    break
            finally:
                workers.end()
            totals, peak = summed(totals, workers.statistics()), driver.peak
            if has_grown(place, owners) and place.owners_now is not None:
                owners, ends, times_grown = place.owners_now(), None, times_grown + 1
            else:
                ends, times_balanced = _better_ends(driver), times_balanced + 1
        totals, layers = summed(totals, workers.statistics()), driver.layers
        if place.owners_now is not None:
            totals["times_grown"] = times_grown
        if owners > 1:
            totals["times_balanced"] = times_balanced
        is_whole = status == "exhausted" and outcome.num_goal_states > 0
        if place.goal_search is not None and is_whole and place.backend is None:
            del driver, workers  # this frees their memory
            make_workers, deadline = place.make_workers or workers_here, began + seconds
            whole = CompleteStore(work, make_workers, wanted, layers, progress, began, deadline)
            more = measure(whole, place.goal_search)
            totals |= {name: totals[name] + more[name] for name in SUMMED if name in more}
    if symmetry is not None:
        outcome = native.of_orbits(problem, cost, symmetry, outcome)
    return outcome, totals


def _is_better_divided(place: StoreLocation, owners: int, driver: Driver) -> bool:
    """Whether the search must move, to more owners or to other ranges."""
    return has_grown(place, owners) or _better_ends(driver) is not None


def _better_ends(driver: Driver) -> tuple[int, ...] | None:
    return driver.workers.better_ends(sum(layer.entries for layer in driver.layers))


def _keep(records: MetadataBackend, record: StoreMetadata, layers: tuple[LayerRecord, ...]) -> None:
    records.write(replace(record, layers=layers))


def new_record(
    work: WorkOrder, request: SearchRequest, packing: int, about: Mapping[str, Any]
) -> StoreMetadata:
    """The record of a store that has no layers."""
    return StoreMetadata(
        format=FORMAT,
        made_by=f"fewest {__version__}",
        name=request.name,
        metric=request.metric,
        problem=problem_digest(work.problem),
        costs=costs_digest(work.cost, work.symmetry),
        packing=f"{packing:016x}",
        owners=work.owners,
        num_shards=work.num_shards,
        is_reversible=request.is_reversible,
        layers=(),
        about=about,
    )


def _workers(work: WorkOrder, place: StoreLocation, request: SearchRequest) -> Workers:
    workers = (place.make_workers or workers_here)(work)
    if workers is not None:
        return workers
    if work.symmetry is not None:
        raise UnusedSymmetryError("on disk, only a breadth-first search can use symmetry")
    raise UsageError(
        f"a search on disk does not support the metric `{request.metric}`",
        hint="use --store hash; on disk, every move must cost the same, or one agent must walk for free",
    )


@contextmanager
def in_folder(folder: Path, is_begun: Callable[[Path], bool] = is_store) -> Iterator[None]:
    """Lock a folder. Errors name the folder; if the search has begun, they explain how to resume it."""
    with in_new_folder(folder, is_begun) as held:
        held.appear()
        yield


@contextmanager
def in_new_folder(
    folder: Path, is_begun: Callable[[Path], bool] = is_store
) -> Iterator[LockedFolder]:
    """Like `in_folder`, but a new folder appears only when the block calls `appear`."""
    with translating_errors(folder, lambda: is_begun(folder)), locked_folder(folder) as held:
        yield held


class _FolderBackend:
    """The record in the folder of the layers; see `metadata.MetadataBackend`."""

    def __init__(self, folder: Path, *, appears_at_once: bool) -> None:
        """`appears_at_once`: whether a new folder appears before its first record."""
        self.folder, self.name = folder, str(folder)
        self._appears_at_once = appears_at_once
        self._held: LockedFolder | None = None

    def num_bytes(self) -> int:
        return StoreLocation(self.folder).num_bytes()

    @contextmanager
    def entered(self) -> Iterator[None]:
        with in_new_folder(self.folder) as self._held:
            if self._appears_at_once:
                self._held.appear()
            yield

    def read(self) -> StoreMetadata | None:
        return read_record(self.folder) if is_store(self.folder) else None

    def write(self, record: StoreMetadata) -> None:
        assert self._held is not None, "records are written in an entered folder"
        write_record(self._held.now, record)
        self._held.appear()
