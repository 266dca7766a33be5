"""Actors that work on the shards of a search, for the driver in `fewest.store`.

Every owner expands its shards of a layer. The successors of other owners are sent, in rounds (owner i to
owner i + r), one piece at a time, through Ray's object store; then every owner merges and saves its part. The
driver moves only references and numbers, and the positions of optimal plans when these are counted.

If an actor dies, Ray starts it again, here or on another node. It comes back with only its folder, which all
nodes must see, or with its objects in an object store. Then every owner goes back to the saved layers, and
computes the layer in progress again. Layers are saved one by one, so that is always possible.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np
import ray
from msgspec.structs import replace
from ray.exceptions import GetTimeoutError, RayActorError, RayError, RayTaskError

from fewest.cluster.owner import Closed, OwnCounts, Owner
from fewest.errors import FewestError, UsageError
from fewest.store.manifest import Manifests
from fewest.store.workers import LOOK, WorkerProgress, WorkOrder, shards_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fewest.search import _native

PIECE = 32 << 20  # bytes from one owner to another in transit
_REPLACEMENTS = 16  # of actors before the search gives up: something else is wrong
_PATIENCE = 120.0  # seconds for an actor to come back
_CLEARING = 20.0  # seconds for all to free their folders
_FIGURES_EVERY = 1.0  # seconds
_NONE = WorkerProgress(0, 0, 0, 0)


class ClusterError(FewestError):
    """A missing cluster, or a cluster whose actors do not stay alive."""


class Actors:
    """An actor for each owner of a work; Ray is connected (`connect.py`)."""

    def __init__(
        self, work: WorkOrder, here: _native.Shards, kept: Manifests | None = None
    ) -> None:
        self._here, self._kept = here, kept
        self.algorithm, self.packing = f"{here.algorithm} by actors", here.packing
        # One thread executes calls in order, another one answers meanwhile.
        actor = ray.remote(max_restarts=-1, num_cpus=1, concurrency_groups={"beside": 1})(Owner)
        objects = None if kept is None else kept.objects
        self._owners = [actor.remote(work, number, objects) for number in range(work.owners)]
        self._pending: list[Any] = []
        self._num_layers = 0
        self._sent = self._replaced = 0
        self._done = self._base = self._seen = (
            _NONE  # after the last layer; before the last recovery
        )
        self._asked = 0.0
        self._closed = OwnCounts(0, 0, 0, 0, 0, [])
        if any(packing != self.packing for packing in self._all("packing")):
            raise UsageError("the nodes of the cluster have other versions of fewest")

    def begin(self) -> None:
        self._close(self._all("begin"))

    def open(self, num_layers: int) -> None:
        self._num_layers = num_layers
        self._get(self._back())

    def work(self, entries: int, look: Callable[[], None]) -> None:
        while True:
            try:
                expanded = [owner.expand.remote() for owner in self._owners]
                self._exchange(expanded, look)
                self._close(self._phase([owner.finish.remote() for owner in self._owners], look))
            except RayActorError:
                self._mend()
            except BaseException:
                self._rest()
                raise
            else:
                return

    def close_layer(self) -> OwnCounts:
        """The counts of the new layer, which the actors have saved one by one."""
        return self._closed

    def keep(self) -> None:
        """Nothing to do: see `close_layer`."""

    def abandon(self) -> None:
        self._get(self._back())
        self._base = self._done

    def plan(self, layer: int, goal: Sequence[int]) -> list[int]:
        return self._here.plan(layer, list(goal), lambda *asked: any(self._all("contains", *asked)))

    def least(self, layer: int) -> list[int]:
        found: list[list[int]] = self._all("least", layer)
        return min((words for words in found if words), key=lambda words: words[::-1])

    def among(self, layer: int, states: NDArray[np.uint64]) -> NDArray[np.bool_]:
        found: NDArray[np.bool_] = np.logical_or.reduce(self._all("among", layer, states))
        return found

    def figures(self) -> WorkerProgress:
        now = time.perf_counter()
        if now - self._asked > _FIGURES_EVERY:
            self._asked = now
            asked = [_beside(owner.figures).remote() for owner in self._owners]
            self._seen = self._sum(self._get(asked))
        return self._seen

    def statistics(self) -> dict[str, int]:
        return {
            "actors": len(self._owners),
            "actors_replaced": self._replaced,
            "bytes_exchanged": self._sent,
        }

    def end(self) -> None:
        with suppress(RayError):
            told = [owner.clear.remote() for owner in self._owners]
            ray.wait(told, num_returns=len(told), timeout=_CLEARING)
        for owner in self._owners:
            ray.kill(owner)

    # -- phases ---------------------------------------------------------------------------------------

    def _exchange(self, before: list[Any], look: Callable[[], None]) -> None:
        """Round by round, so that every owner sends to one and receives from one, after all have done `before`."""
        count = len(self._owners)
        if count == 1:
            self._phase(before, look)
        for step in range(1, count):
            left = list(range(count))
            while left:
                asked = []
                for number in left:
                    to = (number + step) % count
                    piece = self._owners[number].outgoing.remote(to, PIECE)
                    asked.append(self._owners[to].receive.remote(piece))
                sizes = self._phase([*before, *asked], look)[len(before) :]
                before = []
                self._sent += sum(sizes)
                left = [number for number, size in zip(left, sizes, strict=True) if size >= PIECE]

    def _back(self) -> list[Any]:
        """Requests to all owners to go back to the saved layers."""
        layers = [] if self._kept is None else self._kept.parts[: self._num_layers]
        return [
            owner.go_back.remote(self._num_layers, [parts[number] for parts in layers])
            for number, owner in enumerate(self._owners)
        ]

    def _close(self, made: list[Closed]) -> None:
        found = [closed.counts for closed in made]
        if self._kept is not None:
            parts = [closed.part for closed in made if closed.part is not None]
            self._kept.parts[self._num_layers :] = [tuple(parts)]
        self._num_layers += 1
        goals = [counts.goal for counts in found if counts.goal]
        numbers = zip(*(counts[:5] for counts in found), strict=True)
        least = min(goals, key=lambda words: words[::-1], default=[])
        self._closed = OwnCounts._make([*map(sum, numbers), least])
        self._done = self._seen = self._sum([closed.figures for closed in made])

    def _sum(self, found: list[WorkerProgress]) -> WorkerProgress:
        """The sum over all actors since the last recovery, and the work before it."""
        return WorkerProgress(*map(sum, zip((*self._base[:2], 0, 0), *found, strict=True)))

    def _all(self, method: str, *arguments: Any) -> list[Any]:
        return self._get([getattr(owner, method).remote(*arguments) for owner in self._owners])

    def _phase(self, asked: list[Any], look: Callable[[], None]) -> list[Any]:
        """The answers of all, with checks of the limits while they work."""
        self._pending = asked
        left = asked
        while left:
            done, left = ray.wait(left, num_returns=len(left), timeout=LOOK)
            self._get(done)
            look()
        return self._get(asked)

    def _get(self, asked: list[Any]) -> list[Any]:
        """The answers. Raises an actor's exception unchanged, and RayActorError."""
        try:
            return list(ray.get(asked))
        except RayTaskError as error:
            cause = error.cause
            raise (cause if isinstance(cause, Exception) else error) from None

    # -- when something ends --------------------------------------------------------------------------

    def _rest(self) -> None:
        """Wait for all requests to end; then no request to stop can reach an actor that starts again."""
        told = [_beside(owner.cancel).remote() for owner in self._owners]
        ending = [*self._pending, *told]
        ray.wait(ending, num_returns=len(ending), timeout=_PATIENCE)

    def _mend(self) -> None:
        """All owners, also new ones, go back to the saved layers. Raises ClusterError."""
        self._replaced += 1
        if self._replaced > _REPLACEMENTS:
            raise ClusterError(
                "actors keep dying", hint="`ray logs` may say why; the store can be gone on with"
            )
        self._rest()
        until = time.perf_counter() + _PATIENCE
        while True:
            try:
                ray.get(self._back(), timeout=max(0.0, until - time.perf_counter()))
                break
            except (RayActorError, GetTimeoutError):
                if time.perf_counter() > until:
                    raise ClusterError(
                        f"an actor died and was not replaced in {_PATIENCE:.0f} seconds",
                        hint="no node has room for it; the store can be gone on with by fewer",
                    ) from None
                time.sleep(0.2)
            except RayTaskError as error:
                cause = error.cause
                raise (cause if isinstance(cause, Exception) else error) from None
        self._base = self._done


def _beside(method: Any) -> Any:
    """A method of an actor that runs in parallel with its other work."""
    return method.options(concurrency_group="beside")


def actors(work: WorkOrder, kept: Manifests | None = None) -> Actors | None:
    """Actors for a work order, with its layers in its folder, or in the object store `kept`.

    None if the search is not breadth-first. Raises ValueError, OSError.
    """
    here = shards_of(replace(work, owners=1, workers=1, memory=0), opens=False)
    return None if here is None else Actors(work, here, kept)
