"""Exhaustive search, layer by layer: Dijkstra (1959), breadth-first where all moves cost the same."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING, Any

from fewest import search
from fewest.engines.orbits import Question, search_by
from fewest.errors import UsageError
from fewest.model.answer import Answer, Limits
from fewest.model.costs import cost_table

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from fewest.model.costs import CostTable
    from fewest.model.metric import Metric
    from fewest.model.problem import Problem
    from fewest.model.task import Task
    from fewest.search.interface import GoalDistances, Outcome, Progress


def solve(
    task: Task,
    metric: Metric,
    limits: Limits,
    progress: Callable[[Progress], None] | None = None,
    *,
    exhaust: bool = False,
    symmetry: str = "auto",
    store: str = "hash",
    threads: int | None = None,
) -> Answer:
    """The minimum, or the proof that there is none; `exhaust` goes on to count all states.

    `symmetry` (see `orbits.search_by`): `on`, `off`, or where it pays. `store`: what holds the states
    that were reached, a table ("hash") or two bits for each consistent state ("index").
    `threads` may be used at most, by default as many as there are processors; small searches and an
    index take one. Raises UsageError for `on` where it cannot be, for an unknown store, and for what
    an index cannot do.
    """
    if store == "index":
        return in_index(task, metric, limits, progress, exhaust=exhaust, symmetry=symmetry)[0]
    if store != "hash":
        raise UsageError(f"there is no store `{store}`", hint="there are hash and index")
    return run(search.search, task, metric, limits, progress, exhaust, symmetry, threads)


def in_index(
    task: Task,
    metric: Metric,
    limits: Limits,
    progress: Callable[[Progress], None] | None = None,
    *,
    exhaust: bool = False,
    plan: bool = True,
    to_goal: bool = False,
    symmetry: str = "auto",
) -> tuple[Answer, GoalDistances | None]:
    """As `solve`, in two bits for each consistent state (see `space.index`).

    `plan`: find one where there is a goal, which takes longer than the minimum alone; `to_goal`: all
    distances to the goal. Sound where every move costs the same, runs of a merging metric included.
    Raises UsageError for other metrics, for too many states, for `symmetry` on, and where there is no
    native core.
    """
    from fewest.space.index import state_index

    if symmetry == "on":
        raise UsageError(
            "an index holds all states, not one of every orbit", hint="use --store hash"
        )
    if not search.NATIVE:
        raise UsageError("an index is searched by the native core, which is not there")
    from fewest.search import native

    costs = cost_table(task, metric)
    if len(metric.parts) != 1 or (costs.weight.size and not _are_equal(costs.weight)):
        raise UsageError(
            f"{metric.name}: two bits a state are enough only where all moves cost the same",
            hint="use --store hash",
        )
    index = state_index(task)
    if index.num_bytes > (inf if limits.memory is None else limits.memory):
        raise UsageError(
            f"{index.size:,} consistent states take {index.num_bytes:,} bytes, more than the memory "
            f"limit of {limits.memory:,}",
            hint="use --store hash, or more --memory",
        )
    found: GoalDistances | None = None

    def search_index(problem: Problem, costs: CostTable, **options: Any) -> Outcome:
        nonlocal found
        try:
            outcome, found = native.search_index(
                problem, costs, index.numbering(), plan=plan, to_goal=to_goal, **options
            )
        except ValueError as error:  # wider than what is compiled
            raise UsageError(
                f"{task.name} is too large for an index: {error}", hint="use --store hash"
            ) from error
        return outcome

    answer = run(search_index, task, metric, limits, progress, exhaust, "off")
    statistics = {**answer.statistics, "consistent_states": index.size}
    return replace(answer, statistics=statistics), found


def _are_equal(weights: NDArray[np.int64]) -> bool:
    return bool(weights.min() == weights.max() > 0)


def run(
    search: Callable[..., Outcome],
    task: Task,
    metric: Metric,
    limits: Limits,
    progress: Callable[[Progress], None] | None,
    exhaust: bool,
    symmetry: str,
    threads: int | None = None,
) -> Answer:
    """What a core's `search` says: a goal reached is optimal, exhaustion without one unsolvable."""
    seconds = inf if limits.seconds is None else limits.seconds
    table = cost_table(task, metric)
    outcome, group = search_by(
        symmetry,
        Question(search, task.problem, table, exhaust, seconds, limits.memory, progress, threads),
    )
    statistics: dict[str, Any] = {
        "algorithm": outcome.algorithm,
        "states": outcome.num_states,
        "goal_states": outcome.num_goal_states,
        "expanded": outcome.num_expanded,
        "generated": outcome.num_generated,
        "layers": [[list(cost), count] for cost, count in outcome.layers],
        "seconds": outcome.seconds,
        "bytes": outcome.bytes,
        "exhausted": outcome.status == "exhausted",
    }
    if group is not None:
        statistics["symmetry"] = {
            "order": group.order,
            "fixes_start": group.fixes_initial,
            "canonical_states": outcome.canonical_states,
            "orbit_states": outcome.orbit_states,
        }
    stopped = outcome.status not in ("goal", "exhausted")
    reason = outcome.status if stopped else None
    if outcome.cost is not None:
        return Answer("optimal", outcome.cost, outcome.cost, outcome.plan, reason, statistics)
    if outcome.status == "exhausted":
        return Answer("unsolvable", None, outcome.lower_bound, None, None, statistics)
    return Answer("limit", None, outcome.lower_bound, None, reason, statistics)
