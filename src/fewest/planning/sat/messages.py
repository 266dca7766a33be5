"""What the engine and a solver's process say to each other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from fewest.planning.sat.clauses import Formula


class Request(Struct, frozen=True):
    """Clauses to add (to a new solver if `is_new`), and what to ask.

    `assumptions` None: nothing is asked yet. `conflicts`: give up after so many.
    """

    clauses: Formula
    is_new: bool = False
    assumptions: Sequence[int] | None = None
    conflicts: int | None = None


class Reply(Struct, frozen=True):
    """`verdict`: satisfiable or not, None if given up; the true variables of a model; conflicts so
    far, None if the solver does not tell; `error` says why nothing could be asked.
    """

    verdict: bool | None = None
    model: NDArray[np.int32] | None = None
    conflicts: int | None = None
    error: str = ""
