"""The driver of shards. It does not depend on the kind of workers or on where their layers are.

Workers (`workers.py`: threads here, actors in `fewest.cluster`) expand layers and find duplicates. The driver decides
the order of these steps, reports progress, saves finished layers, and stops at limits. If layers follow each other
quickly, the driver saves several of them together.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from math import inf

from fewest.search.cost_packing import CostPacking
from fewest.search.interface import Outcome, Progress, SearchStatus, Status
from fewest.store.error_translation import is_full
from fewest.store.metadata import LayerRecord
from fewest.store.workers import LayerCounts, Workers

SAVE_EVERY = 1.0  # the minimum number of seconds between two saves
# the minimum time between two saves, as a multiple of the time that a save takes
KEEPING_TIMES = 20
_LOOK = 0.1  # the number of seconds between two progress reports


class Driver:
    """A search that continues after the given layers. The workers already have these layers, or will open them. If
    there are no layers, the search begins at the start.

    `keep`: a function that records the layers; it is called after the workers have saved all layers. Without this
    function, layers are not saved.
    """

    def __init__(
        self,
        workers: Workers,
        layers: Sequence[LayerRecord],
        keep: Callable[[tuple[LayerRecord, ...]], None] | None,
        units: CostPacking,
        progress: Callable[[Progress], None] | None,
        began: float,
    ) -> None:
        self.workers, self.keep = workers, keep
        self.layers = list(layers)
        self.units, self.progress = units, progress
        self.began = self.reported = self.saved_at = began
        self.save_seconds = 0.0  # the number of seconds that the last save took
        last = self.layers[-1] if self.layers else None
        self.before = (0, 0) if last is None else (last.expanded, last.generated)
        self.deadline = inf
        self.peak = 0
        self.has_started = True

    def wait_for_start(self, deadline: float) -> Status | None:
        """Wait until the workers are ready. Returns None, or the limit that ended the wait. After a limit, the workers
        can do nothing, and `outcome` reports only what the given layers prove.
        """
        self.deadline, self.has_started = deadline, False
        try:
            self.workers.wait_for_start(self._check_time)
        except STOPS as error:
            return stopped_by(error)
        self.has_started = True
        return None

    def run(
        self,
        *,
        exhaust: bool,
        depth: int | None,
        deadline: float,
        is_used_up: Callable[[], bool] = lambda: False,
    ) -> Status:
        """Search layer by layer until there is an answer or a limit is reached; in both cases, save the complete
        layers.

        `is_used_up`: whether the search must pause between two layers. If so, the status is "running", and the next
        call continues the search. If a limit ends the search before the first layer is complete, there is neither a
        result nor a layer to save, and the error is raised.
        """
        self.deadline = deadline
        status: Status | None = None
        if is_new := not self.layers:
            self.workers.begin()
            self._close()
        try:
            if not is_new and self.keep is not None:
                self.workers.open(len(self.layers))
            self._keep()
            while (status := self._answered(exhaust=exhaust, depth=depth)) is None:
                self.workers.work(self.layers[-1].entries, self.look)
                self._close()
                if time.perf_counter() - self.saved_at > max(
                    SAVE_EVERY, KEEPING_TIMES * self.save_seconds
                ):
                    self._keep()
                if is_used_up() and self._answered(exhaust=exhaust, depth=depth) is None:
                    status = "running"
                    break
        except STOPS as error:
            status = stopped_by(error)
        if status in ("time", "interrupted", "disk", "memory"):
            self.workers.abandon()
        try:
            self._keep()
        except OSError as error:
            if status != "disk" and not is_full(error):
                raise
            # An answer is valid even if it cannot be saved.
            return status if status in ("goal", "exhausted") else "disk"
        return status

    def _answered(self, *, exhaust: bool, depth: int | None) -> SearchStatus | None:
        seen = self.layers[: _behind(depth)]  # a store may have more layers than requested
        if not exhaust and any(layer.goals for layer in seen):
            return "goal"
        if seen[-1].entries == 0:
            return "exhausted"
        return "depth" if depth is not None and len(self.layers) > depth else None

    def _check_time(self) -> None:
        if time.perf_counter() >= self.deadline:
            raise SearchStopped("time")

    def look(self) -> None:
        """Report progress at regular intervals. Raises one of STOPS at a limit."""
        self._check_time()
        now = time.perf_counter()
        if now - self.reported < _LOOK:
            return
        self.reported = now
        figures = self.workers.figures()
        self.peak = max(self.peak, figures.bytes_in_memory)
        if self.progress is not None:
            self.progress(
                Progress(
                    cost=self.units.split(len(self.layers) - 1)[0],
                    num_states=sum(layer.states for layer in self.layers) + figures.merged,
                    num_expanded=self.before[0] + figures.expanded,
                    seconds=now - self.began,
                    bytes=figures.bytes_in_memory,
                    messages_per_layer=self.workers.statistics().get("messages_per_layer"),
                )
            )

    def _close(self) -> None:
        found, figures = self.workers.close_layer(), self.workers.figures()
        self.peak = max(self.peak, figures.bytes_in_memory)
        expanded, generated = self.before
        self.layers.append(
            layer_of(found, expanded + figures.expanded, generated + figures.generated)
        )

    def _keep(self) -> None:
        if self.keep is None:
            return
        began = time.perf_counter()
        self.workers.keep()
        self.keep(tuple(self.layers))
        self.saved_at = time.perf_counter()
        self.save_seconds = self.saved_at - began

    def outcome(self, status: Status, *, exhaust: bool, depth: int | None) -> Outcome:
        """The result so far. A store may have more layers than requested. With symmetry, the plan may begin at an
        image of the start (`native.of_orbits`). If the workers have not started, there is no plan, and therefore no
        cost.
        """
        seen = self.layers[: _behind(depth)]
        goal_layer = next((number for number, layer in enumerate(seen) if layer.goals), None)
        if goal_layer is not None and not exhaust and self.has_started:
            seen, status = seen[: goal_layer + 1], "goal"
        plan: list[int] = []
        if goal_layer is not None and self.has_started:
            plan = self.workers.plan(goal_layer, seen[goal_layer].goal)
        last = max((number for number, layer in enumerate(seen) if layer.entries), default=0)
        bound = last if status == "exhausted" else len(seen)
        # The work on a layer in progress is not counted, so that a resumed search gives the same counts.
        return Outcome(
            status=status,
            cost=self.units.split(goal_layer)
            if goal_layer is not None and self.has_started
            else None,
            lower_bound=self.units.split(bound if goal_layer is None else goal_layer),
            plan=tuple(plan),
            layers=tuple(
                (self.units.split(number), layer.states)
                for number, layer in enumerate(seen)
                if layer.states
            ),
            num_states=sum(layer.states for layer in seen),
            num_goal_states=sum(layer.goals for layer in seen),
            num_expanded=seen[-1].expanded if seen else 0,
            num_generated=seen[-1].generated if seen else 0,
            seconds=time.perf_counter() - self.began,
            bytes=self.peak,
            algorithm=f"{self.workers.algorithm} {'in sorted layers' if self.keep is None else 'on disk'}",
            canonical_states=sum(layer.canonical for layer in seen) or None,
            orbit_states=sum(layer.in_orbits for layer in seen) or None,
        )


class SearchStopped(Exception):  # noqa: N818 - a limit, not an error
    def __init__(self, status: SearchStatus) -> None:
        super().__init__(status)
        self.status = status


STOPS = (SearchStopped, KeyboardInterrupt, MemoryError, OSError)


def stopped_by(error: BaseException) -> SearchStatus:
    """The limit that an exception of STOPS reports. If the exception reports no limit, it is raised again."""
    if isinstance(error, SearchStopped):
        return error.status
    if isinstance(error, KeyboardInterrupt):
        return "interrupted"
    if isinstance(error, MemoryError):
        return "memory"
    if isinstance(error, OSError) and is_full(error):
        return "disk"
    raise error


def _behind(depth: int | None) -> int | None:
    return None if depth is None else depth + 1


def layer_of(found: LayerCounts, expanded: int, generated: int) -> LayerRecord:
    """The record of a layer, with the total work up to the end of this layer."""
    return LayerRecord(
        entries=found.entries,
        states=found.states,
        goals=found.goals,
        canonical=found.canonical,
        in_orbits=found.in_orbits,
        expanded=expanded,
        generated=generated,
        goal=tuple(found.goal),
    )
