"""Child processes: new interpreters that run a function at the other end of a connection.

Problem: C code cannot be interrupted; an engine that crashes ends its process; the system kills processes that take too
much memory; and a fork would inherit memory and threads. Solution: each child process is a new interpreter in its own
session. Therefore, Ctrl-C does not reach it, and it can be ended together with all of its descendants. The process ends
when its parent process ends. Usage:

    with Worker(serve) as worker:      # `serve(connection)` runs there
        worker.connection.send(request)
        answer = worker.connection.recv()   # EOFError: the process has ended, see `worker.exit_cause()`

`in_processes` distributes items among many such workers. It is a `ParallelMap`; others use other machines.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import suppress
from functools import partial
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from threading import Thread
from types import TracebackType
from typing import IO, Any, Self, TypeAlias

from msgspec import Struct

from fewest.errors import FewestError, InternalError
from fewest.machine.memory import memory_of_tree
from fewest.machine.signals import ignore_termination, terminate_like_interrupt

_GRACE = 3.0  # The number of seconds that an interrupted process has for reporting its results.
# A process that has computed an item for more than this number of seconds is not used again, so that its memory is
# freed.
_SHORT = 1.0


class Worker:
    """A process that runs `function(connection)`. Use it in a `with` statement, or close it explicitly.

    The child process imports the function by its name, so it must be at the top level of a module. The output of the
    process goes to stderr; if `is_quiet` is true, the output is instead stored for `exit_cause`.
    """

    def __init__(self, function: Callable[[Connection], None], *, is_quiet: bool = False) -> None:
        self._log: IO[bytes] | None = None
        if is_quiet:
            self._log = tempfile.TemporaryFile()  # noqa: SIM115 - closed by close()
        self.connection, theirs = Pipe()
        statement = f"from fewest.machine.processes import _serve; _serve({theirs.fileno()})"
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", statement],
            env={
                # like `cli.main`: starting threads for linear algebra would take time and memory
                "OPENBLAS_NUM_THREADS": "1",
                **os.environ,
                # imports use the same path as in this process, without the current folder
                "PYTHONPATH": os.pathsep.join(p or os.getcwd() for p in sys.path),
            },
            # nothing is ever written to this pipe, but it closes when this process ends
            stdin=subprocess.PIPE,
            stdout=self._log or 2,
            stderr=self._log,
            pass_fds=[theirs.fileno()],
            start_new_session=True,
        )
        theirs.close()
        # if the process has already died, the connection will report this
        with suppress(OSError):
            self.connection.send(function)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def pid(self) -> int:
        """The process id, which is also the id of its session."""
        return self._process.pid

    def is_alive(self) -> bool:
        """Whether the process is still running."""
        return self._process.poll() is None

    def interrupt(self) -> None:
        """Interrupt the process, as Ctrl-C does."""
        self._process.send_signal(signal.SIGINT)

    def memory(self) -> tuple[int, int] | None:
        """The peak and the current size, in bytes, of the process and its descendants; None if unknown."""
        return memory_of_tree(self.pid)

    def exit_cause(self) -> tuple[int, str]:
        """Wait for the process to end. Returns its exit code (a negative number means a signal) and the last line of
        its output (empty unless `is_quiet` was true).
        """
        code = self._process.wait()
        if self._log is None:
            return code, ""
        self._log.seek(0)
        lines = self._log.read().decode(errors="replace").strip().splitlines()
        return code, lines[-1] if lines else ""

    def close(self) -> None:
        """End the process and all of its descendants."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)
        self._process.wait()
        self.connection.close()
        for stream in (self._process.stdin, self._log):
            if stream is not None:
                stream.close()


def _serve(descriptor: int) -> None:
    """Runs in the child process: calls the function that arrives as the first message on the connection."""
    end_with_parent_at_once()
    Thread(target=_end_with_parent, daemon=True).start()
    # a parent that was started in the background may ignore the signal, and its children inherit this
    signal.signal(signal.SIGINT, signal.default_int_handler)
    terminate_like_interrupt()
    try:
        connection = Connection(descriptor)
        connection.recv()(connection)
    except KeyboardInterrupt:
        pass
    except (EOFError, BrokenPipeError, ConnectionResetError):
        _end_all()  # the process at the other end has ended, so all descendants must end


def _end_with_parent() -> None:
    os.read(0, 1)  # this call returns only when all processes have closed the other end
    _end_all()


def _end_all() -> None:
    """End this session: this process and all of its descendants."""
    with suppress(OSError):
        os.killpg(0, signal.SIGKILL)
    os._exit(1)  # on systems with sessions, this line is never reached


def end_with_parent_at_once() -> None:
    """Make the system end this process when its parent ends, even in C code that cannot be interrupted. Only Linux
    supports this.
    """
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


_ENDING = """\
import ctypes, os, sys
ctypes.CDLL(None).prctl(1, 9)
if os.getppid() == int(sys.argv[1]):
    os.execv(sys.argv[2], sys.argv[2:])
"""


def ending_with_us(command: Sequence[str]) -> list[str]:
    """A command that runs another program. If possible, the system ends this program when this process ends."""
    if sys.platform != "linux":
        return list(command)
    return [sys.executable, "-I", "-S", "-c", _ENDING, str(os.getpid()), *command]


# -- many items ---------------------------------------------------------------------------------------


