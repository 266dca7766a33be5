"""The division of a store determines which owner has which shards, and can change to a different number of owners."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

import fewest
from fewest import search
from fewest.errors import UsageError
from fewest.store import search as stored
from fewest.store.metadata import read_record, write_record
from fewest.store.shard_division import ShardDivision, layer_file, part_folder, shards_for
from fewest.store.workers import WorkOrder, shards_of


@given(st.integers(1, 3000))
def test_every_owner_has_as_many_shards_and_at_least_eight(owners: int) -> None:
    division = ShardDivision(owners, shards_for(owners, 128))
    sizes = {division.first(owner + 1) - division.first(owner) for owner in range(owners)}
    assert len(sizes) == 1 and min(sizes) >= 8
    assert (division.first(0), division.first(owners)) == (0, division.num_shards)


def test_more_actors_than_shards_are_refused_with_the_number() -> None:
    assert shards_for(65_536, 128) == 65_536
    with pytest.raises(UsageError, match="65,536 shards"):
        shards_for(65_537, 128)


@given(st.integers(1, 9), st.integers(1, 9), st.integers(0, 5), st.integers(0, 5))
def test_an_owner_needs_the_files_of_earlier_owners_of_its_hashes(
    before: int, after: int, more: int, further: int
) -> None:
    old, new = ShardDivision(before, 8 * before + more), ShardDivision(after, 8 * after + further)

    def owner(division: ShardDivision, number: int, size: int) -> int:
        shard = number * division.num_shards // size
        return max(one for one in range(division.owners) if division.first(one) <= shard)

    size = old.num_shards * new.num_shards
    needed = {number: set(old.overlapping(new, number)) for number in range(after)}
    found: dict[int, set[int]] = {number: set() for number in range(after)}
    for number in range(size):
        found[owner(new, number, size)].add(owner(old, number, size))
    assert needed == found


@pytest.mark.skipif(not search.NATIVE, reason="stores need the native core")
def test_one_owner_resumes_a_store_of_several(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    works: list[WorkOrder] = []
    make = stored._workers

    def remember(work: WorkOrder, *more: object) -> object:
        works.append(work)
        return make(work, *more)  # type: ignore[arg-type]

    monkeypatch.setattr(stored, "_workers", remember)
    compiled, store = fewest.load("tiles-2x4"), tmp_path / "store"
    compiled.explore(store=f"disk:{store}", depth=20)
    record = read_record(store)
    for owner in range(3):  # the folders that a cluster of three owners leaves
        folder = part_folder(store, owner, ShardDivision(3, 24))
        folder.mkdir()
        shards = shards_of(replace(works[0], folder=folder, num_shards=24, owners=3), owner)
        assert shards is not None
        for layer in range(len(record.layers)):
            shards.take_over([str(layer_file(store, layer))], record.num_shards)
    for file in store.glob("layer-*"):
        file.unlink()
    write_record(store, replace(record, owners=3, num_shards=24))
    found, expected = compiled.explore(store=f"disk:{store}"), compiled.explore()
    assert (found.layers, found.goal_distances) == (expected.layers, expected.goal_distances)
    assert read_record(store).division == ShardDivision(1, 128) and not list(store.glob("owner-*"))
