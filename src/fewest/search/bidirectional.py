"""The search from both ends: what it is given, what it answers, and the native core behind it."""

from __future__ import annotations

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
    from fewest.search import _native, native
    from fewest.search.units import Units

    native.check_cost(problem, cost)
    units = Units(cost)
    found = _native.bidirectional(
        native.bound_problem(problem),
        native.bound_costs(units.costs),
        native.bound_problem(back.problem),
        native.bound_costs(back.costs(units.costs)),
        back.goals,
        native.bound_limits(units, seconds, memory, progress),
    )
    plan = [*found.plan, *back.operators[found.backward_plan].tolist()]
    if found.status == "goal" and not plan:
        entries = found.waypoints.reshape(-1, problem.initial.shape[0])
        plan = pure_bidirectional.operators_along(problem, cost, entries)
    outcome = replace(
        native.outcome_of(found, units),
        plan=tuple(plan),
        num_goal_states=len(back.goals),
        algorithm=f"bidirectional {found.algorithm}",
    )
    return Meeting(
        outcome,
        (found.forward_states, found.backward_states),
        (units.split(found.forward_cost), units.split(found.backward_cost)),
    )
