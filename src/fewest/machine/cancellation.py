"""Stops work on the request of another thread. The answer then contains everything that was proved before the stop, as
after Ctrl-C.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

INTERVAL = 0.1  # the number of seconds between two checks in loops that wait

_THREAD = threading.local()


@contextmanager
def cancellable(event: threading.Event | None) -> Iterator[None]:
    """During the block, `check_cancelled` in this thread checks this event."""
    before = getattr(_THREAD, "event", None)
    _THREAD.event = event
    try:
        yield
    finally:
        _THREAD.event = before


def check_cancelled() -> None:
    """Raises KeyboardInterrupt if this thread is in a block of `cancellable` and the event of the block is set."""
    event: threading.Event | None = getattr(_THREAD, "event", None)
    if event is not None and event.is_set():
        raise KeyboardInterrupt
