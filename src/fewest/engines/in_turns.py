"""A* and a search from both ends in turns, where an agent walks among pieces and goals are few.

Which of the two is faster differs by a hundred times, and nothing that can be seen beforehand says which: A* where
pieces have far to go, both ends where they stand close. So A* begins; once it is long the other one has as much time
as A* has had, and A* goes on where it was. The other one begins anew each time, with three times as long. So an
answer takes at most two and a half times what A* alone needs for it, and five and a half times what the other one
needs. Both prove the minimum; a lower bound that one of them has proved is not forgotten. Where A* begins at the goals
as well (`bidirectional_astar`) nobody else has turns.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec.structs import replace

from fewest.engines.outcomes import pieces_of
from fewest.errors import UsageError
from fewest.machine.memory import left_beside
from fewest.model.answer import Answer, Limits
from fewest.model.costs import cost_table

if TYPE_CHECKING:
    from fewest.model.metric import Metric
    from fewest.model.task import Task
    from fewest.search.interface import Progress

FIRST = 1.0  # seconds of A* before its first turn is over
LONGER = 3  # times as long is every turn as the one before
MOST_BYTES = 0.75  # of what A* has left, since it goes on afterwards

Report = Callable[["Progress"], None]


def solve_in_turns(
    astar: Callable[[Limits, Report], Answer],
    task: Task,
    metric: Metric,
    limits: Limits,
    progress: Report | None = None,
) -> Answer:
    """The answer of the one that has it first, which says who.

    `astar(limits, progress)` answers by A*. Raises what it raises.
    """
    turns = _Turns(task, metric, limits, progress)
    try:
        answer = astar(limits, turns)
    except _MetError as met:
        return replace(met.answer, engine="bidirectional")
    bound = (turns.bound, *(0 for _ in answer.lower_bound[1:]))
    return replace(answer, lower_bound=max(answer.lower_bound, bound))


class _Turns:
    """The progress callback of A*, in which the other search has its turns. Raises _MetError with its answer."""

    def __init__(self, task: Task, metric: Metric, limits: Limits, progress: Report | None) -> None:
        self.task, self.metric, self.limits, self.progress = task, metric, limits, progress
        self.began = time.perf_counter()
        self.next: float | None = FIRST  # seconds of A*, after which the other one's turn is
        self.away = 0.0  # seconds that it has had
        self.bound = 0

    def __call__(self, now: Progress) -> None:
        spent = time.perf_counter() - self.began - self.away
        if self.next is not None and spent >= self.next:
            self._other(now, spent)
        self._report(now)

    def _report(self, now: Progress) -> None:
        if self.progress is not None:
            self.progress(replace(now, cost=max(now.cost, self.bound)))

    def _other(self, now: Progress, seconds: float) -> None:
        from fewest.engines import bidirectional

        assert self.next is not None
        if _has_both_ends(self.task, self.metric):  # with bounds: no need of a search without
            self.next = None
            return
        began = time.perf_counter()
        try:
            answer = bidirectional.solve(
                self.task,
                self.metric,
                self._share(now, seconds),
                lambda other: self._report(_both(now, other)),
            )
        except UsageError:  # too many goals
            self.next = None
            return
        finally:
            self.away += time.perf_counter() - began
        if answer.status != "limit":
            raise _MetError(answer)
        if answer.reason == "interrupted":
            raise KeyboardInterrupt
        self.bound = max(self.bound, answer.lower_bound[0])
        self.next = None if answer.reason == "memory" else LONGER * self.next

    def _share(self, now: Progress, seconds: float) -> Limits:
        if self.limits.seconds is not None:
            seconds = min(seconds, self.limits.seconds - (time.perf_counter() - self.began))
        memory = self.limits.memory
        if memory is not None:
            memory = int(MOST_BYTES * left_beside(memory, now.bytes))
        return Limits(max(0.0, seconds), memory)


def _has_both_ends(task: Task, metric: Metric) -> bool:
    """Whether A* begins at the goals as well."""
    from fewest.search.informed_stages import can_begin_at_goals

    return can_begin_at_goals(task.problem, cost_table(task, metric), **pieces_of(task))


def _both(one: Progress, other: Progress) -> Progress:
    """What both have done; the cost is that of the one that is further."""
    return replace(
        other,
        cost=max(one.cost, other.cost),
        num_states=one.num_states + other.num_states,
        num_expanded=one.num_expanded + other.num_expanded,
        bytes=one.bytes + other.bytes,
    )


class _MetError(Exception):
    """Ends A*: the other search has the answer."""

    def __init__(self, answer: Answer) -> None:
        super().__init__()
        self.answer = answer
