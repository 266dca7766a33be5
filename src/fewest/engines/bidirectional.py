"""Search from both ends: forward from the start, backward from every goal state, until they meet.

For goals of one state or few: two searches to half the depth look at far fewer states than one to the
whole depth (Pohl, Bi-directional search, Machine Intelligence 6, 1971). Minimal in every metric of the
language: layers where a move, a run of moves, or a push costs one, else Dijkstra's algorithm from both
ends; the headers `bidirectional.hpp` and `bidirectional_dijkstra.hpp` of the core say why the first
meeting, or the stopping rule, proves it.

The goal states are enumerated from the goal's cubes and the groups of which exactly or at most so many
facts are true: all states of that shape, whether they can be reached or not. One that cannot be
reached, and what leads to it, costs time but no correctness, since no way from the start meets it.

Where an agent walks among pieces, the forward side leaves out what is lost (`deadends`): no plan passes there, in
whatever metric. Half of all that Sokoban generates is.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from math import inf
from typing import TYPE_CHECKING

from fewest.analysis.reverse import TooManyStatesError, goal_states, reverse
from fewest.engines.outcomes import answer_of, counts
from fewest.engines.registry import has_one_weight
from fewest.errors import UsageError
from fewest.model.answer import Answer, LimitReached, Limits
from fewest.model.costs import cost_table
from fewest.search.bidirectional import bidirectional
from fewest.store.keeping import kept_in

if TYPE_CHECKING:
    from fewest.model.metric import Metric
    from fewest.model.task import Task
    from fewest.search.interface import Progress
    from fewest.store.checkpoint import CheckpointPlace

BOTH = "both-ends"  # in a checkpoint
MAX_GOAL_STATES = 100_000
LARGEST_LOST = 3  # pieces of sets that are lost together


def solve(
    task: Task,
    metric: Metric,
    limits: Limits,
    progress: Callable[[Progress], None] | None = None,
    *,
    checkpoint: str | CheckpointPlace | None = None,
) -> Answer:
    """The minimum, or the proof that there is no plan: one of the two sides has come to its end.

    `checkpoint`: a folder that keeps what both sides have, whole layers a minute apart where there are layers, from
    where it is gone on with, and the answer. Raises UsageError if there are more than `MAX_GOAL_STATES` goal states,
    StoreError.
    """
    if checkpoint is not None:
        from fewest.engines.kept import require_core

        require_core(task)
    deadline = inf if limits.seconds is None else time.perf_counter() + limits.seconds
    zero = (0,) * len(metric.parts)
    try:
        goals = goal_states(task, MAX_GOAL_STATES, deadline)
    except TooManyStatesError as error:
        raise UsageError(
            f"{task.name} has too many goal positions to search back from:"
            f" more than {MAX_GOAL_STATES:,}, at most {error.at_most:,}",
            hint="`--engine bfs` does not need them; here the goal must say where nearly everything is",
        ) from None
    except LimitReached as limit:
        return Answer("limit", None, zero, None, limit.reason)
    except KeyboardInterrupt:
        return Answer("limit", None, zero, None, "interrupted")
    with kept_in(checkpoint, task, metric) as kept:
        meeting = bidirectional(
            _without_lost(task, metric).problem,
            cost_table(task, metric),
            reverse(task, goals),
            seconds=max(0.0, deadline - time.perf_counter()),
            memory=limits.memory,
            progress=progress,
            file="" if kept is None else str(kept.folder / BOTH),
        )
    outcome = meeting.outcome
    statistics = counts(
        outcome,
        forward_states=meeting.num_states[0],
        backward_states=meeting.num_states[1],
        forward_radius=list(meeting.radius[0]),
        backward_radius=list(meeting.radius[1]),
    )
    return answer_of(outcome, statistics)


def _without_lost(task: Task, metric: Metric) -> Task:
    """The task with what is lost forbidden.

    Where walks are free, what is lost only while the agent is somewhere would take the agent's regions apart.
    """
    from fewest.deadends.dead_ends import forbidding

    has_regions = len(metric.parts) == 1 and not has_one_weight(metric)
    return forbidding(task, LARGEST_LOST, wherever_agent=has_regions)
