"""Writes files. All code that writes the output of a command as a whole file uses `write_whole`.

Problem: if the disk becomes full or the program is stopped, a file that is being written in place remains incomplete.
If, instead, a new file replaces the old one, the old permissions are lost, and a link or a device becomes a regular
file. Solution: this module follows all links, writes a complete new file in the folder of the old one, and gives it the
old permissions; then the new file replaces the old one. To devices, to pipes and to the program's own output, the
module writes directly.
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

STDOUT = Path("-")  # the output of this program


def goes_to_stream(path: Path) -> bool:
    """Whether a path is stdout, a pipe or a device, so that its name does not indicate a format."""
    found = None if path == STDOUT else _status(path)
    if _own_output(path, found) is not None:
        return True
    return found is not None and not stat.S_ISREG(found.st_mode) and not stat.S_ISDIR(found.st_mode)


def check_writable(path: Path) -> None:
    """Raises OSError if it is certain that no file can be written to this path. Call this function before the work
    begins.
    """
    if path == STDOUT:
        return
    if not path.name:
        raise OSError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
    try:
        target = Path(os.path.realpath(path))
    except OSError as error:  # the current folder may no longer exist
        raise OSError(error.errno, error.strerror, str(path)) from error
    if path.is_dir():
        raise OSError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not path.exists() and not target.parent.is_dir():
        raise OSError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
    if path.exists() and not os.access(path, os.W_OK):
        raise OSError(errno.EACCES, os.strerror(errno.EACCES), str(path))


def write_whole(path: Path, parts: Iterable[bytes]) -> int:
    """Write the parts to a file, either completely or not at all; returns the number of bytes.

    `-` and the names of this program's output (`/dev/stdout`) mean this output; to devices and named pipes, the
    function writes directly. It follows links. An existing file keeps its permissions; it also keeps its owner if this
    process may change owners. Raises OSError, with `path` as the file name of the error (except for `-`), and
    BrokenPipeError if the reader of a pipe has ended.
    """
    try:
        found = None if path == STDOUT else _status(path)
        stream = _own_output(path, found)
        if stream is not None:
            sys.stdout.flush()  # earlier output must come first
            return _send(stream, parts)
        if found is not None and not stat.S_ISREG(found.st_mode):
            with open(path, "wb") as file:
                return _send(file, parts)
        return _replace(Path(os.path.realpath(path)), found, parts)
    except BrokenPipeError:
        raise  # the reader of a pipe may stop early
    except OSError as error:
        # the program's own output has no file name, and the handler of the error adds one
        name = None if path == STDOUT else str(path)
        raise OSError(error.errno, error.strerror, *([] if name is None else [name])) from error


def sync_folder(folder: Path) -> None:
    """Ensure that new and changed names in a folder survive a power failure. Raises OSError."""
    if not hasattr(os, "O_DIRECTORY"):
        return  # on this system, folders need not be synced
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _status(path: Path) -> os.stat_result | None:
    """The status of the file after all links have been followed; None if there is no such file."""
    try:
        return path.stat()
    except FileNotFoundError:
        return None


def _own_output(path: Path, status: os.stat_result | None) -> BinaryIO | None:
    """This program's stdout or stderr, if the path means one of them. Such a file must not be opened again, because
    writing would begin at the start of the file.
    """
    if path == STDOUT:
        return sys.stdout.buffer
    for stream in (sys.stdout, sys.stderr):
        # the stream may be closed, or may have no real file
        with suppress(OSError, ValueError, AttributeError):
            if status is not None and os.path.samestat(status, os.fstat(stream.fileno())):
                return stream.buffer
    return None


def _send(file: BinaryIO, parts: Iterable[bytes]) -> int:
    """Write the parts to an open file. Returns the number of bytes."""
    size = 0
    for part in parts:
        file.write(part)
        size += len(part)
    file.flush()
    return size


def _replace(path: Path, old: os.stat_result | None, parts: Iterable[bytes]) -> int:
    """Replace a regular file, or create one; `path` is not a link."""
    if old is not None and not os.access(path, os.W_OK):
        raise OSError(errno.EACCES, os.strerror(errno.EACCES))
    handle, name = _new_file(path)
    try:
        with os.fdopen(handle, "wb") as file:
            size = _send(file, parts)
            os.fsync(file.fileno())  # the contents must be on disk before the name of the file
            if name is None:
                name = _named(file.fileno(), path)
        _copy_permissions(name, path, old)
        os.replace(name, path)
        return size
    except BaseException:
        if name is not None:
            with suppress(OSError):
                os.unlink(name)
        raise


def _new_file(path: Path) -> tuple[int, str | None]:
    """A new file in the folder of `path`. If the system supports this, the file has no name, so that nothing remains if
    the program is killed.
    """
    if hasattr(os, "O_TMPFILE") and os.path.isdir("/proc/self/fd"):
        with suppress(OSError):  # some file systems do not support this
            return os.open(path.parent, os.O_TMPFILE | os.O_RDWR | os.O_CLOEXEC, 0o600), None
    from tempfile import mkstemp  # imported late, because it imports `random` and further modules

    return mkstemp(prefix=f".{path.name[:60]}.", dir=path.parent)


def scratch_file(folder: Path) -> tuple[int, str, bool]:
    """A new file: its handle, the path by which child processes can open it, and whether the file has a name.

    If the system supports this, the file has no name, so that nothing remains if the program is killed. If it has a
    name, the caller must remove the name after the child processes have opened the file. Raises OSError.
    """
    handle, name = _new_file(folder / "fewest")
    return handle, name or f"/proc/{os.getpid()}/fd/{handle}", name is not None


def _named(handle: int, path: Path) -> str:
    """Give an unnamed file a name in the folder of `path`."""
    while True:
        name = path.parent / f".{path.name[:60]}.{os.urandom(4).hex()}"
        with suppress(FileExistsError):
            # the folder has no effect here, but passing it makes Python request that the system follow the link
            os.link(f"/proc/self/fd/{handle}", name, src_dir_fd=handle, follow_symlinks=True)
            return str(name)


def _copy_permissions(name: str, path: Path, old: os.stat_result | None) -> None:
    """Give a file the usual permissions of a new file, or those of the old file (including its access lists)."""
    if old is None:
        os.chmod(name, 0o666 & ~_umask())  # a temporary file grants permissions only to its owner
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
