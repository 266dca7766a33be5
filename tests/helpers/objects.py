"""For tests of stores by URL: an object store that can do as little as one may, and owners in this process."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

import fsspec
from fsspec.implementations.memory import MemoryFileSystem

from fewest.cluster.owner import Closed, OwnCounts, Owner, passing_folder
from fewest.store.location import StoreLocation
from fewest.store.manifest import Manifests
from fewest.store.objects import ObjectStore
from fewest.store.workers import WorkerProgress, WorkOrder, shards_of

PIECE = 1 << 16


class ProcessKilledError(BaseException):
    """What is as if the process had been killed: nobody catches it."""


class Strict(MemoryFileSystem):
    """Objects are written once and whole; nothing is renamed, copied, appended to or replaced."""

    protocol = "strict"
    store: ClassVar[dict[str, Any]] = {}
    pseudo_dirs: ClassVar[list[str]] = [""]
    left: ClassVar[list[int]] = []
    """how many writes there are until the writer is killed in the middle of one"""

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

    def put_file(self, lpath: str, rpath: str, *_: Any, **options: Any) -> None:
        self.pipe_file(rpath, Path(lpath).read_bytes())

    def _none(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError("an object store cannot")

    mv = move = rename = cp_file = copy = touch = _none


fsspec.register_implementation("strict", Strict, clobber=True)


class Together:
    """Owners in this process, one after the other, in place of `cluster.actors`; see `store.workers.Workers`."""

    def __init__(self, work: WorkOrder, kept: Manifests) -> None:
        here = shards_of(work)
        assert here is not None
        self.here, self.kept, self.num_layers = here, kept, 0
        self.algorithm, self.packing = here.algorithm, here.packing
        self.owners = [Owner(work, number, kept.objects) for number in range(work.owners)]

    def begin(self) -> None:
        self._close([owner.begin() for owner in self.owners])

    def open(self, num_layers: int) -> None:
        self.num_layers = num_layers
        for number, owner in enumerate(self.owners):
            owner.go_back(num_layers, [parts[number] for parts in self.kept.parts[:num_layers]])

    def work(self, entries: int, look: Callable[[], None]) -> None:
        for owner in self.owners:
            owner.expand()
        for to in self.owners:
            for owner in self.owners:
                while owner is not to and to.receive(owner.outgoing(to.number, PIECE)):
                    pass
        look()
        self._close([owner.finish() for owner in self.owners])

    def _close(self, made: Sequence[Closed | None]) -> None:
        closed = [each for each in made if each is not None]
        self.kept.parts[self.num_layers :] = [tuple(each.part for each in closed if each.part)]
        self.num_layers += 1
        goals = [each.counts.goal for each in closed if each.counts.goal]
        numbers = zip(*(each.counts[:5] for each in closed), strict=True)
        least = min(goals, key=lambda words: words[::-1], default=[])
        self.closed = OwnCounts._make([*map(sum, numbers), least])

    def close_layer(self) -> OwnCounts:
        return self.closed

    def keep(self) -> None:
        """It is."""

    def abandon(self) -> None:
        self.open(self.num_layers)

    def plan(self, layer: int, goal: Sequence[int]) -> list[int]:
        def has(*asked: Any) -> bool:
            return any(owner.contains(*asked) for owner in self.owners)

        return self.here.plan(layer, list(goal), has)

    def figures(self) -> WorkerProgress:
        return WorkerProgress(
            *map(sum, zip(*(owner.figures() for owner in self.owners), strict=True))
        )

    def statistics(self) -> dict[str, int]:
        return {"actors": len(self.owners)}

    def end(self) -> None:
        for owner in self.owners:
            owner.clear()


@contextmanager
def killed_after(writes: int) -> Iterator[None]:
    """Whoever writes that many objects, and one more, is killed while that is half there."""
    Strict.left[:] = [writes]
    try:
        yield
    except ProcessKilledError:
        pass
    finally:
        Strict.left.clear()


def place_at(url: str, owners: int = 2) -> StoreLocation:
    """As `cluster.connect.cluster_location`, with the owners in this process."""
    kept = Manifests(ObjectStore(url))
    record = kept.read()
    folder = passing_folder(kept.store)
    owners = owners if record is None else record.owners
    return StoreLocation(folder, crew=lambda work: Together(work, kept), owners=owners, kept=kept)
