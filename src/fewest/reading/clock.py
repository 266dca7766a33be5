"""The time limit for reading a document; it is part of the limit for the whole command."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from math import inf

from fewest.errors import TimeLimitError

_LEAST_SECONDS = 1.0
_end: ContextVar[float] = ContextVar("the end of the time for reading", default=inf)


@contextmanager
def reading_within(seconds: float | None) -> Iterator[Callable[[], float | None]]:
    """A context in which reading raises TimeLimitError after this time, and which yields a function that returns the
    remaining seconds.

    None means no limit. Reading may always take at least one second, so that a command with a limit of 0 seconds can
    still show the size of the search. The function may also be called after the block ends.
    """
    began = time.perf_counter()

    def left() -> float | None:
        return None if seconds is None else max(0.0, seconds - (time.perf_counter() - began))

    token = _end.set(inf if seconds is None else began + max(_LEAST_SECONDS, seconds))
    try:
        yield left
    finally:
        _end.reset(token)


def look() -> None:
    """Raises TimeLimitError if the time for reading has run out. Code that reads many parts calls this function for
    each part.
    """
    end = _end.get()
    if end < inf and time.perf_counter() > end:
        raise TimeLimitError("reading and compiling the puzzle took longer than the time limit")
