"""Limits work in a way that does not depend on the speed of the machine, and waits for events."""

from __future__ import annotations

import faulthandler
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


class TooMuchError(AssertionError):
    """The code made more calls than the test allows."""


@contextmanager
def at_most(calls: int) -> Iterator[None]:
    """Raise an error after the block has called that many functions, including C functions."""
    left = 2 * calls  # events: every call also has an end

    def count(frame: FrameType, event: str, argument: object) -> None:
        nonlocal left
        left -= 1
        if left < 0:
            sys.setprofile(None)
            raise TooMuchError(f"more than {calls:,} calls")

    previous = sys.getprofile()
    sys.setprofile(count)
    try:
        yield
    finally:
        sys.setprofile(previous)


@contextmanager
def no_hang(seconds: float = 300) -> Iterator[None]:
    """End the process with a traceback if the block hangs; the limit does not test speed."""
    faulthandler.dump_traceback_later(seconds, exit=True)
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()


def wait_until(happened: Callable[[], bool], seconds: float = 120) -> None:
    """Wait for an effect of another process; fail if that process hangs."""
    deadline = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.01)
