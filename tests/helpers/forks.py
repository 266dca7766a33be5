"""Runs work in child processes, which may be modified, be slow or crash without affecting other processes."""

from __future__ import annotations

import json
import os
import resource
import selectors
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

T = TypeVar("T")
Say = Callable[[Any], None]

MEMORY = 3 << 30  # bytes of address space for each child


def in_forks(
    work: Callable[[T, Say], None], items: Iterable[T], jobs: int, seconds: float
) -> Iterator[tuple[T, list[Any]]]:
    """Each item with the reports of `work` about it, as plain data, in the order in which the children end.

    A child ends after `seconds` of CPU time, or after thirty times as many wall-clock seconds.
    """
    waiting = iter(items)
    running: dict[
        int, tuple[T, int, bytearray, float]
    ] = {}  # pipe -> item, child, output, deadline
    selector = selectors.DefaultSelector()
    try:
        while True:
            while len(running) < jobs and (item := next(waiting, None)) is not None:
                pipe, child = _start(work, item, seconds)
                running[pipe] = item, child, bytearray(), time.monotonic() + 30 * seconds
                selector.register(pipe, selectors.EVENT_READ)
            if not running:
                return
            for key, _ in selector.select(timeout=5):
                pipe = key.fd
                block = os.read(pipe, 1 << 16)
                item, child, data, _ = running[pipe]
                data += block
                if block:
                    continue
                selector.unregister(pipe)
                os.close(pipe)
                os.waitpid(child, 0)
                del running[pipe]
                *lines, _ = data.split(b"\n")
                yield item, [json.loads(line) for line in lines]
            for _, child, _, deadline in running.values():
                if time.monotonic() > deadline:
                    os.kill(child, signal.SIGKILL)
    finally:
        for _, child, _, _ in running.values():
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
        selector.close()


def _start(work: Callable[[T, Say], None], item: T, seconds: float) -> tuple[int, int]:
    sys.stdout.flush()
    ours, theirs = os.pipe()
    child = os.fork()
    if child:
        os.close(theirs)
        return ours, child
    try:
        os.close(ours)
        limit = int(seconds) + 1
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        work(item, lambda data: os.write(theirs, json.dumps(data).encode() + b"\n") and None)
    except BrokenPipeError:
        pass  # the parent has been stopped
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(0)
