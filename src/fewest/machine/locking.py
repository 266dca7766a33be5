"""A lock on a file, which only one process can hold. The system releases the lock when the process ends, whatever the
reason.
"""

from __future__ import annotations

import errno
import os
import re
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

    Until it appears, a new folder has a hidden name beside `folder`. If a program is killed before that, the hidden
    folder remains; the next program that locks `folder` removes it.
    """
    _remove_abandoned(folder)
    if folder.exists():
        with locked(folder / "lock"):
            yield LockedFolder(folder, folder)
        return
    folder.parent.mkdir(parents=True, exist_ok=True)
    new = LockedFolder(folder, folder.with_name(f"{_hidden_prefix(folder)}{os.urandom(4).hex()}"))
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


def _hidden_prefix(folder: Path) -> str:
    """The beginning of the name that a new folder has until it appears; eight hexadecimal digits follow."""
    return f".{folder.name[:60]}."


def _remove_abandoned(folder: Path) -> None:
    """Remove the hidden folders of killed programs that were to become `folder`.

    The system releases the lock of a killed program. A hidden folder is therefore abandoned if its lock is free. If
    another program has just created the hidden folder and does not hold the lock yet, it finds the lock taken and
    reports that another process uses `folder`, which is true. A folder without a lock file, or with anything but
    files, was not made by `locked_folder` or may still be in use, and stays.
    """
    try:
        import fcntl
    except ImportError:  # without locks, a folder in use is indistinguishable
        return
    name = re.compile(re.escape(_hidden_prefix(folder)) + "[0-9a-f]{8}")
    with suppress(OSError):
        with os.scandir(folder.parent) as entries:
            hidden = [Path(e.path) for e in entries if name.fullmatch(e.name)]
        for one in hidden:
            with suppress(OSError):
                if one.is_symlink() or not all(file.is_file() for file in one.iterdir()):
                    continue
                handle = os.open(one / "lock", os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
                try:
                    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    _remove(one)
                finally:
                    os.close(handle)


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
