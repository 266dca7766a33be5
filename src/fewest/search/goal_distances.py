"""The goal distances of all reachable states, computed by the native core if it supports the problem."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from fewest.model.costs import CostTable
from fewest.model.problem import Problem
from fewest.search.backend import NATIVE
from fewest.search.interface import GoalDistanceResult, GoalDistances, InverseProblem, Progress

if TYPE_CHECKING:
    from collections.abc import Callable


def measure_goal_distances(
    problem: Problem,
    cost: CostTable,
    back: InverseProblem,
    *,
    counts_plans: bool,
    lists_states: bool = False,
    seconds: float = inf,
    memory: int | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> GoalDistanceResult | None:
    """The number of states at each goal distance and, on request, the number of optimal plans (`counts_plans`) and the
    states after each of their moves (`lists_states`, only together with `counts_plans`). The result is None if the core
    does not support the problem; in this case, the package `space` can compute the distances.

    The core requires every move, single or merged, to cost the same. The core does not support permutations together
    with merged moves. The header `goal_distances.hpp` explains the method. The caller must ensure that the initial
    state is not forbidden. The computation takes about three times as long as an exhaustive search, and needs 25 bytes
    per state if a state fits into one word. Limits and errors are the same as for `search.search`. Also raises
    ValueError for problems with effects.
    """
    if not NATIVE:
        return None
    from fewest.search import _native, native
    from fewest.search.cost_packing import CostPacking

    if native.bound_problem(problem).packed_words > _native.MAX_WORDS:
        return None
    native.check_cost(problem, cost)
    units = CostPacking(cost)
    found = _native.measure(
        native.bound_problem(problem),
        native.bound_costs(units.costs),
        native.bound_problem(back.problem),
        native.bound_costs(back.costs(units.costs)),
        native.bound_limits(units, seconds, memory, progress),
        counts_plans=counts_plans,
        lists_states=lists_states,
    )
    if found is None:
        return None
    distances = None
    if found.num_states:
        distances = GoalDistances(
            tuple((units.split(packed), count) for packed, count in found.layers),
            found.num_states - found.num_solvable,
            _number(found.hardest) if found.layers else None,
        )
    return GoalDistanceResult(
        found.status,
        distances,
        found.num_states,
        found.num_goal_states,
        None if found.from_start is None else units.split(found.from_start),
        _number(found.num_plans) if found.num_plans else None,
        found.plan_states.reshape(-1, problem.words) if lists_states and found.num_plans else None,
    )


def _number(words: list[int]) -> int:
    return sum(word << 64 * place for place, word in enumerate(words))
