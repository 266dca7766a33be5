"""Writing files: all that this package writes to a path goes through `write_whole`.

Problem: a file that is written in place is half a file when the disk is full or the program is stopped;
one that is replaced loses its rights, is no link any more, and a device of its name would become a file.
Solution: what can be replaced is replaced by a whole new file beside it, with the old one's rights, where
its links lead to; what cannot (devices, pipes, our own output) is written to directly.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

STDOUT = Path("-")  # this program's own output


def goes_to_stream(path: Path) -> bool:
    """Whether a path is stdout, a pipe or a device, whose name does not say what goes there."""
    found = None if path == STDOUT else _status(path)
    if _own_output(path, found) is not None:
        return True
    return found is not None and not stat.S_ISREG(found.st_mode) and not stat.S_ISDIR(found.st_mode)


def check_place(path: Path) -> None:
    """Raises OSError if no file can be written there, as far as that is known before the work."""
    if path == STDOUT:
        return
    if not path.name:
        raise OSError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
    try:
        target = Path(os.path.realpath(path))
    except OSError as error:  # the current folder is gone
        raise OSError(error.errno, error.strerror, str(path)) from error
    if path.is_dir():
        raise OSError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not path.exists() and not target.parent.is_dir():
        raise OSError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
    if path.exists() and not os.access(path, os.W_OK):
        raise OSError(errno.EACCES, os.strerror(errno.EACCES), str(path))


def write_whole(path: Path, parts: Iterable[bytes]) -> int:
    """Write the parts to a file, whole or not at all; returns how many bytes they are.

    `-` and names of our own output (`/dev/stdout`) are written to as that; devices and named pipes
    directly. Links are followed; a file that is there already keeps its rights, and its owner where we may give
    files away. Raises OSError, with `path` as its file name.
    """
    try:
        found = None if path == STDOUT else _status(path)
        stream = _own_output(path, found)
        if stream is not None:
            sys.stdout.flush()  # what was printed before comes first
            return _send(stream, parts)
        if found is not None and not stat.S_ISREG(found.st_mode):
            with open(path, "wb") as file:
                return _send(file, parts)
        return _replace(Path(os.path.realpath(path)), found, parts)
    except BrokenPipeError:
        raise  # who reads what we write to a pipe may stop
    except OSError as error:
        # Our own output has no name: whoever gets the error says so.
        name = None if path == STDOUT else str(path)
        raise OSError(error.errno, error.strerror, *([] if name is None else [name])) from error


def sync_folder(folder: Path) -> None:
    """The names in a folder, new ones and changed ones, outlive a power cut. Raises OSError."""
    if not hasattr(os, "O_DIRECTORY"):
        return  # the system sees to it
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _status(path: Path) -> os.stat_result | None:
    """What is there, where links lead to; None if there is nothing yet."""
    try:
        return path.stat()
    except FileNotFoundError:
        return None


def _own_output(path: Path, found: os.stat_result | None) -> BinaryIO | None:
    """Our stdout or stderr, if the path means that: who opens it again begins at its beginning."""
    if path == STDOUT:
        return sys.stdout.buffer
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):  # closed, or none of the system's
            if found is not None and os.path.samestat(found, os.fstat(stream.fileno())):
                return stream.buffer
    return None


def _send(file: BinaryIO, parts: Iterable[bytes]) -> int:
    """Write to what cannot be replaced."""
    size = 0
    for part in parts:
        file.write(part)
        size += len(part)
    file.flush()
    return size


def _replace(path: Path, old: os.stat_result | None, parts: Iterable[bytes]) -> int:
    """Put a new file in the place of a regular one or of none; `path` is no link."""
    if old is not None and not os.access(path, os.W_OK):
        raise OSError(errno.EACCES, os.strerror(errno.EACCES))
    handle, name = _new_file(path)
    try:
        with os.fdopen(handle, "wb") as file:
            size = _send(file, parts)
            os.fsync(file.fileno())  # its bytes come before its name
            if name is None:
                name = _named(file.fileno(), path)
        _give_rights(name, path, old)
        os.replace(name, path)
        return size
    except BaseException:
        if name is not None:
            with suppress(OSError):
                os.unlink(name)
        raise


def _new_file(path: Path) -> tuple[int, str | None]:
    """A new file beside a path: without a name where the system can, so that nothing is left of it when the
    program is killed."""
    if hasattr(os, "O_TMPFILE") and os.path.isdir("/proc/self/fd"):
        with suppress(OSError):  # not every file system can
            return os.open(path.parent, os.O_TMPFILE | os.O_RDWR | os.O_CLOEXEC, 0o600), None
    from tempfile import mkstemp  # with `random` and more, which few need

    return mkstemp(prefix=f".{path.name[:60]}.", dir=path.parent)


def scratch_file(folder: Path) -> tuple[int, str, bool]:
    """A new file: its handle, the path by which processes that we start open it, and whether that is a name.

    It has none where the system can, so that nothing is left of it when the program is killed; a name is to
    be removed once they have opened it. Raises OSError.
    """
    handle, name = _new_file(folder / "fewest")
    return handle, name or f"/proc/{os.getpid()}/fd/{handle}", name is not None


def _named(handle: int, path: Path) -> str:
    """A name beside a path for a file that has none."""
    while True:
        name = path.parent / f".{path.name[:60]}.{os.urandom(4).hex()}"
        with suppress(FileExistsError):
            # With a folder, which is ignored, Python asks the system to follow the link.
            os.link(f"/proc/self/fd/{handle}", name, src_dir_fd=handle, follow_symlinks=True)
            return str(name)


def _give_rights(name: str, path: Path, old: os.stat_result | None) -> None:
    """A new file's rights are those of any new file, an old one's its own (and its lists of others)."""
    if old is None:
        os.chmod(name, 0o666 & ~_umask())  # the temporary file is its owner's alone
        return
    if hasattr(os, "chown"):
        with suppress(OSError):
            os.chown(name, old.st_uid, old.st_gid)
    if hasattr(os, "listxattr"):
        with suppress(OSError):
            for attribute in os.listxattr(path):
                os.setxattr(name, attribute, os.getxattr(path, attribute))
    os.chmod(name, stat.S_IMODE(old.st_mode))


def _umask() -> int:
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
