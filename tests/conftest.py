"""What pytest is told before it imports anything of ours."""

from __future__ import annotations

import gc
import os
import signal

import pytest
from hypothesis import Phase, settings
from hypothesis.database import DirectoryBasedExampleDatabase

# Assertions of the helpers say as much as those of the tests when they fail.
pytest.register_assert_rewrite("tests.helpers")

# Shells have Ctrl-C ignored by what they start in the background, and by all that that starts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_finish() -> None:
    """Thousands of tests stay until the end: looking through them for garbage took a third of the time."""
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)


# How long an example takes says something of the machine, not of us. The same examples every time: what was
# green stays green. `pytest --hypothesis-profile hunt` draws others, and keeps those that fail; `tests/test_matrix.py`
# compares 200,000 puzzles then.
found = DirectoryBasedExampleDatabase(".hypothesis")
settings.register_profile("hunt", deadline=None, derandomize=False, database=found)
settings.register_profile("fewest", deadline=None, derandomize=True)
settings.load_profile("fewest")

# `python -m tests.mutation` asks whether a test fails, not for the smallest reason, and the same
# mutants survive each time.
if "MUTANT_UNDER_TEST" in os.environ:
    phases = [Phase.explicit, Phase.generate]
    settings.register_profile("mutation", deadline=None, derandomize=True, phases=phases)
    settings.load_profile("mutation")
