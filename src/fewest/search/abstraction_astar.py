"""The native A* that uses distances in abstractions as its heuristic. This search has no version in pure Python."""

from __future__ import annotations

import math
from array import array
from typing import TYPE_CHECKING

from msgspec import Struct

from fewest.model.costs import CostTable
from fewest.model.problem import Problem
from fewest.search import _native
from fewest.search.cost_packing import CostPacking
from fewest.search.interface import InverseProblem, Outcome, Progress
from fewest.search.native import (
    bound_costs,
    bound_limits,
    bound_problem,
    check_cost,
    outcome_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


class AbstractProblem(Struct, frozen=True, eq=False):
    """A smaller problem, and the same problem with inverted operators. The states of the smaller problem are images of
    the states of another problem.
    """

    problem: Problem
    cost: CostTable
    back: InverseProblem
    image: tuple[int, ...]
    """the image of each fact of the other problem; -1 if the fact has no image"""


class GuidedOutcome(Struct, frozen=True):
    """The result of the search."""

    outcome: Outcome
    """the outcome, which contains no layers"""
    initial_bound: tuple[int, ...]
    num_abstractions: int
    """the number of abstractions for which distances were computed; an abstraction is skipped if the core does not
    support it, or if it does not fit into its share of half the memory
    """
    abstract_bytes: int
    """the number of bytes of these abstractions"""


def guided(
    problem: Problem,
    cost: CostTable,
    abstractions: Sequence[AbstractProblem],
    *,
    seconds: float = math.inf,
    memory: int | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> GuidedOutcome | None:
    """The cheapest plan to a goal state, found by A*. The result is None if moves, single or merged, have different
    costs, or if the core supports none of the abstractions.

    In each abstraction, the image of every move must be a move of at most the same cost, or have no effect; and the
    image of every goal state must be a goal state (`analysis.abstraction`). Limits and errors are the same as for
    `search.search`. Also raises ValueError if states are too wide, or if the problem has permutations or effects.
    """
    check_cost(problem, cost)
    units = CostPacking(cost)
    given = []
    for one in abstractions:
        check_cost(one.problem, one.cost)
        costs = CostPacking(one.cost).costs
        given.append(
            (
                bound_problem(one.problem),
                bound_costs(costs),
                bound_problem(one.back.problem),
                bound_costs(one.back.costs(costs)),
                array("i", one.image),
            )
        )
    found = _native.guided(
        bound_problem(problem),
        bound_costs(units.costs),
        given,
        bound_limits(units, seconds, memory, progress),
    )
    if found is None:
        return None
    return GuidedOutcome(
        outcome_of(found, units),
        units.split(found.initial_bound),
        found.num_abstractions,
        found.abstract_bytes,
    )
