"""Breadth-first search on disk by the threads of one process: the driver of native shards.

The shards (`search/cpp/store`) expand layers and find duplicates; this says when, tells how far it is, keeps
what is whole, and stops at limits. A layer is kept (synced, named, recorded) when it is done; where layers
take less than a second some wait for each other.
"""

from __future__ import annotations

import errno
import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from fewest.errors import UsageError
from fewest.machine.locking import LockedError, locked
from fewest.search.interface import Outcome, Progress, SearchStatus, UnservedSymmetryError
from fewest.search.units import Units
from fewest.store.place import Place, StoreError
from fewest.store.record import (
    FORMAT,
    Layer,
    Record,
    check_same,
    costs_digest,
    is_store,
    problem_digest,
    read_record,
    write_record,
)
from fewest.version import __version__

if TYPE_CHECKING:
    from fewest.model.costs import CostTable
    from fewest.model.problem import Problem, Symmetry
    from fewest.search import _native

NUM_SHARDS = 128
KEEP_EVERY = 1.0  # seconds between layers that are kept, if they take less
KEEPING_TIMES = 20  # and so many times as long as keeping took
_OURS = 48 << 20  # bytes that the interpreter and NumPy take of a memory limit
_LEAST = 16 << 20
_ENTRIES_PER_THREAD = 1 << 15  # of a layer: with fewer a thread costs more than it spares
_LOOK = 0.05  # seconds between looks at limits
_NO_ROOM = (errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC))


def search(
    problem: Problem,
    cost: CostTable,
    *,
    place: Place,
    name: str,
    metric: str,
    is_undoable: bool,
    depth: int | None = None,
    exhaust: bool = False,
    seconds: float = inf,
    memory: int | None = None,
    threads: int | None = None,
    progress: Callable[[Progress], None] | None = None,
    milestone: int | None = None,
    symmetry: Symmetry | None = None,
) -> Outcome:
    """As `search.search` in layers on disk, from where the store in `place` has come to.

    `is_undoable`: every move can be undone at the same cost (`analysis.undoing`). `depth`: no layer behind
    that one. `name`, `metric`: what is said of the store. `memory` is kept to as far as 64 MB allow; it
    does not end the search. `milestone` is not reached. Raises UsageError where the search is not
    breadth-first, UnservedSymmetryError where it is not by symmetry, StoreError for a folder that is of
    something else, damaged or gone.
    """
    from fewest.search import native

    began = time.perf_counter()
    workers = native.default_threads() if threads is None else threads
    native.check_cost(problem, cost)
    folder = place.folder
    units = Units(cost)
    with _in_folder(folder):
        record = read_record(folder) if is_store(folder) else None
        shards = native.shards(
            problem,
            units,
            symmetry,
            folder=str(folder),
            num_shards=NUM_SHARDS if record is None else record.num_shards,
            workers=workers,
            memory=max(_LEAST, (4 << 30 if memory is None else memory) - _OURS),
            is_undoable=is_undoable if record is None else record.is_undoable,
        )
        if shards is None:
            if symmetry is not None:
                raise UnservedSymmetryError("only what is searched breadth-first is")
            raise UsageError(
                f"{metric}: only what is searched breadth-first is searched on disk: metrics in which every "
                "move costs the same, and those in which one agent walks for nothing",
                hint="use --store hash",
            )
        wanted = Record(
            format=FORMAT,
            made_by=f"fewest {__version__}",
            name=name,
            metric=metric,
            problem=problem_digest(problem),
            costs=costs_digest(cost, symmetry),
            packing=f"{shards.packing:016x}",
            num_shards=NUM_SHARDS,
            is_undoable=is_undoable,
            layers=(),
            about=place.about,
        )
        if record is not None:
            check_same(record, wanted, folder)
            record = replace(record, about=place.about or record.about)
        driver = _Driver(shards, record or wanted, folder, units, progress, began, workers)
        status = driver.run(exhaust=exhaust, depth=depth, deadline=began + seconds)
        return driver.outcome(status, exhaust=exhaust, depth=depth)


@contextmanager
def _in_folder(folder: Path) -> Iterator[None]:
    """Have a folder for oneself; what goes wrong with it is said by name."""
    from fewest.search.native import DamageError

    try:
        folder.mkdir(parents=True, exist_ok=True)
        with locked(folder / "lock"):
            yield
    except DamageError as error:
        raise StoreError(
            f"the store is damaged: {error}", hint="begin anew in another folder"
        ) from None
    except LockedError as error:
        raise StoreError(
            f"{folder}: {error.strerror}", hint="wait for it, or name another folder"
        ) from None
    except OSError as error:
        what = f"{error.filename or folder}: {error.strerror or error}"
        hint = "when that is mended, `fewest resume` goes on" if is_store(folder) else ""
        raise StoreError(f"the store cannot be used: {what}", hint=hint) from None


