"""Being asked to end: SIGTERM (and a terminal that is closed) does what Ctrl-C does."""

from __future__ import annotations

import signal
import time
from types import FrameType

_SAME = 0.5  # seconds: `timeout` and service managers say the same thing to us and to our group


def terminate_like_interrupt() -> None:
    """From now on SIGTERM and SIGHUP raise KeyboardInterrupt in the main thread, as SIGINT does.

    What whoever started us has ignored (`nohup`) stays so. For whole programs, not for libraries.
    """
    said = -1.0

    def handler(number: int, frame: FrameType | None) -> None:
        nonlocal said
        now = time.monotonic()
        if said < 0 or now - said > _SAME:
            said = now
            signal.default_int_handler(number, frame)

    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, handler)


def ignore_termination() -> None:
    """Ctrl-C and SIGTERM are for who started this process, and ends it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
