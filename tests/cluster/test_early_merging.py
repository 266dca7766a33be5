"""Owners merge successors that have arrived while other owners still expand."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from msgspec.structs import replace

from fewest import search
from fewest.cluster import early_merging
from fewest.cluster import owner as owners
from fewest.cluster.early_merging import EarlyMerging
from fewest.store.layer_runs import num_runs, runs_of
from fewest.store.shard_division import layer_file, part_folder
from fewest.store.workers import WorkOrder, shards_of
from tests.cluster.test_owners import FIELDS, alone, solved
from tests.helpers.local_fleet import LocalFleet

__all__ = ["alone"]
pytestmark = pytest.mark.skipif(not search.NATIVE, reason="stores need the native core")


@pytest.fixture(autouse=True)
def every_piece_is_merged_early(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(early_merging, "_FIRST_RUNS", 0)
    monkeypatch.setattr(early_merging, "_LEAST", 0)
    monkeypatch.setattr(early_merging, "_BATCH_RUNS", 0)


@pytest.mark.parametrize("num_owners", [2, 5])
def test_early_merges_change_no_count(
    num_owners: int,
    alone: dict[str, Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sizes: list[int] = []

    def measured(*arguments: Any) -> Any:
        shards = shards_of(*arguments)
        assert shards is not None
        sizes.append(shards.bytes_in_memory)
        return shards

    monkeypatch.setattr(early_merging, "shards_of", measured)
    found = solved(tmp_path, num_owners)
    assert 0 < max(sizes) <= (1 << 30) // num_owners // 16
    assert [found[field] for field in FIELDS] == [alone[field] for field in FIELDS]
    store = found["store"]
    assert 0 < store["bytes_merged_early"] <= store["bytes_exchanged"]
    assert not list((tmp_path / "store").rglob(f"{early_merging._FOLDER}*"))


def test_pieces_of_no_complete_batch_are_merged_later(
    alone: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(early_merging, "_BATCH_RUNS", 1000)
    found = solved(tmp_path, 3)
    assert [found[field] for field in FIELDS] == [alone[field] for field in FIELDS]
    assert found["store"]["bytes_merged_early"] == 0


class _Blocked(owners.Owner):
    """In layer 20, owner 0 expands only after owner 1 has merged successors from owner 2."""

    has_merged = threading.Event()
    orders: ClassVar[list[str]] = []

    def _in_threads(self, phase: Any) -> bool:
        if self.number == 0 and self._own.num_layers == 20 and phase.__name__ == "expand":
            assert _Blocked.has_merged.wait(60)
            _Blocked.orders.append("owner 0 expands")
        return super()._in_threads(phase)


def test_an_owner_merges_while_another_one_expands(
    alone: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    merge = EarlyMerging._merge

    def merged(self: EarlyMerging, batch: Any, workers: int) -> bool:
        is_whole = merge(self, batch, workers)
        if self._number == 1 and self._own.num_layers == 20:
            _Blocked.orders.append("owner 1 has merged")
            _Blocked.has_merged.set()
        return is_whole

    monkeypatch.setattr(EarlyMerging, "_merge", merged)
    found = solved(tmp_path, 3, make=_Blocked)
    assert [found[field] for field in FIELDS] == [alone[field] for field in FIELDS]
    assert _Blocked.orders[:2] == ["owner 1 has merged", "owner 0 expands"]


def test_an_owner_that_ends_during_an_early_merge_is_replaced(
    alone: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[LocalFleet] = []
    merge = EarlyMerging._merge
    killed: list[int] = []  # the layers in progress

    def killing(self: EarlyMerging, batch: Any, workers: int) -> bool:
        layer = self._own.num_layers
        if layer in (12, 20, 21) and layer not in killed:
            killed.append(layer)
            seen[0].kill(self._number)
        return merge(self, batch, workers)

    monkeypatch.setattr(EarlyMerging, "_merge", killing)
    found = solved(tmp_path, 3, seen=seen)
    assert len(killed) == 3
    assert [found[field] for field in FIELDS] == [alone[field] for field in FIELDS]
    assert found["store"]["actors_replaced"] >= 3


def test_an_error_of_an_early_merge_ends_the_search(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(layer: Path) -> Any:
        raise OSError(28, "No space left on device", str(layer))

    monkeypatch.setattr(early_merging, "runs_of", full)
    began = time.monotonic()
    found = solved(tmp_path, 3)
    assert found["states"] < 20160
    assert time.monotonic() - began < 60
    monkeypatch.undo()
    assert solved(tmp_path, 3)["states"] == 20160


def test_the_first_runs_of_a_layer_are_not_merged_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(early_merging, "_FIRST_RUNS", 3)
    assert solved(tmp_path, 3)["store"]["bytes_merged_early"] == 0


def _order(folder: Path) -> WorkOrder:
    seen: list[LocalFleet] = []
    solved(folder, 2, seen=seen)
    work = seen[0].work
    assert isinstance(work, WorkOrder)
    return work


def test_a_layer_is_read_as_runs(tmp_path: Path) -> None:
    """Shards that receive the runs of a layer have the layer's states."""
    order = _order(tmp_path)
    assert order.folder is not None
    file = layer_file(part_folder(order.folder, 1, order.division), 20)
    runs = list(runs_of(file))
    assert [num_runs(run) for run in runs] == [1] * len(runs)
    assert num_runs(np.concatenate(runs)) == len(runs)
    shards = shards_of(replace(order, folder=tmp_path), 1)
    assert shards is not None
    for run in runs:
        shards.receive(run)
    shards.merge(0)
    shards.close_layer()
    copied = tmp_path / "layer-000000.part"
    assert copied.read_bytes() == file.read_bytes()


@pytest.mark.parametrize(("runs", "is_merged"), [(1, False), (30, True)])
def test_the_last_batch_is_merged_if_the_final_merge_would_need_two_passes(
    runs: int, is_merged: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No batch has 16 runs for each shard."""
    monkeypatch.setattr(early_merging, "_BATCH_RUNS", 1000)
    order = _order(tmp_path)
    assert order.folder is not None
    folder = part_folder(order.folder, 1, order.division)
    order = replace(order, folder=tmp_path)
    shards = shards_of(order, 1)
    assert shards is not None
    early = EarlyMerging(order, 1, shards, threading.Event())
    piece = np.concatenate(list(runs_of(layer_file(folder, 20))))
    for _ in range(runs):
        early.receive(piece, is_idle=False)
    assert early.finish()
    early.end()
    assert (early.num_bytes > 0) == is_merged
    shards.merge(0)
    shards.close_layer()
    assert (tmp_path / "layer-000000.part").read_bytes() == layer_file(folder, 20).read_bytes()
