"""A file system in memory (`memory://`) that all processes share. One actor stores the objects, and all other processes
call it.

This actor outlives all other actors, but it ends when its node or the connection ends. The file system is meant for
tests and trials.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import ray
from ray.exceptions import RayTaskError

from fewest.store.objects import Objects, ObjectStore

_PROTOCOL = "memory"


class SharedObjects:
    """See `store.objects.Objects`."""

    def __init__(self, url: str, actor: Any = None) -> None:
        """Creates an actor, unless one is given."""
        self.url = url
        self._actor = actor or ray.remote(num_cpus=0)(ObjectStore).remote(url)

    def __reduce__(self) -> tuple[type[SharedObjects], tuple[str, Any]]:
        return SharedObjects, (self.url, self._actor)

    def names(self, below: str = "") -> list[str]:
        return list(self._call("names", below))

    def read(self, name: str) -> bytes:
        return bytes(self._call("read", name))

    def write(self, name: str, data: bytes) -> None:
        self._call("write", name, data)

    def upload(self, name: str, path: Path) -> None:
        self._call("write", name, path.read_bytes())

    def download(self, name: str, path: Path) -> None:
        path.write_bytes(self.read(name))

    def remove(self, names: Iterable[str]) -> None:
        self._call("remove", list(names))

    def _call(self, method: str, *arguments: Any) -> Any:
        try:
            return ray.get(getattr(self._actor, method).remote(*arguments))
        except RayTaskError as error:
            cause = error.cause
            raise (cause if isinstance(cause, Exception) else error) from None


def shared(objects: ObjectStore) -> Objects:
    """Objects that all processes of the connected cluster share."""
    return SharedObjects(objects.url) if objects.url.startswith(f"{_PROTOCOL}://") else objects
