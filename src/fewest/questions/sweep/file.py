"""The file of a sweep: one JSON line for each finished member, so that a long sweep can be resumed.

A line is written in one piece, after the member is finished. If the machine stops in the middle of
one, the torn line is cut off when the file is opened again; everything before it counts. A line ends
with its checksum, `check`; one that has none counts. A file that is not of a sweep is refused and left alone.
"""

from __future__ import annotations

import errno
import hashlib
import os
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Literal

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from fewest.errors import UsageError
from fewest.model.answer import LimitReached
from fewest.store.error_translation import is_full

_BEGINNING = b'{"sweep":1,'
_CHECK = b',"check":'


class Record(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One line: the question (document, metric, engine, limits), the member, and the answer.

    `document` identifies the rules and the version of this package; `memory` is in bytes.
    """

    sweep: Literal[1] = 1
    document: str
    puzzle: str
    metric: str
    engine: str
    time: float | None
    memory: int | None
    parameters: dict[str, int]
    status: Literal["optimal", "unsolvable", "solved", "limit", "invalid"]
    cost: int | tuple[int, ...] | None
    lower_bound: int | tuple[int, ...] | None
    states: int | None
    seconds: float
    reason: str | None
    error: str | None
    lurd: str | None = None
    check: str | UnsetType = UNSET

    def line(self) -> bytes:
        """The line with its checksum, which covers everything before it."""
        text = msgspec.json.encode(replace(self, check=UNSET)).removesuffix(b"}")
        return text + _CHECK + msgspec.json.encode(_checksum(text)) + b"}\n"


class SweepFile:
    """The records of a file, and the file open for more. Use it in a `with` statement.

    Raises UsageError if the file does not belong to a sweep, OSError if it cannot be read or written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
        try:
            with os.fdopen(os.dup(self._descriptor), "rb") as file:
                content = file.read()
            self.records, end = _read(content, path)
            if end < len(content):
                os.ftruncate(self._descriptor, end)
            elif content and not content.endswith(b"\n"):
                self._write(b"\n")
        except BaseException:
            os.close(self._descriptor)
            raise

    def append(self, record: Record) -> None:
        """Add a line, completely or not at all. Raises LimitReached if the disk is full, OSError."""
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

    def __enter__(self) -> SweepFile:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        os.close(self._descriptor)


def _read(content: bytes, path: Path) -> tuple[tuple[Record, ...], int]:
    """The records, and the end of the complete lines."""
    records: list[Record] = []
    position = 0
    for number, line in enumerate(content.splitlines(keepends=True), 1):
        try:
            record = msgspec.json.decode(line, type=Record)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            if _is_torn(line):
                break
            raise _unreadable(path, number, f"not a line of a sweep: {error}") from error
        if record.check is not UNSET and record.check != _checksum(line.rpartition(_CHECK)[0]):
            raise _unreadable(path, number, "its checksum is wrong")
        records.append(record)
        position += len(line)
    return tuple(records), position


def _checksum(text: bytes) -> str:
    return hashlib.blake2b(text, digest_size=8).hexdigest()


def _is_torn(line: bytes) -> bool:
    """Whether a power failure may have left this line: its beginning, perhaps followed by zeros."""
    if line.endswith(b"\n"):
        return False
    begun = line.rstrip(b"\0")
    return begun.startswith(_BEGINNING) or _BEGINNING.startswith(begun)


def _unreadable(path: Path, number: int, why: str) -> UsageError:
    hint = "give --resume a new file, or one that a sweep has written"
    return UsageError(f"{path}, line {number}: {why}", hint=hint)
