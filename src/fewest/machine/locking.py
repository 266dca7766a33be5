"""A lock on a file, which only one process can hold. The system releases the lock when the process ends, whatever the
reason.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from fewest.machine.files import sync_folder


class LockedError(OSError):
    """Raised if another process holds the lock."""


class LockedFolder:
    """A locked folder. A new folder gets its name in `appear`, when it already contains its first files. Therefore, a
    program that is killed earlier leaves no empty folder with this name.

    `now` is the current path of the folder.
    """

    def __init__(self, folder: Path, now: Path) -> None:
        self.folder, self.now = folder, now

    def appear(self) -> None:
        """Give a new folder its name; otherwise, do nothing. Raises LockedError if another process has created a folder
        with this name in the meantime, and OSError.
        """
        if self.now == self.folder:
            return
        try:
            os.rename(self.now, self.folder)  # this can also replace an empty folder
        except OSError as error:
            if error.errno in (errno.ENOTEMPTY, errno.EEXIST):
                raise _locked_error(self.folder) from None
            raise OSError(error.errno, error.strerror, str(self.folder)) from None
        self.now = self.folder
        sync_folder(self.folder.absolute().parent)


@contextmanager
def locked_folder(folder: Path) -> Iterator[LockedFolder]:
    """Hold the lock of a folder during the block. A folder that does not exist is created; unless the block calls
    `appear`, the new folder is removed after the block. Raises LockedError or OSError.
    """
    if folder.exists():
        with locked(folder / "lock"):
            yield LockedFolder(folder, folder)
        return
    folder.parent.mkdir(parents=True, exist_ok=True)
    new = LockedFolder(folder, folder.with_name(f".{folder.name[:60]}.{os.urandom(4).hex()}"))
    try:
        try:
            new.now.mkdir()
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(folder)) from None
        with locked(new.now / "lock"):
            yield new
    finally:
        if new.now != folder:
            _remove(new.now)


def _remove(folder: Path) -> None:
    """Remove a folder of files, if possible."""
    with suppress(OSError):
        for file in list(folder.iterdir()):
            file.unlink()
        folder.rmdir()


def _locked_error(folder: Path) -> LockedError:
    return LockedError(errno.EWOULDBLOCK, "another process is using this folder", str(folder))


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
        except BlockingIOError:
            raise _locked_error(path.parent) from None
        yield
    finally:
        os.close(handle)
