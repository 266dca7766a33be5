"""The driver of shards. It does not depend on the kind of workers, or on where their layers are.

Workers (`workers.py`: threads here, actors in `fewest.cluster`) expand layers and find duplicates. The driver
decides when they do, reports progress, saves finished layers, and stops at limits. It saves a layer as soon as it is
finished; if layers take less than a second, it saves several together.
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

KEEP_EVERY = 1.0  # seconds between layers that are kept, if they take less
KEEPING_TIMES = 20  # and so many times as long as keeping took


class Driver:
    """A search from so many layers on, which the crew has, or will open; without any it begins.

    `keep`: called when the crew has kept all layers, so that they count; without it they are not kept.
    """

    def __init__(
        self,
        crew: Workers,
        layers: Sequence[LayerRecord],
        keep: Callable[[tuple[LayerRecord, ...]], None] | None,
        units: CostPacking,
        progress: Callable[[Progress], None] | None,
        began: float,
    ) -> None:
        self.crew, self.keep = crew, keep
        self.layers = list(layers)
        self.units, self.progress = units, progress
        self.began = self.reported = self.kept = began
        self.keeping = 0.0  # seconds that it took last
        last = self.layers[-1] if self.layers else None
        self.before = (0, 0) if last is None else (last.expanded, last.generated)
        self.deadline = inf
        self.peak = 0

    def run(
        self,
        *,
        exhaust: bool,
        depth: int | None,
        deadline: float,
        is_used_up: Callable[[], bool] = lambda: False,
    ) -> Status:
        """LayerRecord by layer until there is an answer, or a limit; what is whole is kept either way.

        `is_used_up`: whether it pauses, between two layers; then the status is "running", and another call continues.
        What ends it before the first layer is whole is raised: there is nothing to say, and nothing to keep.
        """
        self.deadline = deadline
        status: Status | None = None
        if is_new := not self.layers:
            self.crew.begin()
            self._close()
        try:
            if not is_new and self.keep is not None:
                self.crew.open(len(self.layers))
            self._keep()
            while (status := self._answered(exhaust=exhaust, depth=depth)) is None:
                self.crew.work(self.layers[-1].entries, self.look)
                self._close()
                if time.perf_counter() - self.kept > max(KEEP_EVERY, KEEPING_TIMES * self.keeping):
                    self._keep()
                if is_used_up() and self._answered(exhaust=exhaust, depth=depth) is None:
                    status = "running"
                    break
        except STOPS as error:
            status = stopped_by(error)
        if status in ("time", "interrupted", "disk", "memory"):
            self.crew.abandon()
        try:
            self._keep()
        except OSError as error:
            if status != "disk" and not is_full(error):
                raise
            # What cannot be kept is an answer all the same.
            return status if status in ("goal", "exhausted") else "disk"
        return status

    def _answered(self, *, exhaust: bool, depth: int | None) -> SearchStatus | None:
        if not exhaust and any(layer.goals for layer in self.layers[: _behind(depth)]):
            return "goal"
        if self.layers[-1].entries == 0:
            return "exhausted"
        return "depth" if depth is not None and len(self.layers) > depth else None

    def look(self) -> None:
        """Tells how far it is, now and then. Raises one of STOPS at a limit."""
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
        if self.keep is None:
            return
        began = time.perf_counter()
        self.crew.keep()
        self.keep(tuple(self.layers))
        self.kept = time.perf_counter()
        self.keeping = self.kept - began

    def outcome(self, status: Status, *, exhaust: bool, depth: int | None) -> Outcome:
        """What is known; a store may have layers behind those that were asked for. By symmetry the plan may
        begin at an image of the start (`native.of_orbits`)."""
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
            algorithm=f"{self.crew.algorithm} {'in sorted layers' if self.keep is None else 'on disk'}",
            canonical_states=sum(layer.canonical for layer in seen) or None,
            orbit_states=sum(layer.in_orbits for layer in seen) or None,
        )


class _Stopped(Exception):  # noqa: N818 - a limit, not an error
    def __init__(self, status: SearchStatus) -> None:
        super().__init__(status)
        self.status = status


STOPS = (_Stopped, KeyboardInterrupt, MemoryError, OSError)


def stopped_by(error: BaseException) -> SearchStatus:
    """Which limit one of these STOPS is. Raises it if it is none."""
    if isinstance(error, _Stopped):
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
    """A layer as it is recorded; what was done in all until it was whole."""
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
