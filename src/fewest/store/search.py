"""Breadth-first search on disk: the driver of shards, whoever works on them.

A crew (`crew.py`: threads here, actors in `fewest.cluster`) expands layers and finds duplicates; this says
when, tells how far it is, keeps what is whole, and stops at limits. A layer is kept (synced, named, recorded)
when it is done; where layers take less than a second some wait for each other.
"""

from __future__ import annotations

import errno
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from fewest.errors import UsageError
from fewest.machine.locking import LockedError, locked
from fewest.search.interface import Outcome, Progress, SearchStatus, UnservedSymmetryError
from fewest.search.units import Units
from fewest.store.crew import Counts, Crew, Work, threads
from fewest.store.place import Place, StoreError
from fewest.store.record import (
    FORMAT,
    Layer,
    Record,
    check_owners,
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

NUM_SHARDS = 128
KEEP_EVERY = 1.0  # seconds between layers that are kept, if they take less
KEEPING_TIMES = 20  # and so many times as long as keeping took
_OURS = 48 << 20  # bytes that the interpreter and NumPy take of a memory limit
_LEAST = 16 << 20
_USUAL = 4 << 30
_NO_ROOM = (errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC))


class Asked(Struct, frozen=True):
    """Of what a store is: the names that are said of it, whether moves can be undone (`analysis.undoing`)."""

    name: str
    metric: str
    is_undoable: bool
    depth: int | None = None
    """no layer behind that one is wanted"""


