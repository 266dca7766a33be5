"""A lock on a file, which only one process can hold. The system releases the lock when the process ends, whatever the
reason.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class LockedError(OSError):
    """Raised if another process holds the lock."""


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock of a file during the block; the file remains after the block. Raises LockedError or OSError. On a
    system without such locks, the function does nothing.
    """
    try:
        import fcntl
    except ImportError:  # this system has no such locks
        yield
        return
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise LockedError(
                error.errno, "another process is using this folder", str(path.parent)
            ) from None
        yield
    finally:
        os.close(handle)
