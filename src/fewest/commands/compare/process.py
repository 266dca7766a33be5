"""Runs an engine in a separate process. The parent process measures the memory of the engine, enforces its limits, and
handles crashes and Ctrl-C.

Problem: engines interpret the same limits differently. They use memory and time in different ways, and some take longer
to stop than others. If an engine crashes, its process ends. Solution: each run gets a new process
(`machine.processes`). The engine observes its limits and reports its lower bound. This module ends an engine only if
the engine exceeds its limits by far, or does not stop after Ctrl-C.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import wait
from typing import Any

from msgspec.structs import replace

from fewest.commands.compare.entry import CpuSeconds, Entry
from fewest.commands.compare.worker import Answered, CompareRequest, Started, serve
from fewest.machine.processes import Worker
from fewest.machine.processor_time import processor_seconds_of
from fewest.model.answer import Horizon, limit_words

INTERVAL = 0.05  # the number of seconds between two measurements of memory use
# the number of seconds after the time limit until this module ends an engine that is still running
_GRACE_SECONDS = 10.0
# the number of bytes by which a process may exceed the memory limit, because of the interpreter and the puzzle
_GRACE_MEMORY = 256 << 20
_GRACE_INTERRUPT = 5.0  # the number of seconds to wait for a report after Ctrl-C


class EngineProcess:
    """A process in which an engine solves an instance; the constructor starts the process. `close`, or the end of a
    `with` statement, ends this process and all processes that it has started.
    """

    def __init__(self, request: CompareRequest) -> None:
        self.request = request
        self._horizons: list[Horizon] = []
        self._began: float | None = None
        self._answer: Entry | None = None  # the entry, which is complete except for its certificate
        self._before: int | None = None
        self._peak = 0
        self._cpu_before = self._grounding = 0.0
        self._worker = Worker(serve, is_quiet=True)
        self.connection = self._worker.connection
        with suppress(OSError):  # the process has ended; `step` will report this
            self.connection.send(request)

    def __enter__(self) -> EngineProcess:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the process and all processes that it has started."""
        self._worker.close()

    def answer(self, progress: Callable[[Any], None] | None = None) -> Entry:
        """Wait for the entry and return it."""
        while True:
            wait([self.connection], INTERVAL)
            entry = self.step(progress)
            if entry is not None:
                return entry

    def step(self, progress: Callable[[Any], None] | None = None) -> Entry | None:
        """Receive a message, if there is one, and enforce the limits; return the entry if it is complete.

        A crash also produces an entry. Call this method whenever `connection` is ready, and otherwise at least 20 times
        a second.
        """
        entry = self._next(0.0, progress)
        if entry is not None:
            return entry
        limits = self.request.limits
        elapsed = 0.0 if self._began is None else time.perf_counter() - self._began
        if limits.seconds is not None and elapsed > limits.seconds + _GRACE_SECONDS:
            return self._stopped("time")
        if limits.memory is not None and self._measure() > limits.memory + _GRACE_MEMORY:
            return self._stopped("memory")
        return None

    def interrupt(self) -> Entry:
        """Interrupt the engine and return the entry with the bounds that it has proved."""
        self._worker.interrupt()
        deadline = time.perf_counter() + _GRACE_INTERRUPT
        while time.perf_counter() < deadline:
            entry = self._next(INTERVAL, None)
            if entry is not None:
                return entry if entry.status != "failed" else self._stopped("interrupted")
        return self._stopped("interrupted")

    def _next(self, seconds: float, progress: Callable[[Any], None] | None) -> Entry | None:
        """Process one message, if a message arrives within `seconds`. Returns the entry if the message completes it, or
        if the process has ended; otherwise None.
        """
        try:
            if not self.connection.poll(seconds):
                self._measure()
                return None
            message = self.connection.recv()
        except (EOFError, OSError):
            return self._exit_entry()
        if isinstance(message, Entry):
            if self._answer is not None and message.reason == "interrupted":
                return self._stopped("interrupted")
            return self._with_peak(message)
        if isinstance(message, Answered):
            self._answer = self._with_peak(message.entry)
            # from now on, the same limits apply to the certificate
            self._began = time.perf_counter()
            return None
        self._measure()
        if isinstance(message, Started):
            self._began, self._before = time.perf_counter(), message.memory
            self._grounding = message.grounding
            self._cpu_before = processor_seconds_of(self._worker.pid)
            return None
        if isinstance(message, Horizon):
            self._horizons.append(message)
        if progress is not None:
            progress(message)
        return None

    def _measure(self) -> int:
        """Measure the memory of the process and its descendants, and return their current size in bytes (0 if unknown).

        The recorded peak covers only the engine, not the certificate.
        """
        found = self._worker.memory()
        if found is None:
            return 0
        if self._answer is None:
            self._peak = max(self._peak, found[0])
        return found[1]

    def _with_peak(self, entry: Entry) -> Entry:
        peak = None if entry.memory is None else max(entry.memory, self._peak)
        return replace(entry, memory=peak)

    def _stopped(self, reason: str) -> Entry:
        """The entry for a process that has not sent a complete entry, made from its other messages.

        If only the certificate is missing, the answer remains valid.
        """
        if self._answer is not None:
            if reason == "interrupted":
                return self._answer
            return replace(self._answer, certified=f"no certificate: {limit_words(reason)}")
        refuted = [row.horizon for row in self._horizons if row.verdict == "no plan"]
        seconds = None if self._began is None else time.perf_counter() - self._began
        limits = self.request.limits
        return Entry(
            self.request.engine.name,
            "limit",
            # Each horizon costs at least one unit, so this bound is valid in every metric that has horizons.
            lower_bound=max(refuted) + 1 if refuted else None,
            reason=reason,
            seconds=seconds,
            cpu=self._cpu(),
            memory=self._peak or None,
            memory_before=self._before,
            time_limit=limits.seconds,
            memory_limit=None if limits.memory is None else int(limits.memory),
            repeat=self.request.repeat,
            statistics={"horizons": self._horizons} if self._horizons else {},
        )

    def _cpu(self) -> CpuSeconds:
        """The CPU seconds so far; `solving` is None if the process no longer exists."""
        if self._began is None:
            return CpuSeconds()
        spent = processor_seconds_of(self._worker.pid) - self._cpu_before
        return CpuSeconds(self._grounding, None, spent if spent > 0 else None)

    def _exit_entry(self) -> Entry:
        """The entry for a process that ended before it sent a complete entry."""
        code, last_line = self._worker.exit_cause()
        stopped = self._stopped("killed")
        if code == -signal.SIGKILL:
            return stopped
        how = f"ended with code {code}" if code >= 0 else f"crashed ({signal.Signals(-code).name})"
        error = f"the process {how}" + (f": {last_line[:200]}" if last_line else "")
        return replace(stopped, status="failed", reason=None, error=error)
