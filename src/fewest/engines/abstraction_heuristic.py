"""A* with the exact distances of abstractions as its heuristic. This engine also supports metrics that merge moves
(`slides`, `turns`).

The abstractions are derived from the task (`analysis.abstraction`). One abstraction ignores the names of pieces that
can occupy the same cells and move by the same rules. This divides the number of states by the factorial of the number
of such pieces. Each of the other abstractions keeps a single piece that has a final place in the goal. The engine
computes the goal distances for the whole space of each abstraction. Half of the memory is divided equally among the
abstractions; an abstraction that does not fit into its share is omitted. The heuristic is consistent if every move,
single or merged, costs the same: then a move costs no less than its image. The engine refuses other metrics.

If some cheapest abstract plan is also a plan of the task, A* finds it with almost no search. This plan is minimal,
because no plan costs less than the abstract distance.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from math import inf
from typing import TYPE_CHECKING

from fewest.analysis.abstraction import Abstraction, alike, goal_pieces, only, without_names
from fewest.analysis.regression import reverse
from fewest.engines.answers import answer_of, counts
from fewest.errors import UsageError
from fewest.model.costs import cost_table

if TYPE_CHECKING:
    from fewest.model.answer import Answer, Limits
    from fewest.model.metric import Metric
    from fewest.model.task import Task
    from fewest.search.abstraction_astar import AbstractProblem
    from fewest.search.interface import Progress

# the maximum number of abstractions that keep one piece; each of them requires a look-up for every state
_MOST_ALONE = 4


def solve(
    task: Task,
    metric: Metric,
    limits: Limits,
    progress: Callable[[Progress], None] | None = None,
) -> Answer:
    """The minimum, or the proof that there is no plan.

    Raises UsageError if moves, single or merged, differ in cost, if states are too wide, or if the task has moves other
    than operators.
    """
    from fewest.search.abstraction_astar import guided

    began = time.perf_counter()
    chosen = [as_problem(one, metric) for one in abstractions(task, metric)]
    seconds = inf if limits.seconds is None else limits.seconds
    try:
        found = guided(
            task.problem,
            cost_table(task, metric),
            chosen,
            seconds=max(0.0, seconds - (time.perf_counter() - began)),
            memory=limits.memory,
            progress=progress,
        )
    except (ValueError, OverflowError) as error:
        raise UsageError(f"{task.name}: {error}", hint="use --engine bfs") from error
    if found is None:
        raise UsageError(
            f"abstractions do not support the metric `{metric.name}` of {task.name}, because its "
            "moves do not all cost the same",
            hint="use --engine bfs",
        )
    statistics = counts(
        found.outcome,
        initial_bound=list(found.initial_bound),
        abstractions=found.num_abstractions,
        abstract_bytes=found.abstract_bytes,
    )
    return answer_of(found.outcome, statistics)


def abstractions(task: Task, metric: Metric) -> list[Abstraction]:
    """The abstractions for the task that suit the metric, at least one. Raises UsageError if the task has moves other
    than operators.
    """
    task.require_operators("an abstraction")
    sets = alike(task)
    nameless = without_names(task, sets) if sets else None
    found = [nameless] if nameless is not None and nameless.suits(metric) else []
    pieces = goal_pieces(task)
    if len(pieces) <= _MOST_ALONE or not found:
        found += [one for piece in pieces[:_MOST_ALONE] if (one := only(task, piece)) is not None]
    return found or [only(task, 0) or without_names(task, ())]


def as_problem(abstract: Abstraction, metric: Metric) -> AbstractProblem:
    """An abstraction in the format that the core expects."""
    from fewest.search.abstraction_astar import AbstractProblem

    return AbstractProblem(
        abstract.task.problem,
        cost_table(abstract.task, metric),
        reverse(abstract.task, ()),
        abstract.image,
    )
