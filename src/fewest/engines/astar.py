"""A* with admissible lower bounds derived from the task: few states where pieces have far to go."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from fewest.analysis.symmetry import find_symmetry
from fewest.deadends.dead_ends import dead_ends
from fewest.engines.outcomes import informed_answer
from fewest.model.costs import cost_table
from fewest.model.task import facts_in

if TYPE_CHECKING:
    from fewest.model.answer import Answer, Limits
    from fewest.model.metric import Metric
    from fewest.model.task import Task
    from fewest.search.informed import Patterns
    from fewest.search.interface import Progress

MAX_IMAGES = 48  # every successor is looked at in each


class Hints(Struct, frozen=True):
    """What A* is told of a task beside its operators: what is found once, however often it is asked."""

    images: list[list[int]]
    dead: list[tuple[list[int], list[int]]]


def hints(task: Task, metric: Metric) -> Hints:
    """Symmetries that can be tried on every state, and sets of pieces that are lost together."""
    return Hints(_images(task, metric), _dead_sets(task))


def solve(
    task: Task,
    metric: Metric,
    limits: Limits,
    progress: Callable[[Progress], None] | None = None,
    *,
    is_deepening: bool = False,
    patterns: Patterns = "auto",
    told: Hints | None = None,
) -> Answer:
    """The minimum, proven: no open state has a lower bound below it.

    Where the memory ends it goes on by iterative deepening (docs/astar.md); `is_deepening`: from the
    beginning. `patterns`: whether pattern databases are built. `told`: the `hints` of the task in the
    metric, if they are there already. Raises UsageError as `informed_answer` does.
    """
    from fewest.search.informed import astar  # there only with the native core

    told = told or hints(task, metric)
    return informed_answer(
        astar,
        task,
        metric,
        limits,
        None if progress is None else _rising(progress),
        images=told.images,
        dead=told.dead,
        is_deepening=is_deepening,
        patterns=patterns,
    )


def _rising(progress: Callable[[Progress], None]) -> Callable[[Progress], None]:
    """The progress of what begins anew (every limit of a deepening search, pattern databases) never falls."""
    best = (0, 0, 0, 0)

    def report(now: Progress) -> None:
        nonlocal best
        said = (now.cost, now.num_states, now.num_expanded, now.bytes)
        best = tuple(map(max, best, said))  # type: ignore[assignment]
        cost, states, expanded, size = best
        changes = {"cost": cost, "num_states": states, "num_expanded": expanded, "bytes": size}
        progress(replace(now, **changes))

    return report


def _dead_sets(task: Task) -> list[tuple[list[int], list[int]]]:
    """Sets of pieces that are lost together, each with the facts of which one must be true to save them.

    Single pieces are left out: their distances say the same.
    """
    found = [end.cube for end in dead_ends(task).found if end.size > 1]
    return [(facts_in(value), facts_in(mask & ~value)) for mask, value in found]


def _images(task: Task, metric: Metric) -> list[list[int]]:
    """The symmetries of the task in the metric, if they are few enough to try all on every state."""
    symmetry = find_symmetry(task.problem, cost_table(task, metric))
    if symmetry is None or symmetry.order > MAX_IMAGES:
        return []
    images: list[list[int]] = symmetry.facts.tolist()
    return images
