"""Runs requests in separate processes that have time and memory limits; a request ends when its client leaves.

Quick requests (`WorkerPool.query`: reading, checking, drawing, after every keystroke) go to a few permanent processes.
The pool ends and replaces a process that takes too much time or memory. Each long request (`WorkerPool.begin`: solving,
comparing, exploring) has a process of its own, which reports progress. The caller must end this process as soon as no
client listens. When as many long requests are running as the machine has processors (at least two), further requests
wait in a queue and report their place in it.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import aclosing, suppress
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from fewest.errors import FewestError
from fewest.machine.processes import Worker
from fewest.model.answer import counted
from fewest.serve.worker import Message, WorkerRequest, serve

QUICK_SECONDS = 10.0
QUICK_MEMORY = 1 << 30
MOST_WAITING = 64
MOST_QUEUED = 64
# the number of seconds after the time limit until a process is ended: the engine itself observes the limit
_GRACE_SECONDS = 5.0
_GRACE_MEMORY = 512 << 20
_GRACE_STOP = 0.6  # the number of seconds to wait for a report after a user cancels a request
_LOOK = 0.1  # the number of seconds between two checks of a process


class UnansweredError(FewestError):
    """Raised if there is no answer for a reason that has nothing to do with the request itself, or if a request exceeds
    a limit. The same request may be answered later.
    """


class PoolFullError(UnansweredError):
    """Raised if too many requests are already waiting."""


class Limits(Struct, frozen=True):
    """The limits on one request: `seconds` of wall-clock time, and `memory` in bytes."""

    seconds: float
    memory: int


class WorkerPool:
    """The processes of a server, for one event loop. Close the pool at the end."""

    def __init__(self, root: Path | None, *, quick: int = 2, runs: int | None = None) -> None:
        self.root = root
        self._idle: list[Worker] = []
        self._all: set[Worker] = set()
        self._idle_worker: Worker | None = None  # a process that is ready for the next long request
        self._seats = asyncio.Semaphore(quick)
        self._waiting = 0
        self._most_runs = runs or max(2, os.cpu_count() or 1)
        self._is_closed = False
        self._runs: dict[str, Job] = {}
        self._queue: list[Job] = []  # the requests that are waiting for a process, in order

    def start_early(self) -> None:
        """Before the first request, start a process for quick requests and one for a long request."""
        self._idle.append(self._worker())
        self._idle_worker = self._worker()

    async def query(
        self,
        handler: str,
        parameters: Mapping[str, Any],
        has_left: Callable[[], Awaitable[bool]] | None = None,
    ) -> Any:
        """The answer to a quick request. Raises FewestError if the process refuses the request, UnansweredError if it
        exceeds a limit or ends early, and PoolFullError if too many requests are waiting.

        `has_left`: whether the client has left. Such a request is not answered: otherwise, the requests that an editor
        sends and drops while the user types would delay the last one.
        """
        if self._waiting >= MOST_WAITING:
            raise PoolFullError("the server is busy", hint="try again in a moment")
        self._waiting += 1
        try:
            async with self._seats:
                if has_left is not None and await has_left():
                    raise UnansweredError("the client has left")
                return await self._answer(handler, parameters)
        finally:
            self._waiting -= 1

    async def _answer(self, handler: str, parameters: Mapping[str, Any]) -> Any:
        worker = self._first_alive(self._idle) or self._worker()
        is_reusable = False
        try:
            limits = Limits(QUICK_SECONDS, QUICK_MEMORY)
            request = WorkerRequest(handler, dict(parameters), self.root)
            async with aclosing(_conversation(worker, request, limits)) as messages:
                async for message in messages:
                    if message.kind == "answer":
                        is_reusable = True
                        return message.data
                    if message.kind == "refused":
                        is_reusable = message.is_reusable
                        kind = FewestError if is_reusable else UnansweredError
                        raise kind(message.data["message"], hint=message.data["hint"])
            raise UnansweredError("the worker process ended without an answer")
        finally:
            if is_reusable:
                self._idle.append(worker)
            else:
                self._end(worker)

    def begin(self, handler: str, parameters: Mapping[str, Any], limits: Limits) -> Job:
        """Begin a long request, or queue it if too many are running. The caller must end the request with `end`. Raises
        PoolFullError.
        """
        if len(self._queue) >= MOST_QUEUED:
            raise PoolFullError(
                f"{MOST_QUEUED} requests are already in the queue", hint="try again in a moment"
            )
        run = Job(
            secrets.token_urlsafe(12), WorkerRequest(handler, dict(parameters), self.root), limits
        )
        self._runs[run.name] = run
        self._queue.append(run)
        try:
            self._advance()
        except OSError:  # no process can be started; the request must not remain in the queue
            self.end(run)
            raise
        return run

    def end(self, run: Job) -> None:
        """End the process of a request if it is still running, or remove the request from the queue."""
        if self._runs.pop(run.name, None) is None:
            return
        if run.worker is not None:
            self._end(run.worker)
        else:
            self._queue = [other for other in self._queue if other is not run]
        with suppress(OSError):  # the requests in the queue begin when another one ends
            self._advance()

    def stop(self, name: str) -> bool:
        """Make a long request report the results that it has so far; a request in the queue ends immediately. Returns
        False if the id is unknown.
        """
        run = self._runs.get(name)
        if run is None:
            return False
        if run.stopped is None:
            run.stopped = time.monotonic()
            if run.worker is None:  # the request leaves the queue immediately
                self.end(run)
                run.changed.set()
                return True
            with suppress(OSError):
                run.worker.interrupt()
        return True

    def stop_all(self) -> None:
        """Stop all long requests, as `stop` does, including those in the queue; no further request begins."""
        self._is_closed = True
        for name in tuple(self._runs):
            self.stop(name)

    def _advance(self) -> None:
        """Begin the first requests in the queue, up to the limit; the other requests report their new places."""
        if self._is_closed:
            return
        while self._queue and len(self._runs) - len(self._queue) < self._most_runs:
            idle = [] if self._idle_worker is None else [self._idle_worker]
            worker, self._idle_worker = self._first_alive(idle) or self._worker(), None
            run = self._queue.pop(0)
            run.worker = worker
            run.changed.set()
            with suppress(OSError):  # the next request can start its process itself
                self._idle_worker = self._worker()
        for place, run in enumerate(self._queue, 1):
            if run.place != place:
                run.place = place
                run.changed.set()

    def _first_alive(self, workers: list[Worker]) -> Worker | None:
        """The last of these processes that is still running, or None. It is removed from the list, as are those that
        have ended, for example because the machine had too little memory.
        """
        while workers:
            worker = workers.pop()
            if worker.is_alive():
                return worker
            self._end(worker)
        return None

    def _worker(self) -> Worker:
        worker = Worker(serve, is_quiet=True)
        self._all.add(worker)
        return worker

    def _end(self, worker: Worker) -> None:
        self._all.discard(worker)
        worker.close()

    def close(self) -> None:
        """End all processes."""
        self._is_closed = True
        for worker in tuple(self._all):
            self._end(worker)
        self._idle.clear()


class Job(Struct):
    """A long request, its process, and the time when it was cancelled (`stopped`). As long as it has no process,
    `place` is its place in the queue, counted from 1.
    """

    name: str
    request: WorkerRequest
    limits: Limits
    worker: Worker | None = None
    stopped: float | None = None
    place: int = 0
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    async def messages(self) -> AsyncGenerator[tuple[str, Any], None]:
        """The messages of the request: `queued` (its id and its place) whenever its place changes, `begun` (its id and
        the id of its process), the messages of its process, such as `progress`, and finally `answer` or `refused`.
        """
        while self.worker is None:
            self.changed.clear()
            if self.stopped is not None:
                yield "refused", {"message": "cancelled", "hint": ""}
                return
            yield "queued", {"id": self.name, "place": self.place}
            await self.changed.wait()
        yield "begun", {"id": self.name, "process": self.worker.pid}
        async with aclosing(
            _conversation(self.worker, self.request, self.limits, self)
        ) as messages:
            async for message in messages:
                yield message.kind, message.data


async def _conversation(
    worker: Worker, request: WorkerRequest, limits: Limits, run: Job | None = None
) -> AsyncGenerator[Message, None]:
    """The messages that a process sends for a request, up to the last one. If the process exceeds a limit or ends
    early, or if a cancelled request does not end in time, the last message is a refusal.
    """
    connection = worker.connection
    try:
        # a thread sends the message, which may be large, because a process that is still starting does not yet read
        await asyncio.to_thread(connection.send, request)
    except OSError:
        yield _refusal("the worker process could not be reached")
        return
    began = time.monotonic()
    while True:
        if await _is_readable(connection.fileno(), _LOOK):
            try:
                reply = connection.recv()
            except (EOFError, OSError):
                yield _died(worker, run)
                return
            yield reply
            if reply.kind in ("answer", "refused"):
                return
        now = time.monotonic()
        if run is not None and run.stopped is not None and now - run.stopped > _GRACE_STOP:
            yield _refusal("cancelled")
            return
        if now - began > limits.seconds + (_GRACE_SECONDS if run is not None else 0.0):
            yield _refusal(
                f"the time limit of {counted(round(limits.seconds), 'seconds')} was exceeded"
            )
            return
        used = worker.memory()
        if used is not None and used[1] > limits.memory + _GRACE_MEMORY:
            yield _refusal("the memory limit was exceeded")
            return


async def _is_readable(descriptor: int, seconds: float) -> bool:
    """Wait for data, at most `seconds`, and return whether there are any."""
    loop = asyncio.get_running_loop()
    ready = asyncio.Event()
    loop.add_reader(descriptor, ready.set)
    try:
        async with asyncio.timeout(seconds):
            await ready.wait()
    except TimeoutError:
        return False
    finally:
        loop.remove_reader(descriptor)
    return True


def _refusal(message: str) -> Message:
    return Message("refused", {"message": message, "hint": ""}, is_reusable=False)


def _died(worker: Worker, run: Job | None) -> Message:
    if run is not None and run.stopped is not None:
        return _refusal("cancelled")
    code, _ = worker.exit_cause()
    return _refusal(
        "the machine does not have enough memory"
        if code == -9
        else f"the worker process ended with code {code}"
    )
