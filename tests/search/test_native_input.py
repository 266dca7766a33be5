"""No call of a native module crashes the interpreter, whatever its arguments are."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from fewest import search
from fewest.certificates.native import has_native_checkers

pytestmark = pytest.mark.skipif(
    not search.NATIVE or not has_native_checkers(), reason="there is no native core"
)

CALLS = Path(__file__).parent / "native_calls.py"

RESULTS = (
    "Outcome",
    "MeasuredGoal",
    "Iteration",
    "LayerCounts",
    "HandedLayer",
    "ExhaustiveSearch",
    "BidirectionalSearch",
    "Meeting",
    "Samples",
)
"""Classes of the module that nobody can make."""


def entry_points(module: ModuleType) -> set[str]:
    """The functions and classes of a module that take arguments."""
    names = {name for name in vars(module) if name[0] != "_" and callable(getattr(module, name))}
    return {n for n in names if not n.endswith(("Error", *RESULTS)) and n != "Shards"}


def test_wrong_arguments_of_every_entry_point_are_errors() -> None:
    from fewest.certificates import _checkers
    from fewest.search import _native

    command = [sys.executable, "-X", "faulthandler", str(CALLS)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    called = run.stdout.splitlines()
    assert run.returncode == 0, f"{called[-1:]}\n{run.stderr}"
    tried = {
        line.removeprefix("_checkers.").removeprefix("_checkers ").split(" ")[0] for line in called
    }
    missing = (entry_points(_native) | entry_points(_checkers)) - tried
    assert not missing
