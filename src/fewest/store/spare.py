"""A search in memory that becomes another one as it grows, without starting again.

It begins with a table. Where it is long and every move can be undone, the layers so far are handed to shards whose
blocks are held in memory: sorted and delta-coded they take a fraction of the table, and less time, since what leads
back is not generated (`cpp/store/marks.hpp`). Where the memory ends, of the table or of those, the layers are written
as those of a store, which is searched on. Sound where `store.search` is; counts are the same. Of a search that ends
at the first goal the whole last layer is counted, and the plan may be another one of as many moves. Ctrl-C while it
becomes another one ends it with the layers so far: as a store, if that has been given all of them.
"""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from math import inf
from typing import TYPE_CHECKING, Any, TypeVar

from msgspec.structs import replace

from fewest.machine.memory import left_of

if TYPE_CHECKING:
    from pathlib import Path

    from fewest.model.costs import CostTable
    from fewest.model.problem import Problem, Symmetry
    from fewest.search import _native
    from fewest.search.interface import Outcome
    from fewest.store.crew import Work
    from fewest.store.place import Place
    from fewest.store.record import Layer
    from fewest.store.search import Asked

_Told = TypeVar("_Told")

LONG = 1 << 21
"""Entries of a table from which sorting them is worth while, and what it takes to begin with it."""


def search(
    problem: Problem,
    cost: CostTable,
    *,
    place: Place | None,
    asked: Callable[[], Asked],
    seconds: float = inf,
    symmetry: Symmetry | None = None,
    threads: int | None = None,
    **options: Any,
) -> tuple[Outcome, dict[str, int] | None]:
    """As `search.search`; where the memory ends as `store.search`, with what that tells, from the layers so far.

    Only when the search is long, or the memory ends, is `asked` called, and only then is the folder made. Without
    a `place` the memory ends the search. Raises as `store.search` does.
    """
    from fewest.search import _native, native

    began = time.perf_counter()
    left = left_of(options.get("memory"))
    given = options | {"symmetry": symmetry, "threads": threads, "memory": left}
    with ExitStack() as folder:
        heirs = _Heirs(problem, cost, place, asked, given, folder)
        heir = _native.ShardsHeir(heirs.make, heirs.is_willing, LONG)
        peak = 0
        try:
            found = native.search(problem, cost, seconds=seconds, heir=heir, **given)
            peak = found.bytes
        except KeyboardInterrupt:  # when the layers had been handed over, where nobody listens
            if not heir.layers:
                raise
            heirs.is_interrupted = True
        if not heir.layers:
            return (replace(found, status="interrupted") if heirs.is_interrupted else found), None
        heirs.inherit(heir.layers)
        if heirs.is_held:
            outcome = heirs.search(began, 0.0 if heirs.is_interrupted else seconds)
            if heirs.is_interrupted and outcome.status in ("time", "memory"):
                return replace(outcome, status="interrupted"), None
            if outcome.status != "memory" or place is None:
                return outcome, None
            peak = max(peak, outcome.bytes)
        assert place is not None, "else there was no heir when the memory ended"
        question = heirs.write(place)
        is_interrupted = heirs.is_interrupted
    del heirs, heir
    from fewest.store import search as stored

    def go_on(until: float) -> tuple[Outcome, dict[str, int]]:
        left = max(0.0, until - (time.perf_counter() - began))
        return stored.search(problem, cost, place=place, asked=question, seconds=left, **given)

    try:
        gc.collect()  # the error that ended it holds frames, and these what memory the shards had
        outcome, told = go_on(0.0 if is_interrupted else seconds)
    except KeyboardInterrupt:  # before it had read the layers, or behind its last
        is_interrupted = True
        outcome, told = go_on(0.0)
    if is_interrupted and outcome.status == "time":
        outcome = replace(outcome, status="interrupted")
    peak, spent = max(peak, outcome.bytes), time.perf_counter() - began
    return replace(outcome, bytes=peak, seconds=spent), told


