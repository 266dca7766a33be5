"""Runs the engines of a comparison in this process, for tests that are not about processes."""

from __future__ import annotations

import os
import pickle
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch


class _Child:
    """The end of the connection that the function of a child process gets."""

    def __init__(self, request: bytes, messages: deque[bytes]) -> None:
        self._request, self._messages = request, messages

    def recv(self) -> Any:
        return pickle.loads(self._request)

    def send(self, message: Any) -> None:
        self._messages.append(pickle.dumps(message))


class _Connection:
    """The end of the connection that the parent process has. A request runs the function, which answers at once."""

    def __init__(self, function: Callable[[Any], None]) -> None:
        self._function = function
        self._messages: deque[bytes] = deque()
        self._readable, end = os.pipe()
        os.close(end)  # so `wait` always returns the other end

    def fileno(self) -> int:
        return self._readable

    def send(self, request: Any) -> None:
        self._function(_Child(pickle.dumps(request), self._messages))

    def poll(self, seconds: float) -> bool:
        return True

    def recv(self) -> Any:
        return pickle.loads(self._messages.popleft())

    def close(self) -> None:
        os.close(self._readable)


class _Worker:
    """Has the methods of `machine.processes.Worker` that a comparison calls, but starts no process."""

    pid = os.getpid()

    def __init__(self, function: Callable[[Any], None], *, is_quiet: bool) -> None:
        self.connection = _Connection(function)

    def memory(self) -> tuple[int, int] | None:
        return None

    def close(self) -> None:
        self.connection.close()


@contextmanager
def engines_run_here() -> Iterator[None]:
    """In this block, `compare` starts no processes for engines. As between processes, the requests and the answers are
    pickled. An engine that crashes would end the tests, and the memory of an engine is that of the tests.
    """
    with (
        patch("fewest.commands.compare.process.Worker", _Worker),
        # these calls are for a process that has only one engine
        patch("fewest.commands.compare.worker.ignore_termination"),
        patch("fewest.commands.compare.worker.stay_on"),
    ):
        yield
