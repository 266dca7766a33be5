"""Processes items as tasks on Ray, one per processor. This is the equivalent of `machine.processes.in_processes` for
many machines.

    with connected("here"):  # or the address of a cluster
        done = sweep(batch, parallel_map=on_cluster)

A task consists of a function from this package and one item. Every node must have the same version of fewest, and the
same files at the same paths. If a node dies, another node processes the items of this node. This module, not Ray,
starts such items again, so that an item that ran out of memory is not tried again.
"""

from __future__ import annotations

import os
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import suppress
from typing import Any

import ray
from msgspec import Struct
from msgspec.structs import replace
from ray.exceptions import (
    NodeDiedError,
    ObjectLostError,
    OutOfMemoryError,
    RayError,
    TaskCancelledError,
    WorkerCrashedError,
)

from fewest.cluster.fleet import processors
from fewest.cluster.recovery import ClusterError
from fewest.errors import FewestError, UsageError
from fewest.machine.processes import Function, KilledProcess, Report, outcome
from fewest.version import __version__

# the number of attempts for an item if its process dies, because the node or the item may be the cause
_TRIES = 3
_GRACE = 3.0  # the number of seconds that an interrupted task has for reporting its results
# the number of submitted tasks per processor, so that no processor waits for its next task
_WAITING = 2


def on_cluster(
    function: Function,
    items: Sequence[Any],
    report: Report | None = None,
    *,
    jobs: int | None = None,
) -> Generator[tuple[int, Any], None, None]:
    """Yields `(index, function(item, say))` for each item when it is finished. Ray must be connected (`connect.py`).

    At most `jobs` tasks run at a time. By default, one task per processor runs, including the processors of nodes that
    join later. The progress that the function reports stays in its process: `report` is never called. The answer of an
    item is `KilledProcess` if its process was killed three times, or once because it ran out of memory. After Ctrl-C,
    functions that handle KeyboardInterrupt have a few seconds to return; then this function raises KeyboardInterrupt.
    Raises the FewestError of the function, InternalError for any other error, and ClusterError if Ray itself fails.
    """
    tasks = _Tasks(function, items, jobs)
    try:
        try:
            while tasks.waiting or tasks.running:
                tasks.start_some()
                yield from tasks.finished(None)
        except KeyboardInterrupt:
            tasks.interrupt()
            deadline = time.monotonic() + _GRACE
            while tasks.running and (left := deadline - time.monotonic()) > 0:
                yield from tasks.finished(left)
            raise
    finally:
        tasks.close()


class _Try(Struct, frozen=True):
    """An item in progress: the time at which it began, and the number of the attempt."""

    index: int
    number: int = 1
    began: float = 0.0


class _Tasks:
    """The waiting items and the submitted tasks."""

    def __init__(self, function: Function, items: Sequence[Any], jobs: int | None) -> None:
        self.items, self.jobs = items, jobs
        self.waiting = [_Try(index) for index in reversed(range(len(items)))]
        self.running: dict[Any, _Try] = {}
        self.is_interrupted = False
        self._answer = ray.remote(num_cpus=1, max_retries=0)(_answer)
        self._function = ray.put(function)  # stored once for all items

    def start_some(self) -> None:
        """Submit tasks until there are `jobs` tasks or, by default, two tasks for each processor of the cluster."""
        most = self.jobs or _WAITING * max(1, sum(processors()))
        while self.waiting and len(self.running) < most:
            following = replace(self.waiting.pop(), began=time.perf_counter())
            item = self.items[following.index]
            task = self._answer.remote(self._function, item, __version__, os.getcwd())
            self.running[task] = following

    def finished(self, seconds: float | None) -> Iterator[tuple[int, Any]]:
        """Wait at most `seconds` (None: no limit) until some task has ended, and yield its answer: at most one answer
        per call, and none if the item is tried again. Raises the FewestError of the task, or ClusterError.
        """
        done, _ = ray.wait(list(self.running), timeout=seconds)
        for task in done:
            started = self.running.pop(task)
            try:
                answer = ray.get(task)
            except (NodeDiedError, ObjectLostError, WorkerCrashedError, OutOfMemoryError) as error:
                if self.is_interrupted:
                    continue
                if started.number < _TRIES and not isinstance(error, OutOfMemoryError):
                    self.waiting.append(_Try(started.index, started.number + 1))
                    continue
                answer = KilledProcess(time.perf_counter() - started.began)
            except TaskCancelledError:
                if self.is_interrupted:
                    continue
                raise ClusterError("another program cancelled a task") from None
            except RayError as error:
                raise ClusterError(
                    f"a task failed: {str(error).strip().splitlines()[-1]}",
                    hint="every node needs the same version of fewest; `ray logs` may show more",
                ) from None
            if isinstance(answer, FewestError):
                raise answer
            yield started.index, answer

    def interrupt(self) -> None:
        """Start no more items, and make all tasks report their results so far."""
        self.is_interrupted = True
        self.waiting.clear()
        self._cancel(force=False)

    def close(self) -> None:
        """End all tasks."""
        self._cancel(force=True)

    def _cancel(self, *, force: bool) -> None:
        for task in self.running:
            with suppress(RayError):
                ray.cancel(task, force=force)


def _answer(function: Function, item: Any, version: str, folder: str) -> Any:
    """The function that a task runs. Returns the answer, or the error that the caller should raise."""
    if version != __version__:
        return UsageError(
            f"a node of the cluster has version {__version__} of fewest, not {version}",
            hint="install the same version on all nodes",
        )
    with suppress(OSError):
        os.chdir(folder)  # relative paths work if this node also has the folder
    return outcome(function, item, _discard_progress)


def _discard_progress(_: Any) -> None:
    """Ignores the progress report."""
