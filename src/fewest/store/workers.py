"""The workers on the shards of a store: the interface that the driver uses, and the threads of one process."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, NamedTuple, Protocol

from msgspec import Struct
from msgspec.structs import replace

from fewest.model.costs import CostTable
from fewest.model.problem import Problem, Symmetry
from fewest.store.shard_division import ShardDivision, layer_file, part_folder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from fewest.search import _native
    from fewest.search.interface import InverseProblem

LOOK = 0.05  # the number of seconds between two checks of the limits
_READING = 16 << 20  # The number of bytes of the buffers that are used only for reading.
# The minimum number of entries of a layer per thread; with fewer entries, a thread costs more time than it saves.
_ENTRIES_PER_THREAD = 1 << 15


class SearchContext(Struct, frozen=True):
    """The result of another search: its layers in a folder. `back`: the reversed problem of that search, if moves are
    not reversible.
    """

    folder: Path
    num_layers: int
    back: InverseProblem | None


class WorkOrder(Struct, frozen=True):
    """The problem, and the format of its shards. A work order can be sent to other processes.

    Without a folder, the shards stay in memory. `memory`: the number of bytes for all buffers of a process, and for
    layers in memory. `workers`: the number of threads of each owner. `is_reversible`: whether every move is reversible
    at the same cost. `within`: another search; this search begins at all goal states that the other search reached
    (`goal_distances.py`). `ends`: see `ShardDivision`.
    """

    problem: Problem
    cost: CostTable
    symmetry: Symmetry | None
    folder: Path | None
    num_shards: int
    owners: int
    workers: int
    memory: int
    is_reversible: bool
    within: SearchContext | None = None
    ends: tuple[int, ...] = ()

    @property
    def division(self) -> ShardDivision:
        """The division of the shards among the owners."""
        return ShardDivision(self.owners, self.num_shards, self.ends)


class WorkerProgress(NamedTuple):
    """The work that has been done since the search began. `merged`: the number of new entries of the layer in
    progress.
    """

    expanded: int
    generated: int
    merged: int
    bytes_in_memory: int


class LayerCounts(Protocol):
    """The numbers of entries and states in a layer."""

    @property
    def entries(self) -> int: ...
    @property
    def states(self) -> int: ...
    @property
    def goals(self) -> int: ...
    @property
    def canonical(self) -> int: ...
    @property
    def in_orbits(self) -> int: ...
    @property
    def goal(self) -> list[int]: ...


class Workers(Protocol):
    """The interface of the workers that expand and merge the shards of a search in layers."""

    algorithm: str
    packing: int
    """a number that identifies the packing of states"""

    def wait_for_start(self, look: Callable[[], None]) -> None:
        """Wait until all workers are ready. Call `look` at regular intervals, and raise its exceptions. Before this
        call, only the algorithm and the packing of the workers are known.
        """

    def begin(self) -> None:
        """Create layer 0. The driver then calls `close_layer`."""

    def open(self, num_layers: int) -> None:
        """Open existing layers."""

    def take_over(self, num_layers: int, old: ShardDivision) -> None:
        """Like `open`, but create the layers from the files of another division. Raises OSError or DamageError."""

    def work(self, entries: int, look: Callable[[], None]) -> None:
        """Create the next layer from the newest one, which has `entries` entries. Call `look` at regular intervals.

        Raises the exceptions of `look`, OSError, MemoryError, and ValueError for damage, but only after all work has
        stopped.
        """

    def close_layer(self) -> LayerCounts:
        """Make the next layer the newest, and return its counts."""

    def keep(self) -> None:
        """Save all closed layers; they survive a power failure."""

    def abandon(self) -> None:
        """Discard the layer in progress."""

    def plan(self, layer: int, goal: Sequence[int]) -> list[int]:
        """The operators of a plan to `goal`, which is a state of the layer in packed words."""

    def least(self, layer: int) -> list[int]:
        """The smallest state of a layer, as a set of facts in words."""

    def among(self, layer: int, states: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Whether each row of `states: uint64[n, W]`, which is a set of facts, is in a layer."""

    def better_ends(self, entries: int) -> tuple[int, ...] | None:
        """The ends of ranges of shards in proportion to the measured speeds of the owners, if a move of all `entries`
        of the store to these ranges saves time; None otherwise.
        """

    def figures(self) -> WorkerProgress:
        """The work that has been done."""

    def statistics(self) -> dict[str, int]:
        """Further statistics of these workers."""

    def end(self) -> None:
        """End the work; afterward, only `plan` and `statistics` may be called."""


