"""A fast way to exit a program: the exit functions run, and then the operating system frees all memory in one step.

Problem: the interpreter frees its objects one by one, which is unnecessary work. Solution: this module registers an
exit function (`atexit`) first, so that it runs last, after all threads have ended. This function flushes the output and
exits. If a program ends in any other way, such as by an error or in a forked process, it exits as usual.
"""

from __future__ import annotations

import atexit
import os
import sys
from contextlib import suppress
from typing import NoReturn

_codes: list[int] = []


def enable_fast_exit() -> None:
    """Call this function before any exit function is registered. If an exit function already exists (for example, of
    coverage), `exit_now` is the same as `sys.exit`.
    """
    if atexit._ncallbacks() == 0:
        atexit.register(_exit_at_once)


def exit_now(code: int) -> NoReturn:
    """End the program like `sys.exit`, but faster if the fast exit was enabled."""
    _codes.append(code)
    sys.exit(code)


def _exit_at_once() -> None:
    if not _codes:
        return
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # ValueError: the stream is already closed
            stream.flush()
    os._exit(_codes[-1])
