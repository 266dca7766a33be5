"""A search that stores two bits per consistent state. Several workers share the search, each with a range of the state
numbers.

Each worker holds the marks of one range (`cpp/index/part.hpp`): it expands the states in its range, and sends to each
other worker the numbers to mark in that worker's range. The driver in this module determines the order of the steps.
Between two steps, the marks are the whole state of the search. Therefore, the search can be resumed from the saved
marks of a finished layer, even with different ranges.

The steps are the same as in `cpp/index/index_search.hpp`, which explains how plans and distances are found.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from fewest.search.cost_packing import CostPacking
from fewest.search.interface import GoalDistances, Outcome, Progress, Status
from fewest.store.driver import STOPS, SearchStopped, stopped_by
from fewest.store.index_workers import (
    FORMAT,
    NAME,
    IndexParts,
    MarkedStates,
    PartOrder,
    SavedLayers,
    WorkerEndedError,
    ends_of,
    read_saved,
)
from fewest.store.location import has_grown, summed
from fewest.store.metadata import write_checked
from fewest.version import __version__

if TYPE_CHECKING:
    from fewest.model.costs import CostTable
    from fewest.model.problem import Numbering, Problem
    from fewest.store.location import IndexLocation

_Result = TypeVar("_Result")

SAVE_EVERY = 60.0  # the minimum number of seconds between two saves
# the minimum time between two saves, as a multiple of the time that a save takes
_KEEPING_TIMES = 20
_LOOK = 0.1  # the number of seconds between two progress reports


class _MoreWorkersError(Exception):
    """Raised when there is room for more workers and the marks have been saved."""


class PartsDriver:
    """The driver of a search; `run` and `run_from_goals` return the results."""

    def __init__(
        self,
        parts: IndexParts,
        order: PartOrder,
        progress: Callable[[Progress], None] | None,
        deadline: float,
        began: float,
        has_grown: Callable[[], bool] = lambda: False,
    ) -> None:
        self.parts, self.order, self.progress = parts, order, progress
        self.has_grown = has_grown
        self.deadline, self.began = deadline, began
        self.units = CostPacking(order.cost)
        self.layers: list[MarkedStates] = []
        self.expanded = self.counted = self.peak = 0
        self.reported = self.saved_at = began
        self.saving = 0.0
        self.is_searching = False  # False after the last layer
        self.is_from_goals = self.has_started = False
        self.saved: SavedLayers | None = None
        if order.folder is not None:
            self.saved = read_saved(order.folder, order.numbering.size)

    def run(
        self, *, exhaust: bool, depth: int | None, plan: bool, goal_distances: bool
    ) -> tuple[Outcome, GoalDistances | None]:
        """Run the search, and return as much of the result as the limits allow. Raises StoreError, OSError, DamageError
        or ValueError.
        """
        while True:
            try:
                return self._run(
                    exhaust=exhaust, depth=depth, plan=plan, goal_distances=goal_distances
                )
            except WorkerEndedError:
                continue

    def _run(
        self, *, exhaust: bool, depth: int | None, plan: bool, goal_distances: bool
    ) -> tuple[Outcome, GoalDistances | None]:
        measured: GoalDistances | None = None
        operators: list[int] | None = None
        self.is_searching = True
        status = found = self._limited(lambda: self._search(exhaust=exhaust, depth=depth))
        self.is_searching = False
        goal = next((number for number, layer in enumerate(self.layers) if layer.goals), None)
        generated = self._generated(status)
        if found == "exhausted" and goal_distances:
            status = self._limited(lambda: self._measured(found))
            measured = self._distances if status == found else None
        is_limited = found in ("time", "interrupted", "memory", "disk")
        if goal is not None and plan and not is_limited and status == found:
            status = self._limited(lambda: self._planned(goal, found))
            operators = self._operators if status == found else None
        is_found = goal is not None and (not plan or operators is not None or goal == 0)
        last = len(self.layers) - 1
        bound = goal if goal is not None else last if found == "exhausted" else last + 1
        cost = goal if is_found else None
        return self._outcome(status, cost, bound, tuple(operators or ()), generated), measured

    def _outcome(
        self, status: Status, cost: int | None, bound: int, plan: tuple[int, ...], generated: int
    ) -> Outcome:
        return Outcome(
            status=status,
            cost=None if cost is None else self.units.split(cost),
            lower_bound=self.units.split(bound),
            plan=plan,
            layers=tuple(
                (self.units.split(number), layer.states) for number, layer in enumerate(self.layers)
            ),
            num_states=sum(layer.states for layer in self.layers),
            num_goal_states=sum(layer.goals for layer in self.layers),
            num_expanded=self.expanded,
            num_generated=generated,
            seconds=time.perf_counter() - self.began,
            bytes=self.peak,
            algorithm="bfs in an index by actors",
        )

    def run_from_goals(self) -> tuple[Outcome, list[int]]:
        """Search backward from all goal states until there are no more states or a limit is reached. Returns the
        outcome, and states of the last layer.

        The problem of the order must contain the inverse moves. The returned states are sets of facts: those states of
        the last layer that have the fewest facts, or some of them; the list is empty after a limit. Raises the same
        errors as `run`.
        """
        self.is_from_goals = True
        while True:
            try:
                self._farthest: list[int] = []
                self.is_searching = True
                status = self._limited(lambda: self._search(exhaust=True, depth=None))
                generated = self._generated(status)
                bound = max(0, len(self.layers) - (status == "exhausted"))
                return self._outcome(status, None, bound, (), generated), self._farthest
            except WorkerEndedError:
                continue

    def _limited(self, phase: Callable[[], Status]) -> Status:
        """The status of a phase, or the limit that ended it."""
        try:
            return phase()
        except STOPS as error:
            return stopped_by(error)

    def _generated(self, status: Status) -> int:
        """The number of moves from closed states. Also updates the largest memory. The number is 0 if a limit ended the
        search while a worker had no process.
        """
        if not self.layers or status == "memory":
            return 0
        try:
            figures = self.parts.figures()
        except WorkerEndedError:
            if status not in ("time", "interrupted", "disk"):
                raise
            return 0
        self.peak = max(self.peak, figures.bytes)
        return self.counted + figures.generated

    # -- layers -----------------------------------------------------------------------------------------

    def _search(self, *, exhaust: bool, depth: int | None) -> Status:
        if not self.has_started:
            self.parts.wait_for_start(self._check_time)
            self.has_started = True
        self._resume()
        if self.layers[0].states == 0:  # there is no goal state
            self.layers = []
            return "exhausted"
        while True:
            newest = self.layers[-1]
            if not exhaust and any(layer.goals for layer in self.layers):
                return "goal"
            if depth is not None and len(self.layers) > depth:
                self._save()
                return "depth"
            if self.order.folder is not None and self.has_grown():
                self._save()
                raise _MoreWorkersError
            since = time.perf_counter() - self.saved_at
            if since > max(SAVE_EVERY, _KEEPING_TIMES * self.saving):
                self._save()
            marked = self.parts.move(self._look, backward=False, within=False)
            self.expanded += newest.states
            if marked == 0 and self.is_from_goals:
                self._farthest = self.parts.fewest_facts()
            layer = self.parts.advance(within=False, has_goals=not self.is_from_goals)
            if layer.states == 0:
                return "exhausted"
            self.layers.append(layer)

    def _resume(self) -> None:
        """Set the marks of the last saved layer, or of the start."""
        if self.saved is None:
            self.expanded = self.counted = 0
            if self.is_from_goals:
                self.parts.begin_at_goals()
            else:
                self.parts.begin(self.parts.start())
            self.layers = [self.parts.advance(within=False)]
            return
        self.layers = [MarkedStates(*layer) for layer in self.saved.layers]
        self.expanded, self.counted = self.saved.expanded, self.saved.counted
        self.parts.restore(self.saved)

    def _save(self) -> None:
        """Save the marks, if there is a folder and it does not yet contain them."""
        folder, began = self.order.folder, time.perf_counter()
        layer = len(self.layers) - 1
        if folder is None or (self.saved is not None and self.saved.newest == layer):
            return
        self.parts.save(layer)
        saved = SavedLayers(
            format=FORMAT,
            made_by=f"fewest {__version__}",
            size=self.order.numbering.size,
            ends=self.order.ends,
            expanded=self.expanded,
            counted=self.counted + self.parts.figures().counted,
            layers=tuple(self.layers),
        )
        write_checked(folder / NAME, saved)
        self.saved = saved
        self.parts.clean(layer)
        self.saved_at = time.perf_counter()
        self.saving = self.saved_at - began

    def _check_time(self) -> None:
        if time.perf_counter() >= self.deadline:
            raise SearchStopped("time")

    def _look(self) -> None:
        """Report progress at regular intervals. Raises one of STOPS at a limit."""
        self._check_time()
        now = time.perf_counter()
        if now - self.reported < _LOOK:
            return
        self.reported = now
        if self.progress is not None:
            states = sum(layer.states for layer in self.layers)
            if self.is_searching:
                states += self.parts.num_marked()
            self.progress(
                Progress(
                    cost=self.units.split(len(self.layers) - 1)[0],
                    num_states=states,
                    num_expanded=self.expanded,
                    seconds=now - self.began,
                    bytes=self.peak,
                    messages_per_layer=self.parts.statistics().get("messages_per_layer"),
                )
            )

    # -- after the last layer ---------------------------------------------------------------------------

    def _measured(self, found: Status) -> Status:
        """Find the goal distances of all reached states, by a backward search that is restricted to these states."""
        layers: list[tuple[tuple[int, ...], int]] = []
        num_dead, hardest = sum(layer.states for layer in self.layers), None
        self.parts.mark_goals()
        layer = self.parts.advance(within=True).states
        while layer > 0:
            layers.append((self.units.split(len(layers)), layer))
            num_dead -= layer
            if self.parts.move(self._look, backward=True, within=True) == 0:
                hardest = self.parts.least()
            layer = self.parts.advance(within=True).states
        self._distances = GoalDistances(tuple(layers), num_dead, hardest)
        return found

    def _planned(self, goal: int, found: Status) -> Status:
        """Find a plan to the goal state with the lowest number in this layer."""
        target = self.layers[goal].first
        assert target is not None, "the layer has a goal"
        self._operators: list[int] = []
        self._append_operators(self.parts.start(), target, goal)
        return found

    def _append_operators(self, origin: int, target: int, length: int) -> None:
        """Append a path of exactly `length` moves; the caller ensures that no path is shorter. This overwrites all
        marks. Raises MemoryError if the states half-way cannot be listed.
        """
        if length == 0:
            return
        if length == 1:
            self._operators += self.parts.operators(origin, target)
            return
        half = length // 2
        while not self._is_remembered(origin, half):
            if half == 1:
                raise MemoryError
            half //= 2
        self._reach(target, length - half, backward=True)
        middle = self.parts.meet()
        assert middle is not None, "a state in the middle is half-way from both ends"
        self._append_operators(origin, middle, half)
        self._append_operators(middle, target, length - half)

    def _is_remembered(self, origin: int, distance: int) -> bool:
        self._reach(origin, distance, backward=False)
        return self.parts.remember()

    def _reach(self, origin: int, distance: int, *, backward: bool) -> None:
        """Mark the states at this distance from `origin`."""
        self.parts.begin(origin)
        self.parts.advance(within=False)
        for _ in range(distance):
            self.parts.move(self._look, backward=backward, within=False)
            self.parts.advance(within=False)


def search_parts(
    problem: Problem,
    cost: CostTable,
    numbering: Numbering,
    levels: Numbering,
    *,
    place: IndexLocation,
    folder: Path | None,
    exhaust: bool = False,
    threads: int | None = None,
    plan: bool = True,
    goal_distances: bool = False,
    depth: int | None = None,
    seconds: float = inf,
    memory: int | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> tuple[Outcome, GoalDistances | None, dict[str, int]]:
    """Like `search.native_index.search_index`, but the workers of an `IndexLocation` run the search. Also returns their
    statistics.

    `memory`: the total limit for all workers. `folder`: the folder for saved marks, from which the search resumes.
    Raises StoreError if the folder is damaged, OSError, ValueError if states are too wide, and MemoryError if the marks
    do not fit.
    """
    options: dict[str, Any] = {"exhaust": exhaust, "depth": depth, "plan": plan}
    options["goal_distances"] = goal_distances
    (outcome, measured), totals = _searched(
        lambda driver: driver.run(**options),
        (problem, cost, numbering, levels),
        (place, folder, threads, memory),
        progress,
        seconds,
    )
    return outcome, measured, totals


def search_parts_from_goals(
    problem: Problem,
    cost: CostTable,
    numbering: Numbering,
    levels: Numbering,
    *,
    place: IndexLocation,
    folder: Path | None,
    threads: int | None = None,
    seconds: float = inf,
    memory: int | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> tuple[Outcome, list[int], dict[str, int]]:
    """Like `search.native_index.search_index_from_goals`, but the workers of an `IndexLocation` run the search. Also
    returns their statistics.

    After a limit, the list of states is empty. The other arguments and the errors are the same as for `search_parts`.
    """
    (outcome, farthest), totals = _searched(
        PartsDriver.run_from_goals,
        (problem, cost, numbering, levels),
        (place, folder, threads, memory),
        progress,
        seconds,
    )
    return outcome, farthest, totals


def _searched(
    run: Callable[[PartsDriver], _Result],
    query: tuple[Problem, CostTable, Numbering, Numbering],
    means: tuple[IndexLocation, Path | None, int | None, int | None],
    progress: Callable[[Progress], None] | None,
    seconds: float,
) -> tuple[_Result, dict[str, int]]:
    """The result of a search, and the statistics of its workers. When there is room for more workers, the search moves
    to them.
    """
    (problem, cost, numbering, levels), (place, folder, threads, memory) = query, means
    began = time.perf_counter()
    owners, times_grown = place.owners, 0
    totals: dict[str, int] = {}
    while True:
        order = PartOrder(
            problem=problem,
            cost=cost,
            numbering=numbering,
            levels=levels,
            ends=ends_of(numbering.size, owners),
            workers=threads or place.threads,
            memory=None if memory is None else memory // owners,
            folder=None if folder is None else folder.absolute(),
        )
        parts = place.parts(order)
        grows = partial(has_grown, place, owners)
        try:
            found = run(PartsDriver(parts, order, progress, began + seconds, began, grows))
            totals = summed(totals, parts.statistics())
            return found, totals if place.owners_now is None else {
                **totals,
                "times_grown": times_grown,
            }
        except _MoreWorkersError:
            totals, times_grown = summed(totals, parts.statistics()), times_grown + 1
            assert place.owners_now is not None, "only a place that can grow interrupts a search"
            owners = place.owners_now()
        finally:
            parts.end()
