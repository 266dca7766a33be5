"""Runs many owners in two Ray processes that answer immediately, to show the cost of the driver
(`bench/cluster_model.py`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import ray

from fewest.cluster.fleet import RayFleet
from fewest.cluster.owner import Closed, Exchanged, OwnCounts
from fewest.store.workers import WorkerProgress, WorkOrder


class _IdleOwner:
    """Replies as an owner does, but does no work."""

    def meet(self, handles: Sequence[Any], _: None) -> None:
        self.peers = handles

    def packing(self) -> int:
        return 1

    def begin(self, epoch: int) -> Closed:
        return self.work(epoch)

    def work(self, epoch: int, sources: Sequence[int] | None = None) -> Closed:
        counts = OwnCounts(1000, 1000, 0, 0, 0, [])
        return Closed(counts, WorkerProgress(1000, 1000, 0, 0), None, Exchanged(1000, 1))

    def figures(self) -> WorkerProgress:
        return WorkerProgress(0, 0, 0, 0)

    def cancel(self) -> None:
        """Do nothing: every call ends at once. The driver calls this method before it reports an error."""

    def is_at(self, epoch: int, layer: int) -> bool:
        return True

    def clear(self) -> None:
        self.peers = []


class IdleFleet(RayFleet):
    """A fleet in which two actors stand in for all owners."""

    spent, num_dead_nodes, num_calls = 0.0, 0, 0

    def __init__(self, work: WorkOrder, owners: int) -> None:
        if not ray.is_initialized():
            ray.init(
                address="local",
                _node_ip_address="127.0.0.1",
                include_dashboard=False,
                log_to_driver=False,
            )
        remote: Any = ray.remote(num_cpus=1, concurrency_groups={"beside": 1})
        actors = [remote(_IdleOwner).remote() for _ in range(2)]
        self._owners = [actors[number % 2] for number in range(owners)]
        self._handles, self._order = ray.put(self._owners), None

    def call(self, owner: int, method: str, *arguments: Any, beside: bool = False) -> Any:
        self.num_calls += 1
        return super().call(owner, method, *arguments, beside=beside)

    def next_layer(self) -> None:
        """Do nothing, because the real owners need no such call."""
