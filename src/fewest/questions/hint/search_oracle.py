"""A distance oracle for `evaluation` that computes distances by search."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import TYPE_CHECKING

from msgspec.structs import replace

from fewest.model.answer import LimitReached, Limits
from fewest.model.costs import cost_table
from fewest.model.metric import Parts
from fewest.model.problem import words_of

if TYPE_CHECKING:
    from fewest.model.metric import Metric
    from fewest.model.task import Task
    from fewest.search.interface import Progress


class Searcher:
    """A distance oracle that searches from every new state and caches the results."""

    def __init__(
        self,
        task: Task,
        metric: Metric,
        limits: Limits,
        progress: Callable[[Progress], None] | None = None,
    ) -> None:
        self.task, self.limits, self.progress = task, limits, progress
        self.table = cost_table(task, metric)
        self.known: dict[int, Parts | None] = {}
        self.spent = 0.0

    def __call__(self, state: int) -> Parts | None:
        """The distance of a state; None if the state is dead. Raises LimitReached at a limit; the time limit applies to
        the total time of all searches.
        """
        if state in self.known:
            return self.known[state]
        from fewest import search

        row = words_of([state], self.task.words)
        limit = self.limits.seconds
        outcome = search.search(
            replace(self.task.problem, initial=row),
            self.table,
            seconds=inf if limit is None else max(0.0, limit - self.spent),
            memory=self.limits.memory,
            progress=self.progress,
        )
        self.spent += outcome.seconds
        if outcome.status not in ("goal", "exhausted"):
            raise LimitReached(outcome.status)
        self.known[state] = outcome.cost
        return outcome.cost
