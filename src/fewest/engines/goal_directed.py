"""Goal-directed search for Rush Hour. The search finds a plan quickly, because it plans how to move blocking pieces
away.

After Richard Bird, Pearls of Functional Algorithm Design (2010), "Planning solves the Rush Hour problem". The search
has tentative plans for each state: steps of pieces towards a goal fact. If the first step of a plan is blocked, the
search refines the plan: it inserts the fewest steps that move the blocking piece away, in one of the two directions of
its line. These steps are refined in the same way until the first step is possible. A blocking piece is never moved away
by a step that the plan already contains. If the piece of the first step has moved in the meantime, its way to the end
of this step is planned again.

The states to expand are in a double-ended queue. The states along a plan are added at the front, each with the rest of
its plan. All successors of a state are added at the back, each with new plans: for every goal fact that is false, the
steps of one piece to this fact.

- The search is complete: it expands no state twice, and adds all successors of an expanded state to the queue.
  If the queue is empty and no goal state was found, the search has expanded all reachable states, so the puzzle is
  unsolvable.
- The search does not prove the minimum. The lower bound in its answer is the cost of the cheapest operator, or zero if
  the start is a goal state.
- The task must have pieces that slide along lines: each operator moves one piece to a neighbouring place on its line.
  Apart from the fact that the piece leaves, its precondition contains only facts that must be false.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from math import inf
from typing import TYPE_CHECKING

from msgspec.structs import replace

from fewest.errors import UsageError
from fewest.machine.memory import left_of
from fewest.model.answer import Answer, Limits, Status
from fewest.model.costs import plan_cost
from fewest.model.task import Task, facts_in

if TYPE_CHECKING:
    from fewest.model.metric import Metric
    from fewest.search.interface import Progress

Plan = tuple[int, "Plan"] | None  # an operator and the rest of the plan; None at the end
# the previous state, an operator, the state, and its plans
Waiting = tuple[int, int, int, "Iterator[Plan]"]

# the measured number of bytes of a state, its predecessor, and the iterator over its plans
_BYTES_PER_STATE = 600


def solve(
    task: Task,
    metric: Metric,
    limits: Limits,
    progress: Callable[[Progress], None] | None = None,
) -> Answer:
    """A plan (`solved`), the proof that there is no plan, or `limit`.

    Raises UsageError if pieces do not slide along lines.
    """
    return _Search(task, metric, limits, progress).run()


class SlidingLines:
    """The lines on which the pieces of a task slide, and plans of steps along them.

    Raises UsageError if the task has no such lines.
    """

    def __init__(self, task: Task) -> None:
        self.task = task
        self.steps: dict[int, dict[int, int]] = {}  # fact -> next fact -> operator
        neighbours: dict[int, set[int]] = {}
        for number, operator in enumerate(task.operators):
            deleted, added = operator.flip & operator.value, operator.flip & ~operator.value
            if operator.value != deleted or deleted.bit_count() != 1 or added.bit_count() != 1:
                raise _refusal(task)
            source, target = deleted.bit_length() - 1, added.bit_length() - 1
            self.steps.setdefault(source, {})[target] = number
            neighbours.setdefault(source, set()).add(target)
            neighbours.setdefault(target, set()).add(source)
        if task.forbid or task.further_goals or task.moves != task.operators or task.consequences:
            raise _refusal(task)
        if not _are_lines(neighbours):
            raise _refusal(task)

    def fresh(self, state: int) -> Iterator[Plan]:
        """New plans: for each false goal fact, the steps that move the nearest piece to it."""
        for _, value in self.task.goal:
            for fact in facts_in(value & ~state):
                path = self._path_to(state, fact)
                if path is not None:
                    yield _before(path, None)

    def refined(self, state: int, plan: Plan) -> Iterator[tuple[int, Plan]]:
        """All refinements of the plan that begin with a possible operator."""
        if plan is None:
            return
        operator = self.task.operators[plan[0]]
        if not state & operator.value:  # the piece has moved away in the meantime
            target = operator.flip & ~operator.value
            path = self._path_to(state, target.bit_length() - 1)
            if path is not None:
                yield from self.refined(state, _before(path, plan[1]))
            return
        unwanted = operator.mask & ~operator.value
        blocking = state & unwanted
        if not blocking:
            yield plan
            return
        waiting = set(_steps(plan))
        for path in self._paths_off((blocking & -blocking).bit_length() - 1, unwanted):
            if waiting.isdisjoint(path):
                yield from self.refined(state, _before(path, plan))

    def _path_to(self, state: int, goal: int) -> tuple[int, ...] | None:
        """The fewest steps that move a piece to the fact `goal` if all lines are otherwise empty; None if no piece can
        get there.
        """
        paths: dict[int, tuple[int, ...]] = dict.fromkeys(facts_in(state), ())
        queue = list(paths)
        for fact in queue:  # the loop appends to the list over which it iterates
            if fact == goal:
                return paths[fact]
            for following, operator in self.steps.get(fact, {}).items():
                if following not in paths:
                    paths[following] = (*paths[fact], operator)
                    queue.append(following)
        return None

    def _paths_off(self, fact: int, unwanted: int) -> Iterator[tuple[int, ...]]:
        """For each direction of the line, the fewest steps of the piece at `fact` to a fact outside `unwanted`.
        Directions without such a fact are omitted.
        """
        for following, operator in self.steps.get(fact, {}).items():
            before, at = fact, following
            path: tuple[int, ...] = (operator,)
            while unwanted >> at & 1:
                further = [f for f in self.steps.get(at, {}) if f != before]
                if not further:
                    break
                path = (*path, self.steps[at][further[0]])
                before, at = at, further[0]
            else:
                yield path


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
        self.lines = SlidingLines(task)
        # state -> (previous state, operator)
        self.came_from: dict[int, tuple[int, int] | None] = {}
        self.expanded: list[int] = []
        self.num_generated = 0

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
            "expanded": len(self.expanded),
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
        """The first goal state, or the reason why a limit stopped the search; the other value is None. Both are None if
        the search has expanded all reachable states and none of them is a goal state.
        """
        front: list[Iterator[Waiting]] = []
        back = self._successors()
        origin: tuple[int, int] | None = None
        state, plans = self.task.initial, self.lines.fresh(self.task.initial)
        while True:
            if state not in self.came_from:
                self.came_from[state] = origin
                if self.task.is_goal(state):
                    return state, None
                if reason := self._limit():
                    return None, reason
                self.expanded.append(state)
                front.append(self._following(state, plans))
            while (following := next(front[-1] if front else back, None)) is None and front:
                front.pop()
            if following is None:
                return None, None
            before, step, state, plans = following
            origin = (before, step)
            self.num_generated += 1

    def _following(self, state: int, plans: Iterator[Plan]) -> Iterator[Waiting]:
        """The states for the front of the queue: the state after the first step of each refined plan, with the rest of
        that plan.
        """
        for plan in plans:
            for step, rest in self.lines.refined(state, plan):
                yield state, step, self.task.operators[step].apply(state), iter((rest,))

    def _successors(self) -> Iterator[Waiting]:
        """The states for the back of the queue: all successors of each expanded state, the oldest state first.

        The successors are computed on demand; the list of expanded states may grow during the iteration.
        """
        for state in self.expanded:
            for number, operator in enumerate(self.task.operators):
                if operator.is_applicable(state):
                    successor = operator.apply(state)
                    yield state, number, successor, self.lines.fresh(successor)

    def _limit(self) -> str | None:
        now = time.perf_counter()
        if self.progress is not None and now - self.last_report >= 0.1:
            from fewest.search.interface import Progress

            self.last_report = now
            self.progress(
                Progress(
                    self.bound[0],
                    len(self.came_from),
                    len(self.expanded),
                    now - self.began,
                    self._bytes(),
                )
            )
        if now - self.began > (inf if self.limits.seconds is None else self.limits.seconds):
            return "time"
        if self.limits.memory is not None and self._bytes() > self.limits.memory:
            return "memory"
        return None

    def _bytes(self) -> int:
        return len(self.came_from) * _BYTES_PER_STATE

    def _plan_to(self, goal: int) -> tuple[int, ...]:
        """The operators on the path from the start to the state `goal`."""
        plan: list[int] = []
        state = goal
        while (origin := self.came_from[state]) is not None:
            state, step = origin
            plan.append(step)
        return tuple(reversed(plan))


def _bound(task: Task, metric: Metric) -> tuple[int, ...]:
    """A lower bound on the cost of every plan: zero if the start is a goal state, and otherwise the cost of the
    cheapest operator.
    """
    if task.is_goal(task.initial) or not task.operators:
        return (0,) * len(metric.parts)
    return tuple(
        min(part.weight(operator.rule, operator.binding) for operator in task.operators)
        for part in metric.parts
    )


def _refusal(task: Task) -> UsageError:
    return UsageError(
        "the engine `goal-directed` supports only puzzles whose pieces slide along lines, such as "
        f"Rush Hour; {task.name} is not such a puzzle",
        hint="use --engine astar --weight 2 for a quick plan, or --engine bfs",
    )


def _are_lines(neighbours: dict[int, set[int]]) -> bool:
    """Whether every fact is on a line with two ends: no fact has more than two neighbours, and no
    line is closed.
    """
    if any(len(beside) > 2 for beside in neighbours.values()):
        return False
    on_lines: set[int] = set()
    for end, beside in neighbours.items():
        if len(beside) == 1:
            queue = [end]
            while queue:
                fact = queue.pop()
                on_lines.add(fact)
                queue += neighbours[fact] - on_lines
    return len(on_lines) == len(neighbours)


def _before(path: tuple[int, ...], plan: Plan) -> Plan:
    for step in reversed(path):
        plan = (step, plan)
    return plan


def _steps(plan: Plan) -> Iterator[int]:
    while plan is not None:
        yield plan[0]
        plan = plan[1]
