"""Comparisons of engines: each engine runs in a separate process and reports answers, sizes and times.

For example, `compare(["bird"], ["bfs", "sat", "asp"])` runs three engines. `Comparison.disagreements` lists the
contradictions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fewest.commands.compare.engine_spec import EngineSpec, parse_engine_spec
    from fewest.commands.compare.entry import (
        Comparison,
        CpuSeconds,
        Disagreement,
        Entry,
        ProfileRow,
    )
    from fewest.commands.compare.run import Comparisons, compare, compare_suite
    from fewest.commands.compare.suite import DEFAULT_ENGINES, Suite, read_suite

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

_HOMES = {
    "EngineSpec": "engine_spec",
    "parse_engine_spec": "engine_spec",
    "Comparison": "entry",
    "CpuSeconds": "entry",
    "Disagreement": "entry",
    "Entry": "entry",
    "ProfileRow": "entry",
    "Comparisons": "run",
    "compare": "run",
    "compare_suite": "run",
    "DEFAULT_ENGINES": "suite",
    "Suite": "suite",
    "read_suite": "suite",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used; the process of an engine needs only a few of these names."""
    if name not in _HOMES:
        raise AttributeError(f"module 'fewest.commands.compare' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"fewest.commands.compare.{_HOMES[name]}"), name)
