"""The search from both ends: what it is given, what it answers, and the native core behind it."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from math import inf
from typing import TYPE_CHECKING

import numpy as np

from fewest import search
from fewest.model.costs import CostTable
from fewest.model.problem import Problem
from fewest.search.interface import Outcome, Progress
from fewest.search.twin import bidirectional as pure_bidirectional

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Cost = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Reversed:
    """The problem whose operators are the inverses of another's, and where it starts."""

    problem: Problem
    """its own initial state and goal do not matter"""
    operators: NDArray[np.int32]
    """int32[n]: which operator each one inverts"""
    goals: NDArray[np.uint64]
    """uint64[g, W]: the goal states; they keep the groups, and are not forbidden"""

    def costs(self, cost: CostTable) -> CostTable:
        """The cost table of the operators inverted here: runs go the other way."""
        return CostTable(
            weight=np.ascontiguousarray(cost.weight[:, self.operators]),
            run_in=np.ascontiguousarray(cost.run_out[:, self.operators]),
            run_out=np.ascontiguousarray(cost.run_in[:, self.operators]),
            run_fact=cost.run_fact,
        )


@dataclass(frozen=True)
class Meeting:
    """What a search from both ends found; pairs are (forward, backward)."""

    outcome: Outcome
    """without layers; states are those of both sides"""
    num_states: tuple[int, int]
    radius: tuple[Cost, Cost]
    """the cost up to which each side had come"""


def bidirectional(
    problem: Problem,
    cost: CostTable,
    reversed_problem: Reversed,
    *,
    seconds: float = inf,
    memory: int | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Meeting:
    """The cheapest way from the initial state to any of the goal states.

    Limits, progress and errors are those of `search.search`.
    """
    if search.NATIVE:
        from fewest.search import _native
        from fewest.search.native import bound_problem

        if bound_problem(problem).packed_words <= _native.MAX_WORDS:
            return _native_search(problem, cost, reversed_problem, seconds, memory, progress)
    return pure_bidirectional.search(problem, cost, reversed_problem, seconds, memory, progress)


def _native_search(
    problem: Problem,
    cost: CostTable,
    back: Reversed,
    seconds: float,
    memory: int | None,
    progress: Callable[[Progress], None] | None,
) -> Meeting:
    from fewest.search import _native
    from fewest.search.native import bound_problem, check_cost
    from fewest.search.units import Units

    check_cost(problem, cost)
    units = Units(cost)
    divided = replace(cost, weight=units.weight)
    backward = back.costs(divided)
    (
        status,
        least,
        lower_bound,
        forward_plan,
        backward_plan,
        waypoints,
        states,
        radius,
        num_expanded,
        num_generated,
        elapsed,
        used,
        algorithm,
    ) = _native.bidirectional(
        bound_problem(problem),
        divided.weight,
        np.ascontiguousarray(cost.run_in),
        np.ascontiguousarray(cost.run_out),
        [facts.tolist() for facts in cost.run_fact],
        bound_problem(back.problem),
        backward.weight,
        backward.run_in,
        backward.run_out,
        back.goals,
        seconds,
        sys.maxsize if memory is None else max(0, memory),
        units.reporter(progress),
    )
    plan = [*forward_plan, *back.operators[backward_plan].tolist()]
    if status == "goal" and not plan:
        entries = waypoints.reshape(-1, problem.initial.shape[0])
        plan = pure_bidirectional.operators_along(problem, cost, entries)
    outcome = Outcome(
        status=status,
        cost=None if least is None else units.split(least),
        lower_bound=units.split(lower_bound),
        plan=tuple(plan),
        layers=(),
        num_states=sum(states),
        num_goal_states=len(back.goals),
        num_expanded=num_expanded,
        num_generated=num_generated,
        seconds=elapsed,
        bytes=used,
        algorithm=f"bidirectional {algorithm}",
    )
    return Meeting(outcome, states, (units.split(radius[0]), units.split(radius[1])))
