"""The quota of one call of `advance`, for the searches in pure Python."""

from __future__ import annotations

import time
from collections.abc import Callable
from math import inf

from fewest.search.interface import ALL, Budget, Progress


class Quota:
    """The budget, the limit and the progress callback of one call, and the total time of all calls."""

    def __init__(self) -> None:
        self.budget = ALL
        self.last_expansion = inf
        self.seconds = inf
        self.progress: Callable[[Progress], None] | None = None
        self.spent = 0.0  # the total number of seconds of all earlier calls
        self.began = self.reported = time.perf_counter()

    def begin(
        self,
        budget: Budget,
        seconds: float,
        progress: Callable[[Progress], None] | None,
        num_expanded: int,
    ) -> None:
        """Begin a call of `advance` for a search that has already expanded `num_expanded` states."""
        self.budget, self.seconds, self.progress = budget, seconds, progress
        more = budget.expansions
        self.last_expansion = inf if more is None else num_expanded + max(1, more)
        self.began = time.perf_counter()

    def end(self) -> None:
        self.spent += time.perf_counter() - self.began

    def is_used_up(self, num_expanded: int, used: Callable[[], int]) -> bool:
        """Whether the search must pause; `used` returns the bytes of its tables."""
        most = self.budget.bytes
        return num_expanded >= self.last_expansion or (most is not None and used() >= most)

    def is_over(self) -> bool:
        """Whether the time limit has been reached."""
        return time.perf_counter() - self.began > self.seconds

    def report(self, cost: int, num_states: int, num_expanded: int, used: int) -> None:
        """Call the progress callback, unless it was called in the last tenth of a second."""
        now = time.perf_counter()
        if self.progress is None or now - self.reported < 0.1:
            return
        self.reported = now
        seconds = self.spent + now - self.began
        self.progress(Progress(cost, num_states, num_expanded, seconds, used))
