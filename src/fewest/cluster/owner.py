"""The work of an actor on the shards that it owns. The actor has its own folder inside the folder of the store.

If the store has a URL, this folder is on the actor's machine: the owner uploads every finished layer to the object
store, and downloads those earlier layers that it needs. This module does not depend on Ray.

The driver calls `work` once for each layer. Owners exchange successors without the driver: each owner pulls pieces from
all other owners (`piece`) while these are still expanding. Meanwhile, it merges pieces that have arrived into fewer
runs (`early_merging.py`). As soon as it has received all successors, it merges the runs into its part of the layer.
Until the next layer, each owner keeps the successors that it has sent, so that it can send them again if the process of
another owner is replaced. An owner that has expanded all of its own shards helps late owners by expanding some of their
shards (`give_away`), unless the layers are in an object store. The owners exchange arrays of bytes (sorted, compressed
runs).
"""

from __future__ import annotations

import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from msgspec.structs import replace

from fewest.cluster.early_merging import EarlyMerging, remove_batches
from fewest.cluster.exchange import UNREACHED, Peers, pull
from fewest.cluster.threads import Threads
from fewest.machine.files import sync_folder
from fewest.machine.locking import LockedError, locked
from fewest.store.manifest import layer_name, token
from fewest.store.objects import Objects, Part, fetch, put
from fewest.store.shard_division import ShardDivision, layer_file, part_folder
from fewest.store.workers import WorkerProgress, WorkOrder, shards_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fewest.search import _native


PIECE = 8 << 20  # the approximate number of bytes of a piece
# the number of seconds to wait for an earlier process that uses the folder; it may still run on a node that was cut off
_MOST_SECONDS_UNTIL_FREE = 90.0
_ANSWER = 0.5  # the number of seconds after which a peer answers even if it has no data
_CHECK_INTERVAL = 0.005  # the number of seconds between two checks whether a layer has begun
_GLANCE_AT_OUTPUT = (
    0.025  # the number of seconds between two checks of the output of the native workers
)
# the minimum number of seconds of expansion after which helping a late owner saves time
_LONG = 0.2
_HELPED = 16  # the maximum number of late owners that an owner helps in one layer
_NOTHING = np.zeros(0, np.uint8)


class OwnCounts(NamedTuple):
    """The counts for an owner's part of a layer; see `store.workers.LayerCounts`."""

    entries: int
    states: int
    goals: int
    canonical: int
    in_orbits: int
    goal: list[int]


class Exchanged(NamedTuple):
    """The numbers of bytes that an owner received for a layer, of messages that it sent to other owners, of shards of
    other owners that it expanded, and of received bytes that it merged before the final merge.
    """

    bytes: int = 0
    messages: int = 0
    shards_helped: int = 0
    bytes_merged_early: int = 0
    partners: frozenset[int] = frozenset()
    """the owners with which this owner exchanged shards for the expansion"""


class WorkTimes(NamedTuple):
    """The number of states that an owner expanded for a layer, the number of new states that it merged, and the seconds
    of both kinds of work.
    """

    expanded: int = 0
    expanding: float = 0.0
    merged: int = 0
    merging: float = 0.0


class Closed(NamedTuple):
    """A layer that an owner has saved: the counts and the objects of the layer, and the owner's progress. `times`: the
    owner's work on the layer.
    """

    counts: OwnCounts
    figures: WorkerProgress
    part: Part | None
    exchanged: Exchanged = Exchanged()
    times: WorkTimes = WorkTimes()


class Piece(NamedTuple):
    """Successors for another owner, up to byte number `end`.

    `is_last`: whether no more data for this owner follows. `is_late`: whether the sender is still expanding its own
    shards. `doubts`: see `Shards.has_doubts`. `run` changes when the process of the owner, or its work on the layer,
    begins again.
    """

    data: NDArray[np.uint8]
    end: int
    is_last: bool
    is_late: bool
    doubts: bool
    run: str


