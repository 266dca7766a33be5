"""A breadth-first search that begins in memory and, as it grows, moves its layers to smaller representations.

The search begins with a table. If the table becomes large and every move is reversible, its layers move to shards in
memory. A sorted, delta-coded layer takes a fraction of the memory of the table. Sorted layers also save time, because
the search does not generate the states of the previous layer (`cpp/store/used_operators.hpp`). When the table or the
shards reach the memory limit, the search writes its layers as a store and continues in this store. These changes are
sound for the metrics that `store.search` supports, and do not affect the counts. However, a search that ends at the
first goal state counts its whole last layer, and may return a different plan of the same cost. If Ctrl-C arrives while
the layers move, the search ends with the complete layers that it has at that time. It ends as a store if the store
contains all of these layers.
"""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable, Generator
from contextlib import ExitStack
from math import inf
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from msgspec.structs import replace

from fewest.search.cost_packing import CostPacking
from fewest.search.interface import Budget, Outcome, SearchLimits

if TYPE_CHECKING:
    from pathlib import Path

    from fewest.search import _native
    from fewest.search.interface import Progress, Status
    from fewest.search.native import ExhaustiveSearch
    from fewest.store.driver import Driver
    from fewest.store.location import StoreLocation
    from fewest.store.metadata import LayerRecord
    from fewest.store.search import SearchRequest
    from fewest.store.workers import WorkOrder

_Result = TypeVar("_Result")
_Steps: TypeAlias = "Generator[None, None, _Result]"

LONG = 1 << 21
"""The minimum number of entries of a table for moving its layers to sorted shards. For smaller tables, sorting would
take more time than it saves.
"""


