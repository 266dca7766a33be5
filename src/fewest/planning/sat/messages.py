"""The messages between the engine and the process in which a solver runs.

Arrays are sent as bytes, so that the process need not import NumPy. Importing NumPy would take longer than all other
work at the start of the process.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence

from msgspec import Struct


class Request(Struct, frozen=True):
    """Clauses to add (to a new solver if `is_new`), and a query under `assumptions`.

    `clauses`: for each length that occurs, the number of clauses, the length, and the literals as int32. `conflicts`:
    after this number of conflicts, the solver gives up (None: never).
    """

    clauses: Sequence[tuple[int, int, bytes]]
    is_new: bool = False
    assumptions: Sequence[int] = ()
    conflicts: int | None = None


class Reply(Struct, frozen=True):
    """The answer to a request.

    `verdict`: whether the clauses are satisfiable; None if the solver gave up. `model`: the true variables of a model
    as int32. `conflicts`: the number of conflicts so far (None if the solver does not report it). `error`: the reason,
    if the request failed.
    """

    verdict: bool | None = None
    model: bytes | None = None
    conflicts: int | None = None
    error: str = ""

    def true_variables(self) -> set[int]:
        """The true variables of the model."""
        return set(array("i", self.model or b""))
