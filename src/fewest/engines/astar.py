"""A* with admissible lower bounds derived from the task: few states where pieces have far to go.

Symmetries and sets of pieces that are lost together take some ten milliseconds to find, often more than the whole
search. So it begins without, and looks for them once it is long; then it begins anew.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from fewest.engines.outcomes import informed_answer
from fewest.model.answer import Answer, LimitReached, Proved
from fewest.model.costs import cost_table
from fewest.model.task import facts_in
from fewest.store.keeping import kept_in

if TYPE_CHECKING:
    from pathlib import Path

    from fewest.model.answer import Limits
    from fewest.model.metric import Metric
    from fewest.model.task import Task
    from fewest.search.informed_stages import Patterns
    from fewest.search.interface import Progress
    from fewest.store.checkpoint import CheckpointPlace, Kept

MAX_IMAGES = 48  # every successor is looked at in each
STATES = "states"  # in a checkpoint
LONG = 1 << 20  # bytes of a search, some 30,000 expansions or 20 ms


class Hints(Struct, frozen=True):
    """What A* is told of a task beside its operators."""

    images: list[list[int]]
    dead: list[tuple[list[int], list[int]]]


def hints(task: Task, metric: Metric) -> Hints:
    """Symmetries that can be tried on every state, and sets of pieces that are lost together."""
    return Hints(_images(task, metric), _dead_sets(task))


def solve(
    task: Task,
    metric: Metric,
    limits: Limits,
    progress: Callable[[Progress], None] | None = None,
    *,
    is_deepening: bool = False,
    has_both_ends: bool = False,
    patterns: Patterns = "auto",
    checkpoint: str | CheckpointPlace | None = None,
    threads: int | None = None,
) -> Answer:
    """The minimum, proven: no open state has a lower bound below it.

    Where the memory ends it goes on by iterative deepening (docs/astar.md); `is_deepening`: from the beginning.
    `has_both_ends`: once it is long it begins at the goals as well, where it can. `patterns`: whether tables are
    filled, of pattern databases or of zones. `checkpoint`: a folder that keeps the lower bound that is proved, once a
    minute all states of A*, and the answer; it goes on from there. `threads` may be used, by default one a processor
    but no more than 8; A* alone takes more than one. Raises UsageError as `informed_answer` does, StoreError.
    """
    with kept_in(checkpoint, task, metric) as kept:
        if kept is not None and kept.known is not None and kept.known.cheapest is not None:
            return _known_answer(*kept.known.cheapest)
        options = {"is_deepening": is_deepening, "patterns": patterns, "threads": threads}
        search = partial(_search, task, metric, limits, options, has_both_ends)
        if kept is None:
            return search(None, 0, progress)
        states = kept.folder / STATES
        found = 0 if kept.known is None else kept.known.bound
        keeper = _Keeper(kept, found, progress)
        try:
            answer = search(None if is_deepening else states, found, keeper)
        except LimitReached as stop:  # of the keeper
            bound = (keeper.bound, *(0 for _ in metric.parts[1:]))
            answer = Answer("limit", None, bound, None, stop.reason, {})
        with suppress(LimitReached):  # what cannot be kept is an answer all the same
            keeper.keep_answer(answer)
        if answer.status != "limit":
            states.unlink(missing_ok=True)
    more = {"resumed_at": found} if found else {}
    return replace(answer, statistics={**answer.statistics, **more})


def _search(
    task: Task,
    metric: Metric,
    limits: Limits,
    options: dict[str, Any],
    has_both_ends: bool,
    states: Path | None,
    at_least: int,
    progress: Callable[[Progress], None] | None,
) -> Answer:
    from fewest.search.informed_stages import astar  # there only with the native core

    rising = None if progress is None else _rising(progress)
    core = partial(astar, at_least=at_least, **options)
    ask = partial(informed_answer, core, task, metric)
    cost = at_least
    is_roomy = limits.memory is None or limits.memory > 4 * LONG  # it ends before the memory does
    is_begun = states is not None and states.exists()
    if is_roomy and not is_begun and not options["is_deepening"] and options["patterns"] != "on":
        began = time.perf_counter()
        try:
            return ask(limits, _until_long(rising), images=[], dead=[], milestone=LONG)
        except _LongError as long:
            cost = long.cost
        if limits.seconds is not None:
            left = limits.seconds - (time.perf_counter() - began)
            limits = replace(limits, seconds=max(0.0, left))
    known = hints(task, metric)
    ask = partial(ask, images=known.images, dead=known.dead, file=str(states or ""))
    answer = ask(limits, rising, has_both_ends=has_both_ends, has_zones=True)
    # It may be stopped before it is as far as the first search came.
    return replace(answer, lower_bound=max(answer.lower_bound, (cost, *answer.lower_bound[1:])))


def _known_answer(cost: int, plan: tuple[int, ...]) -> Answer:
    """The answer that a checkpoint has, of a metric with one component."""
    return Answer("optimal", (cost,), (cost,), plan, None, {"resumed_at": cost})


class _Keeper:
    """A progress callback that keeps the lower bound when it has risen, at most once a second. Raises LimitReached."""

    def __init__(self, kept: Kept, found: int, progress: Callable[[Progress], None] | None) -> None:
        self.kept, self.bound, self.progress = kept, found, progress
        self.written = 0.0

    def __call__(self, now: Progress) -> None:
        if now.cost > self.bound and time.perf_counter() - self.written > 1:
            self._keep(now.cost)
        if self.progress is not None:
            self.progress(now)

    def _keep(self, bound: int, cheapest: tuple[int, tuple[int, ...]] | None = None) -> None:
        known = self.kept.known or Proved()
        self.bound = bound
        self.kept.keep(replace(known, bound=bound, cheapest=cheapest))
        self.written = time.perf_counter()

    def keep_answer(self, answer: Answer) -> None:
        """What is proved in the end, and the plan if there is one and its cost is one number."""
        if answer.cost is None or answer.plan is None or len(answer.cost) > 1:
            self._keep(max(self.bound, answer.lower_bound[0]))
        else:
            self._keep(answer.cost[0], (answer.cost[0], tuple(answer.plan)))


class _LongError(Exception):
    """Ends a search that is long; it had come to `cost`."""

    def __init__(self, cost: int) -> None:
        super().__init__()
        self.cost = cost


def _until_long(progress: Callable[[Progress], None] | None) -> Callable[[Progress], None]:
    """What hands progress on, and raises _LongError when the search is long."""

    def report(now: Progress) -> None:
        if now.bytes >= LONG:
            raise _LongError(now.cost)
        if progress is not None:
            progress(now)

    return report


def _rising(progress: Callable[[Progress], None]) -> Callable[[Progress], None]:
    """The progress of what begins anew (every limit of a deepening search, pattern databases) never falls."""
    best = (0, 0, 0, 0)

    def report(now: Progress) -> None:
        nonlocal best
        said = (now.cost, now.num_states, now.num_expanded, now.bytes)
        best = tuple(map(max, best, said))  # type: ignore[assignment]
        cost, states, expanded, size = best
        changes = {"cost": cost, "num_states": states, "num_expanded": expanded, "bytes": size}
        progress(replace(now, **changes))

    return report


def _dead_sets(task: Task) -> list[tuple[list[int], list[int]]]:
    """Sets of pieces that are lost together, each with the facts of which one must be true to save them.

    Single pieces are left out: their distances say the same.
    """
    from fewest.deadends.dead_ends import dead_ends

    found = [end.cube for end in dead_ends(task).found if end.size > 1]
    return [(facts_in(value), facts_in(mask & ~value)) for mask, value in found]


def _images(task: Task, metric: Metric) -> list[list[int]]:
    """The symmetries of the task in the metric, if they are few enough to try all on every state."""
    from fewest.analysis.symmetry import find_symmetry

    symmetry = find_symmetry(task.problem, cost_table(task, metric))
    if symmetry is None or symmetry.order > MAX_IMAGES:
        return []
    images: list[list[int]] = symmetry.facts.tolist()
    return images
