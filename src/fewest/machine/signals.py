"""Requests to end the program: SIGTERM and the signal of a closed terminal have the same effect as Ctrl-C."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

_ENDING = ("SIGINT", "SIGTERM", "SIGHUP")
# the number of seconds within which a repeated signal counts once: `timeout` and service managers send the same signal
# to this process and to its group
_SAME = 0.5


def terminate_like_interrupt() -> None:
    """Make SIGTERM and SIGHUP raise KeyboardInterrupt in the main thread, as SIGINT does.

    A signal that the parent ignores (`nohup`) remains ignored. Programs may call this function; libraries must not.
    """
    last_time = -1.0

    def handler(number: int, frame: FrameType | None) -> None:
        nonlocal last_time
        now = time.monotonic()
        if last_time < 0 or now - last_time > _SAME:
            last_time = now
            signal.default_int_handler(number, frame)

    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, handler)


@contextmanager
def delayed_interrupts() -> Iterator[list[int]]:
    """During the block, collect signals instead of raising KeyboardInterrupt for them. Only the main thread receives
    signals, so the function has no effect in other threads.

    The function protects steps that an exception could leave incomplete, such as taking a lock.
    """
    received: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield received
        return
    before: dict[int, Any] = {}
    try:
        for name in _ENDING:
            number = getattr(signal, name, None)
            if number is not None and callable(signal.getsignal(number)):
                before[number] = signal.getsignal(number)
                signal.signal(number, lambda number, _: received.append(number))
        yield received
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def ignore_termination() -> None:
    """Ignore Ctrl-C and SIGTERM; the parent handles these signals and ends this process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
