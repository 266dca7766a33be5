"""How a program of ours ends: all that was asked for at its end is done, then the system takes its memory at once.

Problem: the interpreter takes apart what it has, object by object, for which nobody waits.
Solution: of the functions for the end (`atexit`) the first that was registered is called last, after all threads
have ended; it writes what has been printed and leaves. Who ends otherwise, by an error or in a process that was
forked from this one, ends as ever.
"""

from __future__ import annotations

import atexit
import os
import sys
from contextlib import suppress
from typing import NoReturn

_codes: list[int] = []


def enable_fast_exit() -> None:
    """Call first of all; where others were here before (coverage, say), `leave` ends as `sys.exit` does."""
    if atexit._ncallbacks() == 0:
        atexit.register(_exit_at_once)


def exit_now(code: int) -> NoReturn:
    """End the program, as `sys.exit` but sooner if that was prepared."""
    _codes.append(code)
    sys.exit(code)


def _exit_at_once() -> None:
    if not _codes:
        return
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # ValueError: it is closed
            stream.flush()
    os._exit(_codes[-1])
