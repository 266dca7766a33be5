"""The whole state space of a task: the reachable states, the solvable states among them, and the hardest states.

Unless the store is an index, which measures everything in one search, there are two stages. First, the search core
exhausts the reachable states. This search finds the number of states, the layers and the minimum, and needs little
memory. The second stage measures the goal distance of every state and counts the optimal plans. If all moves cost the
same and the core supports the task, the core does this work (`search.goal_distances`); otherwise, the stage uses arrays
of all states and of the operators between them (`space`). If memory does not suffice and a folder is allowed, both
stages use a store. After a limit or Ctrl-C, the result contains all figures computed so far.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from functools import partial
from math import inf
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from fewest.commands.explore.exploration import Exploration, GoalDistanceSummary
from fewest.commands.solve import less
from fewest.engines.index import search_index
from fewest.engines.registry import check_options, solve, word_of
from fewest.errors import InternalError, UsageError
from fewest.model.answer import LimitReached, Limits, single
from fewest.model.costs import cost_table
from fewest.search.interface import GoalDistances, GoalSearch
from fewest.store.checkpoint import checkpoint_location
from fewest.store.location import IndexLocation, StoreLocation, store_location

if TYPE_CHECKING:
    from fewest.model.answer import Answer, Cost
    from fewest.model.metric import Metric
    from fewest.model.task import Task
    from fewest.search.interface import Progress
    from fewest.space.distances import Distances
    from fewest.space.state_graph import StateSpace, Watch
    from fewest.store.checkpoint import CheckpointLocation

_MAX_ARCS = 50_000  # the maximum number of arcs of a diagram that is built only for counting states
# The number of states that the search explores in about the time that one arc takes.
_STATES_PER_ARC = 64
# For a task with permutations: the maximum product of the numbers of states and of moves for which arrays are used.
# Each move from a state takes a hundred bytes.
_MOST_TURNED = 4_000_000
# the maximum number of states for counting the plans up to order, which then takes at most a few tenths of a second
_MOST_FOR_ORDER = 50_000
_FEW_ARCS = 500  # with at most this number of arcs, the time is negligible


def explore(
    task: Task,
    metric: Metric,
    limits: Limits | None = None,
    progress: Callable[[Progress], None] | None = None,
    *,
    symmetry: str = "auto",
    store: str | StoreLocation | IndexLocation = "hash",
    threads: int | None = None,
    plans: bool = True,
    consistent: bool | None = None,
    depth: int | None = None,
    checkpoint: str | CheckpointLocation | None = None,
) -> Exploration:
    """The exploration of the reachable states of a task in a metric; `threads` is as in `bfs.solve`.

    `plans`, `consistent`: whether to count the optimal plans and the consistent states. If `consistent` is None, the
    consistent states are counted only if this costs less than the other computations. The exploration takes about four
    times as long as an exhaustive search, and needs 25 bytes per state if a state fits into one word. If the task has
    free moves or moves of different costs, each state takes 150 bytes and 3 µs; with merged moves, several times as
    much. `store="index"` needs a quarter of a byte for each consistent state, including the goal distances; it does not
    count plans, and it can save its layers in a folder (`checkpoint`). Raises InternalError if the stages disagree, and
    UsageError if the store is unknown, if `symmetry` is "on" but not possible, or if an index does not support the
    request.
    """
    began = time.perf_counter()
    limits = limits or Limits()
    options: dict[str, Any] = {
        "symmetry": symmetry,
        "store": store,
        "threads": threads,
        "depth": depth,
    }
    check_options("bfs", options)
    if store == "index" or isinstance(store, IndexLocation):
        search = partial(search_index, task, metric, limits, progress, symmetry=symmetry)
        arguments: dict[str, Any] = {
            "checkpoint": checkpoint,
            "threads": threads,
            "depth": depth,
            "store": store,
        }
        indexed = search(exhaust=True, plan=False, goal_distances=task.has_goal, **arguments)
        answer, measured = indexed.answer, indexed.goal_distances
        found = _first(metric, answer, answer.statistics["consistent_states"], began)
        found = replace(found, store_figures=answer.statistics.get("store"))
        return (
            found if measured is None else replace(found, goal_distances=_measured(found, measured))
        )
    goal_search = GoalSearch(counts_plans=plans)
    if checkpoint is not None:
        place = checkpoint_location(checkpoint)
        measured_there = goal_search if _is_strongly_connected(task) else None
        options["checkpoint"] = replace(place, goal_search=measured_there)
    elif word_of(store) in ("auto", "disk") and _is_strongly_connected(task):
        options["store"] = replace(
            store_location(store, task.name, metric.name), goal_search=goal_search
        )
    answer = solve("bfs", task, metric, limits, progress, exhaust=True, **options)
    found = _first(metric, answer, _num_consistent(task, answer, consistent), began)
    if "store" in answer.statistics:
        found = _stored(found, answer.statistics)
        if not found.is_exhausted or not task.has_goal:
            return found
        if not isinstance(store, str) and store.backend is not None:
            goal_search.unserved = "where layers are in an object store"
        elif task.is_forbidden(task.initial):
            goal_search.unserved = "on disk where the start is forbidden"
        return _on_disk(found, goal_search)
    if not found.is_exhausted or not task.has_goal:
        return found
    with_goal = _by_core(task, metric, found, limits, began, progress, plans=plans)
    if (
        with_goal is None
        and task.permutations
        and found.num_states * len(task.moves) > _MOST_TURNED
    ):
        return replace(
            found, unmeasured="because arrays cannot hold so many moves that permute facts"
        )
    if with_goal is None:
        from fewest.space.state_graph import limit_watch

        watch = limit_watch(limits.seconds, limits.memory, began, progress)
        with_goal = _by_arrays(task, metric, found, watch, plans=plans)
    place = options["store"]
    if (
        with_goal.reason == "memory"
        and isinstance(place, StoreLocation)
        and place.goal_search is not None
    ):
        breadth_first = partial(
            solve, "bfs", task, metric, less(limits, began), progress, exhaust=True
        )
        again = partial(breadth_first, symmetry=symmetry, threads=threads)
        with_goal = _in_store(with_goal, again, place, limits.memory, goal_search)
    with_goal = _up_to_order(task, metric, with_goal)
    return replace(with_goal, seconds=time.perf_counter() - began)


def _up_to_order(task: Task, metric: Metric, exploration: Exploration) -> Exploration:
    """The result with the number of optimal plans up to the order of independent moves, if they can be counted quickly.
    Raises InternalError if the number of optimal plans differs from the earlier count.
    """
    from fewest.space.layered_plans import has_uniform_costs, uniform_plan_graph
    from fewest.space.traces import TraceGraph, count_traces

    number = exploration.num_plans or 0
    if exploration.reason is not None or number < 2 or exploration.num_states > _MOST_FOR_ORDER:
        return exploration
    table = cost_table(task, metric)
    if not has_uniform_costs(table):
        return exploration
    graph = uniform_plan_graph(task, table)
    if graph is None or graph.num_words != number:
        raise InternalError(f"the graph of the optimal plans does not contain {number} plans")
    return replace(exploration, num_traces=count_traces(TraceGraph(graph)))


def _is_strongly_connected(task: Task) -> bool:
    """Whether distances can be measured by a search from the goal. This is impossible if the start is forbidden,
    because no move enters a forbidden state.
    """
    return task.has_goal and not task.is_forbidden(task.initial)


def _on_disk(exploration: Exploration, goal_search: GoalSearch) -> Exploration:
    """The result with the goal distances from a store, or with the reason why they could not be measured there."""
    measured = goal_search.distances
    if measured is None and not exploration.num_goal_states:
        measured = GoalDistances(layers=(), num_dead=exploration.num_states, hardest=None)
        goal_search.num_plans = 0 if goal_search.counts_plans else None
    if measured is not None:
        exploration = replace(
            exploration,
            goal_distances=_measured(exploration, measured),
            num_plans=goal_search.num_plans,
        )
    if measured is not None or goal_search.stopped is not None:
        return replace(exploration, reason=goal_search.stopped)
    return replace(exploration, unmeasured=goal_search.unserved)


def _stored(exploration: Exploration, statistics: Mapping[str, Any]) -> Exploration:
    figures = statistics["store"]
    return replace(exploration, store=figures["folder"], store_figures=figures)


def _in_store(
    exploration: Exploration,
    search: Callable[..., Answer],
    place: StoreLocation,
    memory: int | None,
    goal_search: GoalSearch,
) -> Exploration:
    """The result of a search in a store, for the case that the second stage does not fit into memory. This search also
    repeats the first stage.

    Returns `exploration` unchanged if no store is possible or the search fails.
    """
    from fewest.engines.external import has_room
    from fewest.store.error_translation import StoreError
    from fewest.store.metadata import is_store

    if not has_room(place, memory):
        return exploration
    try:
        answer = search(store=replace(place, is_fallback=False))
    except (UsageError, StoreError, MemoryError):
        return exploration
    # Ctrl-C came before the first layer, or between the two searches
    except KeyboardInterrupt:
        is_left = is_store(place.folder) and not place.is_temporary
        left = str(place.folder) if is_left else None
        return replace(exploration, reason="interrupted", store=left)
    statistics = answer.statistics
    exploration = _stored(exploration, statistics)
    if not statistics["exhausted"]:
        return replace(exploration, reason=answer.reason)
    minimum = None if answer.cost is None else single(answer.cost)
    _check(exploration, (statistics["states"], statistics["goal_states"], minimum))
    return _on_disk(exploration, goal_search)


def _first(metric: Metric, answer: Answer, consistent: int | None, began: float) -> Exploration:
    """The results of the search from the start."""
    statistics = answer.statistics
    return Exploration(
        metric=metric.name,
        is_exhausted=statistics["exhausted"],
        reason=None if answer.reason == "depth" else answer.reason,
        num_states=statistics["states"],
        num_goal_states=statistics["goal_states"],
        layers=tuple((single(tuple(cost)), count) for cost, count in statistics["layers"]),
        minimum=None if answer.cost is None else single(answer.cost),
        goal_distances=None,
        num_plans=None,
        seconds=time.perf_counter() - began,
        canonical_states=statistics.get("symmetry", {}).get("canonical_states"),
        num_consistent=consistent,
        is_to_depth=answer.reason == "depth",
    )


def _num_consistent(task: Task, answer: Answer, wanted: bool | None) -> int | None:
    """The number of consistent states; None if it is not wanted, if the task has permutations, or if counting takes too
    long.
    """
    from fewest.space.index import state_index

    if wanted is False or task.permutations:
        return None
    arcs = max(_FEW_ARCS, answer.statistics["states"] // _STATES_PER_ARC)
    try:
        return state_index(task, max_arcs=_MAX_ARCS if wanted else min(_MAX_ARCS, arcs)).size
    except UsageError:
        return None


def _measured(exploration: Exploration, measured: GoalDistances) -> GoalDistanceSummary:
    """A summary of the measured goal distances."""
    histogram = measured.layers
    return GoalDistanceSummary(
        num_solvable=exploration.num_states - measured.num_dead,
        num_dead=measured.num_dead,
        histogram=tuple((single(cost), count) for cost, count in histogram),
        eccentricity=single(histogram[-1][0]) if histogram else None,
        num_hardest=histogram[-1][1] if histogram else 0,
        hardest=measured.hardest,
    )


def _by_core(
    task: Task,
    metric: Metric,
    exploration: Exploration,
    limits: Limits,
    began: float,
    progress: Callable[[Progress], None] | None,
    *,
    plans: bool,
) -> Exploration | None:
    """The second stage as the native core computes it, up to a limit; None if the core does not support the task."""
    from fewest.analysis.regression import reverse
    from fewest.search.goal_distances import measure_goal_distances

    if task.consequences:  # consequences have no inverse
        return None
    # moves may leave a forbidden start, but reversed moves must not enter it
    if task.is_forbidden(task.initial):
        return None
    spent = time.perf_counter() - began
    measured = measure_goal_distances(
        task.problem,
        cost_table(task, metric),
        reverse(task, ()),
        counts_plans=plans,
        seconds=inf if limits.seconds is None else max(0.0, limits.seconds - spent),
        memory=limits.memory,
        progress=progress,
    )
    if measured is None:
        return None
    if measured.distances is not None:
        minimum = None if measured.minimum is None else single(measured.minimum)
        _check(exploration, (measured.num_states, measured.num_goal_states, minimum))
        summary = _measured(exploration, measured.distances)
        exploration = replace(exploration, goal_distances=summary, num_plans=measured.num_plans)
    return (
        exploration
        if measured.status == "exhausted"
        else replace(exploration, reason=measured.status)
    )


def _by_arrays(
    task: Task, metric: Metric, exploration: Exploration, watch: Watch, *, plans: bool
) -> Exploration:
    """The second stage over arrays, which supports every metric, up to a limit."""
    from fewest.space.distances import goal_distances
    from fewest.space.plans import count_plans
    from fewest.space.state_graph import build_state_graph

    table = cost_table(task, metric)
    try:
        space = build_state_graph(task.problem, watch)
        distances = goal_distances(space, table, watch)
        least = distances.cost(0)
        minimum = None if least is None else single(least)
        _check(exploration, (len(space), int(space.is_goal.sum()), minimum))
        exploration = replace(exploration, goal_distances=_summary_of(space, distances))
        if not plans:
            return exploration
        return replace(exploration, num_plans=count_plans(space, table, distances, watch))
    except LimitReached as error:
        return replace(exploration, reason=error.reason)
    except KeyboardInterrupt:
        return replace(exploration, reason="interrupted")
    except MemoryError:
        return replace(exploration, reason="memory")


def _summary_of(space: StateSpace, distances: Distances) -> GoalDistanceSummary:
    histogram = distances.histogram()
    farthest = distances.farthest
    num_solvable = sum(count for _, count in histogram)
    return GoalDistanceSummary(
        num_solvable=num_solvable,
        num_dead=len(space) - num_solvable,
        histogram=tuple((single(cost), count) for cost, count in histogram),
        eccentricity=single(histogram[-1][0]) if histogram else None,
        num_hardest=len(farthest),
        hardest=min((space.integer(state) for state in farthest.tolist()), default=None),
    )


def _check(exploration: Exploration, second: tuple[int, int, Cost | None]) -> None:
    """Check that both stages found the same numbers of states and goal states, and the same minimum. Raises
    InternalError.
    """
    first = (exploration.num_states, exploration.num_goal_states, exploration.minimum)
    if first != second:
        raise InternalError(f"the first stage found {first}, but the second stage found {second}")