class _Heirs:
    """Who goes on with a table: shards that are held in memory or, where that ends, in a folder, which is
    entered then."""

    def __init__(
        self,
        problem: Problem,
        cost: CostTable,
        place: Place | None,
        asked: Callable[[], Asked],
        options: dict[str, Any],
        folder: ExitStack,
    ) -> None:
        self.problem, self.cost, self.place = problem, cost, place
        self.asked, self.options, self.folder = asked, options, folder
        self.is_held = self.is_interrupted = self.is_entered = False
        self.layers: list[Layer] = []
        self.question: Asked | None = None
        self.work: Work | None = None
        self.shards: _native.Shards | None = None

    def is_willing(self) -> bool:
        """Whether shards in memory go on with a search that is long."""
        self.question = self.asked()
        self.is_held = self.question.is_undoable
        return self.is_held

    def make(self, left: int) -> _native.Shards:
        """The shards, with so many bytes beside the table. Raises MemoryError where there is nowhere to go on, or
        Ctrl-C came: then the table ends with what it has."""
        try:
            return self._made(left)
        except KeyboardInterrupt:
            self.is_interrupted = True
            raise MemoryError from None

    def _made(self, left: int) -> _native.Shards:
        from fewest.search import native
        from fewest.store.crew import shards_of

        if self.is_held:
            threads = self.options["threads"] or native.default_threads()
            self.work = self._work(None, threads, self.options.get("memory"))
        elif self.place is None:
            raise MemoryError
        else:
            self._enter(self.place)
            self.work = self._work(self.place, 1, left)
        self.shards = shards_of(self.work)
        assert self.shards is not None, "whatever is searched in layers has shards"
        return self.shards

    def inherit(self, layers: list[_native.HeirsLayer]) -> None:
        """These are the layers that the shards were given."""
        from fewest.store.driver import layer_of

        self.layers = [layer_of(each.counts, each.expanded, each.generated) for each in layers]

    def _work(self, place: Place | None, workers: int, memory: int | None) -> Work:
        from fewest.store import search as stored
        from fewest.store.crew import Work

        if self.question is None:
            self.question = self.asked()
        return Work(
            problem=self.problem,
            cost=self.cost,
            symmetry=self.options["symmetry"],
            folder=None if place is None else place.folder,
            num_shards=stored.NUM_SHARDS,
            owners=1,
            workers=workers,
            memory=sys.maxsize if memory is None else memory,
            is_undoable=self.question.is_undoable,
        )

    def _enter(self, place: Place) -> None:
        """Have the folder till the end; it goes again if there is nothing then that can be gone on with."""
        from fewest.store import search as stored

        if self.is_entered:
            return
        if not place.folder.exists():
            self.folder.callback(_remove_unless_store, place.folder)
        self.folder.enter_context(stored.in_folder(place.folder))
        self.is_entered = True

    def search(self, began: float, seconds: float) -> Outcome:
        """On in memory, from the layers that were handed over."""
        from fewest.search import native
        from fewest.search.units import Units
        from fewest.store.crew import Threads
        from fewest.store.driver import Driver

        assert self.shards is not None and self.work is not None, "they were made"
        crew = Threads(self.shards, self.work)
        units, exhaust = Units(self.cost), self.options["exhaust"]
        driver = Driver(crew, self.layers, None, units, self.options["progress"], began)
        try:
            status = driver.run(exhaust=exhaust, depth=None, deadline=began + seconds)
            outcome = self._in_any_case(lambda: driver.outcome(status, exhaust=exhaust, depth=None))
        finally:
            crew.end()
        self.layers = driver.layers
        symmetry = self.work.symmetry
        if symmetry is None:
            return outcome
        return native.of_orbits(self.problem, self.cost, symmetry, outcome)

    def write(self, place: Place) -> Asked:
        """Keep what the shards have as a store that can be gone on with; of what it is. Raises OSError."""
        return self._in_any_case(lambda: self._written(place))

    def _in_any_case(self, step: Callable[[], _Told]) -> _Told:
        """What a short step tells, which can be taken twice: Ctrl-C in it ends the search behind it."""
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
