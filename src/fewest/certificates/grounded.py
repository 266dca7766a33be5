"""The task of a certificate's puzzle, grounded once for all checkers that believe the grounder, and for its audit."""

from __future__ import annotations

from fewest.certificates.container import RejectedError
from fewest.errors import FewestError
from fewest.grounding.ground import ground
from fewest.model.puzzle import Puzzle
from fewest.model.task import Task

_last: list[
    tuple[Puzzle, Task]
] = []  # one at most: the sections of a certificate are of one puzzle


def grounded(puzzle: Puzzle) -> Task:
    """The task of a puzzle. Raises RejectedError if the puzzle cannot be grounded."""
    if not _last or _last[0][0] is not puzzle:
        try:
            _last[:] = [(puzzle, ground(puzzle))]
        except FewestError as error:
            raise RejectedError(f"its puzzle cannot be grounded:\n{error}") from None
    return _last[0][1]
