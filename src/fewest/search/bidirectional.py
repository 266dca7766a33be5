"""The search from both ends: by the native core where that can, else by its twin."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from msgspec.structs import replace

from fewest.model.costs import CostTable
from fewest.model.problem import Problem, sets_in, words_of
from fewest.search.choice import NATIVE
from fewest.search.interface import Meeting, Progress, Reversed
from fewest.search.twin import bidirectional as pure_bidirectional

if TYPE_CHECKING:
    from collections.abc import Callable


def bidirectional(
    problem: Problem,
    cost: CostTable,
    reversed_problem: Reversed,
    *,
    seconds: float = inf,
    memory: int | None = None,
    progress: Callable[[Progress], None] | None = None,
    file: str = "",
) -> Meeting:
    """The cheapest way from the initial state to any of the goal states.

    Limits, progress and errors are those of `search.search`. `file`: where the native core keeps what it has, whole
    layers once in `native.KEEP_EVERY` seconds at most, and from where it goes on; of the same question.
    """
    if NATIVE:
        from fewest.search.native import is_too_wide

        if not is_too_wide(problem):
            return _native_search(problem, cost, reversed_problem, seconds, memory, progress, file)
    return pure_bidirectional.search(problem, cost, reversed_problem, seconds, memory, progress)


def _native_search(
    problem: Problem,
    cost: CostTable,
    back: Reversed,
    seconds: float,
    memory: int | None,
    progress: Callable[[Progress], None] | None,
    file: str,
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
        words_of(back.goals, problem.words),
        native.bound_limits(units, seconds, memory, progress),
        file=file,
        keep_every=native.KEEP_EVERY,
    )
    plan = [*found.plan, *(back.operators[step] for step in found.backward_plan)]
    if found.status == "goal" and not plan:
        waypoints = sets_in(found.waypoints, problem.words)
        plan = pure_bidirectional.operators_along(problem, cost, waypoints)
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