def search(
    problem: Problem,
    cost: CostTable,
    *,
    place: Place,
    asked: Asked,
    exhaust: bool = False,
    seconds: float = inf,
    memory: int | None = None,
    threads: int | None = None,
    progress: Callable[[Progress], None] | None = None,
    milestone: int | None = None,
    symmetry: Symmetry | None = None,
) -> tuple[Outcome, dict[str, int]]:
    """As `search.search` in layers on disk, from where the store in `place` has come to; what the crew tells.

    `memory`, of all owners together, is kept to as far as 64 MB allow; it does not end the search. There is
    no `milestone`.
    Raises UsageError where the search is not breadth-first, UnservedSymmetryError where it is not by
    symmetry, StoreError for a folder that is of something else, damaged or gone, ValueError for states that
    are too wide.
    """
    from fewest.search import native

    began = time.perf_counter()
    folder = place.folder
    with in_folder(folder):
        record = read_record(folder) if is_store(folder) else None
        if record is not None:
            check_owners(record, place.owners, folder)
        work = Work(
            problem=problem,
            cost=cost,
            symmetry=symmetry,
            folder=folder,
            num_shards=NUM_SHARDS if record is None else record.num_shards,
            owners=place.owners,
            workers=native.default_threads() if threads is None else threads,
            memory=max(_LEAST, (_USUAL if memory is None else memory) // place.owners - _OURS),
            is_undoable=asked.is_undoable if record is None else record.is_undoable,
        )
        crew = _crew(work, place, asked)
        wanted = new_record(work, asked, crew.packing, place.about)
        if record is not None:
            check_same(record, wanted, folder)
            record = replace(record, about=place.about or record.about)
        driver = _Driver(crew, record or wanted, folder, Units(cost), progress, began)
        try:
            status = driver.run(exhaust=exhaust, depth=asked.depth, deadline=began + seconds)
            return driver.outcome(status, exhaust=exhaust, depth=asked.depth), crew.statistics()
        finally:
            crew.end()


def new_record(work: Work, asked: Asked, packing: int, about: Mapping[str, Any]) -> Record:
    """The record of a store that has no layers yet."""
    return Record(
        format=FORMAT,
        made_by=f"fewest {__version__}",
        name=asked.name,
        metric=asked.metric,
        problem=problem_digest(work.problem),
        costs=costs_digest(work.cost, work.symmetry),
        packing=f"{packing:016x}",
        owners=work.owners,
        num_shards=NUM_SHARDS,
        is_undoable=asked.is_undoable,
        layers=(),
        about=about,
    )


def layer_of(found: Counts, expanded: int, generated: int) -> Layer:
    """A layer as it is recorded; what was done in all until it was whole."""
    return Layer(
        entries=found.entries,
        states=found.states,
        goals=found.goals,
        canonical=found.canonical,
        in_orbits=found.in_orbits,
        expanded=expanded,
        generated=generated,
        goal=tuple(found.goal),
    )


def _crew(work: Work, place: Place, asked: Asked) -> Crew:
    crew = (place.crew or threads)(work)
    if crew is not None:
        return crew
    if work.symmetry is not None:
        raise UnservedSymmetryError("only what is searched breadth-first is")
    raise UsageError(
        f"{asked.metric}: only what is searched breadth-first is searched on disk: metrics in which every "
        "move costs the same, and those in which one agent walks for nothing",
        hint="use --store hash",
    )


@contextmanager
def in_folder(folder: Path) -> Iterator[None]:
    """Have a folder for oneself; what goes wrong with it is said by name."""
    from fewest.search.native import DamageError

    try:
        folder.mkdir(parents=True, exist_ok=True)
        with locked(folder / "lock"):
            yield
    except DamageError as error:
        hint = "begin anew in another folder"
        raise StoreError(f"the store is damaged: {error}", hint=hint) from None
    except LockedError as error:
        hint = "wait for it, or name another folder"
        raise StoreError(f"{folder}: {error.strerror}", hint=hint) from None
    except OSError as error:
        what = f"{error.filename or folder}: {error.strerror or error}"
        hint = "when that is mended, `fewest resume` goes on" if is_store(folder) else ""
        raise StoreError(f"the store cannot be used: {what}", hint=hint) from None


class _Driver:
    """A search from the layers of a record on."""

    def __init__(
        self,
        crew: Crew,
        record: Record,
        folder: Path,
        units: Units,
        progress: Callable[[Progress], None] | None,
        began: float,
    ) -> None:
        self.crew, self.record, self.folder = crew, record, folder
        self.layers: list[Layer] = list(record.layers)
        self.units, self.progress = units, progress
        self.began = self.reported = self.kept = began
        self.keeping = 0.0  # seconds that it took last
        last = self.layers[-1] if self.layers else None
        self.before = (0, 0) if last is None else (last.expanded, last.generated)
        self.deadline = inf
        self.peak = 0

    def run(self, *, exhaust: bool, depth: int | None, deadline: float) -> SearchStatus:
        """Layer by layer until there is an answer, or a limit; what is whole is kept either way."""
        self.deadline = deadline
        status: SearchStatus | None = None
        try:
            if self.layers:
                self.crew.open(len(self.layers))
            else:
                self.crew.begin()
                self._close()
            self._keep()
            while (status := self._answered(exhaust=exhaust, depth=depth)) is None:
                self.crew.work(self.layers[-1].entries, self._look)
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
        if status in ("time", "interrupted", "disk"):
            self.crew.abandon()
        with suppress(*((OSError,) if status == "disk" else ())):
            self._keep()
        return status

    def _answered(self, *, exhaust: bool, depth: int | None) -> SearchStatus | None:
        if not exhaust and any(layer.goals for layer in self.layers[: _behind(depth)]):
            return "goal"
        if self.layers[-1].entries == 0:
            return "exhausted"
        return "depth" if depth is not None and len(self.layers) > depth else None

    def _look(self) -> None:
        now = time.perf_counter()
        if now >= self.deadline:
            raise _Stopped("time")
        if now - self.reported < 0.1:
            return
        self.reported = now
        figures = self.crew.figures()
        self.peak = max(self.peak, figures.bytes_in_memory)
        if self.progress is not None:
            self.progress(
                Progress(
                    cost=self.units.split(len(self.layers) - 1)[0],
                    num_states=sum(layer.states for layer in self.layers) + figures.merged,
                    num_expanded=self.before[0] + figures.expanded,
                    seconds=now - self.began,
                    bytes=figures.bytes_in_memory,
                )
            )

    def _close(self) -> None:
        found, figures = self.crew.close_layer(), self.crew.figures()
        self.peak = max(self.peak, figures.bytes_in_memory)
        expanded, generated = self.before
        self.layers.append(
            layer_of(found, expanded + figures.expanded, generated + figures.generated)
        )

    def _keep(self) -> None:
        began = time.perf_counter()
        self.crew.keep()
        self.record = replace(self.record, layers=tuple(self.layers))
        write_record(self.folder, self.record)
        self.kept = time.perf_counter()
        self.keeping = self.kept - began

    def outcome(self, status: SearchStatus, *, exhaust: bool, depth: int | None) -> Outcome:
        """What is known; a store may have layers behind those that were asked for."""
        seen = self.layers[: _behind(depth)]
        goal_layer = next((number for number, layer in enumerate(seen) if layer.goals), None)
        if goal_layer is not None and not exhaust:
            seen, status = seen[: goal_layer + 1], "goal"
        plan: list[int] = []
        if goal_layer is not None:
            plan = self.crew.plan(goal_layer, seen[goal_layer].goal)
        last = max(number for number, layer in enumerate(seen) if layer.entries)
        bound = last if status == "exhausted" else len(seen)
        # Of a layer in progress nothing counts: that is the same when it is gone on with.
        return Outcome(
            status=status,
            cost=None if goal_layer is None else self.units.split(goal_layer),
            lower_bound=self.units.split(bound if goal_layer is None else goal_layer),
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
            bytes=self.peak,
            algorithm=f"{self.crew.algorithm} on disk",
            canonical_states=sum(layer.canonical for layer in seen) or None,
            orbit_states=sum(layer.in_orbits for layer in seen) or None,
        )


class _Stopped(Exception):  # noqa: N818 - a limit, not an error
    def __init__(self, status: SearchStatus) -> None:
        super().__init__(status)
        self.status = status


def _behind(depth: int | None) -> int | None:
    return None if depth is None else depth + 1
