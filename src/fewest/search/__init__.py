"""The search core: states, operators and costs as arrays, independent of puzzles.

`search` is the native one if the compiled module exists, otherwise that of the pure-Python core, which has
the same interface (`interface.py`) and is some hundred times slower; the same holds for `expand` and
`StateSet` in `batches.py`. `NATIVE` says which core is used; the environment variable FEWEST_CORE=python
forces the pure one.
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
