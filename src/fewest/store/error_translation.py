"""Translates the errors of a store into messages that name the cause."""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from fewest.errors import Exit, FewestError
from fewest.machine.locking import LockedError

_NO_ROOM = (errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC))
_NO_FOLDER = (errno.ENOTDIR, errno.EISDIR, errno.EEXIST)  # errors that mean that the name is wrong


class StoreError(FewestError):
    """Raised if a folder or an object store is missing or damaged, is not a store, or belongs to another query."""


class StoreAccessError(StoreError):
    """The error for a folder of a store that the system cannot create, write or read."""

    exit_code = Exit.OUTPUT


def is_full(error: OSError) -> bool:
    """Whether the error means that there is no more room for the file: the disk is full, or a quota or the maximum file
    size is reached. This counts as a limit.
    """
    return error.errno in _NO_ROOM


@contextmanager
def translating_errors(where: object, is_begun: Callable[[], bool]) -> Iterator[None]:
    """Raises StoreError, which names the location, for damage, for a lock that another process holds, and for all
    system errors.
    """
    from fewest.search.native import DamageError

    try:
        yield
    except DamageError as error:
        hint = "start again in another folder"
        raise StoreError(f"the store is damaged: {error}", hint=hint) from None
    except LockedError as error:
        hint = "wait until the other process ends, or choose another folder"
        raise StoreError(f"{where}: {error.strerror}", hint=hint) from None
    except OSError as error:
        what = f"{error.filename or where}: {error.strerror or error}"
        hint = "solve this problem, then continue with `fewest resume`" if is_begun() else ""
        kind = StoreError if error.errno in _NO_FOLDER else StoreAccessError
        raise kind(f"the store cannot be used: {what}", hint=hint) from None
