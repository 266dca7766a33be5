"""Stops work from another thread. As with Ctrl-C, the answer contains everything that was proved before the stop."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

INTERVAL = 0.1  # seconds between two checks in loops that wait

_THREAD = threading.local()


@contextmanager
def cancellable(event: threading.Event | None) -> Iterator[None]:
    """During the block, `check_cancelled` checks this event whenever this thread calls it."""
    before = getattr(_THREAD, "event", None)
    _THREAD.event = event
    try:
        yield
    finally:
        _THREAD.event = before


def check_cancelled() -> None:
    """Raises KeyboardInterrupt if the event of this thread's `cancellable` is set."""
    event: threading.Event | None = getattr(_THREAD, "event", None)
    if event is not None and event.is_set():
        raise KeyboardInterrupt
