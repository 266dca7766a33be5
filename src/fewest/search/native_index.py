"""The native search that stores two bits for each numbered state. Its results have the types of
`fewest.search.interface`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from fewest.search import _native, native
from fewest.search._native import DamageError as DamageError
from fewest.search.cost_packing import CostPacking
from fewest.search.interface import GoalDistances
from fewest.search.native import (
    bound_costs,
    bound_limits,
    bound_problem,
    bytes_of,
    check_cost,
    default_threads,
    outcome_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from fewest.model.costs import CostTable
    from fewest.model.problem import Numbering, Problem
    from fewest.search.interface import Outcome, Progress


def search_index(
    problem: Problem,
    cost: CostTable,
    numbering: Numbering,
    levels: Numbering,
    *,
    exhaust: bool = False,
    threads: int | None = None,
    plan: bool = True,
    goal_distances: bool = False,
    depth: int | None = None,
    file: str = "",
    seconds: float = math.inf,
    memory: int | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> tuple[Outcome, GoalDistances | None]:
    """Like `search`, but with two bits for each of the numbered states. All moves must cost the same.

    `numbering` must contain all states that satisfy the invariants of the problem. `levels` is the same numbering with
    steps that read about one variable each. `threads`: the maximum number of threads (by default one per processor, but
    at most 8). `plan`: whether to find a plan if a goal state is reached. `goal_distances`: whether to compute,
    together with `exhaust`, the distances of all reached states to the goal; the second result is None if they were not
    requested or not completed. `file`: complete layers are saved in this file at most once every native.SAVE_EVERY
    seconds, and the search resumes from it; the query must then be the same. `depth`: the last layer of the search; it
    has no effect if the file contains more layers. Raises TypeError or ValueError for arrays of the wrong type or
    shape, ValueError for unsupported costs and for states that are too wide, and MemoryError. Raises DamageError or
    OSError if the file cannot be used.
    """
    outcome, found = _search_index(
        problem,
        cost,
        (numbering, levels),
        (seconds, memory, progress),
        exhaust=exhaust,
        threads=threads,
        plan=plan,
        goal_distances=goal_distances,
        depth=depth,
        file=file,
    )
    units = CostPacking(cost)
    if not found.has_distances:
        return outcome, None
    layers = tuple((units.split(packed), count) for packed, count in found.goal_distances)
    state = sum(word << 64 * number for number, word in enumerate(found.hardest))
    return outcome, GoalDistances(layers, found.num_dead, state if layers else None)


def search_index_from_goals(
    problem: Problem,
    cost: CostTable,
    numbering: Numbering,
    levels: Numbering,
    *,
    threads: int | None = None,
    file: str = "",
    seconds: float = math.inf,
    memory: int | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> tuple[Outcome, list[int]]:
    """The layers of all states from which a goal state can be reached, beginning with the goal states, and some states
    of the last layer.

    `problem` contains the inverse moves, and the goal of the forward problem. The initial state of `problem` must
    satisfy the invariants, although the search does not start there. The other arguments are the same as for
    `search_index`. The states of the last layer are sets of facts: those states of the last complete layer that have
    the fewest facts, or some of them. Raises the same errors as `search_index`.
    """
    outcome, found = _search_index(
        problem,
        cost,
        (numbering, levels),
        (seconds, memory, progress),
        exhaust=True,
        threads=threads,
        file=file,
        from_goals=True,
    )
    farthest = [
        sum(word << 64 * number for number, word in enumerate(state)) for state in found.farthest
    ]
    return outcome, farthest


def _search_index(
    problem: Problem,
    cost: CostTable,
    numberings: tuple[Numbering, Numbering],
    limits: tuple[float, int | None, Callable[[Progress], None] | None],
    *,
    exhaust: bool,
    threads: int | None,
    file: str,
    plan: bool = False,
    goal_distances: bool = False,
    depth: int | None = None,
    from_goals: bool = False,
) -> tuple[Outcome, _native.IndexOutcome]:
    if math.isnan(limits[0]):
        raise ValueError("seconds must be a number")
    bound = bound_problem(problem)
    check_cost(problem, cost)
    units = CostPacking(cost)
    found = _native.search_index(
        bound,
        bound_costs(units.costs),
        _bound_numbering(numberings[0]),
        _bound_numbering(numberings[1]),
        bound_limits(units, *limits),
        exhaust=exhaust,
        threads=default_threads() if threads is None else threads,
        plan=plan,
        goal_distances=goal_distances,
        depth=depth,
        file=file,
        save_every=native.SAVE_EVERY,
        from_goals=from_goals,
    )
    return outcome_of(found, units), found


def index_part(
    problem: Problem,
    cost: CostTable,
    numbering: Numbering,
    levels: Numbering,
    *,
    ends: Sequence[int],
    part: int,
    threads: int,
    memory: int | None = None,
    outbox: int = 64 << 20,
    states_per_thread: int = 1024,
) -> _native.IndexPart:
    """One part of `search_index`; it is responsible for the numbers from the end of the previous part (`ends`) to its
    own end.

    `ends`: the end of each part. `outbox`: the maximum number of bytes that wait for other parts. Raises ValueError for
    unsupported costs, for states that are too wide, and for parts that are not ranges. Raises MemoryError.
    """
    check_cost(problem, cost)
    return _native.make_index_part(
        bound_problem(problem),
        bound_costs(CostPacking(cost).costs),
        _bound_numbering(numbering),
        _bound_numbering(levels),
        ends=list(ends),
        part=part,
        threads=threads,
        memory=bytes_of(memory),
        outbox=outbox,
        states_per_thread=states_per_thread,
    )


def _bound_numbering(numbering: Numbering) -> _native.Numbering:
    return _native.Numbering(
        size=numbering.size,
        variables=numbering.variables,
        may_be_none=numbering.may_be_none,
        steps=numbering.steps,
        nodes=numbering.nodes,
        entries=numbering.entries,
    )
