"""Changes settings before pytest imports the tests."""

from __future__ import annotations

import atexit
import gc
import os
import shutil
import signal
import tempfile

import pytest
from hypothesis import Phase, settings
from hypothesis.database import DirectoryBasedExampleDatabase

# Show the values in failed assertions of the helpers, as pytest does for tests.
pytest.register_assert_rewrite("tests.helpers")

# A shell ignores Ctrl-C in background processes, and their children inherit this setting.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Container images often forbid files with bytecode. Then each of the many processes that the tests start would compile
# all modules again, which takes longer than most commands. Therefore, the bytecode goes to a temporary folder.
if os.environ.pop("PYTHONDONTWRITEBYTECODE", "") and "PYTHONPYCACHEPREFIX" not in os.environ:
    os.environ["PYTHONPYCACHEPREFIX"] = tempfile.mkdtemp(prefix="bytecode-")
    atexit.register(shutil.rmtree, os.environ["PYTHONPYCACHEPREFIX"], ignore_errors=True)


# Garbage collection would take a third of the time of most tests, and of their collection.
gc.set_threshold(50_000, 20, 50)


def pytest_collection_finish() -> None:
    """Exempt the thousands of collected tests from garbage collection."""
    gc.freeze()


# No deadline: the time of an example depends on the machine. The default profile draws the same examples every time.
# `pytest --hypothesis-profile hunt` draws new examples and saves those that fail. With this profile,
# `tests/test_matrix.py` compares 200,000 puzzles.
found = DirectoryBasedExampleDatabase(".hypothesis")
settings.register_profile("hunt", deadline=None, derandomize=False, database=found)
settings.register_profile("fewest", deadline=None, derandomize=True)
settings.load_profile("fewest")

# `python -m tests.mutation` needs failures, but not the smallest examples. With this profile, the same mutants survive
# each time.
if "MUTANT_UNDER_TEST" in os.environ:
    phases = [Phase.explicit, Phase.generate]
    settings.register_profile("mutation", deadline=None, derandomize=True, phases=phases)
    settings.load_profile("mutation")
