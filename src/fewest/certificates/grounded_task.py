"""Grounds the puzzle of a certificate once, for the checkers that trust the grounder and for the check of the grounder
itself.
"""

from __future__ import annotations

from math import prod
from weakref import WeakKeyDictionary

from msgspec.structs import replace

from fewest.certificates.container import Budget, RejectedError, TooLargeError
from fewest.errors import FewestError, TimeLimitError
from fewest.grounding.goals import MAX_GOALS
from fewest.grounding.ground import ground
from fewest.model.puzzle import Puzzle
from fewest.model.task import Cube, Task

_OPERATOR = 1_000  # the number of bytes that grounding takes for each operator

_tasks: WeakKeyDictionary[Puzzle, Task] = WeakKeyDictionary()


def grounded(puzzle: Puzzle, budget: Budget) -> Task:
    """The task of a puzzle, with one list of goal cubes if possible.

    Raises RejectedError if the puzzle cannot be grounded, and TooLargeError or TimeLimitError if a limit is exceeded.
    """
    if puzzle not in _tasks:
        try:
            task = ground(puzzle, lambda number, _: budget.spend(number * _OPERATOR))
            _tasks[puzzle] = with_one_goal_list(task)
        except (TooLargeError, TimeLimitError):
            raise
        except FewestError as error:
            raise RejectedError(
                f"the puzzle in the certificate cannot be grounded:\n{error}"
            ) from None
    return _tasks[puzzle]


def with_one_goal_list(task: Task) -> Task:
    """The task; its goal lists are multiplied out if they have at most MAX_GOALS combinations.

    The grounder multiplies them out only if they have few combinations before it drops the facts that can never become
    true.
    """
    lists = task.goal_lists
    if len(lists) < 2 or prod(map(len, lists)) > MAX_GOALS:
        return task
    found: list[Cube] = [(0, 0)]
    for cubes in lists:
        found = [
            (known_mask | mask, known | value)
            for known_mask, known in found
            for mask, value in cubes
            if not (known ^ value) & known_mask & mask
        ]
    return replace(task, goal=tuple(dict.fromkeys(found)), further_goals=())
