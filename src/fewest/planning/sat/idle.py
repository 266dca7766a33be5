"""Idle processes of solvers: a thread that solves many puzzles need not start a process for each puzzle.

Starting a process takes longer than solving most small puzzles. Therefore, when a solver is closed, its process waits
for the next solver of the same thread. However, the process ends and its memory is freed if it has a memory limit, or
if its solver was interrupted, ran for a long time, or received many clauses. Threads do not share processes: when a
thread ends, Linux also ends the processes that it started. After a fork, the processes belong to the parent only.
"""

from __future__ import annotations

import atexit
import os
import threading
from contextlib import suppress

from fewest.machine.processes import Worker

MOST_IDLE = 2
"""the maximum number of idle processes per thread: an engine needs one for its horizons and one for queries between
horizons
"""

MOST_SECONDS = 1.0
MOST_BYTES = 8 << 20
"""the limits on the run time of a solver and on the number of bytes of its clauses; if a solver exceeds a limit, its
process is ended, because it may occupy too much memory
"""


class _IdleWorkers:
    """The idle processes of a thread; they end with the thread."""

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
# These references ensure that a child process does not close the processes of its parent.
_left_to_parents: list[_IdleWorkers] = []


def _idle() -> _IdleWorkers:
    found: _IdleWorkers | None = getattr(_of_thread, "idle", None)
    if found is None or found.owner != os.getpid():
        if found is not None:
            _left_to_parents.append(found)
        _of_thread.idle = found = _IdleWorkers()
    return found


def idle_worker() -> Worker | None:
    """Take an idle process of this thread, which then expects `Settings`. The result is None if no process is idle."""
    workers = _idle().workers
    while workers:
        worker = workers.pop()
        if worker.is_alive():
            return worker
        worker.close()
    return None


def keep(worker: Worker) -> None:
    """Keep a process for the next solver of this thread; end it if there are already MOST_IDLE idle processes, or if it
    does not respond. The process must have answered its last request.
    """
    workers = _idle().workers
    if len(workers) < MOST_IDLE:
        with suppress(OSError):
            worker.connection.send(None)  # this message makes the process delete its solver
            workers.append(worker)
            return
    worker.close()


@atexit.register
def end_idle_workers() -> None:
    """End the idle processes of this thread."""
    _idle().close()