class GrowingSearch:
    """An exhaustive search in a table, then in sorted layers, then in a folder: an `interface.Search`.

    `make_request` is called only when the table is large or reaches the memory limit. `place` is called, and the folder
    is created, only at the memory limit. If `place` is None, the memory limit ends the search. `exhaust` and `threads`
    must have the same values as in `table`. A search in sorted layers can pause between two layers; a search in a
    folder cannot pause. `advance` raises the same exceptions as `store.search`.
    """

    def __init__(
        self,
        table: ExhaustiveSearch,
        *,
        place: Callable[[], StoreLocation | None],
        make_request: Callable[[], SearchRequest],
        exhaust: bool,
        threads: int | None = None,
    ) -> None:
        self.table, self._place = table, place
        self.exhaust, self.threads = exhaust, threads
        self.statistics: dict[str, int] | None = None
        """the statistics of a store, if the search has moved to a folder"""
        self._over: _Spill | None = _Spill(table, make_request, exhaust, threads)
        self._driver: Driver | None = None  # the driver of sorted layers
        self._layers: list[LayerRecord] = []  # the complete layers, after the table has been closed
        self._status: Status = "running"
        self._ended: Outcome | None = None
        self._steps = self._all()
        self._budget, self._end, self._most = Budget(), inf, inf
        self._progress: Callable[[Progress], None] | None = None
        # the start of this call of `advance`, and the total seconds of all earlier calls
        self._began = self._spent = 0.0

    # --- The interface ---

    def advance(
        self,
        budget: Budget,
        limits: SearchLimits,
        progress: Callable[[Progress], None] | None = None,
    ) -> Status:
        if self._status != "running":
            return self._status
        self._began = time.perf_counter()
        self._budget, self._end, self._progress = budget, self._began + limits.seconds, progress
        expansions = budget.expansions
        self._most = inf if expansions is None else self.num_expanded + expansions
        try:
            next(self._steps)
        except StopIteration as stop:
            self._ended = replace(stop.value, seconds=self._seconds())
            self._status = self._ended.status
        except BaseException:
            self._status = "interrupted"
            raise
        self._spent = self._seconds()
        return self._status

    def close(self) -> None:
        """End an unfinished search, and free its memory and threads. The results of the search remain available."""
        if self._status == "running":
            self._status = "interrupted"
        self._ended = self.outcome()
        self._steps.close()
        self._over = self._driver = None
        self.table.close()

    @property
    def bound(self) -> tuple[int, ...]:
        if self._ended is not None:
            return self._ended.lower_bound
        return self.table.bound if self.table.is_open else self._bound()

    @property
    def num_expanded(self) -> int:
        if self._ended is not None:
            return self._ended.num_expanded
        return self.table.num_expanded if self.table.is_open else self._layers[-1].expanded

    @property
    def num_states(self) -> int:
        """The number of different states that have been reached."""
        return self.outcome().num_states

    @property
    def bytes(self) -> int:
        if self._ended is not None:
            return self._ended.bytes
        if self._driver is not None:
            return self._driver.workers.figures().bytes_in_memory
        return self.table.bytes if self.table.is_open else 0

    def outcome(self) -> Outcome:
        if self._ended is not None:
            return self._ended
        if self._driver is not None and self._over is not None:
            found = self._over.outcome(self._driver, self._status)
            return replace(found, seconds=self._spent)
        return self.table.outcome() if self.table.is_open else self._unfinished()

    def _seconds(self) -> float:
        """The wall-clock seconds of all calls of `advance`."""
        return self._spent + time.perf_counter() - self._began

    def _bound(self) -> tuple[int, ...]:
        return CostPacking(self.table.cost).split(len(self._layers))

    def _unfinished(self) -> Outcome:
        """The result of a search that had moved to a folder before it ended without an answer."""
        last = self._layers[-1]
        return Outcome(
            status=self._status,
            cost=None,
            lower_bound=self._bound(),
            plan=(),
            layers=(),
            num_states=sum(layer.states for layer in self._layers),
            num_goal_states=0,
            num_expanded=last.expanded,
            num_generated=last.generated,
            seconds=self._spent,
            bytes=0,
            algorithm="bfs",
        )

    # --- The representations ---

    def _all(self) -> _Steps[Outcome]:
        table, over, place = self.table, self._over, None
        assert over is not None, "it is there until a folder takes its place"
        with ExitStack() as folder:
            over.folder = folder
            folder.callback(self._stop_workers)
            status = yield from self._in_table(LONG)
            try:
                if status == "running" and over.is_sortable():
                    over.to_memory()
                else:
                    if status == "running":
                        status = yield from self._in_table(None)
                    if status == "memory" and table.num_layers > 0:
                        place = self._place()
                    if place is not None:
                        over.to_folder(place)
            except KeyboardInterrupt:
                over.is_interrupted = True
            if not table.handed:
                outcome = table.outcome()
                return replace(outcome, status="interrupted") if over.is_interrupted else outcome
            self._layers = over.begin_layers()
            if over.is_held:
                outcome = yield from self._in_sorted_layers(over)
                if over.is_interrupted and outcome.status in ("time", "memory"):
                    return replace(outcome, status="interrupted")
                if outcome.status == "memory":
                    place = self._place()
                if place is None:
                    return outcome
                over.peak = max(over.peak, outcome.bytes)
            assert place is not None, "else nothing was handed over when the memory ended"
            request, peak, is_interrupted = over.write(place), over.peak, over.is_interrupted
        del over
        self._over = self._driver = None
        gc.collect()  # the frames of the error would still hold the memory of the shards
        return self._in_folder(place, request, peak, is_interrupted)

    def _in_table(self, entries: int | None) -> _Steps[Status]:
        """The final status of the search, or "running" when the table has `entries` entries."""
        while True:
            expansions = None
            if self._most < inf:
                expansions = max(0, int(self._most) - self.table.num_expanded)
            budget = Budget(expansions, self._budget.bytes, entries)
            limits = SearchLimits(max(0.0, self._end - time.perf_counter()))
            status = self.table.advance(budget, limits, self._progress)
            if status != "running":
                return status
            if not self._is_used_up():
                if entries is not None:
                    return status
                continue
            yield

    def _in_sorted_layers(self, over: _Spill) -> _Steps[Outcome]:
        driver = self._driver = over.driver(self._report, time.perf_counter() - self._seconds())
        while True:
            end = 0.0 if over.is_interrupted else self._end
            status = driver.run(
                exhaust=self.exhaust, depth=None, deadline=end, is_used_up=self._is_used_up
            )
            self._layers = over.layers = driver.layers
            if status != "running":
                break
            yield
        outcome = over.complete_step(lambda: over.outcome(driver, status))
        driver.workers.end()
        return outcome

    def _in_folder(
        self, place: StoreLocation, request: SearchRequest, peak: int, is_interrupted: bool
    ) -> Outcome:
        from fewest.store import search as stored

        table = self.table

        def search(until: float) -> Outcome:
            outcome, self.statistics = stored.search(
                table.problem,
                table.cost,
                place=place,
                request=request,
                exhaust=self.exhaust,
                symmetry=table.symmetry,
                threads=self.threads,
                memory=table.memory,
                progress=self._progress,
                seconds=max(0.0, until - time.perf_counter()),
            )
            return outcome

        outcome = None
        try:
            outcome = search(0.0 if is_interrupted else self._end)
        except (
            KeyboardInterrupt
        ):  # Ctrl-C came before the search had read the layers, or after the last layer
            is_interrupted = True
        # after the exception handler, because the frames of the error can hold the lock of the folder
        if outcome is None:
            outcome = search(0.0)
        if is_interrupted and outcome.status == "time":
            outcome = replace(outcome, status="interrupted")
        return replace(outcome, bytes=max(peak, outcome.bytes))

    def _is_used_up(self) -> bool:
        """Whether the budget of this call of `advance` is used up."""
        size = self._budget.bytes
        return self.num_expanded >= self._most or (size is not None and self.bytes >= size)

    def _report(self, now: Progress) -> None:
        if self._progress is not None:
            self._progress(now)

    def _stop_workers(self) -> None:
        if self._driver is not None:
            self._driver.workers.end()


