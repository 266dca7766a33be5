"""The whole state space of a task: what can be reached, what can still be solved, what is hardest.

Two stages. The search core exhausts the reachable states, which says how many there are, the layers
and the minimum, and needs little memory. Then the states and the operators between them become
arrays (`space`), which give the distance of every state to the goal and the number of optimal plans.
A limit or Ctrl-C leaves what is known until then.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec.structs import replace

from fewest.engines.index import search_index
from fewest.engines.registry import check_options, solve
from fewest.errors import InternalError, UsageError
from fewest.model.answer import LimitReached, Limits, single
from fewest.model.costs import cost_table
from fewest.questions.explore.exploration import Exploration, ToGoal

if TYPE_CHECKING:
    from fewest.model.answer import Answer
    from fewest.model.metric import Metric
    from fewest.model.task import Task
    from fewest.search.interface import GoalDistances, Progress
    from fewest.space.distances import Distances
    from fewest.space.states import StateSpace, Watch

_MAX_ARCS = 50_000  # of a diagram that is made for a number of states alone


def explore(
    task: Task,
    metric: Metric,
    limits: Limits | None = None,
    progress: Callable[[Progress], None] | None = None,
    *,
    symmetry: str = "auto",
    store: str = "hash",
    threads: int | None = None,
) -> Exploration:
    """Everything about the reachable states of a task in a metric; `threads` as in `bfs.solve`.

    Cost: time and memory of an exhaustive search, then some 150 bytes and 3 µs a state, several times
    that in metrics that merge moves. With `store="index"` a quarter of a byte for each consistent state,
    the distances to the goal included; plans are not counted. Raises InternalError if the stages
    disagree, UsageError for an unknown store and what an index cannot do.
    """
    from fewest.space.states import limit_watch

    limits = limits or Limits()
    began = time.perf_counter()
    options = {"symmetry": symmetry, "store": store, "threads": threads}
    check_options("bfs", options)
    if store == "index":
        indexed = search_index(
            task,
            metric,
            limits,
            progress,
            exhaust=True,
            plan=False,
            to_goal=task.has_goal,
            symmetry=symmetry,
        )
        answer, measured = indexed.answer, indexed.to_goal
        found = _first(metric, answer, answer.statistics["consistent_states"], began)
        return found if measured is None else replace(found, to_goal=_measured(found, measured))
    answer = solve("bfs", task, metric, limits, progress, exhaust=True, **options)
    found = _first(metric, answer, _num_consistent(task), began)
    if not found.is_exhausted or not task.has_goal:
        return found
    watch = limit_watch(limits.seconds, limits.memory, began, progress)
    return replace(_distances(task, metric, found, watch), seconds=time.perf_counter() - began)


def _first(metric: Metric, answer: Answer, consistent: int | None, began: float) -> Exploration:
    """What the search from the start says."""
    statistics = answer.statistics
    return Exploration(
        metric=metric.name,
        is_exhausted=statistics["exhausted"],
        reason=answer.reason,
        num_states=statistics["states"],
        num_goal_states=statistics["goal_states"],
        layers=tuple((single(tuple(cost)), count) for cost, count in statistics["layers"]),
        minimum=None if answer.cost is None else single(answer.cost),
        to_goal=None,
        num_plans=None,
        seconds=time.perf_counter() - began,
        canonical_states=statistics.get("symmetry", {}).get("canonical_states"),
        num_consistent=consistent,
    )


def _num_consistent(task: Task) -> int | None:
    """How many states keep all known invariants; None if that takes long to count."""
    from fewest.space.index import state_index

    try:
        return state_index(task, max_arcs=_MAX_ARCS).size
    except UsageError:
        return None


def _measured(found: Exploration, measured: GoalDistances) -> ToGoal:
    """What a search backwards in an index says."""
    histogram = measured.layers
    return ToGoal(
        num_solvable=found.num_states - measured.num_dead,
        num_dead=measured.num_dead,
        histogram=tuple((single(cost), count) for cost, count in histogram),
        eccentricity=single(histogram[-1][0]) if histogram else None,
        num_hardest=histogram[-1][1] if histogram else 0,
        hardest=measured.hardest,
    )


def _distances(task: Task, metric: Metric, found: Exploration, watch: Watch) -> Exploration:
    """The second stage, as far as it comes."""
    from fewest.space.distances import goal_distances
    from fewest.space.plans import count_plans
    from fewest.space.states import explore_states

    table = cost_table(task, metric)
    try:
        space = explore_states(task.problem, watch)
        distances = goal_distances(space, table, watch)
        _check(found, space, distances)
        found = replace(found, to_goal=_to_goal(space, distances))
        return replace(found, num_plans=count_plans(space, table, distances, watch))
    except LimitReached as error:
        return replace(found, reason=error.reason)
    except KeyboardInterrupt:
        return replace(found, reason="interrupted")
    except MemoryError:
        return replace(found, reason="memory")


def _to_goal(space: StateSpace, distances: Distances) -> ToGoal:
    histogram = distances.histogram()
    farthest = distances.farthest
    num_solvable = sum(count for _, count in histogram)
    return ToGoal(
        num_solvable=num_solvable,
        num_dead=len(space) - num_solvable,
        histogram=tuple((single(cost), count) for cost, count in histogram),
        eccentricity=single(histogram[-1][0]) if histogram else None,
        num_hardest=len(farthest),
        hardest=min((space.integer(state) for state in farthest.tolist()), default=None),
    )


def _check(found: Exploration, space: StateSpace, distances: Distances) -> None:
    """Both stages must have seen the same. Raises InternalError."""
    least = distances.cost(0)
    first = (found.num_states, found.num_goal_states, found.minimum)
    second = (len(space), int(space.is_goal.sum()), None if least is None else single(least))
    if first != second:
        raise InternalError(f"exploring found {second}, the search {first}")
