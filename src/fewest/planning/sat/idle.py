"""Idle processes of solvers: a thread that solves one puzzle after the other starts a process once.

Starting a process takes longer than solving most small puzzles. So the process of a solver that is closed waits for
the next solver of the same thread. It does not wait if it has a memory limit, if its solver was stopped at work, or if
its solver computed for long or was sent many clauses: then the process ends, and the system gets its memory back.

A thread keeps its processes to itself, since Linux ends a process together with the thread that started it. A fork
leaves them to its parent.
"""

from __future__ import annotations

import atexit
import os
import threading
from contextlib import suppress

from fewest.machine.processes import Worker

MOST_IDLE = 2
"""processes per thread: an engine needs one for its horizons and one for questions between them"""

MOST_SECONDS = 1.0
MOST_BYTES = 8 << 20
"""A solver that computed for longer, or was sent more clauses, leaves its process too large to be kept."""


class _Idle:
    """The idle processes of a thread; they end with it."""

    def __init__(self) -> None:
        self.owner = os.getpid()
        self.workers: list[Worker] = []

    def close(self) -> None:
        if self.owner == os.getpid():
            while self.workers:
                self.workers.pop().close()

    def __del__(self) -> None:
        self.close()


_of_thread = threading.local()
_left_to_parents: list[_Idle] = []  # kept, so that nothing here closes them


def _idle() -> _Idle:
    found: _Idle | None = getattr(_of_thread, "idle", None)
    if found is None or found.owner != os.getpid():
        if found is not None:
            _left_to_parents.append(found)
        _of_thread.idle = found = _Idle()
    return found


def idle_worker() -> Worker | None:
    """Take an idle process of this thread: it expects settings. None if no process is idle."""
    workers = _idle().workers
    while workers:
        worker = workers.pop()
        if worker.is_alive():
            return worker
        worker.close()
    return None


def keep(worker: Worker) -> None:
    """Keep a process for the next solver of this thread, or end it. The process has answered its last request."""
    workers = _idle().workers
    if len(workers) < MOST_IDLE:
        with suppress(OSError):
            worker.connection.send(None)  # the solver is done with
            workers.append(worker)
            return
    worker.close()


@atexit.register
def end_idle_workers() -> None:
    """End the idle processes of this thread."""
    _idle().close()
