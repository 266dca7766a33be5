"""The CPU seconds of processes include those of their children; this computer has a description."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest

from fewest.machine.host import host
from fewest.machine.processor_time import (
    processor_seconds,
    processor_seconds_of,
    processors,
    stay_on,
)

BUSY = "import time\nwhile time.process_time() < 0.4: pass\n"
linux = pytest.mark.skipif(sys.platform != "linux", reason="reads the clocks of other processes")


def test_an_ended_child_counts() -> None:
    before = processor_seconds()
    subprocess.run([sys.executable, "-S", "-c", BUSY], check=True)
    assert 0.4 <= processor_seconds() - before < 2


@linux
def test_a_living_child_counts() -> None:
    before = processor_seconds()
    with subprocess.Popen(
        [sys.executable, "-S", "-c", BUSY + "print(1, flush=True)\ninput()"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as child:
        assert child.stdout is not None
        child.stdout.readline()
        assert processor_seconds() - before >= 0.4
        assert processor_seconds_of(child.pid) >= 0.4
        child.communicate(b"\n")
    assert processor_seconds_of(child.pid) == 0


def test_waiting_takes_no_cpu() -> None:
    before = processor_seconds()
    time.sleep(0.3)
    assert processor_seconds() - before < 0.25


@linux
def test_a_process_stays_on_its_processor() -> None:
    before = processors()
    try:
        stay_on(before[-1])
        assert processors() == (before[-1],)
        stay_on(None)
        assert processors() == (before[-1],)
    finally:
        os.sched_setaffinity(0, set(before))


def test_the_computer_is_described() -> None:
    found = host()
    assert found.cpu and found.system
    assert 1 <= found.usable <= found.cores
    assert found.memory is None or found.memory > 1 << 20
    assert found.python.startswith(sys.implementation.name[:2].upper()[0])