class _Spill:
    """Moves the layers of a table to shards in memory or in a folder."""

    folder: ExitStack

    def __init__(
        self,
        table: ExhaustiveSearch,
        make_request: Callable[[], SearchRequest],
        exhaust: bool,
        threads: int | None,
    ) -> None:
        self.table, self.make_request = table, make_request
        self.exhaust, self.threads = exhaust, threads
        self.is_held = self.is_interrupted = self.is_entered = False
        self.peak = 0
        self.layers: list[LayerRecord] = []
        self.request: SearchRequest | None = None
        self.work: WorkOrder | None = None
        self.shards: _native.Shards | None = None

    def is_sortable(self) -> bool:
        """Whether shards in memory can continue the search: whether every move is reversible at the same cost."""
        self.request = self.make_request()
        return self.request.is_reversible

    def to_memory(self) -> None:
        """Move the layers to shards in memory. If memory does not suffice, the table remains, with only its layers."""
        from fewest.search import native

        self.is_held = True
        workers = self.threads or native.default_threads()
        self._hand_over(lambda _: self._work(None, workers, self.table.memory))

    def to_folder(self, place: StoreLocation) -> None:
        """Move the layers to shards in a folder."""
        self._enter(place)
        self._hand_over(lambda left: self._work(place, 1, left))

    def _hand_over(self, work: Callable[[int], WorkOrder]) -> None:
        from fewest.store.workers import shards_of

        self.peak = self.table.bytes
        left = self.table.release_slots()
        try:
            self.work = work(left)
            self.shards = shards_of(self.work)
            assert self.shards is not None, "whatever is searched in layers has shards"
            self.table.hand_over(self.shards)
        except MemoryError:
            return

    def begin_layers(self) -> list[LayerRecord]:
        """Make the moved layers the first layers of the shards, and free the table."""
        from fewest.store.driver import layer_of

        handed = self.table.handed
        self.layers = [layer_of(each.counts, each.expanded, each.generated) for each in handed]
        self.table.close()
        return self.layers

    def _work(self, place: StoreLocation | None, workers: int, memory: int | None) -> WorkOrder:
        from fewest.store import search as stored
        from fewest.store.workers import WorkOrder

        if self.request is None:
            self.request = self.make_request()
        return WorkOrder(
            problem=self.table.problem,
            cost=self.table.cost,
            symmetry=self.table.symmetry,
            folder=None if place is None else place.folder,
            num_shards=stored.NUM_SHARDS,
            owners=1,
            workers=workers,
            memory=sys.maxsize if memory is None else memory,
            is_reversible=self.request.is_reversible,
        )

    def _enter(self, place: StoreLocation) -> None:
        """Lock the folder until the search ends. If the folder is new, it is then removed, unless it contains a
        store.
        """
        from fewest.store import search as stored

        if self.is_entered:
            return
        if not place.folder.exists():
            self.folder.callback(_remove_unless_store, place.folder)
        self.folder.enter_context(stored.in_folder(place.folder))
        self.is_entered = True

    def driver(self, progress: Callable[[Progress], None], began: float) -> Driver:
        """The driver that continues in memory, from the moved layers."""
        from fewest.store.driver import Driver
        from fewest.store.workers import ThreadWorkers

        assert self.shards is not None and self.work is not None, "they were made"
        workers = ThreadWorkers(self.shards, self.work)
        return Driver(workers, self.layers, None, CostPacking(self.table.cost), progress, began)

    def outcome(self, driver: Driver, status: Status) -> Outcome:
        """The current result of a search in sorted layers."""
        from fewest.search import native

        outcome = driver.outcome(status, exhaust=self.exhaust, depth=None)
        table = self.table
        if table.symmetry is None:
            return outcome
        return native.of_orbits(table.problem, table.cost, table.symmetry, outcome)

    def write(self, place: StoreLocation) -> SearchRequest:
        """Save the layers of the shards as a store from which a search can resume. Raises OSError."""
        return self.complete_step(lambda: self._written(place))

    def complete_step(self, step: Callable[[], _Result]) -> _Result:
        """Complete a short step and return its result. If Ctrl-C arrives during the step, the step is repeated, and
        the search ends after it.
        """
        try:
            return self._uninterrupted(step)
        except KeyboardInterrupt:  # Ctrl-C came just before or just after the step
            self.is_interrupted = True
        return self._uninterrupted(step)

    def _uninterrupted(self, step: Callable[[], _Result]) -> _Result:
        from fewest.machine.signals import delayed_interrupts

        with delayed_interrupts() as received:
            result = step()
        self.is_interrupted |= bool(received)
        return result

    def _written(self, place: StoreLocation) -> SearchRequest:
        from fewest.store import search as stored
        from fewest.store.metadata import write_record

        assert self.shards is not None and self.work is not None, "they were made"
        assert self.request is not None, "the request of the work exists"
        if self.is_held:
            self._enter(place)
            self.shards.write_to(str(place.folder))
        self.shards.keep()
        record = stored.new_record(self.work, self.request, self.shards.packing, place.about)
        write_record(place.folder, replace(record, layers=tuple(self.layers)))
        return self.request


def _remove_unless_store(folder: Path) -> None:
    """Remove a folder that was created for a store, unless the folder has become a store."""
    import shutil

    from fewest.store.metadata import is_store

    if not is_store(folder):
        shutil.rmtree(folder, ignore_errors=True)
