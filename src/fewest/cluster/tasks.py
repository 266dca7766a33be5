"""Items answered by tasks on Ray, one a processor: what `machine.processes.in_processes` does, on many machines.

    with connected("here"):  # or the address of a cluster
        done = sweep(batch, helpers=on_cluster)

A task is a function of the package and one item; what both need beside them is on every node: the same version
of fewest and, where files are named, the same files at the same places. A node that dies takes no item along:
another one is asked, by us and not by Ray's own retries, so that what ran out of memory is not tried again.
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

from fewest.cluster.actors import ClusterError
from fewest.errors import FewestError, UsageError
from fewest.machine.processes import Function, KilledProcess, Report, outcome
from fewest.version import __version__

_TRIES = 3  # of an item whose process died: its node may have, or the item is what it died of
_GRACE = 3.0  # seconds until a task that is interrupted has said what it knows
_WAITING = 2  # tasks on the way for each processor, so that none waits for its next


def on_cluster(
    function: Function,
    items: Sequence[Any],
    report: Report | None = None,
    *,
    jobs: int | None = None,
) -> Generator[tuple[int, Any], None, None]:
    """`(index, function(item, say))` of every item, as they are finished; Ray is connected (`connect.py`).

    At most `jobs` at a time, else as many as there are processors, those of nodes that join included. What the
    function says on the way stays there: `report` is never called. An item whose process was killed three
    times, or once for want of memory, has `Killed` for an answer. After Ctrl-C functions that
    answer to KeyboardInterrupt have some seconds for it; then KeyboardInterrupt is raised here. Raises the
    function's FewestError, InternalError for any other, ClusterError where Ray itself fails.
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
    """An item that is being answered since when, for the how manieth time."""

    index: int
    number: int = 1
    began: float = 0.0


class _Tasks:
    """The items that wait, and the tasks that are on the way."""

    def __init__(self, function: Function, items: Sequence[Any], jobs: int | None) -> None:
        self.items, self.jobs = items, jobs
        self.waiting = [_Try(index) for index in reversed(range(len(items)))]
        self.running: dict[Any, _Try] = {}
        self.is_interrupted = False
        self._answer = ray.remote(num_cpus=1, max_retries=0)(_answer)
        self._function = ray.put(function)  # once, however many items there are

    def start_some(self) -> None:
        """As many as the cluster can have now."""
        most = self.jobs or _WAITING * max(1, int(ray.cluster_resources().get("CPU", 1)))
        while self.waiting and len(self.running) < most:
            following = replace(self.waiting.pop(), began=time.perf_counter())
            item = self.items[following.index]
            task = self._answer.remote(self._function, item, __version__, os.getcwd())
            self.running[task] = following

    def finished(self, seconds: float | None) -> Iterator[tuple[int, Any]]:
        """Wait so long for any task; the answers that came."""
        done, _ = ray.wait(list(self.running), timeout=seconds)
        for task in done:
            asked = self.running.pop(task)
            try:
                answer = ray.get(task)
            except (NodeDiedError, ObjectLostError, WorkerCrashedError, OutOfMemoryError) as error:
                if self.is_interrupted:
                    continue
                if asked.number < _TRIES and not isinstance(error, OutOfMemoryError):
                    self.waiting.append(_Try(asked.index, asked.number + 1))
                    continue
                answer = KilledProcess(time.perf_counter() - asked.began)
            except TaskCancelledError:
                if self.is_interrupted:
                    continue
                raise ClusterError("a task was cancelled by somebody else") from None
            except RayError as error:
                raise ClusterError(
                    f"a task could not be done: {str(error).strip().splitlines()[-1]}",
                    hint="every node needs the same version of fewest; `ray logs` may say more",
                ) from None
            if isinstance(answer, FewestError):
                raise answer
            yield asked.index, answer

    def interrupt(self) -> None:
        """No more items, and whoever is busy says what is known."""
        self.is_interrupted = True
        self.waiting.clear()
        self._cancel(force=False)

    def close(self) -> None:
        """Nothing is left running."""
        self._cancel(force=True)

    def _cancel(self, *, force: bool) -> None:
        for task in self.running:
            with suppress(RayError):
                ray.cancel(task, force=force)


def _answer(function: Function, item: Any, version: str, folder: str) -> Any:
    """In the task: the answer, or the error that is to be raised."""
    if version != __version__:
        return UsageError(
            f"a node of the cluster has version {__version__} of fewest, not {version}",
            hint="install the same on all nodes",
        )
    with suppress(OSError):
        os.chdir(folder)  # what was named from there is found, if this node sees it
    return outcome(function, item, _unheard)


def _unheard(_: Any) -> None:
    """What is said on the way."""
