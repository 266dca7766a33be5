"""Actors that work on the shards of a search on behalf of the driver in `fewest.store`.

For each layer, the driver makes one call to each owner. A call returns when the owner has saved its part (`owner.py`).
The owners exchange successors directly with each other. The driver receives only counts. When it reconstructs or counts
optimal plans, it computes positions itself, and the owners determine which of them are in a layer.

If an actor dies, Ray starts it again, on the same node or on another one. The new actor recovers only what the old
actor saved: in its folder, which every node must be able to access, or as objects in an object store. It repeats its
part of the current layer with the data that the other owners keep for it, and sends all of its successors again. If the
old actor had exchanged shards with other owners for the expansion, or after any other kind of failure, all owners go
back to the saved layers. This is always possible, because each layer is saved when it is complete.

This module does not depend on Ray: it reaches the processes through the interface `recovery.Fleet`. Therefore, the
model of a cluster (`bench/cluster_model.py`) can run this code with simulated owners.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from fewest.cluster.balance import Balance
from fewest.cluster.owner import Closed, OwnCounts
from fewest.cluster.recovery import LOOK_PER_OWNER, ActorEndedError, Fleet, Recovery, RecoveryLimits
from fewest.errors import UsageError
from fewest.store.manifest import Manifests
from fewest.store.shard_division import ShardDivision, layer_file, part_folder
from fewest.store.workers import LOOK, WorkerProgress, WorkOrder

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fewest.search import _native

_FIGURES_EVERY = 1.0  # the number of seconds between two reports of progress
# The maximum number of owners that one report or one check includes; the owners take turns.
_FIGURES_OF = 32
# The number of seconds between two checks of the owners that have finished a layer.
_CHECK_EVERY = 5.0
_NONE = WorkerProgress(0, 0, 0, 0)


class Actors:
    """The owners of a work order, which run in the processes of a fleet."""

    def __init__(
        self,
        work: WorkOrder,
        here: _native.Shards,
        fleet: Fleet,
        manifests: Manifests | None = None,
        recovery_limits: RecoveryLimits | None = None,
    ) -> None:
        self._here, self._manifests, self._fleet = here, manifests, fleet
        self._work = work
        self._owners = range(work.owners)
        self._recovery = Recovery(fleet, self._owners, recovery_limits)
        self.algorithm, self.packing = f"{here.algorithm} by actors", here.packing
        self._pending: list[Any] = []
        # the function that reports progress and raises the exceptions of limits
        self._look: Callable[[], None] = lambda: None
        self._num_layers = self._num_bytes = self._num_messages = 0
        self._num_helped = self._num_worked = self._num_merged_early = 0
        # The number of entries of the newest layer, for each owner.
        self._entries: list[int] | None = None
        # The progress of each owner: in its current process, in its earlier processes, and in all of them up to the end
        # of the last layer.
        self._seen = [_NONE] * work.owners
        self._before = [_NONE] * work.owners
        self._done = [_NONE] * work.owners
        self._next_seen = self._next_checked = 0
        self._last_request = self._checked = 0.0
        self._revived: set[int] = set()  # the owners that got a new process in this layer
        self._closed = OwnCounts(0, 0, 0, 0, 0, [])
        # If layers are in an object store, owners do not expand the shards of late owners.
        self._balance = Balance(work.division, can_help=manifests is None)
        fleet.introduce(self._owners)
        self._num_nodes = fleet.num_nodes()
        self._has_started = False

    def wait_for_start(self, look: Callable[[], None]) -> None:
        self._look = look
        try:
            found = self._recovery.first(
                [self._fleet.call(owner, "packing") for owner in self._owners], look
            )
        except ActorEndedError:
            self._mend()
            found = self._all("packing")
        if any(packing != self.packing for packing in found):
            raise UsageError("the nodes of the cluster have different versions of fewest")
        self._num_nodes = self._fleet.num_nodes()
        self._has_started = True

    def begin(self) -> None:
        self._close(self._all("begin", self._recovery.epoch))

    def open(self, num_layers: int) -> None:
        self._num_layers = num_layers
        try:
            self._fleet.get(self._back())
        except ActorEndedError:
            self._mend()

    def take_over(self, num_layers: int, old: ShardDivision) -> None:
        parts = [] if self._manifests is None else self._manifests.parts[:num_layers]
        made: list[list[Any]] = self._all("take_over", num_layers, old, parts)
        if self._manifests is not None:
            self._manifests.replace_parts([tuple(row) for row in zip(*made, strict=True)])

    def work(self, entries: int, look: Callable[[], None]) -> None:
        self._look = look
        while True:
            try:
                made = _LayerWork(self, look).run()
                if any(self._revived & one.exchanged.partners for one in made):
                    raise ActorEndedError  # a shard might be expanded twice, or not at all
            except ActorEndedError:
                self._mend()
            except BaseException:
                self._recovery.rest(self._pending)
                raise
            else:
                self._recovery.end_layer()
                self._close(made)
                return

    def close_layer(self) -> OwnCounts:
        """The counts of the new layer. Each actor has already saved its part."""
        return self._closed

    def keep(self) -> None:
        """Does nothing: see `close_layer`."""

    def abandon(self) -> None:
        with suppress(ActorEndedError):  # the search ends, so it does not wait for a new process
            self._fleet.get(self._back())
        self._begin_again(self._owners)

    def plan(self, layer: int, goal: Sequence[int]) -> list[int]:
        self._look = lambda: None  # a limit does not end the search for the plan
        return self._here.plan(layer, list(goal), self._contains)

    def least(self, layer: int) -> list[int]:
        found: list[list[int]] = self._look_up("least", layer)
        return min((words for words in found if words), key=lambda words: words[::-1])

    def among(self, layer: int, states: NDArray[np.uint64]) -> NDArray[np.bool_]:
        found: NDArray[np.bool_] = np.logical_or.reduce(self._look_up("among", layer, states))
        return found

    def better_ends(self, entries: int) -> tuple[int, ...] | None:
        return self._balance.better_ends(entries)

    def figures(self) -> WorkerProgress:
        """The progress. If there are many owners, each call updates the figures of only some of them."""
        now = self._fleet.now()
        if now - self._last_request > _FIGURES_EVERY:
            self._last_request = now
            count = min(_FIGURES_OF, len(self._owners))
            some = [(self._next_seen + i) % len(self._owners) for i in range(count)]
            self._next_seen = (self._next_seen + count) % len(self._owners)
            calls = [self._fleet.call(owner, "figures", beside=True) for owner in some]
            with suppress(TimeoutError, ActorEndedError):
                for owner, seen in zip(some, self._fleet.get(calls, 5.0), strict=True):
                    self._seen[owner] = seen
        return self._sum()

    def statistics(self) -> dict[str, int]:
        return {
            "actors": len(self._owners),
            "owners": len(self._owners),
            "nodes": self._num_nodes,
            "threads": self._work.workers,
            "shards": self._work.num_shards,
            "actors_replaced": self._recovery.replaced,
            "bytes_exchanged": self._num_bytes,
            "bytes_merged_early": self._num_merged_early,
            "messages": self._num_messages,
            "messages_per_layer": self._num_messages // max(1, self._num_worked),
            "shards_helped": self._num_helped,
        }

    def end(self) -> None:
        self._fleet.end(has_started=self._has_started)

    def _contains(self, layer: int, state: list[int]) -> bool:
        """Whether a packed state is in a layer. If the layers are in a folder, the driver reads the file of the
        state's owner, because a request for each of many states would take longer than the search.
        """
        division = self._work.division
        owner = division.owner_of(self._here.shard_of(state))
        if self._manifests is not None or self._work.folder is None:
            found: list[bool] = self._look_up("contains", layer, state, of=[owner])
            return found[0]
        folder = part_folder(self._work.folder, owner, division)
        return self._here.file_contains(str(layer_file(folder, layer)), state)

    # -- phases ---------------------------------------------------------------------------------------

    def _sources(self) -> list[int] | None:
        """The owners that have entries of the newest layer and can therefore produce successors; None for all
        owners.
        """
        if self._entries is None:
            return None
        some = [owner for owner in self._owners if self._entries[owner] > 0]
        return None if len(some) == len(self._owners) else some

    def _back(self) -> list[Any]:
        """The requests that make all owners go back to the saved layers."""
        self._entries = None
        return [self._fleet.call(owner, "go_back", *self._saved(owner)) for owner in self._owners]

    def _saved(self, owner: int) -> tuple[int, list[Any], int]:
        layers = [] if self._manifests is None else self._manifests.parts[: self._num_layers]
        return self._num_layers, [parts[owner] for parts in layers], self._recovery.epoch

    def _close(self, made: list[Closed]) -> None:
        found = [closed.counts for closed in made]
        if self._manifests is not None:
            parts = [closed.part for closed in made if closed.part is not None]
            self._manifests.parts[self._num_layers :] = [tuple(parts)]
        if self._num_layers > 0:
            self._num_worked += 1
        self._num_layers += 1
        self._entries = [counts.entries for counts in found]
        self._balance.add([closed.times for closed in made])
        for closed in made:
            self._num_bytes += closed.exchanged.bytes
            self._num_messages += 1 + closed.exchanged.messages
            self._num_helped += closed.exchanged.shards_helped
            self._num_merged_early += closed.exchanged.bytes_merged_early
        goals = [counts.goal for counts in found if counts.goal]
        numbers = zip(*(counts[:5] for counts in found), strict=True)
        least = min(goals, key=lambda words: words[::-1], default=[])
        self._closed = OwnCounts._make([*map(sum, numbers), least])
        self._seen = [closed.figures for closed in made]
        self._done = [
            before._replace(
                expanded=before.expanded + seen.expanded,
                generated=before.generated + seen.generated,
            )
            for before, seen in zip(self._before, self._seen, strict=True)
        ]
        self._revived.clear()

    def _begin_again(self, owners: Sequence[int]) -> None:
        """Adjust the progress of owners that have new processes, because a new process counts from 0."""
        for owner in owners:
            self._before[owner], self._seen[owner] = self._done[owner], _NONE

    def _sum(self) -> WorkerProgress:
        return WorkerProgress(*map(sum, zip(*self._before, *self._seen, strict=True)))

    def _all(self, method: str, *arguments: Any) -> list[Any]:
        """The answers of all owners to a request that is safe to repeat."""
        while True:
            try:
                return self._fleet.get(
                    [self._fleet.call(owner, method, *arguments) for owner in self._owners]
                )
            except ActorEndedError:
                self._mend()

    def _look_up(self, method: str, *arguments: Any, of: Sequence[int] | None = None) -> list[Any]:
        """The answers of all owners, or of the owners `of`, to a request about saved layers."""
        while True:
            about = ("look_up", self._recovery.epoch, method, *arguments)
            with suppress(ActorEndedError):
                found = self._fleet.get(
                    [self._fleet.call(owner, *about) for owner in (of or self._owners)]
                )
                if None not in found:
                    return [one[0] for one in found]
            self._mend()

    # -- recovery --------------------------------------------------------------------------------------

    def _mend(self) -> None:
        """Make all owners, including new ones, go back to the saved layers. Raises ClusterError, and the exceptions of
        limits.
        """
        self._revived.clear()
        self._recovery.restore_actors(self._pending, self._back, self._look)
        self._begin_again(self._owners)


class _LayerWork:
    """A layer in progress: one call to each owner, and further calls to those owners that have a new process.

    A new process goes back to the saved layers, and computes the owner's part of the layer again, with the data that
    the other actors keep for it. The other actors continue.
    """

    def __init__(self, actors: Actors, look: Callable[[], None]) -> None:
        self.actors, self.look = actors, look
        self.fleet = actors._fleet
        self.sources = actors._sources()
        self.calls: dict[Any, tuple[int, str]] = {}  # for each call, its owner and its method
        self.answers: dict[int, Closed] = {}
        self.until: dict[int, float] = {}  # the deadline of each owner that has no process
        self.again: dict[int, float] = {}  # for each owner, the time of the next request to go back
        for owner in actors._owners:
            self._work(owner)

    def run(self) -> list[Closed]:
        """The answers of all owners. Raises ClusterError, the exceptions of `look` and of owners, and, if all owners
        must go back, ActorEndedError.
        """
        actors = self.actors
        actors._checked = self.fleet.now()
        while self.calls or self.again:
            actors._pending = list(self.calls)
            seconds = max(LOOK, LOOK_PER_OWNER * len(self.calls))
            if actors._pending:
                done, _ = self.fleet.wait(actors._pending, seconds)
            else:
                done = []
                self.fleet.pause(seconds)
            try:
                answers = self.fleet.get(done)
            except ActorEndedError:
                self._take_each(done)
            else:
                for one, answer in zip(done, answers, strict=True):
                    self._take(one, answer)
            self._check_finished()
            now = self.fleet.now()
            for owner in [owner for owner, when in self.again.items() if when <= now]:
                del self.again[owner]
                self._go_back(owner)
            self.look()
        return [self.answers[owner] for owner in actors._owners]

    def _work(self, owner: int) -> None:
        self.calls[self.fleet.call(owner, "work", self.actors._recovery.epoch, self.sources)] = (
            owner,
            "work",
        )

    def _take(self, one: Any, answer: Any) -> None:
        owner, method = self.calls.pop(one)
        if method == "go_back":
            self.until.pop(owner, None)
            self._work(owner)
        elif answer is None:
            raise ActorEndedError  # the call was cancelled
        else:
            self.answers[owner] = answer

    def _take_each(self, done: list[Any]) -> None:
        for one in done:
            try:
                (answer,) = self.fleet.get([one])
            except ActorEndedError:
                owner, method = self.calls.pop(one)
                if method == "work":
                    self._revive(owner)
                else:
                    self.actors._recovery.check(self.until[owner])
                    self.again[owner] = self.fleet.now() + 0.2
            else:
                self._take(one, answer)

    def _revive(self, owner: int) -> None:
        """Request the owner's part again, from its new process."""
        actors = self.actors
        actors._recovery.count()
        actors._revived.add(owner)
        actors._begin_again([owner])
        self.answers.pop(owner, None)
        self.until[owner] = actors._recovery.until()
        self._go_back(owner)

    def _go_back(self, owner: int) -> None:
        self.fleet.introduce([owner])
        call = self.fleet.call(owner, "go_back", *self.actors._saved(owner))
        self.calls[call] = owner, "go_back"

    def _check_finished(self) -> None:
        """Check some of the owners that have answered, and revive those with a process that has ended since: other
        owners may still need their data.
        """
        actors = self.actors
        if not self.calls or self.fleet.now() - actors._checked < _CHECK_EVERY:
            return
        actors._checked = self.fleet.now()
        finished = sorted(self.answers)
        first = actors._next_checked % max(1, len(finished))
        some = [*finished[first:], *finished[:first]][:_FIGURES_OF]
        actors._next_checked = first + len(some)
        calls = [
            self.fleet.call(owner, "is_at", actors._recovery.epoch, actors._num_layers, beside=True)
            for owner in some
        ]
        if calls:
            self.fleet.wait(calls, _FIGURES_EVERY)
        for owner, one in zip(some, calls, strict=True):
            try:
                (is_there,) = self.fleet.get([one], _FIGURES_EVERY)
            except TimeoutError:
                continue
            except ActorEndedError:
                is_there = False
            if not is_there:
                self._revive(owner)
