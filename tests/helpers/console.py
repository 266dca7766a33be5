"""The manners of searching that the conformance tests compare: every engine, and the variants of A*."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from fewest.engines.registry import ENGINES, Engine

MANNERS: Mapping[str, dict[str, Any]] = {
    **{name: {"engine": name} for name in ENGINES},
    "ida": {"engine": "astar", "algorithm": "ida"},
    "both-ends": {"engine": "astar", "ends": "both"},
    "abstraction": {"engine": "astar", "heuristic": "abstraction"},
}
"""The arguments of `solve` for each."""


def row(name: str) -> Engine:
    """What a manner can do, as a row of the registry."""
    engine = ENGINES[MANNERS[name]["engine"]]
    return replace(engine, metrics="one weight") if name == "abstraction" else engine


def words(name: str) -> list[str]:
    """The options of the command line for a manner."""
    return [word for key, value in MANNERS[name].items() for word in (f"--{key}", str(value))]
