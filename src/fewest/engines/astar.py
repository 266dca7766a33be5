"""A* with admissible heuristics derived from the task. A* expands few states if pieces are far from their places in the
goal.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction
from operator import itemgetter
from typing import TYPE_CHECKING, Literal

from msgspec.structs import replace

from fewest.engines import portfolio
from fewest.engines.stage_searches import AbstractionStage, AStar, AStarOptions, Request
from fewest.model.answer import Answer, LimitReached, Proved
from fewest.store.optional_checkpoint import open_if_wanted

if TYPE_CHECKING:
    from fewest.engines.astar_stages import Patterns
    from fewest.model.answer import Limits
    from fewest.model.metric import Metric
    from fewest.model.task import Task
    from fewest.search.interface import Progress
    from fewest.store.checkpoint import CheckpointData, CheckpointLocation

Ends = Literal["one", "both"]
STATES = "states"  # the file in a checkpoint that contains the states of A*


def solve(
    task: Task,
    metric: Metric,
    limits: Limits,
    progress: Callable[[Progress], None] | None = None,
    *,
    algorithm: Literal["astar", "ida"] = "astar",
    ends: Ends = "one",
    heuristic: Literal["pieces", "abstraction"] = "pieces",
    patterns: Patterns = "auto",
    weight: float | str = 1,
    checkpoint: str | CheckpointLocation | None = None,
    threads: int | None = None,
) -> Answer:
    """The minimum, which is proved because no open state has a smaller lower bound.

    - `algorithm`: "astar" continues as IDA* when memory is full (unless `weight` is above 1), because iterative
      deepening needs hardly any memory; "ida" is IDA* from the beginning (Korf, Depth-first iterative-deepening, 1985).
      In the statistics of IDA*, `states` counts every expansion of a state, and `iterations` is a list of pairs (limit,
      number of expansions under this limit). The table of "ida" takes at most 256 MiB; the table of IDA* after A* takes
      up to 7/8 of the memory that is left.
    - `ends`: with "both", a long search also begins at the goal states. This requires an agent that walks at no cost
      among pieces that move one at a time, and goal cubes that determine the place of each piece.
    - `heuristic`: the lower bounds come from pieces, or from an abstraction of the task
      (`engines.abstraction_heuristic`).
    - `patterns`: whether to build pattern databases or local PDBs.
    - `weight`: the factor by which the heuristic is multiplied (Pohl, 1970). With a factor above 1, the search finds a
      plan sooner, and this plan costs at most `weight` times the minimum. The answer is `solved`, or `optimal` if the
      cost of the plan equals the lower bound.
    - `checkpoint`: a folder for the proved lower bound, all states of A* (once a minute), and the answer; the
      search resumes from there.
    - `threads`: the maximum number of threads; the default is one per processor, but at most 8.

    Sources: docs/astar.md. Raises UsageError if A* does not support the task, the metric or the weight, for example if
    the task has too many facts or costs are too large. Raises StoreError if the folder is damaged or does not belong to
    this search.
    """
    if heuristic == "abstraction":
        request = Request(task, metric, limits)
        by_abstraction = portfolio.run_one(
            "abstraction", request, AbstractionStage(request), progress
        )
        return replace(by_abstraction, engine=None)
    factor = Fraction(str(weight)).limit_denominator(1000)
    options = AStarOptions(
        algorithm="ida*" if algorithm == "ida" else "a*",
        ends=ends,
        patterns=patterns,
        weight=(factor.numerator, factor.denominator),
    )
    with open_if_wanted(checkpoint, task, metric) as saved:
        if saved is None:
            return _search(task, metric, limits, options, threads, progress)
        if (plan := _proved_plan(saved.known)) is not None:
            return _known_answer(*plan)
        states = saved.folder / STATES
        saved_bound = 0 if saved.known is None else saved.known.bound
        writer = _CheckpointWriter(saved, saved_bound, progress)
        options = replace(
            options, at_least=saved_bound, file=None if algorithm == "ida" else states
        )
        try:
            answer = _search(task, metric, limits, options, threads, writer)
        except LimitReached as stop:  # `writer` could not save the bound, because the disk is full
            bound = (writer.bound, *(0 for _ in metric.parts[1:]))
            answer = Answer("limit", None, bound, None, stop.reason, {})
        with suppress(LimitReached):  # an answer is valid even if it cannot be saved
            writer.keep_answer(answer)
        if answer.status != "limit":
            states.unlink(missing_ok=True)
        elif answer.cost is None and saved.known is not None and saved.known.cheapest is not None:
            cost, operators = saved.known.cheapest  # the plan of an earlier run
            answer = replace(answer, cost=(cost,), plan=operators)
    more = {"resumed_at": saved_bound} if saved_bound else {}
    return replace(answer, statistics={**answer.statistics, **more})


def _search(
    task: Task,
    metric: Metric,
    limits: Limits,
    options: AStarOptions,
    threads: int | None,
    progress: Callable[[Progress], None] | None,
) -> Answer:
    request = Request(task, metric, limits, threads=threads, astar=options)
    answer = portfolio.run_one("astar", request, AStar(request), progress)
    return replace(answer, engine=None)


def _proved_plan(known: Proved | None) -> tuple[int, tuple[int, ...]] | None:
    """The cheapest known plan, with its cost, if it is proved to be optimal."""
    if known is None or known.cheapest is None or known.cheapest[0] > known.bound:
        return None
    return known.cheapest


def _known_answer(cost: int, plan: tuple[int, ...]) -> Answer:
    """The answer that a checkpoint contains, for a metric with one part."""
    return Answer("optimal", (cost,), (cost,), plan, None, {"resumed_at": cost})


class _CheckpointWriter:
    """A progress callback that saves the lower bound whenever it has risen, at most once a second, and then calls the
    given callback.

    Raises LimitReached if the disk is full, and OSError if the bound cannot be saved for another reason.
    """

    def __init__(
        self, saved: CheckpointData, found: int, progress: Callable[[Progress], None] | None
    ) -> None:
        self.saved, self.bound, self.progress = saved, found, progress
        self.written = 0.0

    def __call__(self, now: Progress) -> None:
        if now.cost > self.bound and time.perf_counter() - self.written > 1:
            self._keep(now.cost)
        if self.progress is not None:
            self.progress(now)

    def _keep(self, bound: int, plan: tuple[int, tuple[int, ...]] | None = None) -> None:
        known = self.saved.known or Proved()
        plans = [found for found in (plan, known.cheapest) if found is not None]
        cheapest = min(plans, key=itemgetter(0), default=None)
        self.bound = bound
        self.saved.keep(replace(known, bound=bound, cheapest=cheapest))
        self.written = time.perf_counter()

    def keep_answer(self, answer: Answer) -> None:
        """Save the final bound; also save the plan, if there is one and the metric has one part. The plan may cost more
        than the bound.
        """
        bound = max(self.bound, answer.lower_bound[0])
        if answer.cost is None or answer.plan is None or len(answer.cost) > 1:
            self._keep(bound)
        else:
            self._keep(bound, (answer.cost[0], tuple(answer.plan)))
