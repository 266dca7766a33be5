"""Tests of the Ray actors that need no cluster."""

from __future__ import annotations

from typing import Any

import pytest

ray = pytest.importorskip("ray", reason="the extra `cluster` is not installed")


class _Handle:
    """An actor that records the concurrency group of each call."""

    def __init__(self, groups: list[str]) -> None:
        self.groups = groups

    def __getattr__(self, _method: str) -> _Handle:
        return self

    def options(self, concurrency_group: str) -> _Handle:
        self.groups.append(concurrency_group)
        return self

    def remote(self, *_arguments: Any) -> None:
        """Begins nothing."""


def test_requests_for_shards_do_not_queue_behind_requests_for_pieces() -> None:
    """All owners may wait for the pieces of a late owner, each for half a second."""
    from fewest.cluster import fleet

    groups: list[str] = []
    peers = fleet._RayPeers([_Handle(groups)])
    for method in ("piece", "give_away"):
        peers.request(0, method)
    assert len(set(groups)) == 2
    assert set(groups) <= set(fleet._SERVING)


def test_a_failed_start_of_ray_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    from fewest.cluster import connect
    from fewest.cluster.recovery import ClusterError

    def fail(*_: Any, **__: Any) -> Any:
        raise Exception("The current node timed out during startup.")

    monkeypatch.setattr(ray, "init", fail)
    with (
        pytest.raises(ClusterError, match=r"could not start on this machine: .* timed out"),
        connect.connected(connect.HERE),
    ):
        pass


def test_a_missing_answer_means_that_an_actor_has_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from ray.exceptions import ObjectLostError

    from fewest.cluster import fleet
    from fewest.cluster.recovery import ActorEndedError

    def lose(*_: Any, **__: Any) -> Any:
        raise ObjectLostError("00" * 28, None, "")

    monkeypatch.setattr(ray, "get", lose)
    with pytest.raises(ActorEndedError):
        object.__new__(fleet.RayFleet).get([None])
