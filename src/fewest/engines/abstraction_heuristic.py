"""A* with exact distances of abstractions as lower bounds, in metrics that merge moves as well (`slides`, `turns`).

The abstractions are what the task itself suggests (`analysis.abstraction`): pieces that stand on the same cells and
move by the same rules lose their names, which divides the states by the factorial of their number; and each piece
of which the goal says where it ends, alone. All of each abstract space is measured from the goal; where the memory
does not suffice for one it is left out. Sound where every move costs the same, alone or in runs: then a move costs
no less than its image does, and bounds are consistent. Other metrics are refused.

Where the cheapest abstract way can be gone with the names as well it is found nearly without a search, and is
minimal, since nothing can be cheaper.
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

_MOST_ALONE = 4  # goal pieces: each costs a look for every state


def solve(
    task: Task,
    metric: Metric,
    limits: Limits,
    progress: Callable[[Progress], None] | None = None,
) -> Answer:
    """The minimum, or the proof that there is no plan.

    Raises UsageError where moves do not all cost the same, alone or in runs, and for states that are too wide.
    """
    from fewest.search.abstraction_astar import guided

    began = time.perf_counter()
    chosen = [as_problem(one, metric) for one in abstractions(task)]
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
            f"{task.name}: `{metric.name}` cannot be searched with abstractions: its moves do not all cost the same",
            hint="use --engine bfs",
        )
    statistics = counts(
        found.outcome,
        initial_bound=list(found.initial_bound),
        abstractions=found.num_abstractions,
        abstract_bytes=found.abstract_bytes,
    )
    return answer_of(found.outcome, statistics)


def abstractions(task: Task) -> list[Abstraction]:
    """What the task suggests to forget, at least one. Raises UsageError where its moves are not operators alone."""
    task.require_operators("an abstraction")
    sets = alike(task)
    found = [without_names(task, sets)] if sets else []
    pieces = goal_pieces(task)
    if len(pieces) <= _MOST_ALONE or not found:
        found += [one for piece in pieces[:_MOST_ALONE] if (one := only(task, piece)) is not None]
    return found or [only(task, 0) or without_names(task, ())]


def as_problem(abstract: Abstraction, metric: Metric) -> AbstractProblem:
    """An abstraction as the core takes it."""
    from fewest.search.abstraction_astar import AbstractProblem

    return AbstractProblem(
        abstract.task.problem,
        cost_table(abstract.task, metric),
        reverse(abstract.task, ()),
        abstract.image,
    )
