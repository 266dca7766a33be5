"""Object stores by URL (`s3://`, `gs://`, `file://` …), through fsspec (the extra `cluster`).

Most object stores cannot rename or extend objects, and not all of them replace an object atomically. Therefore, each
object is written only once, as a whole, under a new name. An object is valid if a later object (`manifest.py`) contains
its name, its size and its checksum.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Protocol

from msgspec import Struct

from fewest.errors import UsageError
from fewest.store.error_translation import StoreError

ANEW = "start again below another URL"
_PIECE = 1 << 20  # the number of bytes of a chunk


class Part(Struct, frozen=True, array_like=True):
    """An object: its name below the URL, its size in bytes, and its checksum."""

    name: str
    size: int
    check: str


class Objects(Protocol):
    """Objects that are read and written as a whole, keyed by name. An instance can be sent to other processes. All
    methods raise OSError or StoreError.
    """

    @property
    def url(self) -> str: ...
    def names(self, below: str = "") -> list[str]:
        """The names that begin with `below` (a folder) and a slash, in ascending order; if `below` is empty, all
        names.
        """

    def read(self, name: str) -> bytes:
        """The content of an object."""

    def write(self, name: str, data: bytes) -> None:
        """Write an object; it survives a power failure."""

    def upload(self, name: str, path: Path) -> None:
        """Write the contents of a file as an object."""

    def download(self, name: str, path: Path) -> None:
        """Write the contents of an object to a file."""

    def remove(self, names: Iterable[str]) -> None:
        """Remove these objects. Objects that do not exist are ignored."""


class ObjectStore:
    """The objects below a URL. Raises UsageError if fsspec, or the package that fsspec needs for the protocol, is not
    installed, or if fsspec cannot use the protocol.
    """

    def __init__(self, url: str) -> None:
        self.url = url.rstrip("/")
        self._system, self._root = _opened(self.url)

    def __reduce__(self) -> tuple[type[ObjectStore], tuple[str]]:
        return ObjectStore, (self.url,)  # other processes must open connections of their own

    def names(self, below: str = "") -> list[str]:
        root = self._path(below) if below else self._root
        with self._named_errors():
            self._system.invalidate_cache()
            found = self._system.find(root)
        prefix = len(self._root.rstrip("/")) + 1
        return sorted(str(path)[prefix:] for path in found)

    def read(self, name: str) -> bytes:
        with self._named_errors(name):
            return bytes(self._system.cat_file(self._path(name)))

    def write(self, name: str, data: bytes) -> None:
        with self._named_errors(name):
            self._in_its_folder(self._system.pipe_file, name, self._path(name), data)
            self._sync(name)

    def upload(self, name: str, path: Path) -> None:
        with self._named_errors(name):
            self._in_its_folder(self._system.put_file, name, str(path), self._path(name))
            self._sync(name)

    def download(self, name: str, path: Path) -> None:
        with self._named_errors(name):
            self._system.get_file(self._path(name), str(path))

    def remove(self, names: Iterable[str]) -> None:
        for name in names:
            with self._named_errors(name), suppress(FileNotFoundError):
                self._system.rm_file(self._path(name))

    def _path(self, name: str) -> str:
        return f"{self._root.rstrip('/')}/{name}"

    def _in_its_folder(self, write: Any, name: str, *arguments: Any) -> None:
        """Call `write`; if the file system has folders, create the new folder first if necessary."""
        try:
            write(*arguments)
        except FileNotFoundError:
            self._system.makedirs(self._path(name).rpartition("/")[0], exist_ok=True)
            write(*arguments)

    def _sync(self, name: str) -> None:
        """Sync a file of this machine, so that it survives a power failure."""
        protocols = self._system.protocol
        if "file" not in ((protocols,) if isinstance(protocols, str) else protocols):
            return
        from fewest.machine.files import sync_folder

        path = Path(self._path(name))
        with open(path, "rb") as file:
            os.fsync(file.fileno())
        sync_folder(path.parent)

    @contextmanager
    def _named_errors(self, name: str = "") -> Iterator[None]:
        """Make errors name the object. An OSError without an error number gets its name; other errors of libraries,
        which have many types, become StoreError.
        """
        where = f"{self.url}/{name}" if name else self.url
        try:
            yield
        except OSError as error:
            if error.errno is None:
                error.filename, error.strerror = where, str(error) or type(error).__name__
            raise
        except Exception as error:
            raise StoreError(f"{where}: {str(error) or type(error).__name__}") from error


def _opened(url: str) -> tuple[Any, str]:
    """The file system of a URL, and the path within it. Raises UsageError."""
    try:
        from fsspec.core import url_to_fs
    except ModuleNotFoundError:
        raise UsageError(
            f"{url}: a store at a URL needs fsspec, which is not installed",
            hint="install the extra `cluster` on all nodes; in a clone of the repository: pip install '.[cluster]'",
        ) from None
    protocol = url.partition("://")[0]
    try:
        system, root = url_to_fs(url)
    except ValueError as error:
        raise UsageError(
            f"{url}: fsspec cannot use the protocol `{protocol}`: {error}",
            hint="use a URL such as s3://BUCKET/NAME, gs://BUCKET/NAME or file:///FOLDER",
        ) from None
    except ImportError as error:
        raise UsageError(
            f"{url}: the protocol `{protocol}` needs another package: {error}",
            hint="install it on all nodes",
        ) from None
    return system, str(root)


def put(objects: Objects, name: str, path: Path) -> Part:
    """Write a file as a new object. Raises OSError or StoreError."""
    part = Part(name, path.stat().st_size, _digest(path))
    objects.upload(name, path)
    return part


def fetch(objects: Objects, part: Part, path: Path) -> None:
    """Download the object, unless the file already contains it. Raises OSError; raises StoreError if the object is
    damaged.
    """
    if _is_same(part, path):
        return
    passing = path.with_name(f"{path.name}.part")
    objects.download(part.name, passing)
    if not _is_same(part, passing):
        where = f"{objects.url}/{part.name}"
        raise StoreError(f"the store is damaged: {where}: its checksum is wrong", hint=ANEW)
    os.replace(passing, path)


def _is_same(part: Part, path: Path) -> bool:
    try:
        return path.stat().st_size == part.size and _digest(path) == part.check
    except FileNotFoundError:
        return False


def _digest(path: Path) -> str:
    from hashlib import blake2b  # most commands do not need this module

    found = blake2b(digest_size=16)
    with open(path, "rb") as file:
        while piece := file.read(_PIECE):
            found.update(piece)
    return found.hexdigest()
