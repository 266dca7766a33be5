"""Fresh Python processes: how to start one that finds what this one finds."""

from __future__ import annotations

import os
import sys


def command(statement: str) -> tuple[list[str], dict[str, str]]:
    """The arguments and the environment of a process that executes a statement.

    It imports from where this process does, and nothing that merely lies in the current folder.
    """
    path = os.pathsep.join(entry or os.getcwd() for entry in sys.path)
    return [sys.executable, "-P", "-c", statement], {**os.environ, "PYTHONPATH": path}
