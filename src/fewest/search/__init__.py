"""The search core. It works on states, operators and costs in arrays, and does not depend on puzzles.

`search` comes from the native core if the compiled module exists; otherwise, it comes from the pure-Python core. Both
cores have the same interface (`interface.py`); the pure-Python core is about 100 times slower. The functions and
classes in `batches.py` are selected in the same way. `NATIVE` is true if the native core is in use; the environment
variable FEWEST_CORE=python selects the pure-Python core.
"""

from __future__ import annotations

from fewest.model.costs import CostTable
from fewest.model.problem import Numbering, Problem, Symmetry
from fewest.search.backend import NATIVE
from fewest.search.interface import Outcome, Progress, SearchStatus

__all__ = [
    "NATIVE",
    "CostTable",
    "Numbering",
    "Outcome",
    "Problem",
    "Progress",
    "SearchStatus",
    "Symmetry",
    "make_search",
    "search",
]


if NATIVE:
    from fewest.search.native import make_search, search
else:
    from fewest.search.pure.breadth_first import make_search, search
