"""Named conditions under which a stage of the portfolio may begin. Because they have names, the tables of stages are
pure data.

The conditions of a stage are evaluated only when the stage is considered, in the order in which its row lists them. A
condition that depends only on the task is computed once (`cached_property`); a condition that depends on the progress
of the search is computed for each stage.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from math import inf
from typing import TYPE_CHECKING

from fewest.engines.registry import check_metric, has_one_weight
from fewest.engines.stage_searches import (
    AbstractionStage,
    AStar,
    BidirectionalStage,
    LayeredSearch,
    Request,
    StageSearch,
    memory_of,
)
from fewest.errors import UsageError
from fewest.model.answer import LimitReached
from fewest.search.interface import UnusedSymmetryError

if TYPE_CHECKING:
    from fewest.model.task import Task
    from fewest.search.abstraction_astar import AbstractProblem

FEW = 100
"""The maximum number of goal states that count as few; a search from these states begins with small layers"""
EASY = 200_000
"""Symmetries are computed only if all operators together have at most this number of literals; within this limit,
computing them takes at most about 0.1 s
"""
MANY_IMAGES = 4
"""With at least this many symmetries, a search by symmetry saves as much work as a search from both ends"""
ROOMY = 64 << 20
"""Two searches may run at the same time if at least this many bytes of memory are free"""
NAMELESS_SECONDS, NAMELESS_BYTES = 1.0, 32 << 20
"""The limits, in seconds and bytes, for computing the goal distance in the abstraction without names
(`PortfolioState.nameless`)
"""
NAMELESS_SHARE = 8
"""The tables of this abstraction may take at most the bytes of the leading search, divided by this number"""
_SEARCHES = ("astar", "both_ends", "by_symmetry", "abstraction")
"""The searches that a state creates only once"""


class PortfolioState:
    """A request, the progress of the leading search, and the properties of the task that have been computed."""

    def __init__(self, request: Request) -> None:
        self.request, self.task, self.metric = request, request.task, request.metric
        self.cost = 0
        """the first part of the bound of a search in layers: every cheaper state has been expanded"""
        self.bytes = 0
        """the number of bytes that the tables of the leading search take"""
        self.ended_in_memory: str | None = None
        """the name of the search that ended because of the memory limit"""
        self._nameless: dict[int, float | None] = {}

    @cached_property
    def has_bounds(self) -> bool:
        """Whether A* supports the task and its metric, and has a heuristic that may save time.

        In metrics that merge moves along lines, single pieces provide a bound only if an agent walks among the pieces.
        """
        task, metric = self.task, self.metric
        if task.consequences or task.permutations:
            return False
        try:
            check_metric("astar", metric)
        except UsageError:
            return False
        return self.has_agent or all(part.merge == "none" for part in metric.parts)

    @cached_property
    def has_agent(self) -> bool:
        return has_agent(self.task)

    @cached_property
    def astar(self) -> AStar | None:
        """A*, after its first expansion. The result is None if A* does not support the task, for instance because the
        task has too many facts.
        """
        if not self.has_bounds:
            return None
        try:
            found = AStar(self.request)
            found.begin()  # some tasks are refused only here
        except UsageError:
            return None
        return found

    @cached_property
    def initial_bound(self) -> int:
        """The lower bound of A* for the start, or 0 if A* does not support the task."""
        return 0 if self.astar is None else self.astar.initial_bound

    @cached_property
    def has_few_goals(self) -> bool:
        """Whether there is at least one goal state, but no more than `FEW`. If so, the goal determines nearly the whole
        state.
        """
        from fewest.analysis.regression import TooManyStatesError, goal_states

        try:
            return bool(goal_states(self.task, FEW))
        except TooManyStatesError:
            return False

    @cached_property
    def both_ends(self) -> BidirectionalStage | None:
        """The search from both ends, ready to begin. The result is None if there are too many goal states, if a limit
        is reached, or if the core does not support the task.
        """
        from fewest.analysis.regression import TooManyStatesError

        try:
            return BidirectionalStage(self.request)
        except (TooManyStatesError, LimitReached, UsageError):
            return None

    @cached_property
    def has_both_ends(self) -> bool:
        """Whether a search from both ends is possible and probably faster than a search by symmetry."""
        if self.task.consequences or self.task.permutations or not self.has_few_goals:
            return False
        from fewest.analysis.symmetry import find_symmetry

        symmetry = find_symmetry(self.request.problem, self.request.cost, most=EASY)
        return symmetry is None or symmetry.order < MANY_IMAGES

    @cached_property
    def by_symmetry(self) -> LayeredSearch | None:
        """The exhaustive search by symmetry, ready to begin. The result is None if there is no usable symmetry."""
        from fewest.analysis.symmetry import find_symmetry

        request = self.request
        cost = request.cost
        # in these metrics, the exhaustive search has no layers
        if cost.parts != 1 or len(set(cost.rows.weight[0]) - {0}) != 1:
            return None
        symmetry = find_symmetry(request.problem, cost, fix_initial=request.exhaust, most=EASY)
        if symmetry is None:
            return None
        try:
            return LayeredSearch(request, symmetry, self.may_use_folder)
        except UnusedSymmetryError:
            return None

    @cached_property
    def abstraction(self) -> AbstractionStage | None:
        """A* with the distances of abstractions, ready to begin. The result is None if this search has refused the
        task.
        """
        return AbstractionStage(self.request)

    def layers(self) -> LayeredSearch:
        """The exhaustive search, with the options that the request gives."""
        return LayeredSearch(self.request, self.request.symmetry, self.may_use_folder)

    def may_use_folder(self) -> bool:
        """Whether the search in layers may continue in a folder when memory is full.

        If A* supports the task and the request prefers A*, which can continue with little memory, the search in layers
        does not continue in a folder.
        """
        return not self.request.prefers_astar or self.astar is None

    def see(self, leader: StageSearch) -> None:
        """Record the progress of the leading search."""
        self.bytes = leader.bytes
        if isinstance(leader, LayeredSearch):
            self.cost = leader.bound[0]

    def forget(self, search: object) -> None:
        """Free the memory that a discarded search uses. If the search is needed later, it is created again."""
        for name in _SEARCHES:
            if self.__dict__.get(name) is search:
                del self.__dict__[name]

    def refuse(self, search: object) -> None:
        """Record that a search does not support the task, so that it does not begin again."""
        for name in _SEARCHES:
            if self.__dict__.get(name) is search:
                setattr(self, name, None)

    def bounds_pay(self) -> bool:
        """Whether the initial bound of A* is more than half the cost that the search in layers has reached."""
        return 2 * self.initial_bound > self.cost

    def is_bound_near(self) -> bool:
        """Whether the initial bound of A* is less than 5/4 of the cost that the search in layers has reached. If so, A*
        may take as long as the search in layers.
        """
        return 4 * self.initial_bound < 5 * self.cost

    def is_decided_early(self) -> bool:
        """Whether there are few goal states, a search from both ends probably saves time, and the search in layers has
        reached twice the initial bound of A*. If so, A* is probably slower than the search from both ends.
        """
        return self.has_few_goals and 2 * self.initial_bound <= self.cost and self.has_both_ends

    def names_cost(self) -> bool:
        """Whether the goal distance in the abstraction without names exceeds both the cost that the search in layers
        has reached and the initial bound of A*.
        """
        known = max(self.cost, self.initial_bound)
        bound = None if self.abstraction is None else self._nameless_bound()
        return bound is not None and bound > known

    def _nameless_bound(self) -> float | None:
        """The goal distance in the abstraction without names, or inf if no goal state of the abstraction is reachable.

        The result is None if there is no such abstraction (`nameless`), or if a memory or time limit or the core
        prevents the computation. The distance is computed only once for each memory limit.
        """
        most = min(NAMELESS_BYTES, self.bytes // NAMELESS_SHARE)
        if most not in self._nameless:
            one = self.nameless
            self._nameless[most] = None if one is None else _goal_cost(one, self.request, most)
        return self._nameless[most]

    @cached_property
    def nameless(self) -> AbstractProblem | None:
        """The abstraction that ignores the names of similar pieces. The result is None if no pieces are similar, or if
        the task or the metric does not support the abstraction.
        """
        from fewest.analysis.abstraction import alike, without_names
        from fewest.engines.abstraction_heuristic import as_problem

        task = self.task
        if task.consequences or task.permutations or not has_one_weight(self.metric):
            return None
        sets = alike(task)
        found = without_names(task, sets) if sets else None
        return as_problem(found, self.metric) if found and found.suits(self.metric) else None


def _goal_cost(one: AbstractProblem, request: Request, memory: int) -> float | None:
    """The minimum cost from the start to a goal state: inf if no goal state is reachable, None if a limit or the core
    prevents the computation.
    """
    from fewest.search.goal_distances import measure_goal_distances

    seconds = min(NAMELESS_SECONDS, request.seconds_left())
    found = measure_goal_distances(
        one.problem, one.cost, one.back, counts_plans=False, seconds=seconds, memory=memory
    )
    if found is not None and found.status == "interrupted":
        raise KeyboardInterrupt
    if found is None or found.status != "exhausted":
        return None
    return inf if found.minimum is None else found.minimum[0]


def has_agent(task: Task) -> bool:
    """Whether there is an agent: every operator requires some fact of one group in which exactly one fact is true.

    In addition, at least one operator must change only this group: the agent walks.
    """
    for group in task.exactly:
        if group.count != 1:
            continue
        places = sum(1 << fact for fact in group.facts)
        if all((o.value & places).bit_count() == 1 for o in task.operators) and any(
            o.flip & places == o.flip for o in task.operators
        ):
            return True
    return False


CONDITIONS: Mapping[str, Callable[[PortfolioState], bool]] = {
    "has bounds": lambda now: now.astar is not None,
    "bounds pay": PortfolioState.bounds_pay,
    "the bound is near": PortfolioState.is_bound_near,
    "goals are few": lambda now: now.has_few_goals,
    "names cost": PortfolioState.names_cost,
    "decided early": PortfolioState.is_decided_early,
    "both ends pay": lambda now: now.has_both_ends and now.both_ends is not None,
    "goals can be listed": lambda now: now.both_ends is not None,
    "A* has one end": lambda now: now.astar is not None and not now.astar.can_begin_at_goals,
    "there is a symmetry": lambda now: now.by_symmetry is not None,
    "memory is roomy": lambda now: memory_of(now.request) >= ROOMY,
    "layers are kept elsewhere": lambda now: now.ended_in_memory == "abstraction",
}
