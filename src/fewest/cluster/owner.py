"""The work of an actor: the shards that it owns, in a folder of its own below the store's.

For a store with a URL this is a folder of its machine: it uploads every finished layer to the object store,
and downloads the earlier layers that it needs. Nothing here depends on Ray. The driver calls the methods one
after the other, `figures` and `cancel` at any time. The exchanged data are arrays of bytes (sorted,
compressed runs), which go from owner to owner and never through the driver.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from msgspec.structs import replace

from fewest.machine.files import sync_folder
from fewest.machine.locking import LockedError, locked
from fewest.store.manifest import layer_name, token
from fewest.store.objects import Objects, Part, fetch, put
from fewest.store.workers import WorkerProgress, WorkOrder, shards_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fewest.search import _native


_PATIENCE = 90.0  # seconds for the previous owner of the folder: on a lost node it may live on for some time


class OwnCounts(NamedTuple):
    """The counts of an owner's part of a layer; see `store.workers.LayerCounts`."""

    entries: int
    states: int
    goals: int
    canonical: int
    in_orbits: int
    goal: list[int]


class Closed(NamedTuple):
    """A layer that an owner has saved: its counts, the owner's progress, its objects."""

    counts: OwnCounts
    figures: WorkerProgress
    part: Part | None


class Owner:
    """The shards whose number is `number` modulo the number of owners."""

    def __init__(self, work: WorkOrder, number: int, objects: Objects | None = None) -> None:
        """Creates its folder. Raises ValueError for states too wide, OSError."""
        assert work.folder is not None, "owners keep their layers in one"
        folder = work.folder if objects is None else passing_folder(work.folder.name)
        self.folder = folder / f"owner-{number:03}"
        self.folder.mkdir(parents=True, exist_ok=True)
        self.objects, self.run = objects, token()
        self.parts: list[Part] = []
        self._here: set[int] = set()  # layers with files here
        self._lock = ExitStack()
        self._have_alone()
        within = work.within
        if within is not None:
            within = replace(within, folder=within.folder / self.folder.name)
        self.work, self.number = replace(work, folder=self.folder, within=within), number
        self._own = self._shards()

    def packing(self) -> int:
        """Distinguishes packings of states, and versions of their code."""
        return self._own.packing

    def begin(self) -> Closed:
        """Layer 0, saved; returns its counts. Raises OSError, DamageError."""
        if self.work.within is None:
            self._own.begin()
        else:
            self._own.begin_at_goals()
            self._own.merge(0)
        return self._closed()

    def go_back(self, num_layers: int, parts: Sequence[Part] = ()) -> None:
        """Drop everything except these saved layers; for an object store, with these parts.

        Raises OSError, DamageError, StoreError.
        """
        self._own = self._shards()
        self.parts, self._here = list(parts), set()
        self.run = token()  # existing objects keep their names
        needed = 2 if self.work.is_undoable else num_layers
        for layer in range(max(0, num_layers - needed), num_layers):
            self._have(layer)
        self._own.open(num_layers)

    def expand(self) -> bool:
        """Expand the newest layer; False if it was cancelled."""
        return self._own.expand(0)

    def outgoing(self, owner: int, most: int) -> NDArray[np.uint8]:
        """A piece for another owner, of about `most` bytes; empty when that has everything."""
        return self._own.outgoing(owner, most)

    def receive(self, sent: NDArray[np.uint8]) -> int:
        """Receive a piece from another owner; returns its bytes."""
        if len(sent):
            self._own.receive(sent)
        return len(sent)

    def finish(self) -> Closed | None:
        """Merge everything that came and save it, permanently if the folder is; returns the counts. None if it
        was cancelled.

        Raises OSError, DamageError.
        """
        return self._closed() if self._own.merge(0) else None

    def _closed(self) -> Closed:
        found = self._own.close_layer()
        self._own.keep()
        sync_folder(self.folder)
        counts = (found.entries, found.states, found.goals, found.canonical, found.in_orbits)
        part: Part | None = None
        if self.objects is not None:
            layer = self._own.num_layers - 1
            name = layer_name(self.number, layer, self.run)
            part = put(self.objects, name, self._file_of(layer))
            self.parts[layer:] = [part]
            self._here.add(layer)
        return Closed(OwnCounts(*counts, list(found.goal)), self.figures(), part)

    def contains(self, layer: int, state: Sequence[int]) -> bool:
        """Whether a packed state is in this owner's part of a layer."""
        self._have(layer)
        return self._own.contains(layer, list(state))

    def least(self, layer: int) -> list[int]:
        """The least state of this owner's part of a layer, as a set of facts in words; empty if it has none."""
        self._have(layer)
        return self._own.least(layer)

    def among(self, layer: int, states: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Which rows of `states: uint64[n, W]`, sets of facts, are in this owner's part of a layer."""
        self._have(layer)
        return self._own.among(layer, np.ascontiguousarray(states))

    def cancel(self) -> None:
        """The current work ends soon."""
        self._own.cancel()

    def figures(self) -> WorkerProgress:
        """The progress."""
        own = self._own
        return WorkerProgress(
            own.num_expanded, own.num_generated, own.num_merged, own.bytes_in_memory
        )

    def clear(self) -> None:
        """Remove the folder, if all of its contents are saved elsewhere."""
        self._lock.close()
        if self.objects is not None:
            shutil.rmtree(self.folder, ignore_errors=True)
            with suppress(OSError):
                self.folder.parent.rmdir()  # the last one

    def _have(self, layer: int) -> None:
        """Make sure that the file of a layer is here."""
        if self.objects is not None and layer not in self._here:
            fetch(self.objects, self.parts[layer], self._file_of(layer))
            self._here.add(layer)

    def _file_of(self, layer: int) -> Path:
        return self.folder / f"layer-{layer:06}"

    def _have_alone(self) -> None:
        """Wait until the previous owner of the folder has ended. Raises LockedError."""
        until = time.monotonic() + _PATIENCE
        while True:
            try:
                self._lock.enter_context(locked(self.folder / "lock"))
                return
            except LockedError:
                if time.monotonic() > until:
                    raise
                time.sleep(0.1)

    def _shards(self) -> _native.Shards:
        shards = shards_of(self.work, self.number)
        assert shards is not None, "who sent the work has looked"
        return shards


def passing_folder(name: str) -> Path:
    """A folder on this machine for data that are saved elsewhere."""
    return Path(tempfile.gettempdir()) / f"fewest-{name.removeprefix('fewest-')}"