WorkersMaker = Callable[[WorkOrder], Workers | None]
"""Creates the workers for a work order. The result is None if the search is not breadth-first, or if it cannot go
backward. Raises ValueError if states are too wide, and OSError.
"""


class _Batch:
    """Phases that run in parallel.

    To wait for the phases, the main thread uses a SimpleQueue and plain attributes, never a `Future`. If Ctrl-C arrives
    while Python code holds a lock, this lock may never be released. A thread that must report its result would then
    wait forever.
    """

    def __init__(self, phases: list[Callable[[], object]]) -> None:
        self.phases: list[Callable[[], object] | None] = list(phases)
        self.outcomes: list[BaseException | None] = []
        self.reports: SimpleQueue[None] = SimpleQueue()
        self.is_taken = self.is_cancelled = False

    @property
    def is_done(self) -> bool:
        return len(self.outcomes) == len(self.phases)

    def wait(self, seconds: float) -> None:
        """Wait at most `seconds` for a report. If Ctrl-C suppresses the report of a phase, `outcomes` nevertheless
        contains the result of the phase.
        """
        with suppress(Empty):
            self.reports.get(timeout=seconds)

    def check(self) -> None:
        for error in list(self.outcomes):
            if error is not None:
                raise error

    def run(self, number: int) -> None:
        phase, error = self.phases[number], None
        assert phase is not None, "it runs once"
        try:
            phase()
        except BaseException as raised:  # the main thread receives this exception
            error = raised
        self.phases[number] = phase = None  # otherwise, the thread would keep the shards in memory
        self.outcomes.append(error)
        self.reports.put(None)


def _serve(tasks: SimpleQueue[tuple[_Batch, int] | None]) -> None:
    """Run phases until None arrives.

    A single `put` by the main thread submits a whole batch; the thread that takes the batch distributes the other
    phases. Therefore, Ctrl-C cannot interrupt the submission of a batch halfway. The thread sets `is_taken` before it
    reads `is_cancelled`, and the main thread sets `is_cancelled` before it reads `is_taken`. Therefore, either the
    thread runs no phase, or the main thread waits for the thread.
    """
    while True:
        task = tasks.get()
        if task is None:
            return
        batch, number = task
        if number == 0:
            batch.is_taken = True
            if batch.is_cancelled:
                continue
            for other in range(1, len(batch.phases)):
                tasks.put((batch, other))
        batch.run(number)
        del task, batch


