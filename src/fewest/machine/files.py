"""Writing files whole or not at all."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path


def check_place(path: Path) -> None:
    """Raises OSError if no file can be written there, as far as that is known before the work."""
    if path.is_dir():
        raise OSError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not path.absolute().parent.is_dir():
        raise OSError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))


def write_whole(path: Path, parts: Iterable[bytes]) -> None:
    """Write the parts to a temporary file beside `path` and rename it, so that no half file is seen.

    Raises OSError, with `path` as its file name.
    """
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error
    try:
        with os.fdopen(handle, "wb") as file:
            for part in parts:
                file.write(part)
        os.chmod(name, 0o666 & ~_umask())  # the temporary file is its owner's alone
        os.replace(name, path)
    except BaseException as error:
        with suppress(OSError):
            os.unlink(name)
        if isinstance(error, OSError):
            raise OSError(error.errno, error.strerror, str(path)) from error
        raise


def _umask() -> int:
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