class _Driver:
    """A search from the layers of a record on."""

    def __init__(
        self,
        shards: _native.Shards,
        record: Record,
        folder: Path,
        units: Units,
        progress: Callable[[Progress], None] | None,
        began: float,
        workers: int,
    ) -> None:
        self.shards, self.record, self.folder = shards, record, folder
        self.layers: list[Layer] = list(record.layers)
        self.units, self.progress, self.workers = units, progress, workers
        self.began = self.reported = self.kept = began
        self.keeping = 0.0  # seconds that it took last
        self.before = (
            (self.layers[-1].expanded, self.layers[-1].generated) if self.layers else (0, 0)
        )
        self.deadline = inf
        self.peak = 0
        self.pool = ThreadPoolExecutor(workers, thread_name_prefix="shards")

    def run(self, *, exhaust: bool, depth: int | None, deadline: float) -> SearchStatus:
        """Layer by layer until there is an answer, or a limit; what is whole is kept either way."""
        self.deadline = deadline
        status: SearchStatus | None = None
        try:
            if self.layers:
                self.shards.open(len(self.layers))
            else:
                self.shards.begin()
                self._close()
            self._keep()
            while (status := self._answered(exhaust=exhaust, depth=depth)) is None:
                self._next_layer()
                self._close()
                if time.perf_counter() - self.kept > max(KEEP_EVERY, KEEPING_TIMES * self.keeping):
                    self._keep()
        except _Stopped as stopped:
            status = stopped.status
        except KeyboardInterrupt:
            status = "interrupted"
        except OSError as error:
            if error.errno not in _NO_ROOM:
                raise
            status = "disk"
        finally:
            self._end_workers()
        if status in ("time", "interrupted", "disk"):
            self.shards.abandon()
        with suppress(*((OSError,) if status == "disk" else ())):
            self._keep()
        return status

    def _answered(self, *, exhaust: bool, depth: int | None) -> SearchStatus | None:
        if not exhaust and any(layer.goals for layer in self.layers[: _behind(depth)]):
            return "goal"
        if self.layers[-1].entries == 0:
            return "exhausted"
        return "depth" if depth is not None and len(self.layers) > depth else None

    def _next_layer(self) -> None:
        threads = min(self.workers, 1 + self.layers[-1].entries // _ENTRIES_PER_THREAD)
        for phase in (self.shards.expand, self.shards.merge):
            self._wait([self.pool.submit(phase, worker) for worker in range(threads)])

    def _wait(self, working: list[Future[bool]]) -> None:
        """Till all have done, with looks at the clock. Raises what they raise, and _Stopped."""
        try:
            left: set[Future[bool]] = set(working)
            while left:
                done, left = wait(left, timeout=_LOOK, return_when=FIRST_EXCEPTION)
                for future in done:
                    future.result()
                self._look()
        except BaseException:
            self.shards.cancel()
            wait(working)
            raise

    def _look(self) -> None:
        now = time.perf_counter()
        if now >= self.deadline:
            raise _Stopped("time")
        if now - self.reported < 0.1:
            return
        self.reported = now
        self.peak = max(self.peak, self.shards.bytes_in_memory)
        if self.progress is not None:
            states = sum(layer.states for layer in self.layers) + self.shards.num_merged
            cost = self.units.split(len(self.layers) - 1)[0]
            used = self.shards.bytes_in_memory
            self.progress(Progress(cost, states, self._done()[0], now - self.began, used))

    def _close(self) -> None:
        found = self.shards.close_layer()
        self.layers.append(
            Layer(
                found.entries,
                found.states,
                found.goals,
                found.canonical,
                found.in_orbits,
                *self._done(),
                tuple(found.goal),
            )
        )

    def _done(self) -> tuple[int, int]:
        """All that was expanded and generated, by whoever worked on this store."""
        expanded, generated = self.before
        return expanded + self.shards.num_expanded, generated + self.shards.num_generated

    def _keep(self) -> None:
        began = time.perf_counter()
        self.shards.keep()
        self.record = replace(self.record, layers=tuple(self.layers))
        write_record(self.folder, self.record)
        self.kept = time.perf_counter()
        self.keeping = self.kept - began

    def _end_workers(self) -> None:
        self.shards.cancel()
        self.pool.shutdown(wait=True, cancel_futures=True)

    def outcome(self, status: SearchStatus, *, exhaust: bool, depth: int | None) -> Outcome:
        """What is known; a store may have layers behind those that were asked for."""
        seen = self.layers[: _behind(depth)]
        goal_layer = next((number for number, layer in enumerate(seen) if layer.goals), None)
        if goal_layer is not None and not exhaust:
            seen, status = seen[: goal_layer + 1], "goal"
        plan: list[int] = []
        if goal_layer is not None:
            plan = self.shards.plan(goal_layer, list(seen[goal_layer].goal), None)
        last = max(number for number, layer in enumerate(seen) if layer.entries)
        bound = (
            goal_layer if goal_layer is not None else last if status == "exhausted" else len(seen)
        )
        canonical = sum(layer.canonical for layer in seen)
        # Of a layer in progress nothing counts: that is the same when it is gone on with.
        return Outcome(
            status=status,
            cost=None if goal_layer is None else self.units.split(goal_layer),
            lower_bound=self.units.split(bound),
            plan=tuple(plan),
            layers=tuple(
                (self.units.split(number), layer.states)
                for number, layer in enumerate(seen)
                if layer.states
            ),
            num_states=sum(layer.states for layer in seen),
            num_goal_states=sum(layer.goals for layer in seen),
            num_expanded=seen[-1].expanded,
            num_generated=seen[-1].generated,
            seconds=time.perf_counter() - self.began,
            bytes=max(self.peak, self.shards.bytes_in_memory),
            algorithm=f"{self.shards.algorithm} on disk",
            canonical_states=canonical or None,
            orbit_states=sum(layer.in_orbits for layer in seen) or None,
        )


class _Stopped(Exception):  # noqa: N818 - a limit, not an error
    def __init__(self, status: SearchStatus) -> None:
        super().__init__(status)
        self.status = status


def _behind(depth: int | None) -> int | None:
    return None if depth is None else depth + 1
