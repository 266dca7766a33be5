"""Solving alongside other work: another thread can cancel a call, and asynchronous code can await it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from fewest.commands.result import Result
from fewest.machine.cancellation import cancellable, check_cancelled


def cancelled_by(
    event: threading.Event,
    solve: Callable[[Callable[[Any], None]], Result],
    progress: Callable[[Any], None] | None,
) -> Result:
    """The result of `solve(progress)`; if the event is set, the result so far (reason: interrupted).

    Engines check the event about ten times a second. Raises KeyboardInterrupt if the event is set before
    an engine has begun, or if `solve` has no result yet.
    """

    def report(found: Any) -> None:
        check_cancelled()
        if progress is not None:
            progress(found)

    with cancellable(event):
        check_cancelled()
        return solve(report)


async def in_a_thread(solve: Callable[[threading.Event], Result]) -> Result:
    """Await `solve(event)` in a thread. When the awaiting task is cancelled, set the event and wait for the thread to
    end.
    """
    event = threading.Event()
    work = asyncio.ensure_future(asyncio.to_thread(_run, solve, event))
    try:
        result = await asyncio.shield(work)
    except asyncio.CancelledError:
        event.set()
        with suppress(Exception):
            await work
        raise
    assert result is not None, "nobody has cancelled it"
    return result


def _run(solve: Callable[[threading.Event], Result], event: threading.Event) -> Result | None:
    """The result, or None after KeyboardInterrupt, which a future does not propagate cleanly."""
    try:
        return solve(event)
    except KeyboardInterrupt:
        return None