Function: TypeAlias = Callable[[Any, Callable[[Any], None]], Any]
"""`function(item, say)` returns the answer for an item; `say` sends progress. The function and all items must be
picklable.
"""

Report: TypeAlias = Callable[[int, Any], None]
"""A callback that receives the index of an item and the progress of this item."""

ParallelMap: TypeAlias = Callable[
    [Function, Sequence[Any], Report | None], Generator[tuple[int, Any], None, None]
]
"""`parallel_map(function, items, report)` yields `(index, answer)` for each item when it is finished; see
`in_processes`.
"""


class KilledProcess(Struct, frozen=True):
    """The answer if the system ended the process; contains the number of seconds until then."""

    seconds: float


def outcome(function: Function, item: Any, say: Callable[[Any], None]) -> Any:
    """The answer of the function, or a FewestError, which the caller raises."""
    try:
        return function(item, say)
    except FewestError as error:
        return error
    except Exception as error:
        return InternalError(f"{type(error).__name__}: {error}")


class _Message(Struct, frozen=True):
    """A message of a process: progress, or an outcome with the seconds of computing."""

    what: Any
    is_outcome: bool = True
    seconds: float = 0.0


def local_processes(jobs: int) -> ParallelMap | None:
    """A map over `jobs` local processes; None for one job, because this process then executes the items
    itself.
    """
    return None if jobs == 1 else partial(in_processes, jobs=jobs)


def in_processes(
    function: Function, items: Sequence[Any], report: Report | None = None, *, jobs: int
) -> Generator[tuple[int, Any], None, None]:
    """Yields `(index, function(item, say))` for each item when it is finished; `jobs` items run at the same time.

    The progress of an item goes to `report` with its index. The answer is `KilledProcess` if the system ended
    the process of an item. Ctrl-C reaches only this process, which interrupts the other processes. Functions that
    handle KeyboardInterrupt have a few seconds to return the results that they have; after that, `in_processes` raises
    KeyboardInterrupt. `in_processes` also raises a FewestError that `function` raised, and InternalError for any other
    error.
    """
    pool = _Pool(function, items, report)
    try:
        try:
            while pool.waiting or pool.running:
                while pool.waiting and len(pool.running) < jobs:
                    pool.start()
                yield from pool.finished(None)
        except KeyboardInterrupt:
            pool.interrupt()
            deadline = time.monotonic() + _GRACE
            while pool.running and (left := deadline - time.monotonic()) > 0:
                yield from pool.finished(left)
            raise
    finally:
        pool.close()


class _Job(Struct):
    """A worker, its current item, and the time when this item began."""

    worker: Worker
    index: int
    began: float


class _Pool:
    """The items that are waiting for a worker, and the workers with the items in progress."""

    def __init__(self, function: Function, items: Sequence[Any], report: Report | None) -> None:
        self.function, self.items, self.report = function, items, report
        self.waiting = list(reversed(range(len(items))))
        self.running: dict[Connection, _Job] = {}
        self.is_interrupted = False

    def start(self) -> None:
        """Begin the next item in a new process."""
        worker, following = Worker(_answer), self.waiting.pop()
        self.running[worker.connection] = _Job(worker, following, time.perf_counter())
        with suppress(OSError):  # if the process has died, its connection will report this
            worker.connection.send(self.function)
            worker.connection.send(self.items[following])

    def finished(self, seconds: float | None) -> Iterator[tuple[int, Any]]:
        """Wait at most `seconds` (None: no limit) for a message from any process, and yield the answers that have
        arrived. Raises the FewestError of an item.
        """
        for connection in wait(list(self.running), seconds):
            assert isinstance(connection, Connection)
            job = self.running[connection]
            try:
                message: _Message = connection.recv()
            except (EOFError, ConnectionResetError):
                message = _Message(KilledProcess(time.perf_counter() - job.began))
            if isinstance(message.what, FewestError):
                raise message.what
            if message.is_outcome:
                self._retire(
                    job, isinstance(message.what, KilledProcess) or message.seconds > _SHORT
                )
                if not (self.is_interrupted and isinstance(message.what, KilledProcess)):
                    yield job.index, message.what
            elif self.report is not None and not self.is_interrupted:
                self.report(job.index, message.what)

    def _retire(self, job: _Job, is_spent: bool) -> None:
        """Give the worker the next item, or end it."""
        if is_spent or self.is_interrupted or not self.waiting:
            del self.running[job.worker.connection]
            job.worker.close()
            return
        following = self.waiting.pop()
        self.running[job.worker.connection] = _Job(job.worker, following, time.perf_counter())
        with suppress(OSError):
            job.worker.connection.send(self.items[following])

    def interrupt(self) -> None:
        """Forward Ctrl-C: start no more items, and let all workers report the results that they have."""
        self.is_interrupted = True
        for job in self.running.values():
            job.worker.interrupt()

    def close(self) -> None:
        """End all workers."""
        for job in self.running.values():
            job.worker.close()


def _answer(connection: Connection) -> None:
    """Runs in the child process: answers one item after another."""
    function = connection.recv()

    def say(progress: Any) -> None:
        connection.send(_Message(progress, is_outcome=False))

    while True:
        item = connection.recv()
        began = time.process_time()
        found = outcome(function, item, say)
        message = _Message(found, seconds=time.process_time() - began)
        # from here on, a signal must not discard the answer, which is finished
        ignore_termination()
        connection.send(message)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGTERM, signal.default_int_handler)
