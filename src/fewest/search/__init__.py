"""The search core: states, operators and costs as arrays, and nothing of puzzles.

`search`, `expand` and `StateSet` are the native ones where the compiled module is there, else those
of the pure-Python core, which has the same interface (`interface.py`) and is some hundred times
slower. `NATIVE` says which; the environment variable FEWEST_CORE=python forces the pure one.
"""

from __future__ import annotations

from fewest.model.costs import CostTable
from fewest.model.problem import Numbering, Problem, Symmetry
from fewest.search.choice import NATIVE
from fewest.search.interface import Outcome, Progress, Status

__all__ = [
    "NATIVE",
    "CostTable",
    "Numbering",
    "Outcome",
    "Problem",
    "Progress",
    "StateSet",
    "Status",
    "Symmetry",
    "expand",
    "search",
]


if NATIVE:
    from fewest.search.native import StateSet, expand, search
else:
    from fewest.search.twin.breadth_first import StateSet, expand, search  # type: ignore[assignment]
