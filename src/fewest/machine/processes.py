"""Processes of our own: fresh interpreters, each with a function at the other end of a connection.

Problem: what runs in C listens to nobody, engines crash and take their process along, the system kills
who takes too much, and a fork would begin with our memory and our threads. Solution: a fresh
interpreter in a session of its own, so that Ctrl-C does not reach it and all that it starts can be
ended together; it ends when whoever started it does. Usage:

    with Worker(serve) as worker:      # `serve(connection)` runs there
        worker.connection.send(question)
        answer = worker.connection.recv()   # EOFError: it died, see `worker.death()`

`in_processes` has many such workers answer one question after the other: `Helpers`, of which there may be
others, elsewhere.
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

_GRACE = 3.0  # seconds until a process that is interrupted has said what it knows
_SHORT = (
    1.0  # seconds of computing: who took longer is not used again, so that what it took is free
)


class Worker:
    """A process that runs `function(connection)`. Use it in a `with` statement, or close it.

    The function is found by its name, so it stands at the top of a file. What the process prints goes
    to stderr, or is kept for `death` if it `is_quiet`.
    """

    def __init__(self, function: Callable[[Connection], None], *, is_quiet: bool = False) -> None:
        self._log: IO[bytes] | None = None
        if is_quiet:
            self._log = tempfile.TemporaryFile()  # noqa: SIM115 - closed by close()
        self.connection, theirs = Pipe()
        statement = f"from fewest.machine.processes import _serve; _serve({theirs.fileno()})"
        self._process = subprocess.Popen(
            # From where we import, and nothing that merely lies in the current folder.
            [sys.executable, "-P", "-c", statement],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(p or os.getcwd() for p in sys.path)},
            stdin=subprocess.PIPE,  # nothing is written there: it ends when we do
            stdout=self._log or 2,
            stderr=self._log,
            pass_fds=[theirs.fileno()],
            start_new_session=True,
        )
        theirs.close()
        with suppress(OSError):  # it has died already: whoever asks will see
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
        """The process's id, which is that of its session, too."""
        return self._process.pid

    def is_alive(self) -> bool:
        """Whether it has not ended yet."""
        return self._process.poll() is None

    def interrupt(self) -> None:
        """What Ctrl-C does."""
        self._process.send_signal(signal.SIGINT)

    def memory(self) -> tuple[int, int] | None:
        """The bytes that it and all below it had at most and have now; None where that is not known."""
        return memory_of_tree(self.pid)

    def death(self) -> tuple[int, str]:
        """Wait for its end: its code (below 0: the signal), and the last line of what it printed."""
        code = self._process.wait()
        if self._log is None:
            return code, ""
        self._log.seek(0)
        said = self._log.read().decode(errors="replace").strip().splitlines()
        return code, said[-1] if said else ""

    def close(self) -> None:
        """End the process and all that it has started."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)
        self._process.wait()
        self.connection.close()
        for stream in (self._process.stdin, self._log):
            if stream is not None:
                stream.close()


def _serve(descriptor: int) -> None:
    """In the process: run the function that comes first over the connection."""
    end_with_parent_at_once()
    Thread(target=_end_with_parent, daemon=True).start()
    # A parent that was started in the background may have left this to be ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    terminate_like_interrupt()
    try:
        connection = Connection(descriptor)
        connection.recv()(connection)
    except KeyboardInterrupt:
        pass
    except (EOFError, BrokenPipeError, ConnectionResetError):
        _end_all()  # the other side is gone, and what was started here must not stay


def _end_with_parent() -> None:
    os.read(0, 1)  # returns when nobody holds the other end any more
    _end_all()


def _end_all() -> None:
    """End this session: this process and all that it has started."""
    with suppress(OSError):
        os.killpg(0, signal.SIGKILL)
    os._exit(1)  # not reached where there are sessions


def end_with_parent_at_once() -> None:
    """The system ends this process with its parent, even in C code that listens to nobody. Linux alone can."""
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
    """The command of another program, such that the system ends it when we are gone, where it can."""
    if sys.platform != "linux":
        return list(command)
    return [sys.executable, "-I", "-S", "-c", _ENDING, str(os.getpid()), *command]


# -- many questions -----------------------------------------------------------------------------------


Function: TypeAlias = Callable[[Any, Callable[[Any], None]], Any]
"""`function(item, say)` answers an item; what it says on the way is no answer. It and all items can be pickled."""

Report: TypeAlias = Callable[[int, Any], None]
"""Takes what the function says on the way, with the item's index."""

