"""Who works on the shards of a store: what the driver asks of them, and the threads of one process."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from msgspec import Struct
from msgspec.structs import replace

from fewest.model.costs import CostTable
from fewest.model.problem import Problem, Symmetry

if TYPE_CHECKING:
    from concurrent.futures import Future

    import numpy as np
    from numpy.typing import NDArray

    from fewest.search import _native
    from fewest.search.interface import Reversed

LOOK = 0.05  # seconds between looks at limits
_READING = 16 << 20  # bytes of the buffers of who only reads
_ENTRIES_PER_THREAD = 1 << 15  # of a layer: with fewer a thread costs more than it spares


class Within(Struct, frozen=True):
    """What another search reached: its layers, in a folder. `back`: its problem the other way round, if moves cannot
    be undone."""

    folder: Path
    num_layers: int
    back: Reversed | None


class Work(Struct, frozen=True):
    """What is searched, and how its shards are kept; it can be sent to other processes.

    Without a folder they are held in memory. `memory`: bytes of all buffers of a process, and of what is held.
    `is_undoable`: every move, at the same cost. `within`: it begins at all goals there (`to_goal.py`).
    """

    problem: Problem
    cost: CostTable
    symmetry: Symmetry | None
    folder: Path | None
    num_shards: int
    owners: int
    workers: int
    memory: int
    is_undoable: bool
    within: Within | None = None


class Figures(NamedTuple):
    """How far a crew is: since it began; `merged` are the new entries of the layer in progress."""

    expanded: int
    generated: int
    merged: int
    bytes_in_memory: int


class Counts(Protocol):
    """What is in a layer."""

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


class Crew(Protocol):
    """Whoever expands and merges the shards of a search in layers."""

    algorithm: str
    packing: int
    """tells apart packings of states"""

    def begin(self) -> None:
        """Layer 0, to be closed."""

    def open(self, num_layers: int) -> None:
        """These are there already."""

    def work(self, entries: int, look: Callable[[], None]) -> None:
        """Make the next layer from the newest, which has so many entries, calling `look` now and then.

        Raises what that raises, OSError and ValueError (damage), with all work at rest.
        """

    def close_layer(self) -> Counts:
        """The next layer is the newest."""

    def keep(self) -> None:
        """All closed layers outlive whatever happens."""

    def abandon(self) -> None:
        """Forget the next layer."""

    def plan(self, layer: int, goal: Sequence[int]) -> list[int]:
        """The operators to a goal state, in packed words, of a layer."""

    def least(self, layer: int) -> list[int]:
        """The least state of a layer, as a set of facts in words."""

    def among(self, layer: int, states: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Which rows of `states: uint64[n, W]`, sets of facts, are in a layer."""

    def figures(self) -> Figures:
        """How far it is."""

    def statistics(self) -> dict[str, int]:
        """What is its own to tell."""

    def end(self) -> None:
        """No more work; it may be asked for a plan still."""


CrewMaker = Callable[[Work], Crew | None]
"""A crew for a work; None where the search is not breadth-first. Raises ValueError for states too wide."""


class Threads:
    """The threads of this process, on shards that are all here."""

    def __init__(self, shards: _native.Shards, work: Work) -> None:
        self.shards, self.workers = shards, work.workers
        self.algorithm, self.packing = shards.algorithm, shards.packing
        self.begin = shards.begin if work.within is None else self._begin_at_goals
        self.open, self.least, self.among = shards.open, shards.least, shards.among
        self.close_layer, self.keep, self.abandon = shards.close_layer, shards.keep, shards.abandon
        from concurrent.futures import ThreadPoolExecutor

        self.pool = ThreadPoolExecutor(work.workers, thread_name_prefix="shards")

    def _begin_at_goals(self) -> None:
        for phase in (self.shards.begin_at_goals, partial(self.shards.merge, 0)):
            self._wait([self.pool.submit(phase)], lambda: None)

    def work(self, entries: int, look: Callable[[], None]) -> None:
        threads = min(self.workers, 1 + entries // _ENTRIES_PER_THREAD)
        for phase in (self.shards.expand, self.shards.merge):
            self._wait([self.pool.submit(phase, worker) for worker in range(threads)], look)

    def _wait(self, working: list[Future[bool]], look: Callable[[], None]) -> None:
        from concurrent.futures import FIRST_EXCEPTION, wait

        try:
            left: set[Future[bool]] = set(working)
            while left:
                done, left = wait(left, timeout=LOOK, return_when=FIRST_EXCEPTION)
                for future in done:
                    future.result()
                look()
        except BaseException:
            self.shards.cancel()
            wait(working)
            raise

    def plan(self, layer: int, goal: Sequence[int]) -> list[int]:
        return self.shards.plan(layer, list(goal), None)

    def figures(self) -> Figures:
        shards = self.shards
        return Figures(
            shards.num_expanded, shards.num_generated, shards.num_merged, shards.bytes_in_memory
        )

    def statistics(self) -> dict[str, int]:
        return {}

    def end(self) -> None:
        self.pool.shutdown(wait=True, cancel_futures=True)


def shards_of(work: Work, owner: int = 0, *, opens: bool = True) -> _native.Shards | None:
    """The native shards of an owner; None where the search is not breadth-first, or cannot go backwards.

    `opens`: what it is to search within, too. Raises ValueError, OSError, DamageError.
    """
    from fewest.search import native
    from fewest.search.units import Units

    native.check_cost(work.problem, work.cost)
    within = work.within
    shards = native.shards(
        work.problem,
        Units(work.cost),
        work.symmetry,
        folder="" if work.folder is None else str(work.folder),
        num_shards=work.num_shards,
        workers=work.workers,
        memory=work.memory,
        is_undoable=work.is_undoable,
        back=None if within is None else within.back,
        owner=owner,
        num_owners=work.owners,
    )
    if shards is not None and within is not None and opens:
        first = replace(work, within=None, folder=within.folder, workers=1, memory=_READING)
        reached = shards_of(first, owner)
        assert reached is not None, "it has been searched in layers"
        reached.open(within.num_layers)
        shards.search_within(reached)
    return shards


def threads(work: Work) -> Threads | None:
    """The threads of this process; None where the search is not breadth-first. Raises ValueError, OSError."""
    shards = shards_of(work)
    return None if shards is None else Threads(shards, work)
