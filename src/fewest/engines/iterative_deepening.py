"""Iterative deepening over a stored tree of pushes with a transposition table, made right."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec.structs import replace

from fewest.engines.outcomes import informed_answer
from fewest.store.keeping import kept_in

if TYPE_CHECKING:
    from fewest.model.answer import Answer, Limits
    from fewest.model.metric import Metric
    from fewest.model.task import Task
    from fewest.search.interface import Progress
    from fewest.store.checkpoint import CheckpointPlace

TREE = "tree"  # in a checkpoint


def solve(
    task: Task,
    metric: Metric,
    limits: Limits,
    progress: Callable[[Progress], None] | None = None,
    *,
    checkpoint: str | CheckpointPlace | None = None,
) -> Answer:
    """The minimum, proven: no leaf of the tree has a lower bound below it.

    There to be compared with A*: the same distances of pieces, dead spots and frozen pieces, and none of the
    rest. Takes weights, free moves and lexicographic pairs. `checkpoint`: a folder that keeps the tree, once a minute
    and when the search is stopped otherwise than by the memory, from where it goes on, and the answer. Raises
    UsageError as `informed_answer` does, StoreError.

    In the statistics, `iterations` are (limit, nodes, expanded) after each iteration, counted from the
    start; `cut` are successors that the transposition table cut off, `reopened` nodes expanded again.
    Sources: Korf (1985) for iterative deepening; Reinefeld and Marsland (1994) for its transposition table.
    """
    from fewest.search.informed import iterative_deepening  # there only with the native core

    with kept_in(checkpoint, task, metric) as kept:
        file = "" if kept is None else str(kept.folder / TREE)
        answer = informed_answer(iterative_deepening, task, metric, limits, progress, file=file)
    return replace(answer, statistics={"algorithm": "iterative deepening", **answer.statistics})
