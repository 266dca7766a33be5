"""Grounds the puzzle of a certificate once, for the checkers that trust the grounder and for the check of the grounder
itself.
"""

from __future__ import annotations

from weakref import WeakKeyDictionary

from fewest.certificates.container import Budget, RejectedError, TooLargeError
from fewest.errors import FewestError, TimeLimitError
from fewest.grounding.ground import ground
from fewest.model.puzzle import Puzzle
from fewest.model.task import Task

_OPERATOR = 1_000  # the number of bytes that grounding takes for each operator

_tasks: WeakKeyDictionary[Puzzle, Task] = WeakKeyDictionary()


def grounded(puzzle: Puzzle, budget: Budget) -> Task:
    """The task of a puzzle. Raises RejectedError if the puzzle cannot be grounded, and TooLargeError or TimeLimitError
    if a limit is exceeded.
    """
    if puzzle not in _tasks:
        try:
            _tasks[puzzle] = ground(puzzle, lambda number, _: budget.spend(number * _OPERATOR))
        except (TooLargeError, TimeLimitError):
            raise
        except FewestError as error:
            raise RejectedError(
                f"the puzzle in the certificate cannot be grounded:\n{error}"
            ) from None
    return _tasks[puzzle]
