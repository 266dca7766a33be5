"""Ctrl-C at any moment while threads are working: the main thread returns only after all threads have stopped."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import fewest

PROGRAM = """
import signal, sys, time
from types import SimpleNamespace

from fewest.store.workers import ThreadWorkers

working = [0, 0]

def phase(worker):
    working[worker] += 1
    time.sleep(0.0001)
    working[worker] -= 1

shards = SimpleNamespace(
    algorithm="", packing="", begin=None, open=None, least=None, among=None, close_layer=None, keep=None, abandon=None,
    expand=phase, merge=phase, cancel=lambda: None,
)
workers = ThreadWorkers(shards, SimpleNamespace(workers=2, within=None))
workers.work(1 << 20, lambda: None)

def interrupt(*_):
    raise KeyboardInterrupt

signal.signal(signal.SIGALRM, interrupt)
interrupted = 0
for moment in range(4000):
    try:
        signal.setitimer(signal.ITIMER_REAL, 1e-6 + moment % 500 * 2e-6)
        workers.work(1 << 20, lambda: None)
        signal.setitimer(signal.ITIMER_REAL, 0)
    except KeyboardInterrupt:
        interrupted += 1
        assert working == [0, 0], working
print(interrupted)
"""


@pytest.mark.skipif(os.name == "nt", reason="POSIX timers")
def test_an_interrupt_at_any_moment_ends_the_work_of_all_threads() -> None:
    here = os.environ | {"PYTHONPATH": str(Path(fewest.__file__).parents[1])}
    done = subprocess.run(
        [sys.executable, "-P", "-c", PROGRAM],
        env=here,
        capture_output=True,
        timeout=60,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 500
