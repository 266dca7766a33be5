"""Owners of different speeds get numbers of shards in proportion to their speeds, if this saves time."""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import fewest
from fewest import search
from fewest.cluster import balance
from fewest.cluster import owner as owners
from fewest.cluster.balance import Balance
from fewest.cluster.owner import WorkTimes
from fewest.store import search as stored
from fewest.store.location import StoreLocation
from fewest.store.metadata import read_record
from fewest.store.shard_division import ShardDivision, layer_file
from tests.helpers.local_fleet import LocalFleet, local_actors
from tests.helpers.smaller_puzzles import smaller

native = pytest.mark.skipif(not search.NATIVE, reason="stores need the native core")
FIELDS = ("states", "expanded", "generated", "layers")


def layer(*seconds_per_state: float, states: int = 8000) -> list[WorkTimes]:
    """The measurements of a layer: of all work, 28 % is merging."""
    count = len(seconds_per_state)
    times = [states / count * seconds for seconds in seconds_per_state]
    return [WorkTimes(states // count, 0.72 * t, states // count, 0.28 * t) for t in times]


def test_an_owner_of_half_the_speed_gets_half_as_many_shards() -> None:
    found = Balance(ShardDivision(4, 128), can_help=True)
    times = layer(0.01, 0.01, 0.02, 0.01)
    for _ in range(5):
        found.add(times)
    assert found.better_ends(1000) == (37, 73, 91, 128)
    assert found.better_ends(10**9) is None  # the move takes longer than the delay
    assert Balance(ShardDivision(4, 128), can_help=True).better_ends(0) is None  # nothing is known


@pytest.mark.parametrize(
    "speeds",
    [
        (0.01, 0.01, 0.01, 0.01),
        (0.01, 0.0103, 0.0098, 0.0101),  # noise
        (1e-6, 1e-6, 2e-6, 1e-6),  # the layers are too short to be measured
    ],
)
def test_equal_owners_keep_their_ranges(speeds: tuple[float, ...]) -> None:
    found = Balance(ShardDivision(4, 128), can_help=False)
    for _ in range(50):
        found.add(layer(*speeds))
    assert found.better_ends(10) is None


def test_an_owner_that_is_slow_for_one_layer_causes_no_move() -> None:
    found = Balance(ShardDivision(4, 128), can_help=True)
    for number in range(50):
        found.add(layer(0.01, 0.02 if number == 10 else 0.01, 0.01, 0.01))
        assert found.better_ends(8000 * (number + 1)) is None


def test_ranges_that_suit_the_owners_remain() -> None:
    ends = (37, 73, 91, 128)
    found = Balance(ShardDivision(4, 128, ends), can_help=False)
    shares = [37 / 128, 36 / 128, 18 / 128, 37 / 128]
    for _ in range(50):
        found.add(
            [
                WorkTimes(int(80000 * share), share * t, int(80000 * share), share * t)
                for share, t in zip(shares, (10, 10, 20, 10), strict=True)
            ]
        )
    assert found.better_ends(10) is None


class _Paced:
    """Shards of an owner that takes a fixed time for every state of an expansion."""

    def __init__(self, shards: Any, seconds: float) -> None:
        self._shards, self._seconds = shards, seconds

    def __getattr__(self, name: str) -> Any:
        return getattr(self._shards, name)

    def expand_other(self, file: str, shard: int) -> bool:
        before = self._shards.num_expanded
        is_whole: bool = self._shards.expand_other(file, shard)
        time.sleep((self._shards.num_expanded - before) * self._seconds)
        return is_whole

    def expand(self, worker: int) -> bool:
        """Expand the owner's shards one by one, so that other owners can take over some of them."""
        raise AssertionError("PacedOwner expands the shards itself")


class PacedOwner(owners.Owner):
    """An owner that takes a fixed time for every state; owner 1 is slower than the others."""

    seconds, slowness = 2e-4, 2.0

    @property
    def _own(self) -> Any:
        slowness = PacedOwner.slowness if self.number == 1 else 1.0
        return _Paced(super()._own, 0.72 * PacedOwner.seconds * slowness)

    def _in_threads(self, phase: Any) -> bool:
        own = self._own
        if getattr(phase, "__name__", "") == "merge":
            is_whole = super()._in_threads(phase)
            time.sleep(own.num_merged * own._seconds * 0.28 / 0.72)
            return is_whole
        file = str(layer_file(self.folder, own.num_layers - 1))
        while (shard := own.give_away()) >= 0:
            own.expand_other(file, shard)
        return super()._in_threads(super()._own.expand)  # sends the last successors


def paced(folder: Path, num_owners: int, name: str = "tiles-2x4") -> dict[str, Any]:
    seen: list[LocalFleet] = []
    make: Any = partial(local_actors, seen=seen, make=PacedOwner)
    place = StoreLocation(folder, make_workers=make, owners=num_owners, threads=1)
    began = time.monotonic()
    options: Any = {"exhaust": True, "symmetry": "off", "memory": 1 << 30}
    found = fewest.load(name).solve(store=place, **options).statistics
    return {**found, "wall": time.monotonic() - began}


@native
def test_a_search_moves_shards_away_from_a_slow_owner(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(balance, "_LONG", 0.0)
    monkeypatch.setattr(balance, "RESTART", 0.1)
    monkeypatch.setattr(balance, "MOVING", 0.1)
    monkeypatch.setattr(owners, "_LONG", 0.0)
    found = paced(tmp_path / "store", 3)
    record = read_record(tmp_path / "store")
    assert found["store"]["times_balanced"] >= 1
    first, second, third = (
        record.division.first(owner + 1) - record.division.first(owner) for owner in range(3)
    )
    assert second < 0.8 * min(first, third)
    whole = fewest.load("tiles-2x4").solve(
        exhaust=True, symmetry="off", store=f"disk:{tmp_path / 'alone'}"
    )
    assert [found[field] for field in FIELDS] == [whole.statistics[field] for field in FIELDS]
    # One process can continue with these ranges, and removes the folders of the owners.
    explored = fewest.load("tiles-2x4").explore(store=f"disk:{tmp_path / 'store'}")
    assert explored.num_states == whole.statistics["states"]
    assert not list((tmp_path / "store").glob("owner-*"))


@native
def test_goal_distances_are_found_with_unequal_ranges(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ends = (11, 100, 129)
    monkeypatch.setattr(
        stored,
        "_better_ends",
        lambda driver: ends if len(driver.layers) > 5 and not driver.workers._work.ends else None,
    )
    make: Any = partial(local_actors, seen=[])
    for name in ("odd-crates", "tiles-2x3"):
        compiled = smaller(name)
        store = StoreLocation(tmp_path / name, make_workers=make, owners=3, threads=1)
        found = compiled.explore(store=store)
        assert found.goal_distances == compiled.explore().goal_distances
        assert found.to_json()["store"]["times_balanced"] == 1
        assert read_record(tmp_path / name).ends == ends
        assert len(list((tmp_path / name).glob("owner-*"))) == 3
