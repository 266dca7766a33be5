"""Search from both ends: forward from the start and backward from every goal state, until the two searches meet.

This engine suits goals that consist of one or a few states: two searches to half the depth visit far fewer states than
one search to the full depth (Pohl, Bi-directional search, Machine Intelligence 6, 1971). The engine proves the minimum
in every metric of the language. If all moves, all merged moves or all pushes cost the same, the engine searches in
layers; otherwise, it runs Dijkstra's algorithm from both ends. The headers `bidirectional.hpp` and
`bidirectional_dijkstra.hpp` of the core explain why the first meeting, or the stopping rule, proves the minimum.

The goal states are enumerated from the cubes of the goal and the mutex groups: all states that satisfy both, reachable
or not. Unreachable goal states and their predecessors cost time, but the answer is still correct, because no path from
the start leads to them.

The forward side omits the dead states that contain a known deadlock set (`deadlocks`); see
`stage_searches.BidirectionalStage`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec.structs import replace

from fewest.analysis.regression import TooManyStatesError
from fewest.engines.stage_searches import MAX_GOAL_STATES, BidirectionalStage, Request
from fewest.errors import UsageError
from fewest.model.answer import Answer, LimitReached, Limits
from fewest.store.optional_checkpoint import open_if_wanted

if TYPE_CHECKING:
    from fewest.model.metric import Metric
    from fewest.model.task import Task
    from fewest.search.interface import Progress
    from fewest.store.checkpoint import CheckpointLocation

BOTH = "both-ends"  # the file in a checkpoint that contains the states of both sides


def solve(
    task: Task,
    metric: Metric,
    limits: Limits,
    progress: Callable[[Progress], None] | None = None,
    *,
    checkpoint: str | CheckpointLocation | None = None,
) -> Answer:
    """The minimum, or the proof that there is no plan. If one side has no states left to expand, this proves that there
    is no plan.

    `checkpoint`: a folder for the states of both sides, saved at least a minute apart (if the search has layers, only
    complete layers are saved) and at the end; the search resumes from there. Raises UsageError if there are more than
    `MAX_GOAL_STATES` goal states, or if a checkpoint is impossible. Raises StoreError if the folder is damaged or does
    not belong to this search.
    """
    if checkpoint is not None:
        from fewest.engines.checkpointed import require_core

        require_core(task)
    from fewest.engines import portfolio

    request = Request(task, metric, limits)
    with open_if_wanted(checkpoint, task, metric) as saved:
        file = "" if saved is None else str(saved.folder / BOTH)
        try:
            search = BidirectionalStage(request, most=MAX_GOAL_STATES, file=file)
        except TooManyStatesError as error:
            raise UsageError(
                f"a search from both ends supports at most {MAX_GOAL_STATES:,} goal positions; "
                f"{task.name} has more (the upper bound is {error.at_most:,})",
                hint="use --engine bfs, or a goal that determines the place of nearly every piece",
            ) from None
        except LimitReached as limit:
            return Answer("limit", None, request.zero, None, limit.reason)
        except KeyboardInterrupt:
            return Answer("limit", None, request.zero, None, "interrupted")
        return replace(portfolio.run_one("bidirectional", request, search, progress), engine=None)