class _Layer:
    """The progress in the current layer."""

    def __init__(self, number: int, doubts: bool) -> None:
        self.number, self.doubts = number, doubts
        self.is_own_expanded = threading.Event()  # all shards of this owner are expanded
        self.is_expanded = threading.Event()  # this owner will not expand any further shard
        self.late: set[int] = set()  # the owners that may still be expanding their own shards
        self.is_nobody_late = threading.Event()
        self.notified: set[int] = set()  # the owners that know that this owner is not late
        self.is_started = False
        self.partners: set[int] = set()

    def expect(self, owners: set[int]) -> None:
        """Regard these owners as late."""
        self.late = owners
        if not owners:
            self.is_nobody_late.set()

    def is_in_time(self, owner: int) -> None:
        """Regard an owner as no longer late."""
        self.late.discard(owner)
        if not self.late:
            self.is_nobody_late.set()


class Owner:
    """Owner number `number` of a work order, with its range of shards.

    The first request must be `packing`, `go_back` or `take_over`. These create the owner's folder and its shards;
    `__init__` does not, because Ray regards an actor as dead if its constructor raises an error.
    """

    def __init__(self, work: WorkOrder, number: int, objects: Objects | None = None) -> None:
        assert work.folder is not None, "owners keep their layers in a folder"
        whole = work.folder if objects is None else temporary_folder(work.folder.name)
        self.whole, self.folder = whole, part_folder(whole, number, work.division)
        self.objects, self.run = objects, token()
        self.parts: list[Part] = []
        self._here: set[int] = set()  # the layers that have files in the folder
        self._lock = ExitStack()
        self._is_alone = False  # whether this process has locked the folder
        within = work.within
        if within is not None:
            within = replace(within, folder=part_folder(within.folder, number, work.division))
        self.work_order = replace(work, folder=self.folder, within=within)
        self.number = number
        self.peers: Peers | None = None
        self._helped, self._expanding = 0, 0.0
        self.epoch = -1
        self._layer = _Layer(-1, doubts=True)
        self._early: EarlyMerging | None = None
        self._is_cancelled = threading.Event()
        self._sending = threading.Lock()
        self._made: _native.Shards | None = None

    @property
    def _own(self) -> _native.Shards:
        assert self._made is not None, "packing, go_back or take_over comes first"
        return self._made

    def packing(self) -> int:
        """A number that identifies how states are packed, and the version of the packing code.

        Raises OSError, LockedError, and ValueError if states are too wide.
        """
        if self._made is None:
            self._made = self._shards()
        return self._own.packing

    def begin(self, epoch: int = 0) -> Closed:
        """Create and save the owner's part of layer 0, and return the result. Raises OSError, StoreError or
        DamageError.
        """
        self.epoch = max(
            self.epoch, epoch
        )  # `go_back` sets a later epoch before a repeated request
        if self.work_order.within is None:
            self._own.begin()
        else:
            self._own.begin_at_goals()
            self._own.merge(0)
        return self._closed(Exchanged())

    def go_back(self, num_layers: int, parts: Sequence[Part] = (), epoch: int = 0) -> None:
        """Drop all layers except the first `num_layers`, which are saved. If they are in an object store, they consist
        of `parts`.

        `epoch`: the number that identifies this recovery. Requests of other epochs get no result. Raises OSError,
        DamageError or StoreError.
        """
        self._made = self._shards()
        self.epoch, self._layer = epoch, _Layer(-1, doubts=True)
        self._is_cancelled.clear()
        self.parts, self._here = list(parts), set()
        self.run = token()  # new objects do not overwrite earlier ones
        needed = 2 if self.work_order.is_reversible else num_layers
        for layer in range(max(0, num_layers - needed), num_layers):
            self._have(layer)
        self._own.open(num_layers)

    def take_over(
        self, num_layers: int, old: ShardDivision, parts: Sequence[Sequence[Part]] = ()
    ) -> list[Part]:
        """Create this owner's part of the layers from layers that were divided differently among the owners (`old`). If
        the store is an object store, `parts` are the objects of these layers, and the result contains the new objects;
        otherwise, the result is empty.

        Raises OSError, DamageError or StoreError.
        """
        self._is_cancelled.clear()
        shards, made = self._shards(), []
        self._made = shards  # so that `cancel` reaches the shards
        sources = old.overlapping(self.work_order.division, self.number)
        for layer in range(num_layers):
            if self._is_cancelled.is_set():
                break
            if self.objects is None:
                files = [layer_file(part_folder(self.whole, one, old), layer) for one in sources]
                shards.take_over([str(file) for file in files], old.num_shards)
                continue
            files = [self.folder / f"old-{one}" for one in sources]
            for one, file in zip(sources, files, strict=True):
                fetch(self.objects, parts[layer][one], file)
            shards.take_over([str(file) for file in files], old.num_shards)
            for file in files:
                file.unlink()
            mine = layer_file(self.folder, layer)
            made.append(put(self.objects, layer_name(self.number, layer, self.run), mine))
            mine.unlink()
        return made

    # -- a layer --------------------------------------------------------------------------------------

    def work(self, epoch: int, sources: Sequence[int] | None = None) -> Closed | None:
        """Compute the owner's part of the next layer and save it. Returns None if the work was cancelled.

        If the process of another owner ends, this owner waits for the new process and then receives all successors from
        it again.

        `sources`: the owners that have a part of the newest layer; None for all owners. Raises OSError, StoreError or
        DamageError.
        """
        if epoch != self.epoch:
            return None
        sources = range(self.work_order.owners) if sources is None else sources
        with self._sending:  # a request from an interrupted connection may still be running
            self._own.forget_sent()
        layer = _Layer(self._own.num_layers, doubts=False)
        layer.expect({owner for owner in sources if owner != self.number})
        self._layer = layer
        early = EarlyMerging(self.work_order, self.number, self._own, self._is_cancelled)
        self._early = early
        try:
            return self._computed(layer, early, has_any=self.number in sources)
        except BaseException:
            self.cancel()
            raise
        finally:
            early.end()
            self._early = None

    def _computed(self, layer: _Layer, early: EarlyMerging, has_any: bool) -> Closed | None:
        before = self._own.num_expanded
        expanding = Threads([partial(self._expand, layer, has_any)])
        exchanged = self._pull(layer, early)
        if not expanding.join() or exchanged is None:
            return None
        began = time.monotonic()
        if not early.finish():
            return None
        self._own.set_doubts(layer.doubts)
        if not self._in_threads(self._own.merge):
            return None
        expanded = self._own.num_expanded - before
        closed = self._closed(
            exchanged._replace(
                shards_helped=self._helped,
                partners=frozenset(layer.partners),
                bytes_merged_early=early.num_bytes,
            )
        )
        merging = time.monotonic() - began
        times = WorkTimes(expanded, self._expanding, closed.counts.entries, merging)
        return closed._replace(times=times)

    def piece(
        self, owner: int, epoch: int, layer: int, begin: int, run: str, most: int = PIECE
    ) -> Piece:
        """About `most` bytes of successors that belong to another owner. While this owner is still expanding its own
        shards and has fewer bytes, the call waits. If the wait times out, the call returns no successors. The
        successors begin at byte number `begin` if the other owner has data of this `run`; otherwise, they begin at 0.
        """
        until = time.monotonic() + _ANSWER
        begin = begin if run == self.run else 0
        while True:
            now = self._layer
            if epoch == self.epoch and now.number == layer and now.is_started:
                is_expanded, is_late = now.is_expanded.is_set(), not now.is_own_expanded.is_set()
                # while this owner helps others, it already sends the successors of its own shards
                enough = most if is_late else 1 if owner in now.notified else 0
                if is_expanded or self._own.num_waiting(owner, begin) >= enough:
                    if not is_late:
                        now.notified.add(owner)
                    with self._sending:
                        data, end = self._own.outgoing(owner, begin, most)
                    is_last = is_expanded and len(data) < most
                    return Piece(data, end, is_last, is_late, now.doubts, self.run)
                (now.is_own_expanded if is_late else now.is_expanded).wait(_GLANCE_AT_OUTPUT)
            else:
                is_late = True
                time.sleep(_CHECK_INTERVAL)
            if time.monotonic() > until or self._is_cancelled.is_set():
                return Piece(_NOTHING, begin, False, is_late, False, self.run)

    def is_at(self, epoch: int, layer: int) -> bool:
        """Whether this owner is working on the layer, or has finished it and still has the data that others need."""
        return epoch == self.epoch and self._layer.number == layer

    def give_away(self, owner: int, epoch: int, layer: int) -> tuple[str, int] | tuple[()]:
        """The file and the number of a shard for another owner to expand; () if this owner cannot give away any
        shard.
        """
        now = self._layer
        is_late = now.number == layer and now.is_started and not now.is_expanded.is_set()
        if epoch != self.epoch or not is_late or self.objects is not None:
            return ()
        shard = self._own.give_away()
        if shard < 0:
            return ()
        now.partners.add(owner)
        return str(layer_file(self.folder, layer - 1)), shard

    def _expand(self, layer: _Layer, has_any: bool) -> bool:
        began = time.monotonic()
        layer.is_started, self._helped, self._expanding = True, 0, 0.0
        if has_any:
            if not self._in_threads(self._own.expand):
                return False
            layer.is_own_expanded.set()
            self._expanding = time.monotonic() - began
            if not self._help(layer, time.monotonic() - began):
                return False
        if self.work_order.owners > 1 and self._own.has_doubts():
            layer.doubts = True
        layer.is_expanded.set()
        layer.is_own_expanded.set()
        return True

    def _help(self, layer: _Layer, took: float) -> bool:
        """Expand shards of owners that are late. Returns False if the work was cancelled."""
        if took < _LONG or self.peers is None or self.objects is not None:
            return True
        layer.is_nobody_late.wait(took / 20)
        if self._is_cancelled.is_set():
            return False
        late = sorted(layer.late, key=lambda owner: (owner - self.number) % self.work_order.owners)
        for owner in late[:_HELPED]:
            while owner in layer.late:
                layer.partners.add(owner)
                calls = self.peers.request(
                    owner, "give_away", self.number, self.epoch, layer.number
                )
                answers: list[tuple[Any, Any]] = []
                while not answers:
                    answers = self.peers.answered([calls], 0.2)
                    if self._is_cancelled.is_set():
                        return False
                given = answers[0][1]
                if given is None or given is UNREACHED:
                    self.cancel()  # otherwise, no owner might expand the shard
                    return False
                if given == ():
                    break
                began = time.monotonic()
                if not self._own.expand_other(*given):
                    return False
                self._expanding += time.monotonic() - began
                self._helped += 1
        return True

    def _pull(self, layer: _Layer, early: EarlyMerging) -> Exchanged | None:
        """Receive the successors of all other owners. Returns None if the work was cancelled."""
        if self.peers is None:
            return None
        sources = sorted(layer.late)
        have = dict.fromkeys(sources, (0, ""))
        num_bytes = 0

        def request(owner: int) -> tuple[Any, ...]:
            return (self.number, self.epoch, layer.number, *have[owner])

        def receive(owner: int, piece: Piece) -> None:
            nonlocal num_bytes
            if len(piece.data):
                early.receive(piece.data, is_idle=layer.is_expanded.is_set())
                num_bytes += len(piece.data)
            have[owner] = (piece.end, piece.run)
            if piece.doubts:  # `|=` could undo an assignment in another thread
                layer.doubts = True
            if not piece.is_late:
                layer.is_in_time(owner)

        about = (self.number, self.work_order.owners, sources)
        num_messages = pull(self.peers, *about, request, receive, self._is_cancelled)
        return None if num_messages is None else Exchanged(num_bytes, num_messages)

    def _in_threads(self, phase: Callable[[int], bool]) -> bool:
        threads = range(self.work_order.workers)
        return Threads([partial(phase, number) for number in threads]).join()

    def _closed(self, exchanged: Exchanged) -> Closed:
        found = self._own.close_layer()
        self._own.keep()
        sync_folder(self.folder)
        counts = (found.entries, found.states, found.goals, found.canonical, found.in_orbits)
        part: Part | None = None
        if self.objects is not None:
            layer = self._own.num_layers - 1
            name = layer_name(self.number, layer, self.run)
            part = put(self.objects, name, layer_file(self.folder, layer))
            self.parts[layer:] = [part]
            self._here.add(layer)
        return Closed(OwnCounts(*counts, list(found.goal)), self.figures(), part, exchanged)

    # -- look-ups -------------------------------------------------------------------------------------

    def look_up(self, epoch: int, method: str, *arguments: Any) -> tuple[Any] | None:
        """The answer of one of the following methods, wrapped in a tuple. The result is None if this process started
        after the owners last went back, and therefore has no layers.
        """
        return None if epoch != self.epoch else (getattr(self, method)(*arguments),)

    def contains(self, layer: int, state: Sequence[int]) -> bool:
        """Whether a packed state is in this owner's part of a layer."""
        self._have(layer)
        return self._own.contains(layer, list(state))

    def least(self, layer: int) -> list[int]:
        """The smallest state in this owner's part of a layer, as the words of a set of facts. The list is empty if the
        part is empty.
        """
        self._have(layer)
        return self._own.least(layer)

    def among(self, layer: int, states: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Whether each row of `states: uint64[n, W]`, which is a set of facts, is in this owner's part of a layer."""
        self._have(layer)
        return self._own.among(layer, np.ascontiguousarray(states))

    def cancel(self) -> None:
        """Cancel the current work, which then soon ends."""
        self._is_cancelled.set()
        self._layer.is_nobody_late.set()  # this ends the wait for late owners
        early = self._early
        if early is not None:
            early.cancel()
        if self._made is not None:
            self._made.cancel()

    def figures(self) -> WorkerProgress:
        """The progress."""
        own, early = self._made, self._early
        if own is None:
            return WorkerProgress(0, 0, 0, 0)
        num_bytes = own.bytes_in_memory + (0 if early is None else early.bytes_in_memory)
        return WorkerProgress(own.num_expanded, own.num_generated, own.num_merged, num_bytes)

    def clear(self) -> None:
        """Release the lock of the folder, and remove the folder if all of its contents are also in an object store."""
        self._lock.close()
        if self.objects is not None:
            shutil.rmtree(self.folder, ignore_errors=True)
            with suppress(OSError):
                self.folder.parent.rmdir()  # only the last owner can do this

    def _have(self, layer: int) -> None:
        """Ensure that the file of a layer is present in the folder."""
        if self.objects is not None and layer not in self._here:
            fetch(self.objects, self.parts[layer], layer_file(self.folder, layer))
            self._here.add(layer)

    def _have_alone(self) -> None:
        """Wait until the previous process that used the folder has ended, and lock the folder. Raises LockedError if
        the wait takes too long.
        """
        until = time.monotonic() + _MOST_SECONDS_UNTIL_FREE
        while True:
            try:
                self._lock.enter_context(locked(self.folder / "lock-owner"))
                return
            except LockedError:
                if time.monotonic() > until:
                    raise
                time.sleep(0.1)

    def _shards(self) -> _native.Shards:
        """New shards without layers, in the owner's folder."""
        if not self._is_alone:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._have_alone()
            self._is_alone = True
            remove_batches(self.folder)
        shards = shards_of(self.work_order, self.number)
        assert shards is not None, "the sender of the work has checked the width of states"
        return shards


def temporary_folder(name: str) -> Path:
    """A folder on this machine for data that are also saved elsewhere."""
    return Path(tempfile.gettempdir()) / f"fewest-{name.removeprefix('fewest-')}"
