"""The search core: states, operators and costs as arrays, and nothing of puzzles.

`search`, `expand` and `StateSet` are the native ones where the compiled module is there, else those
of the pure-Python core, which has the same interface (`interface.py`) and is some hundred times
slower. `NATIVE` says which; the environment variable FEWEST_CORE=python forces the pure one.
"""

from __future__ import annotations

import os
import warnings
from importlib import import_module

from fewest.model.costs import CostTable
from fewest.model.problem import Numbering, Problem, Symmetry
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


def _is_native_wanted_and_there() -> bool:
    if os.environ.get("FEWEST_CORE") == "python":
        return False
    try:
        import_module("fewest.search._native")
    except ModuleNotFoundError as error:
        if error.name != "fewest.search._native":
            raise
        warnings.warn(
            "fewest was installed without its native core and searches in pure Python, some hundred"
            " times slower; with a C++20 compiler, `pip install --force-reinstall fewest` builds it",
            RuntimeWarning,
            stacklevel=3,
        )
        return False
    return True


NATIVE: bool = _is_native_wanted_and_there()
"""Whether the native core is in use."""

if NATIVE:
    from fewest.search.native import StateSet, expand, search
else:
    from fewest.search.twin.breadth_first import StateSet, expand, search  # type: ignore[assignment]
