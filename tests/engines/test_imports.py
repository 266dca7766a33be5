"""Importing an engine loads the task and the engine's own search, but no code that reads, plays or draws."""

import subprocess
import sys

import pytest

from fewest.engines import ENGINES

# An engine works only with tasks, so it must run without documents and boards.
STRANGERS = ("reading", "playing", "grounding", "commands", "formats", "drawing", "cli")


@pytest.mark.parametrize("name", ENGINES)
def test_importing_an_engine_loads_nothing_that_knows_puzzles(name: str) -> None:
    script = (
        f"import sys, {ENGINES[name].module}\n"
        f"print(*(m for m in sys.modules if m.startswith({tuple(f'fewest.{s}' for s in STRANGERS)})))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == []
