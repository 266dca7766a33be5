"""Puzzles from stdin, a pipe or a process substitution, which can be read only once."""

from __future__ import annotations

import errno
import os
import stat
import sys
from contextlib import suppress
from functools import cache

STDIN = "-"
_DESCRIPTORS = ("/dev/fd", "/proc/self/fd")
# the number of bytes to read: one more than the size of the largest file that is allowed
MOST = 16_000_001


def is_stream(ref: str) -> bool:
    """Whether a reference means stdin (`-`, `/dev/stdin`), a pipe (such as `<(command)`) or a
    device.
    """
    if ref == STDIN or ref.startswith(("/dev/", "/proc/")):
        return True
    try:
        mode = os.stat(ref).st_mode
    except (OSError, ValueError):  # ValueError: no file can have this name
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISCHR(mode) or stat.S_ISSOCK(mode)


def called(ref: str) -> str:
    """The name under which a reference is displayed; for example, `/dev/fd/63` is displayed as a pipe without a
    name.
    """
    folder, _, name = ref.rpartition("/")
    if ref in (STDIN, "/dev/stdin") or (name == "0" and folder in _DESCRIPTORS):
        return "stdin"
    return "pipe" if folder in _DESCRIPTORS else ref


def leads_nowhere(path: str | os.PathLike[str]) -> str:
    """The mistake in a link, for a message that begins with the name of the link; empty if there is no mistake."""
    try:
        os.stat(path)
    except FileNotFoundError:
        with suppress(OSError):
            return f"is a link to {os.readlink(path)}, which does not exist"
        return ""
    except (OSError, ValueError) as error:
        is_circle = getattr(error, "errno", None) == errno.ELOOP
        return "is a link that leads back to itself" if is_circle else ""
    return ""


def read_stream(ref: str) -> bytes:
    """The content of a stream, but at most MOST bytes. The stream is read once, and the content is then cached. Raises
    OSError.
    """
    return _read(ref, os.stat(0 if ref == STDIN else ref).st_ino)


@cache
def _read(ref: str, _inode: int) -> bytes:
    if ref == STDIN:
        return sys.stdin.buffer.read(MOST)
    with open(ref, "rb") as file:
        return file.read(MOST)
