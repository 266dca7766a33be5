"""Goal-directed search: some plan, soon, by asking at every step what stands in the way.

After Richard Bird, Pearls of Functional Algorithm Design (2010), "Planning solves the Rush Hour
problem". A state travels with a plan: operators still to be done, from here to the goal. The first
one that cannot be done is replaced by operators that free what it needs, and then itself; those are
treated the same way, until one can be done. `analysis.ways` says which operators free what.

States come from a queue with two ends. What a plan leads to goes to the front, so a plan is followed
to its end or until it is stuck; what any single operator leads to goes to the back, with no plan yet.
A state that arrives without one, or at the end of its plan, is given a fresh one.

- It ends, and is complete: no state is expanded twice, and behind every expanded state all its
  successors wait at the back. Where planning does not help it is breadth-first search; when both ends
  are empty, all reachable states have been seen, and the puzzle is unsolvable if none was a goal.
- It never claims a minimum. The lower bound is the cheapest operator where the start is no goal.
- Metrics that merge moves make no difference to the search; the plan's cost is counted at the end.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from math import inf
from typing import TYPE_CHECKING

from msgspec.structs import replace

from fewest.analysis.ways import Agenda, Ways
from fewest.machine.memory import left_of
from fewest.model.answer import Answer, Limits, Status
from fewest.model.costs import plan_cost
from fewest.model.task import Task, facts_in, index_fact

if TYPE_CHECKING:
    from fewest.model.metric import Metric
    from fewest.search.interface import Progress

MAX_PLANS = 8  # ways to go on that are tried at one state
_BYTES_PER_STATE = 250  # a state, where it came from and its place in line, measured
_BYTES_PER_PLAN = 250  # a state that waits at the front, with its plan, measured

Waiting = tuple[int, int, int, Agenda]  # state before, operator, state, plan


def solve(
    task: Task,
    metric: Metric,
    limits: Limits,
    progress: Callable[[Progress], None] | None = None,
) -> Answer:
    """Some plan (`solved`), the proof that there is none, or `limit`."""
    return _Search(task, metric, limits, progress).run()


class _Search:
    def __init__(
        self,
        task: Task,
        metric: Metric,
        limits: Limits,
        progress: Callable[[Progress], None] | None,
    ) -> None:
        self.task, self.metric, self.progress = task, metric, progress
        self.limits = replace(limits, memory=left_of(limits.memory))
        self.began = self.last_report = time.perf_counter()
        self.bound = _bound(task, metric)
        self.ways = Ways(task)
        self.successors = _Successors(task)
        self.came_from: dict[int, tuple[int, int] | None] = {}  # state -> state before, operator
        self.front: list[Waiting] = []
        self.num_expanded = self.num_generated = 0

    def run(self) -> Answer:
        plan, reason = None, None
        try:
            goal, reason = self._search()
            if goal is not None:
                plan = self._plan_to(goal)
        except KeyboardInterrupt:
            reason = "interrupted"
        except MemoryError:
            reason = "memory"
        is_exhausted = plan is None and reason is None
        statistics: dict[str, object] = {
            "algorithm": "goal-directed (Bird 2010)",
            "states": len(self.came_from),
            "expanded": self.num_expanded,
            "generated": self.num_generated,
            "seconds": time.perf_counter() - self.began,
            "bytes": self._bytes(),
            "exhausted": is_exhausted,
        }
        if plan is not None:
            statistics["operators"] = len(plan)
            cost = plan_cost(self.task, self.metric, plan)
            return Answer("solved", cost, self.bound, plan, None, statistics)
        status: Status = "unsolvable" if is_exhausted else "limit"
        return Answer(status, None, self.bound, None, reason, statistics)

    def _search(self) -> tuple[int | None, str | None]:
        """The first goal state met, or why the search stopped without one (None: it saw all)."""
        task, came_from, front = self.task, self.came_from, self.front
        expanded: list[int] = []
        back = self._back(expanded)
        origin: tuple[int, int] | None = None
        state, plan = task.initial, None
        while True:
            if state not in came_from:
                came_from[state] = origin
                if task.is_goal(state):
                    return state, None
                if reason := self._limit():
                    return None, reason
                expanded.append(state)
                self.num_expanded += 1
                front += reversed(self._following(state, plan))
            following = front.pop() if front else next(back, None)
            if following is None:
                return None, None
            before, step, state, plan = following
            origin = (before, step)
            self.num_generated += 1

    def _following(self, state: int, plan: Agenda) -> list[Waiting]:
        """The new states that a plan leads to from here, with what is left of it; the best first."""
        found: list[Waiting] = []
        for step, rest in self.ways.plans_at(state, plan, MAX_PLANS):
            successor = self.task.operators[step].apply(state)
            if successor not in self.came_from:
                found.append((state, step, successor, rest))
        return found

    def _back(self, expanded: list[int]) -> Iterator[Waiting]:
        """The back of the queue: every successor of every expanded state, the oldest state first.

        They are not kept but made when their turn comes, from a list that grows meanwhile.
        """
        for state in expanded:
            for step, successor in self.successors(state):
                if successor not in self.came_from:
                    yield state, step, successor, None

    def _limit(self) -> str | None:
        now = time.perf_counter()
        if self.progress is not None and now - self.last_report >= 0.1:
            from fewest.search.interface import Progress

            self.last_report = now
            known = len(self.came_from)
            self.progress(
                Progress(self.bound[0], known, self.num_expanded, now - self.began, self._bytes())
            )
        if now - self.began > (inf if self.limits.seconds is None else self.limits.seconds):
            return "time"
        if self.limits.memory is not None and self._bytes() > self.limits.memory:
            return "memory"
        return None

    def _bytes(self) -> int:
        return len(self.came_from) * _BYTES_PER_STATE + len(self.front) * _BYTES_PER_PLAN

    # -- the plan -------------------------------------------------------------------------------------

    def _plan_to(self, goal: int) -> tuple[int, ...]:
        """The operators from the start to that state, without detours.

        The states on the way are all different, so there is no loop to cut out. But two of them may be
        neighbours though many operators lie between them; so this is a shortest path among the states
        on the way, unless the metric likes the long way better.
        """
        whole: list[int] = []
        on_the_way = {goal}
        state = goal
        while (origin := self.came_from[state]) is not None:
            state, step = origin
            whole.append(step)
            on_the_way.add(state)
        whole.reverse()
        first: dict[int, tuple[int, int] | None] = {self.task.initial: None}
        layer = [self.task.initial]
        while goal not in first:
            following = []
            for state in layer:
                for step, successor in self.successors(state):
                    if successor in on_the_way and successor not in first:
                        first[successor] = (state, step)
                        following.append(successor)
            layer = following
        short: list[int] = []
        state = goal
        while (origin := first[state]) is not None:
            state, step = origin
            short.append(step)
        short.reverse()
        return min(
            (tuple(short), tuple(whole)), key=lambda plan: plan_cost(self.task, self.metric, plan)
        )


def _bound(task: Task, metric: Metric) -> tuple[int, ...]:
    """What every plan costs at least: nothing at a goal, else its first operator."""
    if task.is_goal(task.initial) or not task.operators:
        return (0,) * len(metric.parts)
    return tuple(
        min(part.weight(operator.rule, operator.turn) for operator in task.operators)
        for part in metric.parts
    )


class _Successors:
    """The operators that can be done in a state, found by one of its facts."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.always: list[int] = []
        self.by_fact: dict[int, list[int]] = {}
        for number, operator in enumerate(task.operators):
            fact = index_fact(operator)
            (self.by_fact.setdefault(fact, []) if fact >= 0 else self.always).append(number)

    def __call__(self, state: int) -> Iterator[tuple[int, int]]:
        """Operator and successor of each."""
        task = self.task
        for group in (self.always, *(self.by_fact.get(fact, ()) for fact in facts_in(state))):
            for number in group:
                operator = task.operators[number]
                if state & operator.mask == operator.value:
                    successor = state ^ operator.flip
                    if not task.is_forbidden(successor):
                        yield number, successor
