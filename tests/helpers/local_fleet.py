"""Runs the real driver and owners without Ray: owners in threads of this process, and a fleet that ends some of
them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from functools import partial
from typing import Any

from msgspec.structs import replace

from fewest.cluster.actors import Actors
from fewest.cluster.exchange import UNREACHED
from fewest.cluster.index_actors import IndexActors
from fewest.cluster.index_owner import IndexOwner
from fewest.cluster.owner import Owner
from fewest.cluster.recovery import ActorEndedError, RecoveryLimits
from fewest.store.index_workers import PartOrder
from fewest.store.manifest import Manifests
from fewest.store.workers import WorkOrder, shards_of


class _Process:
    """An owner with its threads, and its unanswered calls."""

    def __init__(self, make: Callable[[], Owner | IndexOwner]) -> None:
        self.main, self.others = ThreadPoolExecutor(1), ThreadPoolExecutor(6)
        self.lock = threading.Lock()
        self.open: set[Future[Any]] = set()
        self.is_ended = False
        self.owner = self.main.submit(make)

    def call(self, method: str, *arguments: Any, beside: bool) -> Future[Any]:
        handle: Future[Any] = Future()
        with self.lock:
            if self.is_ended:
                handle.set_exception(ActorEndedError())
                return handle
            self.open.add(handle)
        (self.others if beside else self.main).submit(self._run, handle, method, arguments)
        return handle

    def _run(self, handle: Future[Any], method: str, arguments: tuple[Any, ...]) -> None:
        try:
            if self.owner.exception() is not None:
                raise ActorEndedError  # as in Ray, which reports no other error of a constructor
            result = getattr(self.owner.result(), method)(*arguments)
            error: BaseException | None = None
        except BaseException as raised:  # the driver re-raises the exception
            result, error = None, raised
        with self.lock:
            self.open.discard(handle)
            if self.is_ended:
                return
        if error is None:
            handle.set_result(result)
        else:
            handle.set_exception(error)

    def end(self) -> None:
        with self.lock:
            self.is_ended = True
            left, self.open = self.open, set()
        for handle in left:
            handle.set_exception(ActorEndedError())
        owner = self.owner.result()
        owner.cancel()
        self.main.submit(owner._lock.close)  # the next process needs the lock on the folder
        self.main.shutdown(wait=False)


class LocalFleet:
    """A `fewest.cluster.recovery.Fleet`. If `lose_answers` is n, every n-th answer between owners is lost."""

    def __init__(
        self,
        work: WorkOrder | PartOrder,
        make: Callable[..., Owner | IndexOwner] = Owner,
        lose_answers: int = 0,
    ) -> None:
        self.work, self.make, self.lose_answers = work, make, lose_answers
        self.num_answers = 0
        self.processes = [self._process(number) for number in range(work.owners)]

    def _process(self, number: int) -> _Process:
        return _Process(lambda: self.make(self.work, number))

    def kill(self, owner: int) -> None:
        self.processes[owner].end()
        self.processes[owner] = self._process(owner)

    def withdraw(self, owner: int) -> None:
        """End the process of an owner for which there is no other node."""
        self.processes[owner].end()

    def call(self, owner: int, method: str, *arguments: Any, beside: bool = False) -> Any:
        return self.processes[owner].call(method, *arguments, beside=beside)

    def wait(self, calls: list[Any], seconds: float) -> tuple[list[Any], list[Any]]:
        done, _ = wait(calls, timeout=seconds)
        return [one for one in calls if one in done], [one for one in calls if one not in done]

    def get(self, calls: list[Any], seconds: float | None = None) -> list[Any]:
        return [one.result(seconds) for one in calls]

    def introduce(self, owners: Sequence[int]) -> None:
        for owner in owners:
            process = self.processes[owner]
            if process.owner.exception() is None:
                process.owner.result().peers = self

    def now(self) -> float:
        return time.perf_counter()

    def pause(self, seconds: float) -> None:
        time.sleep(seconds)

    def num_nodes(self) -> int:
        return 1

    def end(self, *, has_started: bool) -> None:
        for process in self.processes:
            with suppress(ActorEndedError):
                process.call("clear", beside=False).result()
            if not process.is_ended:
                process.end()

    # -- the interface of `fewest.cluster.owner.Peers`

    def request(self, owner: int, method: str, *arguments: Any) -> Any:
        return self.call(owner, method, *arguments, beside=True)

    def answered(self, calls: list[Any], seconds: float) -> list[tuple[Any, Any]]:
        done, _ = wait(calls, timeout=seconds, return_when=FIRST_COMPLETED)
        return [(one, self._answer(one)) for one in done]

    def _answer(self, one: Future[Any]) -> Any:
        self.num_answers += 1
        try:
            answer = one.result()
        except ActorEndedError:
            return None
        is_unreached = self.lose_answers and self.num_answers % self.lose_answers == 0
        return UNREACHED if is_unreached else answer


def local_actors(
    work: WorkOrder,
    seen: list[LocalFleet],
    recovery_limits: RecoveryLimits | None = None,
    manifests: Manifests | None = None,
    **options: Any,
) -> Actors:
    """The actors of a store, in threads; `seen` receives their fleet."""
    here = shards_of(replace(work, owners=1, ends=(), workers=1, memory=0), opens=False)
    assert here is not None
    if manifests is not None:
        options["make"] = partial(Owner, objects=manifests.objects)
    fleet = LocalFleet(work, **options)
    seen.append(fleet)
    return Actors(work, here, fleet, manifests, recovery_limits)


def local_parts(
    order: PartOrder,
    seen: list[LocalFleet],
    recovery_limits: RecoveryLimits | None = None,
    **options: Any,
) -> IndexActors:
    """The workers of an index, in threads; `seen` receives their fleet."""
    fleet = LocalFleet(order, **{"make": IndexOwner, **options})
    seen.append(fleet)
    return IndexActors(order, fleet, recovery_limits)
