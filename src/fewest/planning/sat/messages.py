"""What the engine and a solver's process say to each other.

In bytes, since the process knows nothing of NumPy: importing that takes longer than all else it begins with.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence

from msgspec import Struct


class Request(Struct, frozen=True):
    """Clauses to add (to a new solver if `is_new`), and what to ask.

    `clauses`: for each length how many, that length and the literals as int32. `assumptions` None: nothing is
    asked yet. `conflicts`: give up after so many.
    """

    clauses: Sequence[tuple[int, int, bytes]]
    is_new: bool = False
    assumptions: Sequence[int] | None = None
    conflicts: int | None = None


class Reply(Struct, frozen=True):
    """`verdict`: satisfiable or not, None if given up; the true variables of a model as int32; conflicts so
    far, None if the solver does not tell; `error` says why nothing could be asked.
    """

    verdict: bool | None = None
    model: bytes | None = None
    conflicts: int | None = None
    error: str = ""

    def true_variables(self) -> set[int]:
        """Of the model."""
        return set(array("i", self.model or b""))
