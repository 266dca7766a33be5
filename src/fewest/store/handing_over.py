"""A breadth-first search in memory whose layers are handed over to another representation when it grows.

It begins with a table. Where it is long and every move can be undone, its layers are handed over to shards whose
blocks are held in memory: sorted and delta-coded they take a fraction of the table, and less time, since what leads
back is not generated (`cpp/store/marks.hpp`). Where the memory ends, of the table or of these shards, the layers are
written as those of a store, and the search continues there. Sound where `store.search` is; counts are the same. Of a
search that ends at the first goal the whole last layer is counted, and the plan may be another one of as many moves.
Ctrl-C while layers are handed over ends the search with the layers so far: as a store, if that has all of them.
"""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from math import inf
from typing import TYPE_CHECKING, TypeVar

from msgspec.structs import replace

from fewest.search.interface import ALL, Budget, SearchLimits

if TYPE_CHECKING:
    from pathlib import Path

    from fewest.search import _native
    from fewest.search.interface import Outcome, Progress
    from fewest.search.native import ExhaustiveSearch
    from fewest.store.crew import Work
    from fewest.store.place import Place
    from fewest.store.record import Layer
    from fewest.store.search import Asked

_Result = TypeVar("_Result")

LONG = 1 << 21
"""Entries of a table from which sorting them is worth while, and what it takes to begin with it."""


