"""Provides an object store with a minimum of features, and owners in this process, for tests of stores by URL."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

import fsspec
from fsspec.implementations.memory import MemoryFileSystem

from fewest.cluster.actors import Actors
from fewest.cluster.owner import temporary_folder
from fewest.store.location import StoreLocation
from fewest.store.manifest import Manifests
from fewest.store.objects import ObjectStore
from fewest.store.workers import WorkOrder
from tests.helpers.local_fleet import local_actors


class ProcessKilledError(BaseException):
    """Has the effect of a killed process, because no code catches it."""


class Strict(MemoryFileSystem):
    """Objects are written once and completely; they cannot be renamed, copied, appended to or replaced."""

    protocol = "strict"
    store: ClassVar[dict[str, Any]] = {}
    pseudo_dirs: ClassVar[list[str]] = [""]
    left: ClassVar[list[int]] = []
    """The number of complete writes, after which the writer is killed in the middle of the next one."""

    @classmethod
    def _strip_protocol(cls, path: str) -> str:
        return str(super()._strip_protocol(path.replace("strict://", "memory://")))

    def pipe_file(self, path: str, value: bytes, **options: Any) -> None:
        assert not self.exists(path), f"{path} is written again"
        if self.left:
            self.left[0] -= 1
            if self.left[0] < 0:
                super().pipe_file(path, value[: len(value) // 2])
                raise ProcessKilledError
        super().pipe_file(path, value, **options)

    def get_file(self, rpath: str, lpath: str, **_: Any) -> None:
        """Copy an object without its file position, because all threads share that position."""
        Path(lpath).write_bytes(self.store[self._strip_protocol(rpath)].getvalue())

    def put_file(self, lpath: str, rpath: str, *_: Any, **options: Any) -> None:
        self.pipe_file(rpath, Path(lpath).read_bytes())

    def _none(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError("an object store cannot")

    mv = move = rename = cp_file = copy = touch = _none


fsspec.register_implementation("strict", Strict, clobber=True)


@contextmanager
def killed_after(writes: int) -> Iterator[None]:
    """Let `writes` objects be written, and then kill the writer when half of the next object is written."""
    Strict.left[:] = [writes]
    try:
        yield
    except ProcessKilledError:
        pass
    finally:
        Strict.left.clear()


def place_at(url: str, owners: int | None = None) -> StoreLocation:
    """Like `cluster.connect.cluster_location`, with owners in threads; by default, as many owners as in the record, or
    two."""
    manifests = Manifests(ObjectStore(url))
    record = manifests.read()
    folder = temporary_folder(manifests.store)
    owners = owners or (2 if record is None else record.owners)

    def actors_of(work: WorkOrder) -> Actors:
        return local_actors(work, [], manifests=manifests)

    return StoreLocation(
        folder, make_workers=actors_of, owners=owners, threads=1, backend=manifests
    )
