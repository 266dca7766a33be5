"""Comparisons of engines: each engine runs in a separate process and gives answers, sizes and times.

`compare(["bird"], ["bfs", "sat", "asp"])` runs them; `Comparison.disagreements` has the contradictions.
"""

from fewest.questions.compare import text as _shown  # noqa: F401 - how they show themselves
from fewest.questions.compare.engine_spec import EngineSpec, parse_engine_spec
from fewest.questions.compare.entry import (
    Comparison,
    CpuSeconds,
    Disagreement,
    Entry,
    ProfileRow,
)
from fewest.questions.compare.run import Comparisons, compare, compare_suite
from fewest.questions.compare.suite import DEFAULT_ENGINES, Suite, read_suite

__all__ = [
    "DEFAULT_ENGINES",
    "Comparison",
    "Comparisons",
    "CpuSeconds",
    "Disagreement",
    "EngineSpec",
    "Entry",
    "ProfileRow",
    "Suite",
    "compare",
    "compare_suite",
    "parse_engine_spec",
    "read_suite",
]
