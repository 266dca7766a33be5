"""Shipped puzzles that many tests use. Each is read and compiled only once in a process."""

from __future__ import annotations

from functools import cache

import fewest


@cache
def shipped(name: str) -> fewest.CompiledPuzzle:
    """The puzzle, compiled. A test must not change it."""
    compiled = fewest.load(name)
    assert compiled.grounded
    return compiled
