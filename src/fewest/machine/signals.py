"""Requests to end the program: SIGTERM and the signal of a closed terminal have the same effect as Ctrl-C."""

from __future__ import annotations

import _thread
import signal
import sys
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
_REPEATED_AFTER = 0.01  # the number of seconds after which a lost interrupt is repeated


def terminate_like_interrupt() -> None:
    """Make SIGTERM and SIGHUP raise KeyboardInterrupt in the main thread, as SIGINT does.

    A signal that the parent ignores (`nohup`) remains ignored. Python drops an exception that is raised while an object
    is being destroyed, for example in a callback of the import system. An interrupt is then repeated. Programs may call
    this function; libraries must not.
    """
    last_time, last_number = -1.0, int(signal.SIGINT)
    report_dropped = sys.unraisablehook

    def handler(number: int, frame: FrameType | None) -> None:
        nonlocal last_time, last_number
        now = time.monotonic()
        if last_time < 0 or now - last_time > _SAME:
            last_time, last_number = now, number
            signal.default_int_handler(number, frame)

    def repeat_interrupt(dropped: sys.UnraisableHookArgs) -> None:
        nonlocal last_time
        if not issubclass(dropped.exc_type, KeyboardInterrupt):
            report_dropped(dropped)
            return
        last_time = -1.0
        # an interrupt that is raised at once would still be in the destruction of the object
        timer = threading.Timer(_REPEATED_AFTER, _signal_main_thread, (last_number,))
        timer.daemon = True
        timer.start()

    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, handler)
    sys.unraisablehook = repeat_interrupt


def _signal_main_thread(number: int) -> None:
    main_thread = threading.main_thread().ident
    if hasattr(signal, "pthread_kill") and main_thread is not None:
        signal.pthread_kill(main_thread, number)  # also ends a wait
    else:
        _thread.interrupt_main(signal.Signals(number))


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
