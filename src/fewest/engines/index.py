"""Exhaustive search with two bits for each consistent state, instead of a table of the reached states."""

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
from fewest.store.optional_checkpoint import open_if_wanted

if TYPE_CHECKING:
    from fewest.model.answer import Answer, Limits
    from fewest.model.costs import CostTable
    from fewest.model.metric import Metric
    from fewest.model.problem import Problem
    from fewest.model.task import Task
    from fewest.search.interface import GoalDistances, Outcome, Progress
    from fewest.space.index import StateIndex
    from fewest.store.checkpoint import CheckpointLocation


class Indexed(Struct, frozen=True):
    """The answer, and all distances to the goal if they were requested and the search was completed."""

    answer: Answer
    to_goal: GoalDistances | None


def search_index(
    task: Task,
    metric: Metric,
    limits: Limits,
    progress: Callable[[Progress], None] | None = None,
    *,
    exhaust: bool = False,
    plan: bool = True,
    to_goal: bool = False,
    depth: int | None = None,
    symmetry: str = "auto",
    checkpoint: str | CheckpointLocation | None = None,
    threads: int | None = None,
) -> Indexed:
    """As `bfs.solve`, with two bits for each consistent state (see `space.index`).

    `plan`: find one if there is a goal, which takes longer than the minimum alone; `to_goal`: all distances
    to the goal. `depth`: the maximal number of moves, unless the checkpoint has more already; then the reason
    is "depth". `checkpoint`: a folder for the layers, saved at least a minute apart, two bits for each
    consistent state, from which the search resumes; the steps after the last layer (a plan, distances) are
    not saved. Sound if every move, single or merged, costs the same. Raises UsageError for other metrics, for
    too many states, for `symmetry` on, and without the native core; StoreError for a folder of something
    else.
    """
    index = _index(task, metric, limits, symmetry)
    from fewest.search import native

    distances: GoalDistances | None = None

    def ask(problem: Problem, costs: CostTable, **options: Any) -> Outcome:
        nonlocal distances
        try:
            outcome, distances = native.search_index(
                problem,
                costs,
                index.numbering(),
                index.numbering(index.levels),
                plan=plan,
                to_goal=to_goal,
                **options,
            )
        except native.DamageError:
            raise
        except ValueError as error:  # wider than the compiled widths
            raise UsageError(
                f"{task.name} is too large for an index: {error}", hint="use --store hash"
            ) from error
        return outcome

    core: Callable[..., Outcome] = ask
    if depth is not None:
        core = partial(core, depth=depth)
    with open_if_wanted(checkpoint, task, metric) as kept:
        if kept is not None:
            core = partial(core, file=str(kept.folder / "marks"))
        asked: dict[str, Any] = {"exhaust": exhaust, "symmetry": "off", "threads": threads}
        answer = search_all(core, task, metric, limits, _with_most(progress, index.size), **asked)
    statistics = {**answer.statistics, "consistent_states": index.size}
    return Indexed(replace(answer, statistics=statistics), distances)


def _with_most(
    progress: Callable[[Progress], None] | None, most: int
) -> Callable[[Progress], None] | None:
    """A progress callback that also reports the maximal number of states."""
    if progress is None:
        return None
    return lambda said: progress(replace(said, most_states=most))


def _index(task: Task, metric: Metric, limits: Limits, symmetry: str) -> StateIndex:
    """The numbers of the states. Raises UsageError if an index does not support the task or the metric."""
    task.require_operators("an index")
    if symmetry == "on":
        raise UsageError(
            "an index holds all states, not one of every orbit", hint="use --store hash"
        )
    if not search.NATIVE:
        raise UsageError("an index is searched by the native core, which is not there")
    weights = set(cost_table(task, metric).weight)
    if len(metric.parts) != 1 or len(weights) > 1 or 0 in weights:
        raise UsageError(
            f"{metric.name}: two bits a state are enough only where all moves cost the same",
            hint="use --store hash",
        )
    index = state_index(task)
    left = left_of(limits.memory)
    if left is not None and index.num_bytes > left:
        raise UsageError(
            f"{index.size:,} consistent states take {index.num_bytes:,} bytes, more than the memory "
            f"limit of {limits.memory:,}",
            hint="use --store hash, or more --memory",
        )
    return index
