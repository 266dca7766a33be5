"""A distance oracle for `evaluation` that computes distances by search."""

from __future__ import annotations

import time
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


# the number of bytes that `evaluate` takes for a state: its successors, and the operators that reach it
_STATE = 1_000


class Searcher:
    """A distance oracle that searches from every new state and caches the results. Its limits also apply to the
    evaluation of states, which calls `look`.
    """

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
        self.began = time.perf_counter()

    def look(self, num_states: int) -> None:
        """Raises LimitReached if the time since the creation of this object, or the memory for the evaluation of
        `num_states` states, exceeds its limit.
        """
        if self._left() <= 0.0:
            raise LimitReached("time")
        if self.limits.memory is not None and num_states * _STATE > self.limits.memory:
            raise LimitReached("memory")

    def _left(self) -> float:
        limit = self.limits.seconds
        return inf if limit is None else limit - (time.perf_counter() - self.began)

    def __call__(self, state: int) -> Parts | None:
        """The distance of a state; None if the state is dead. Raises LimitReached at a limit; the time limit applies to
        the time since the creation of this object.
        """
        if state in self.known:
            return self.known[state]
        from fewest import search

        row = words_of([state], self.task.words)
        outcome = search.search(
            replace(self.task.problem, initial=row),
            self.table,
            seconds=max(0.0, self._left()),
            memory=self.limits.memory,
            progress=self.progress,
        )
        if outcome.status not in ("goal", "exhausted"):
            raise LimitReached(outcome.status)
        self.known[state] = outcome.cost
        return outcome.cost
