"""The engines and variants of A* that the conformance tests compare, with their options."""

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
"""The arguments of `solve` for each variant."""


def row(name: str) -> Engine:
    """The capabilities of a variant, as a row of the registry."""
    engine = ENGINES[MANNERS[name]["engine"]]
    return replace(engine, metrics="one weight") if name == "abstraction" else engine


def words(name: str) -> list[str]:
    """The command-line options of a variant."""
    return [word for key, value in MANNERS[name].items() for word in (f"--{key}", str(value))]
