"""What `fewest` says about a document, for comparisons with the independent programs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import fewest
from fewest.errors import FewestError


class Figures(NamedTuple):
    """The minimum in every metric, and the numbers of reachable positions and goal positions."""

    minima: Mapping[str, Any]
    positions: int
    goals: int


class TooLargeError(Exception):
    """The exploration takes too long for a comparison."""


class RefusedError(Exception):
    """`fewest` refuses the document."""


def figures(source: Path | Mapping[str, Any] | str, *, seconds: float = 5) -> Figures:
    """The figures of a file, or of a document."""
    try:
        if isinstance(source, Path):
            puzzle = fewest.load(str(source))
        else:
            text = source if isinstance(source, str) else json.dumps(source, ensure_ascii=False)
            puzzle = fewest.load("compared.yaml", text=text)
        minima: dict[str, Any] = {}
        positions = goals = -1
        for name in puzzle.metrics:
            found = puzzle.explore(name, plans=False, seconds=seconds)
            if not found.is_exhausted:
                raise TooLargeError
            minima[name] = found.minimum
            positions, goals = found.num_states, found.num_goal_states
    except FewestError as error:
        raise RefusedError(str(error)) from error
    return Figures(minima, positions, goals)
