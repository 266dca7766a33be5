"""Who solves the members of a batch: this process, or processes of their own.

A process solves one member and ends: what it used is free again, it can be stopped at any moment, and
if the system kills it (memory, mostly), only that member is lost. Ctrl-C reaches this process alone;
it passes the word on, and each process answers with what it has proved by then.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import Pipe, Process
from multiprocessing.connection import Connection, wait
from typing import TYPE_CHECKING, Any

from fewest.errors import InternalError, UsageError
from fewest.questions.sweep.batch import Batch, Member, solve_member

if TYPE_CHECKING:
    from fewest.questions.sweep.batch import Report

_GRACE = 3.0  # seconds for a process to say what it has proved


def solved_one_by_one(
    batch: Batch, todo: Sequence[int], progress: Report | None
) -> Generator[tuple[int, Member], None, None]:
    """The members with these numbers, in turn. Raises KeyboardInterrupt after an interrupted one."""
    for index in todo:
        member = _solve(batch, batch.members[index], progress)
        yield index, member
        if member.reason == "interrupted":
            raise KeyboardInterrupt


def solved_in_processes(
    batch: Batch, todo: Sequence[int], jobs: int, progress: Report | None
) -> Generator[tuple[int, Member], None, None]:
    """The same, as they are finished, `jobs` at a time.

    Raises KeyboardInterrupt after all that is known by then, UsageError, and InternalError for what
    went wrong in a process.
    """
    waiting = list(reversed(todo))
    running: dict[Connection, _Worker] = {}
    try:
        try:
            while waiting or running:
                while waiting and len(running) < jobs:
                    worker = _start(batch, waiting.pop())
                    running[worker.connection] = worker
                yield from _finished(batch, running, progress, None)
        except KeyboardInterrupt:
            for worker in running.values():
                worker.process.terminate()
            deadline = time.monotonic() + _GRACE
            while running and (left := deadline - time.monotonic()) > 0:
                yield from _finished(batch, running, None, left)
            raise
    finally:
        for worker in running.values():
            worker.process.kill()
        for worker in running.values():
            worker.process.join()


@dataclass(frozen=True)
class _Worker:
    index: int
    process: Process
    connection: Connection
    began: float


@dataclass(frozen=True)
class _Failure:
    """What a process cannot answer with: a caller's mistake, or a bug of ours."""

    is_usage: bool
    message: str
    hint: str = ""


def _start(batch: Batch, index: int) -> _Worker:
    ours, theirs = Pipe(duplex=False)
    process = Process(target=_work, args=(theirs, batch, index, os.getpid()), daemon=True)
    with _ctrl_c_held_back():  # the process inherits that, so Ctrl-C never reaches it
        process.start()
    theirs.close()
    return _Worker(index, process, ours, time.perf_counter())


@contextmanager
def _ctrl_c_held_back() -> Iterator[None]:
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _finished(
    batch: Batch,
    running: dict[Connection, _Worker],
    progress: Report | None,
    seconds: float | None,
) -> Iterator[tuple[int, Member]]:
    """Wait for word from the processes; the members that are finished leave `running`."""
    for connection in wait(list(running), seconds):
        assert isinstance(connection, Connection)
        worker = running[connection]
        parameters = batch.members[worker.index]
        try:
            message = connection.recv()
        except EOFError:
            spent = time.perf_counter() - worker.began
            message = Member(parameters, "limit", reason="killed", seconds=spent)
        if isinstance(message, _Failure):
            if message.is_usage:
                raise UsageError(message.message, hint=message.hint)
            raise InternalError(message.message)
        if isinstance(message, Member):
            del running[connection]
            connection.close()
            worker.process.join()
            yield worker.index, message
        elif progress is not None:
            progress(parameters, message)


def _solve(batch: Batch, parameters: Mapping[str, int], progress: Report | None) -> Member:
    began = time.perf_counter()
    try:
        return solve_member(batch, parameters, progress)
    except KeyboardInterrupt:
        spent = time.perf_counter() - began
        return Member(parameters, "limit", reason="interrupted", seconds=spent)


def _work(connection: Connection, batch: Batch, index: int, parent: int) -> None:
    """In the process: solve a member, and send progress and what came out."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.default_int_handler)

    def report(parameters: Mapping[str, int], found: Any) -> None:
        if os.getppid() != parent:
            os._exit(1)  # nobody waits for the answer any more
        connection.send(found)

    answer: Member | _Failure
    try:
        answer = _solve(batch, batch.members[index], report)
    except UsageError as error:
        answer = _Failure(True, error.message, error.hint)
    except Exception as error:
        answer = _Failure(False, f"{type(error).__name__}: {error}")
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # the answer is there: let it be sent
    connection.send(answer)
