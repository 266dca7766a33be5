"""The processes in which owners run, as Ray actors."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import ray
from msgspec.structs import replace
from ray.exceptions import (
    ActorUnavailableError,
    GetTimeoutError,
    ObjectLostError,
    RayActorError,
    RayError,
    RayTaskError,
)

from fewest.cluster.actors import Actors
from fewest.cluster.exchange import UNREACHED
from fewest.cluster.index_actors import IndexActors
from fewest.cluster.index_owner import IndexOwner
from fewest.cluster.owner import Owner
from fewest.cluster.recovery import ActorEndedError, RecoveryLimits
from fewest.store.index_workers import PartOrder
from fewest.store.manifest import Manifests
from fewest.store.workers import WorkOrder, shards_of

_CLEARING = 20.0  # the number of seconds that all actors together have for removing their folders
_CLEARING_EARLY = 1.0  # the value of _CLEARING if some actors have not started
# The maximum number of requests from other owners that an owner answers at the same time, by kind. All owners may wait
# for the pieces of a late owner; therefore, requests for its shards must not queue behind these.
_SERVING = {"piece": 4, "give_away": 1}


class _RayOwner(Owner):
    """An owner that has other actors as its peers."""

    def meet(self, handles: Sequence[Any], _: None) -> None:
        self.peers = _RayPeers(handles)


class _RayIndexOwner(IndexOwner):
    """An owner of marks that has other actors as its peers.

    `meet` passes the order with its numbering: Ray keeps the arguments of the constructor for restarting an actor, and
    warns if they contain large objects.
    """

    def __init__(self, number: int) -> None:
        super().__init__(None, number)

    def meet(self, handles: Sequence[Any], order: PartOrder) -> None:
        self.peers, self._order = _RayPeers(handles), order


class _RayPeers:
    """See `exchange.Peers`."""

    def __init__(self, handles: Sequence[Any]) -> None:
        self._handles = handles

    def request(self, owner: int, method: str, *arguments: Any) -> Any:
        call = getattr(self._handles[owner], method)
        return call.options(concurrency_group=method).remote(*arguments)

    def answered(self, calls: list[Any], seconds: float) -> list[tuple[Any, Any]]:
        done, _ = ray.wait(calls, num_returns=1, timeout=seconds)
        return [(request, _answer(request)) for request in done]


def _answer(request: Any) -> Any:
    try:
        return ray.get(request)
    except RayTaskError as error:
        cause = error.cause
        raise (cause if isinstance(cause, Exception) else error) from None
    except ActorUnavailableError:  # the connection was interrupted; the owner may have answered
        return UNREACHED
    except RayError:  # the owner or its node has ended; the driver replaces it
        return None


def processors() -> list[int]:
    """The number of processors of each node in the connected cluster."""
    nodes: Any = ray.nodes
    return [int(node["Resources"].get("CPU", 0)) for node in nodes() if node["Alive"]]


class RayFleet:
    """An actor for each owner of an order; Ray must be connected (`connect.py`)."""

    def __init__(
        self, kind: type, work: WorkOrder | PartOrder, given: Callable[[int], tuple[Any, ...]]
    ) -> None:
        """`kind`: the class of the owners; `given`: the arguments for each owner."""
        # One thread of an actor does the work. At the same time, a second thread answers the driver, and further
        # threads answer other owners.
        remote: Any = ray.remote  # Ray's type annotations lack concurrency groups
        actor = remote(
            max_restarts=-1,
            num_cpus=work.workers,
            concurrency_groups={"beside": 1, **_SERVING},
            scheduling_strategy="SPREAD",
        )(kind)
        self._owners = [actor.remote(*given(number)) for number in range(work.owners)]
        self._handles = ray.put(self._owners)
        self._order = ray.put(work) if isinstance(work, PartOrder) else None

    def introduce(self, owners: Sequence[int]) -> None:
        for owner in owners:
            self._owners[owner].meet.remote(self._handles, self._order)

    def call(self, owner: int, method: str, *arguments: Any, beside: bool = False) -> Any:
        call = getattr(self._owners[owner], method)
        if beside:
            call = call.options(concurrency_group="beside")
        return call.remote(*arguments)

    def wait(self, calls: list[Any], seconds: float) -> tuple[list[Any], list[Any]]:
        done, left = ray.wait(calls, num_returns=len(calls), timeout=seconds)
        return done, left

    def get(self, calls: list[Any], seconds: float | None = None) -> list[Any]:
        try:
            return list(ray.get(calls, timeout=seconds))
        except (RayActorError, ObjectLostError):  # a large answer is lost if its node ends
            raise ActorEndedError from None
        except GetTimeoutError:
            raise TimeoutError from None
        except RayTaskError as error:
            cause = error.cause
            raise (cause if isinstance(cause, Exception) else error) from None

    def now(self) -> float:
        return time.perf_counter()

    def pause(self, seconds: float) -> None:
        time.sleep(seconds)

    def num_nodes(self) -> int:
        return len(processors())

    def end(self, *, has_started: bool) -> None:
        with suppress(RayError):
            cleared = [owner.clear.remote() for owner in self._owners]
            seconds = _CLEARING if has_started else _CLEARING_EARLY
            ray.wait(cleared, num_returns=len(cleared), timeout=seconds)
        for owner in self._owners:
            ray.kill(owner)


def actors(
    work: WorkOrder,
    manifests: Manifests | None = None,
    recovery_limits: RecoveryLimits | None = None,
) -> Actors | None:
    """Actors for a work order. The layers are in the folder that the order names, or in the object store of
    `manifests`.

    The result is None if the search is not breadth-first, or if it cannot go backward. Raises ValueError or OSError.
    """
    here = shards_of(replace(work, owners=1, ends=(), workers=1, memory=0), opens=False)
    if here is None:
        return None
    objects = None if manifests is None else manifests.objects
    fleet = RayFleet(_RayOwner, work, lambda number: (work, number, objects))
    return Actors(work, here, fleet, manifests, recovery_limits)


def index_actors(order: PartOrder, recovery_limits: RecoveryLimits | None = None) -> IndexActors:
    """Actors for the parts of an index. Raises ValueError, MemoryError or ClusterError."""
    return IndexActors(
        order, RayFleet(_RayIndexOwner, order, lambda number: (number,)), recovery_limits
    )
