"""Exhaustive search that stores two bits for each consistent state instead of a table of the reached states."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from fewest import search
from fewest.engines.blind_search import search_all
from fewest.errors import UsageError
from fewest.machine.memory import left_of
from fewest.model.costs import cost_table
from fewest.space.index import state_index
from fewest.store.location import IndexLocation
from fewest.store.optional_checkpoint import open_if_wanted

if TYPE_CHECKING:
    from pathlib import Path

    from fewest.model.answer import Answer, Limits
    from fewest.model.costs import CostTable
    from fewest.model.metric import Metric
    from fewest.model.problem import Problem
    from fewest.model.task import Task
    from fewest.search.interface import GoalDistances, Outcome, Progress
    from fewest.space.index import StateIndex
    from fewest.store.checkpoint import CheckpointLocation


_MARKS = "marks"
"""The file in a checkpoint folder that contains the saved marks of a single process."""


class Indexed(Struct, frozen=True):
    """The answer and, if they were requested and the search is complete, the goal distances of the reached states."""

    answer: Answer
    goal_distances: GoalDistances | None


def search_index(
    task: Task,
    metric: Metric,
    limits: Limits,
    progress: Callable[[Progress], None] | None = None,
    *,
    exhaust: bool = False,
    plan: bool = True,
    goal_distances: bool = False,
    depth: int | None = None,
    symmetry: str = "auto",
    checkpoint: str | CheckpointLocation | None = None,
    threads: int | None = None,
    store: str | IndexLocation = "index",
) -> Indexed:
    """Like `bfs.solve`, but the search stores two bits for each consistent state (see `space.index`).

    - `plan`: whether to find a plan if a goal state is reached. This takes longer than finding only the minimum.
    - `goal_distances`: whether to compute, together with `exhaust`, the goal distances of all reached states.
    - `depth`: the maximum number of moves; it has no effect if the checkpoint already has more layers. If it ends the
      search, the reason is "depth".
    - `checkpoint`: a folder from which the search resumes. The search saves the layers there at most once a minute, as
      two bits for each consistent state. The work after the last layer (the plan and the distances) is not saved.
    - `store`: an `IndexLocation`, which divides the numbers of the states among its workers.

    An index is sound if every move, single or merged, costs the same. Raises UsageError for other metrics, for tasks
    with permutations or consequences, if there are too many states or they are too wide, if `symmetry` is "on", or if
    the native core is missing. Raises StoreError if the folder is damaged or does not belong to this search.
    """
    place = store if isinstance(store, IndexLocation) else None
    index = _index(task, metric, limits, symmetry, place)
    from fewest.search import native_index

    distances: GoalDistances | None = None
    figures: dict[str, Any] = {}

    def run_core(problem: Problem, costs: CostTable, **options: Any) -> Outcome:
        nonlocal distances
        numbers = index.numbering(), index.numbering(index.levels)
        options |= {"plan": plan, "goal_distances": goal_distances}
        try:
            if place is not None:
                from fewest.store.index_parts import search_parts

                outcome, distances, part_figures = search_parts(
                    problem, costs, *numbers, place=place, **options
                )
                figures.update(part_figures)
                return outcome
            outcome, distances = native_index.search_index(problem, costs, *numbers, **options)
        except MemoryError:
            raise UsageError(
                f"the marks of {index.size:,} consistent states do not fit into the memory of the actors",
                hint="use more --memory, or more --actors on more nodes",
            ) from None
        except native_index.DamageError:
            raise
        except ValueError as error:  # the states are wider than every compiled width
            raise UsageError(
                f"{task.name} is too large for an index: {error}", hint="use --store hash"
            ) from error
        return outcome

    core: Callable[..., Outcome] = run_core
    if depth is not None:
        core = partial(core, depth=depth)
    with open_if_wanted(checkpoint, task, metric) as saved:
        if saved is not None:
            _check_marks(saved.folder, place)
            core = partial(
                core,
                **(
                    {"file": str(saved.folder / _MARKS)}
                    if place is None
                    else {"folder": saved.folder}
                ),
            )
        elif place is not None:
            core = partial(core, folder=None)
        requested: dict[str, Any] = {"exhaust": exhaust, "symmetry": "off", "threads": threads}
        answer = search_all(
            core, task, metric, limits, _with_most(progress, index.size), **requested
        )
    statistics = {**answer.statistics, "consistent_states": index.size}
    if place is not None:
        folder = None if checkpoint is None else str(checkpoint)
        statistics["store"] = {"folder": folder, **figures}
    return Indexed(replace(answer, statistics=statistics), distances)


def _check_marks(folder: Path, place: IndexLocation | None) -> None:
    """Raises StoreError if the marks in a folder were written by a single process and the search now runs on a cluster,
    or vice versa.
    """
    from fewest.store.error_translation import StoreError
    from fewest.store.index_workers import NAME

    if place is None and (folder / NAME).exists():
        raise StoreError(
            f"the marks in {folder} belong to a search on a cluster",
            hint="resume this search with --cluster",
        )
    if place is not None and (folder / _MARKS).exists():
        raise StoreError(
            f"the marks in {folder} belong to a search in one process",
            hint="resume this search without --cluster",
        )


def _with_most(
    progress: Callable[[Progress], None] | None, most: int
) -> Callable[[Progress], None] | None:
    """A progress callback that also reports `most`, the number of consistent states."""
    if progress is None:
        return None
    return lambda current: progress(replace(current, most_states=most))


def _index(
    task: Task, metric: Metric, limits: Limits, symmetry: str, place: IndexLocation | None
) -> StateIndex:
    """The numbering of the consistent states.

    Raises UsageError if an index does not support the task or the metric, or does not fit into the memory limit.
    """
    task.require_operators("an index")
    if symmetry == "on":
        raise UsageError(
            "symmetry cannot be used with an index, because an index contains all states",
            hint="use --store hash",
        )
    if not search.NATIVE:
        raise UsageError("an index needs the native core, which is not installed")
    weights = set(cost_table(task, metric).weight)
    if len(metric.parts) != 1 or len(weights) > 1 or 0 in weights:
        raise UsageError(
            f"an index does not support the metric `{metric.name}`, because its moves do not all cost the same",
            hint="use --store hash",
        )
    index = state_index(task)
    left = left_of(limits.memory) if place is None else limits.memory
    if left is not None and index.num_bytes > left:
        raise UsageError(
            f"{index.size:,} consistent states need {index.num_bytes:,} bytes, which exceeds the "
            f"memory limit of {limits.memory:,}",
            hint="use --store hash, or set a higher limit with --memory",
        )
    return index
