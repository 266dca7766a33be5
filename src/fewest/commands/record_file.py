"""A file of records, one JSON line each, which a long computation writes and from which a later one continues.

Each line is written in a single call, once its record is complete. If the machine stops in the middle of a line, the
next process that opens the file removes the incomplete line and keeps all lines before it. A line ends with its
checksum, `check`; lines without a checksum are also valid. If a file contains anything else, reading it raises an error
and leaves the file unchanged.
"""

from __future__ import annotations

import errno
import hashlib
import os
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Generic, Self, TypeVar

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from fewest.errors import UsageError
from fewest.model.answer import LimitReached
from fewest.store.error_translation import is_full

_CHECK = b',"check":'


class CheckedRecord(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A record that can be stored as a line of a file."""

    check: str | UnsetType = UNSET

    def line(self) -> bytes:
        """The record as a line that ends with a checksum of the preceding characters."""
        text = msgspec.json.encode(replace(self, check=UNSET)).removesuffix(b"}")
        return text + _CHECK + msgspec.json.encode(_checksum(text)) + b"}\n"


AnyRecord = TypeVar("AnyRecord", bound=CheckedRecord)


class RecordFile(Generic[AnyRecord]):
    """The records in a file that stays open so that more can be added. Use the object in a `with` statement.

    `kind` is the type of the records, and `beginning` is the beginning of every line; error messages use `owner` and
    `hint`. Raises UsageError if the file contains anything else, and OSError if the file cannot be read or written.
    """

    def __init__(
        self, path: Path, kind: type[AnyRecord], beginning: bytes, owner: str, hint: str
    ) -> None:
        self.path = path
        self._kind, self._beginning, self._owner, self._hint = kind, beginning, owner, hint
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
        try:
            with os.fdopen(os.dup(self._descriptor), "rb") as file:
                content = file.read()
            self.records, end = self._read(content)
            if end < len(content):
                os.ftruncate(self._descriptor, end)
            elif content and not content.endswith(b"\n"):
                self._write(b"\n")
        except BaseException:
            os.close(self._descriptor)
            raise

    def append(self, record: AnyRecord) -> None:
        """Add a complete line, or nothing. Raises LimitReached if the disk is full, and OSError for other failures."""
        try:
            self._write(record.line())
        except OSError as error:
            if not is_full(error):
                raise
            raise LimitReached("disk") from error

    def _write(self, line: bytes) -> None:
        size = os.fstat(self._descriptor).st_size
        try:
            if os.write(self._descriptor, line) != len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            os.fsync(self._descriptor)
        except OSError as error:
            with suppress(OSError):
                os.ftruncate(self._descriptor, size)
            raise OSError(error.errno, error.strerror, str(self.path)) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        os.close(self._descriptor)

    def _read(self, content: bytes) -> tuple[tuple[AnyRecord, ...], int]:
        """The records, and the offset at which the last complete line ends."""
        records: list[AnyRecord] = []
        position = 0
        for number, line in enumerate(content.splitlines(keepends=True), 1):
            try:
                record = msgspec.json.decode(line, type=self._kind)
            except (msgspec.MsgspecError, UnicodeDecodeError) as error:
                if self._is_torn(line):
                    break
                raise self._unreadable(
                    number, f"this is not a line of {self._owner}: {error}"
                ) from error
            if record.check is not UNSET and record.check != _checksum(line.rpartition(_CHECK)[0]):
                raise self._unreadable(number, "the checksum is wrong")
            records.append(record)
            position += len(line)
        return tuple(records), position

    def _is_torn(self, line: bytes) -> bool:
        """Whether this line may result from a power failure, that is, whether it is the beginning of a record, perhaps
        followed by zeros.
        """
        if line.endswith(b"\n"):
            return False
        begun = line.rstrip(b"\0")
        return begun.startswith(self._beginning) or self._beginning.startswith(begun)

    def _unreadable(self, number: int, why: str) -> UsageError:
        return UsageError(f"{self.path}, line {number}: {why}", hint=self._hint)


def _checksum(text: bytes) -> str:
    return hashlib.blake2b(text, digest_size=8).hexdigest()