Helpers: TypeAlias = Callable[
    [Function, Sequence[Any], Report | None], Generator[tuple[int, Any], None, None]
]
"""`helpers(function, items, report)`: `(index, answer)` of every item, as they are finished; see `in_processes`."""


class KilledProcess(Struct, frozen=True):
    """Instead of an answer: the system ended the process after so many seconds."""

    seconds: float


def outcome(function: Function, item: Any, say: Callable[[Any], None]) -> Any:
    """The function's answer, or the error to be raised where it was asked for: a FewestError."""
    try:
        return function(item, say)
    except FewestError as error:
        return error
    except Exception as error:
        return InternalError(f"{type(error).__name__}: {error}")


class _Message(Struct, frozen=True):
    """What a process says: something on the way, or an outcome, for which it has computed so long."""

    what: Any
    is_outcome: bool = True
    seconds: float = 0.0


def helpers_here(jobs: int) -> Helpers | None:
    """So many processes of our own; None for one, which is this process."""
    return None if jobs == 1 else partial(in_processes, jobs=jobs)


def in_processes(
    function: Function, items: Sequence[Any], report: Report | None = None, *, jobs: int
) -> Generator[tuple[int, Any], None, None]:
    """`(index, function(item, say))` of every item, as they are finished, `jobs` at a time.

    What the function says on the way goes to `report` with the item's index. An item whose process the
    system ended has `Killed` for an answer. Ctrl-C reaches this process alone, which passes the word
    on: functions that answer to KeyboardInterrupt with what they know have some seconds for it; then
    KeyboardInterrupt is raised here. Raises the function's FewestError, InternalError for any other.
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
    """A worker, and which item it is asked about since when."""

    worker: Worker
    index: int
    began: float


class _Pool:
    """The items that wait, and the workers that are busy with the others."""

    def __init__(self, function: Function, items: Sequence[Any], report: Report | None) -> None:
        self.function, self.items, self.report = function, items, report
        self.waiting = list(reversed(range(len(items))))
        self.running: dict[Connection, _Job] = {}
        self.is_interrupted = False

    def start(self) -> None:
        """Begin the next item in a new process."""
        worker, following = Worker(_answer), self.waiting.pop()
        self.running[worker.connection] = _Job(worker, following, time.perf_counter())
        with suppress(OSError):  # it has died: its connection will say so
            worker.connection.send(self.function)
            worker.connection.send(self.items[following])

    def finished(self, seconds: float | None) -> Iterator[tuple[int, Any]]:
        """Wait so long for word from any process; the answers that came."""
        for connection in wait(list(self.running), seconds):
            assert isinstance(connection, Connection)
            job = self.running[connection]
            try:
                said: _Message = connection.recv()
            except (EOFError, ConnectionResetError):
                said = _Message(KilledProcess(time.perf_counter() - job.began))
            if isinstance(said.what, FewestError):
                raise said.what
            if said.is_outcome:
                self._retire(job, isinstance(said.what, KilledProcess) or said.seconds > _SHORT)
                if not (self.is_interrupted and isinstance(said.what, KilledProcess)):
                    yield job.index, said.what
            elif self.report is not None and not self.is_interrupted:
                self.report(job.index, said.what)

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
        """Pass Ctrl-C on: no more items, and whoever is busy says what is known."""
        self.is_interrupted = True
        for job in self.running.values():
            job.worker.interrupt()

    def close(self) -> None:
        """Nothing is left running."""
        for job in self.running.values():
            job.worker.close()


def _answer(connection: Connection) -> None:
    """In the process: answer item after item."""
    function = connection.recv()

    def say(what: Any) -> None:
        connection.send(_Message(what, is_outcome=False))

    while True:
        item = connection.recv()
        began = time.process_time()
        found = outcome(function, item, say)
        said = _Message(found, seconds=time.process_time() - began)
        ignore_termination()  # the answer is there: let it be sent
        connection.send(said)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGTERM, signal.default_int_handler)
