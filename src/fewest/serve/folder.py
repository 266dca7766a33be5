"""The folder that the user chose, and its files. The server writes nowhere else."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from hashlib import sha256
from math import inf
from pathlib import Path

from msgspec import Struct

from fewest.errors import NotFoundError, UsageError
from fewest.formats.registry import format_of
from fewest.machine.files import write_whole

DOCUMENTS = (".yaml", ".yml")
MOST_FILES = 2_000
MOST_DEPTH = 6
MOST_NAME = 1_000  # the maximum length of the name of a file, with its folders
MOST_BYTES = 1_000_000  # the maximum size of a file, which is the same as the limit for documents


class ChangedError(UsageError):
    """Raised if a file has changed since the user last read it."""


class Folder(Struct, frozen=True):
    """A folder with a resolved path. The names of files are relative to the folder and use `/` as the separator."""

    root: Path

    def names(self, until: float = inf) -> list[str]:
        """The names of at most `MOST_FILES` documents and level files, sorted.

        Hidden files, files more than `MOST_DEPTH` folders deep, and folders named `node_modules` or `_…` are omitted.
        At the time `until` of the monotonic clock, the search of a large folder ends with the names found so far.
        """
        names: list[str] = []
        for name in self._walk(until):
            names.append(name)
            if len(names) == MOST_FILES:
                break
        return sorted(names)

    def _walk(self, until: float) -> Iterator[str]:
        for place, folders, files in os.walk(self.root):
            if time.monotonic() > until:
                return
            here = Path(place).relative_to(self.root)
            folders[:] = sorted(f for f in folders if f[0] not in "._" and f != "node_modules")
            if len(here.parts) >= MOST_DEPTH:
                folders.clear()
            for file in sorted(files):
                if file[0] != "." and is_readable(file):
                    yield (here / file).as_posix()

    def path(self, name: str) -> Path:
        """The file with this name. Raises UsageError if the file is not below the folder, or if it is hidden."""
        parts = Path(name).parts
        outside = UsageError(f"{name} is not in the folder {self.root.name}")
        if not name or "\0" in name or Path(name).is_absolute() or ".." in parts:
            raise outside
        if any(part.startswith(".") for part in parts):
            raise UsageError("hidden files are not available")
        try:
            path = (self.root / name).resolve()
        except (OSError, RuntimeError):  # for example, a cycle of links
            raise outside from None
        if not path.is_relative_to(self.root):
            raise outside
        if any(part.startswith(".") for part in path.relative_to(self.root).parts):
            raise UsageError("hidden files are not available")  # a link can lead to a hidden file
        return path

    def read(self, name: str) -> bytes:
        """The content of a document or level file. Raises NotFoundError if there is no such file; raises UsageError if
        the file is outside the folder, hidden or too large.
        """
        path = self.path(name)
        if not is_readable(name) or not path.is_file():
            raise NotFoundError(f"there is no document {name}")
        if path.stat().st_size > MOST_BYTES:
            raise UsageError(f"{name} is larger than 1 MB")
        return path.read_bytes()

    def write(self, name: str, text: str, seen: str | None) -> str:
        """Write a document, and return its new digest. `seen` is the digest of the version that the user last read;
        None for a new file.

        Raises ChangedError if the file has changed, and UsageError if it is outside the folder, hidden, too large or
        not a .yaml or .yml file.
        """
        path = self.path(name)
        if path.suffix.lower() not in DOCUMENTS or Path(name).suffix.lower() not in DOCUMENTS:
            raise UsageError("the name of a document must end in .yaml or .yml")
        data = text.encode()
        if len(data) > MOST_BYTES:
            raise UsageError("the document is larger than 1 MB")
        if path.exists():
            if not path.is_file():
                raise UsageError(f"{name} is not a file")
            if digest(path.read_bytes()) not in (seen, digest(data)):
                raise ChangedError(
                    f"{name} has changed on disk", hint="to overwrite the file, save again"
                )
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.parent.resolve().is_relative_to(self.root):
            raise UsageError(f"{name} is not in the folder {self.root.name}")
        write_whole(path, [data])
        return digest(data)


def is_readable(name: str) -> bool:
    """Whether the name of a file has the suffix of a document or of levels; `.txt` does not count."""
    suffix = Path(name).suffix.lower()
    return suffix in DOCUMENTS or (suffix != ".txt" and format_of(name) is not None)


def digest(data: bytes) -> str:
    """A digest that distinguishes the versions of a file."""
    return sha256(data).hexdigest()[:32]
