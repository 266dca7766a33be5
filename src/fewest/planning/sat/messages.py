"""The messages between the engine and the process of a solver.

They consist of bytes, since the process does not import NumPy: the import takes longer than the rest of its
start.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence

from msgspec import Struct


class Request(Struct, frozen=True):
    """Clauses to add (to a new solver if `is_new`), and a question.

    `clauses`: for each length the number of clauses, that length and the literals as int32. `assumptions`
    None: there is no question yet. `conflicts`: the limit after which the solver gives up.
    """

    clauses: Sequence[tuple[int, int, bytes]]
    is_new: bool = False
    assumptions: Sequence[int] | None = None
    conflicts: int | None = None


class Reply(Struct, frozen=True):
    """`verdict`: satisfiable or not, None if the solver gave up; the true variables of a model as int32;
    conflicts so far, None if the solver does not report them; `error` is the reason if the question failed.
    """

    verdict: bool | None = None
    model: bytes | None = None
    conflicts: int | None = None
    error: str = ""

    def true_variables(self) -> set[int]:
        """Of the model."""
        return set(array("i", self.model or b""))