class ThreadWorkers:
    """The threads of this process, which has all shards."""

    def __init__(self, shards: _native.Shards, work: WorkOrder) -> None:
        self.shards, self.workers = shards, work.workers
        self.algorithm, self.packing = shards.algorithm, shards.packing
        self.begin = shards.begin if work.within is None else self._begin_at_goals
        self.open, self.least, self.among = shards.open, shards.least, shards.among
        self.close_layer, self.keep, self.abandon = shards.close_layer, shards.keep, shards.abandon
        self._work = work
        self.tasks: SimpleQueue[tuple[_Batch, int] | None] = SimpleQueue()
        self.num_threads = 0

    def wait_for_start(self, look: Callable[[], None]) -> None:
        """Does nothing: threads start when they are needed."""

    def take_over(self, num_layers: int, old: ShardDivision) -> None:
        folder, shards = self._work.folder, shards_of(self._work)
        assert folder is not None and shards is not None, "other owners have layers in a folder"
        parts = [part_folder(folder, owner, old) for owner in range(old.owners)]
        for layer in range(num_layers):
            shards.take_over([str(layer_file(part, layer)) for part in parts], old.num_shards)

    def _begin_at_goals(self) -> None:
        for phase in (self.shards.begin_at_goals, partial(self.shards.merge, 0)):
            self._run([phase], lambda: None)

    def work(self, entries: int, look: Callable[[], None]) -> None:
        threads = min(self.workers, 1 + entries // _ENTRIES_PER_THREAD)
        for phase in (self.shards.expand, self.shards.merge):
            self._run([partial(phase, worker) for worker in range(threads)], look)

    def _run(self, phases: list[Callable[[], object]], look: Callable[[], None]) -> None:
        """Run phases in parallel, and meanwhile call `look`. Raises the first error of a phase or of `look`."""
        batch = _Batch(phases)
        self._start(len(phases))
        try:
            self.tasks.put((batch, 0))
            while not batch.is_done:
                batch.wait(LOOK)
                batch.check()
                look()
            batch.check()
        except BaseException:
            batch.is_cancelled = True  # this order is necessary; see `_serve`
            self.shards.cancel()
            while batch.is_taken and not batch.is_done:
                batch.wait(LOOK)
            raise

    def _start(self, threads: int) -> None:
        while self.num_threads < threads:
            self.num_threads += 1
            # The thread is a daemon. If Ctrl-C arrives while a thread starts, the thread may wait forever, and the
            # process must not wait for it at exit.
            Thread(target=_serve, args=(self.tasks,), name="shards", daemon=True).start()

    def plan(self, layer: int, goal: Sequence[int]) -> list[int]:
        return self.shards.plan(layer, list(goal), None)

    def better_ends(self, entries: int) -> tuple[int, ...] | None:
        """None: there is one owner."""
        return None

    def figures(self) -> WorkerProgress:
        shards = self.shards
        return WorkerProgress(
            shards.num_expanded, shards.num_generated, shards.num_merged, shards.bytes_in_memory
        )

    def statistics(self) -> dict[str, int]:
        return {}

    def end(self) -> None:
        for _ in range(self.num_threads):
            self.tasks.put(None)
        self.num_threads = 0


def shards_of(work: WorkOrder, owner: int = 0, *, opens: bool = True) -> _native.Shards | None:
    """The native shards of an owner. The result is None if the search is not breadth-first, or if it cannot go
    backward.

    `opens`: whether to open the layers of `work.within` as well. Raises ValueError, OSError or DamageError.
    """
    from fewest.search import native
    from fewest.search.cost_packing import CostPacking

    native.check_cost(work.problem, work.cost)
    within = work.within
    shards = native.shards(
        work.problem,
        CostPacking(work.cost),
        work.symmetry,
        folder="" if work.folder is None else str(work.folder),
        num_shards=work.num_shards,
        workers=work.workers,
        memory=work.memory,
        is_reversible=work.is_reversible,
        back=None if within is None else within.back,
        owner=owner,
        num_owners=work.owners,
        ends=work.ends,
    )
    if shards is not None and within is not None and opens:
        first = replace(work, within=None, folder=within.folder, workers=1, memory=_READING)
        reached = shards_of(first, owner)
        assert reached is not None, "it has been searched in layers"
        reached.open(within.num_layers)
        shards.search_within(reached)
    return shards


def threads(work: WorkOrder) -> ThreadWorkers | None:
    """The threads of this process as workers. The result is None if the search is not breadth-first, or if it cannot go
    backward. Raises ValueError or OSError.
    """
    shards = shards_of(work)
    return None if shards is None else ThreadWorkers(shards, work)
