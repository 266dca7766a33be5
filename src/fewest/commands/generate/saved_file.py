"""Two functions for the files of interrupted searches: one computes the key of a search, and one reads a file and
reports errors.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol, TypeVar

import msgspec

from fewest.errors import UsageError
from fewest.reading.board_spec import BoardSpec
from fewest.version import __version__


class _HasKey(Protocol):
    @property
    def key(self) -> str: ...


F = TypeVar("F", bound=_HasKey)


def key_of(spec: BoardSpec, *options: Any) -> str:
    """A hash of this version of the program, a spec and the options: different searches have different keys."""
    parts = (__version__, spec.document.texts, spec.size, spec.fillers, *options)
    return hashlib.sha256(repr(parts).encode()).hexdigest()


def read_saved(
    path: Path, decode: Callable[[bytes], F], key: str, noun: str, others: str
) -> F | None:
    """The contents of a file; None if there is no file. Raises UsageError if `decode` fails or the file has another
    key, and OSError. `noun` and `others` are nouns for the messages.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None
    try:
        file = decode(data)
    except msgspec.DecodeError as error:
        raise UsageError(
            f"{path} is not a checkpoint of {noun}", hint="name another file"
        ) from error
    if file.key != key:
        raise UsageError(f"{path} belongs to {others}", hint="name another file")
    return file
