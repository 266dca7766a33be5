"""Properties of a task that A* can use in addition to its operators: symmetries and deadlock sets."""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from msgspec import Struct

from fewest.model.costs import cost_table
from fewest.model.task import facts_in

if TYPE_CHECKING:
    from fewest.model.metric import Metric
    from fewest.model.problem import Problem
    from fewest.model.task import Task

MAX_IMAGES = 48  # the maximum number of symmetries: the search maps every successor by each of them


class Hints(Struct, frozen=True):
    """The symmetries that A* applies to every state, and the deadlock sets."""

    images: list[list[int]]
    dead: list[tuple[list[int], list[int]]]


# They are the same in every metric. Each task has its own problem, and tasks cannot be keys, because their hash would
# read all operators.
_DEAD_SETS: WeakKeyDictionary[Problem, list[tuple[list[int], list[int]]]] = WeakKeyDictionary()


def hints(task: Task, metric: Metric) -> Hints:
    """The hints of a task. Computing them takes tens of milliseconds."""
    return Hints(_images(task, metric), _dead_sets(task))


def _dead_sets(task: Task) -> list[tuple[list[int], list[int]]]:
    """The deadlock sets: the true facts and the false facts of each set. A state is dead if all facts of a set have the
    values that the set gives.

    Sets for one piece are omitted, because the distances of single pieces already show these deadlocks.
    """
    from fewest.deadlocks.dead_cubes import find_dead_cubes

    known = _DEAD_SETS.get(task.problem)
    if known is None:
        found = [end.cube for end in find_dead_cubes(task).found if end.size > 1]
        known = [(facts_in(value), facts_in(mask & ~value)) for mask, value in found]
        _DEAD_SETS[task.problem] = known
    return known


def _images(task: Task, metric: Metric) -> list[list[int]]:
    """All symmetries of the task in the metric, each as the image of every fact; none if there are more than
    `MAX_IMAGES`, or if the goal has several lists of cubes.
    """
    from fewest.analysis.symmetry import find_symmetry

    # If the goal has several lists of cubes, the tables are valid for states that can be reached from the start, but
    # not for states that can be reached only from its images.
    if task.further_goals:
        return []
    symmetry = find_symmetry(task.problem, cost_table(task, metric))
    if symmetry is None or symmetry.order > MAX_IMAGES:
        return []
    images: list[list[int]] = symmetry.facts.tolist()
    return images
