"""No call of a native module crashes the interpreter, whatever arguments the call has."""

from __future__ import annotations

import os
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
    "GoalDistanceResult",
    "Iteration",
    "LayerCounts",
    "SpilledLayer",
    "ExhaustiveSearch",
    "IndexPart",
    "BidirectionalSearch",
    "Meeting",
    "Samples",
)
"""Classes of the module that Python code cannot construct."""


def entry_points(module: ModuleType) -> set[str]:
    """The functions and classes of a module that take arguments."""
    names = {name for name in vars(module) if name[0] != "_" and callable(getattr(module, name))}
    return {n for n in names if not n.endswith(("Error", *RESULTS)) and n != "Shards"}


def test_wrong_arguments_of_every_entry_point_are_errors(tmp_path: Path) -> None:
    from fewest.certificates import _checkers
    from fewest.search import _native

    command = [sys.executable, "-X", "faulthandler", str(CALLS)]
    source = Path(search.__file__).parents[2]
    path = {"PYTHONPATH": os.pathsep.join([str(source), os.environ.get("PYTHONPATH", "")])}
    # The command runs in a separate folder, because some wrong arguments are file names.
    run = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env={**os.environ, **path},
    )
    called = run.stdout.splitlines()
    assert run.returncode == 0, f"{called[-1:]}\n{run.stderr}"
    tried = {
        line.removeprefix("_checkers.").removeprefix("_checkers ").split(" ")[0] for line in called
    }
    missing = (entry_points(_native) | entry_points(_checkers)) - tried
    assert not missing