def finish(
    search: ExhaustiveSearch,
    *,
    place: Place | None,
    asked: Callable[[], Asked],
    exhaust: bool,
    seconds: float = inf,
    threads: int | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> tuple[Outcome, dict[str, int] | None]:
    """Advance a search to its end, and hand its layers over on the way; the outcome, and what a store tells of itself.

    Only when the search is long, or the memory ends, is `asked` called, and only then is the folder made. Without
    a `place` the memory ends the search. `exhaust` and `threads` are those with which the search was made.
    Raises as `store.search` does.
    """
    began = time.perf_counter()

    def left() -> float:
        return max(0.0, seconds - (time.perf_counter() - began))

    with ExitStack() as folder:
        over = _HandingOver(search, place, asked, exhaust, threads, folder)
        over.progress = progress
        status = search.advance(Budget(entries=LONG), SearchLimits(seconds), progress)
        try:
            if status == "running" and over.is_sortable():
                over.to_memory()
            else:
                if status == "running":
                    status = search.advance(ALL, SearchLimits(left()), progress)
                if status == "memory" and place is not None and search.num_layers > 0:
                    over.to_folder(place)
        except KeyboardInterrupt:
            over.is_interrupted = True
        if not search.handed:
            outcome = search.outcome()
            return (
                replace(outcome, status="interrupted") if over.is_interrupted else outcome
            ), None
        before = search.seconds
        over.begin_layers()
        if over.is_held:
            outcome = over.search(began - before, 0.0 if over.is_interrupted else seconds + before)
            if over.is_interrupted and outcome.status in ("time", "memory"):
                return replace(outcome, status="interrupted"), None
            if outcome.status != "memory" or place is None:
                return outcome, None
            over.peak = max(over.peak, outcome.bytes)
        assert place is not None, "else nothing was handed over when the memory ended"
        question, peak, is_interrupted = over.write(place), over.peak, over.is_interrupted
    problem, cost, symmetry, memory = search.problem, search.cost, search.symmetry, search.memory
    del over
    from fewest.store import search as stored

    def go_on(until: float) -> tuple[Outcome, dict[str, int]]:
        return stored.search(
            problem,
            cost,
            place=place,
            asked=question,
            exhaust=exhaust,
            symmetry=symmetry,
            threads=threads,
            memory=memory,
            progress=progress,
            seconds=until,
        )

    try:
        gc.collect()  # the error that ended it holds frames, and these what memory the shards had
        outcome, told = go_on(0.0 if is_interrupted else left())
    except KeyboardInterrupt:  # before it had read the layers, or behind its last
        is_interrupted = True
        outcome, told = go_on(0.0)
    if is_interrupted and outcome.status == "time":
        outcome = replace(outcome, status="interrupted")
    peak, spent = max(peak, outcome.bytes), before + time.perf_counter() - began
    return replace(outcome, bytes=peak, seconds=spent), told


class _HandingOver:
    """The layers of a table on their way to shards that are held in memory, or to those of a folder, which is
    entered then."""

    def __init__(
        self,
        table: ExhaustiveSearch,
        place: Place | None,
        asked: Callable[[], Asked],
        exhaust: bool,
        threads: int | None,
        folder: ExitStack,
    ) -> None:
        self.table, self.place, self.asked = table, place, asked
        self.exhaust, self.threads, self.folder = exhaust, threads, folder
        self.is_held = self.is_interrupted = self.is_entered = False
        self.progress: Callable[[Progress], None] | None = None
        self.peak = 0
        self.layers: list[Layer] = []
        self.question: Asked | None = None
        self.work: Work | None = None
        self.shards: _native.Shards | None = None

    def is_sortable(self) -> bool:
        """Whether shards in memory can continue the search."""
        self.question = self.asked()
        return self.question.is_undoable

    def to_memory(self) -> None:
        """Hand over to shards in memory. Where that has not the room the table keeps its layers, and nothing else."""
        from fewest.search import native

        self.is_held = True
        workers = self.threads or native.default_threads()
        self._hand_over(lambda _: self._work(None, workers, self.table.memory))

    def to_folder(self, place: Place) -> None:
        """Hand over to shards in a folder."""
        self._enter(place)
        self._hand_over(lambda left: self._work(place, 1, left))

    def _hand_over(self, work: Callable[[int], Work]) -> None:
        from fewest.store.crew import shards_of

        self.peak = self.table.bytes
        left = self.table.release_slots()
        try:
            self.work = work(left)
            self.shards = shards_of(self.work)
            assert self.shards is not None, "whatever is searched in layers has shards"
            self.table.hand_over(self.shards)
        except MemoryError:
            return

    def begin_layers(self) -> None:
        """The layers that the shards were given are the first ones; the table goes."""
        from fewest.store.driver import layer_of

        handed = self.table.handed
        self.layers = [layer_of(each.counts, each.expanded, each.generated) for each in handed]
        self.table.close()

    def _work(self, place: Place | None, workers: int, memory: int | None) -> Work:
        from fewest.store import search as stored
        from fewest.store.crew import Work

        if self.question is None:
            self.question = self.asked()
        return Work(
            problem=self.table.problem,
            cost=self.table.cost,
            symmetry=self.table.symmetry,
            folder=None if place is None else place.folder,
            num_shards=stored.NUM_SHARDS,
            owners=1,
            workers=workers,
            memory=sys.maxsize if memory is None else memory,
            is_undoable=self.question.is_undoable,
        )

    def _enter(self, place: Place) -> None:
        """Have the folder till the end; it goes again if there is nothing then that a search can continue."""
        from fewest.store import search as stored

        if self.is_entered:
            return
        if not place.folder.exists():
            self.folder.callback(_remove_unless_store, place.folder)
        self.folder.enter_context(stored.in_folder(place.folder))
        self.is_entered = True

    def search(self, began: float, seconds: float) -> Outcome:
        """Continue in memory, from the layers that were handed over."""
        from fewest.search import native
        from fewest.search.units import Units
        from fewest.store.crew import Threads
        from fewest.store.driver import Driver

        assert self.shards is not None and self.work is not None, "they were made"
        crew, exhaust = Threads(self.shards, self.work), self.exhaust
        driver = Driver(crew, self.layers, None, Units(self.table.cost), self.progress, began)
        try:
            status = driver.run(exhaust=exhaust, depth=None, deadline=began + seconds)
            outcome = self._in_any_case(lambda: driver.outcome(status, exhaust=exhaust, depth=None))
        finally:
            crew.end()
        self.layers = driver.layers
        symmetry = self.work.symmetry
        if symmetry is None:
            return outcome
        return native.of_orbits(self.table.problem, self.table.cost, symmetry, outcome)

    def write(self, place: Place) -> Asked:
        """Keep what the shards have as a store that a search can continue; of what it is. Raises OSError."""
        return self._in_any_case(lambda: self._written(place))

    def _in_any_case(self, step: Callable[[], _Result]) -> _Result:
        """The result of a short step, which can be taken twice: Ctrl-C in it ends the search behind it."""
        try:
            return step()
        except KeyboardInterrupt:
            self.is_interrupted = True
            return step()

    def _written(self, place: Place) -> Asked:
        from fewest.store import search as stored
        from fewest.store.record import write_record

        assert self.shards is not None and self.work is not None, "they were made"
        assert self.question is not None, "it was asked for the work"
        if self.is_held:
            self._enter(place)
            self.shards.write_to(str(place.folder))
        self.shards.keep()
        record = stored.new_record(self.work, self.question, self.shards.packing, place.about)
        write_record(place.folder, replace(record, layers=tuple(self.layers)))
        return self.question


def _remove_unless_store(folder: Path) -> None:
    """Remove a folder that was made for a store, unless it has become one."""
    import shutil

    from fewest.store.record import is_store

    if not is_store(folder):
        shutil.rmtree(folder, ignore_errors=True)
