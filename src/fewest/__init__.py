"""What is the smallest number of moves that solves a puzzle, and how do you know?

`fewest.load("heng-dao-li-ma").solve()` loads a puzzle that comes with the package and proves its minimum;
`fewest.load("my-puzzle.yaml")` loads your own puzzle.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fewest.version import __version__

if TYPE_CHECKING:
    from fewest.commands.api import CompiledPuzzle, load
    from fewest.commands.result import Result
    from fewest.errors import DocumentError, FewestError, NotFoundError, UsageError

__all__ = [
    "CompiledPuzzle",
    "DocumentError",
    "FewestError",
    "NotFoundError",
    "Result",
    "UsageError",
    "__version__",
    "load",
]

_HOMES = {
    "CompiledPuzzle": "commands.api",
    "load": "commands.api",
    "Result": "commands.result",
    "DocumentError": "errors",
    "FewestError": "errors",
    "NotFoundError": "errors",
    "UsageError": "errors",
}


def __getattr__(name: str) -> Any:
    """Import the public names when they are first used, so that the command line starts quickly."""
    if name not in _HOMES:
        raise AttributeError(f"module 'fewest' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"fewest.{_HOMES[name]}"), name)
