"""The properties of a task, besides its operators, that A* can use: symmetries and deadlock sets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from fewest.model.costs import cost_table
from fewest.model.task import facts_in

if TYPE_CHECKING:
    from fewest.model.metric import Metric
    from fewest.model.task import Task

MAX_IMAGES = 48  # every successor is mapped by each of them


class Hints(Struct, frozen=True):
    """Symmetries that are few enough to map every state, and deadlock sets."""

    images: list[list[int]]
    dead: list[tuple[list[int], list[int]]]


def hints(task: Task, metric: Metric) -> Hints:
    """The hints of a task. Cost: some ten milliseconds."""
    return Hints(_images(task, metric), _dead_sets(task))


def _dead_sets(task: Task) -> list[tuple[list[int], list[int]]]:
    """The deadlock sets, each with the facts of which one must be true to save them.

    Single pieces are left out: their distances imply the same.
    """
    from fewest.deadends.dead_cubes import find_dead_cubes

    found = [end.cube for end in find_dead_cubes(task).found if end.size > 1]
    return [(facts_in(value), facts_in(mask & ~value)) for mask, value in found]


def _images(task: Task, metric: Metric) -> list[list[int]]:
    """The symmetries of the task in the metric, if they are few enough to try all on every state."""
    from fewest.analysis.symmetry import find_symmetry

    symmetry = find_symmetry(task.problem, cost_table(task, metric))
    if symmetry is None or symmetry.order > MAX_IMAGES:
        return []
    images: list[list[int]] = symmetry.facts.tolist()
    return images
