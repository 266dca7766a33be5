"""A store at a URL consists of complete objects with new names, and each manifest is written after its objects. A
search that is killed at any write can be resumed."""

from __future__ import annotations

import sys
from itertools import count
from pathlib import Path
from typing import Any

import pytest

import fewest
from fewest import search
from fewest.commands.resume import resume
from fewest.errors import UsageError
from fewest.store.error_translation import StoreError
from fewest.store.manifest import Manifests
from fewest.store.objects import ObjectStore, put
from fewest.store.urls import is_url
from tests.helpers.command_line import run

fsspec = pytest.importorskip("fsspec", reason="the extra `cluster` is not installed")

from tests.helpers.objects import Strict, killed_after, place_at  # noqa: E402 - needs fsspec

pytestmark = pytest.mark.skipif(not search.NATIVE, reason="stores need the native core")
URL = "strict://bucket/saved"


@pytest.fixture(autouse=True)
def empty_object_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Provide an empty object store and an empty temporary folder, and save every layer as soon as it is finished."""
    from fewest.store import driver

    monkeypatch.setattr(driver, "SAVE_EVERY", 0)
    monkeypatch.setattr(driver, "KEEPING_TIMES", 0)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    Strict.store.clear()
    Strict.pseudo_dirs[:] = [""]


def names(below: str = "") -> list[str]:
    return ObjectStore(URL).names(below)


@pytest.mark.parametrize(
    ("name", "metric", "symmetry"),
    [
        ("tiles-2x3", "moves", "off"),
        ("guarini", "moves", "on"),
        ("microban-001", "pushes", "off"),
        ("triangle-15", "jumps", "off"),
    ],
)
def test_the_answer_is_that_of_a_search_in_memory(
    name: str, metric: str, symmetry: str, tmp_path: Path
) -> None:
    compiled = fewest.load(name)
    expected = compiled.explore(metric, symmetry=symmetry, consistent=False)
    found = compiled.explore(metric, symmetry=symmetry, store=place_at(URL, 3))
    result = compiled.solve(metric, symmetry=symmetry, store=place_at(URL, 3))
    for field in ("num_states", "num_goal_states", "layers", "minimum", "canonical_states"):
        assert getattr(found, field) == getattr(expected, field)
    assert result.cost == expected.minimum and result.plan is not None
    stored = result.statistics["store"]
    assert (stored["folder"], stored["actors"]) == (URL, 3)
    sizes = [len(ObjectStore(URL).read(part)) for part in names() if part.startswith("owner-")]
    assert stored["bytes"] == sum(sizes) > 0
    assert len(names("manifests")) == 2  # only the last one is valid
    assert list(tmp_path.glob("fewest-*")) == []


def test_a_search_killed_at_any_write_continues_to_the_same_answer() -> None:
    compiled = fewest.load("tiles-2x3")
    expected = compiled.explore()
    for writes in count(0, 7):
        Strict.store.clear()
        with killed_after(writes):
            compiled.explore(store=place_at(URL))
            break  # the search ended before the kill
        left = names()
        place = place_at(URL)
        previous = place.backend.read() if place.backend is not None else None
        found = (
            compiled.explore(store=place)
            if previous is None
            else resume(URL, store=place).exploration
        )
        assert found is not None
        assert (found.layers, found.minimum) == (expected.layers, expected.minimum)
        # All earlier layers are stored. A layer takes three writes: two parts and a manifest.
        assert (0 if previous is None else len(previous.layers)) >= writes // 3 - 1
        parts = [name for name in names() if name.startswith("owner-")]
        # Parts that are not in a manifest are deleted.
        assert len(parts) == 2 * (len(found.layers) + 1)
        assert previous is None or set(left) & set(parts)  # stored parts are not written again
    assert writes > 60


def test_a_run_that_another_one_took_over_ends() -> None:
    fewest.load("tiles-2x4").explore(store=place_at(URL), depth=8)
    older, younger = (Manifests(ObjectStore(URL)) for _ in range(2))
    record = older.read()
    assert record is not None and younger.read() == record
    older.write(record)
    with pytest.raises(StoreError, match="another run is using"):
        younger.write(record)  # it has not read the manifest of the other run
    assert younger.read() == record
    younger.write(record)
    with pytest.raises(StoreError, match="another run is using"):
        older.write(record)
    assert resume(URL, store=place_at(URL)).exploration is not None


# -- refused requests ----------------------------------------------------------------------------------


@pytest.fixture
def stored() -> str:
    fewest.load("tiles-2x4").explore(store=place_at(URL), depth=8)
    return URL


def go_on() -> Any:
    return fewest.load("tiles-2x4").explore(store=place_at(URL))


def test_another_puzzle_and_another_metric_are_refused_by_name(stored: str) -> None:
    with pytest.raises(StoreError, match=f"in {stored} belongs to tiles-2x4, not to tiles-2x3"):
        fewest.load("tiles-2x3").explore(store=place_at(URL))


@pytest.mark.parametrize("place", [0.0, 0.5, 0.99])
def test_a_damaged_part_is_refused_by_name(stored: str, place: float) -> None:
    name = next(name for name in names("owner-001") if "layer-000008" in name)
    path = f"/bucket/saved/{name}"
    raw = bytearray(Strict().cat_file(path))
    raw[int(place * len(raw))] ^= 4
    del Strict.store[path]
    Strict().pipe_file(path, bytes(raw))
    with pytest.raises(StoreError, match=rf"damaged: {URL}/owner-001/layer-000008"):
        go_on()


def test_a_missing_part_is_named(stored: str) -> None:
    name = next(name for name in names("owner-001") if "layer-000008" in name)
    ObjectStore(URL).remove([name])
    with pytest.raises(StoreError, match=rf"{URL}/{name}"):
        go_on()


def test_of_damaged_manifests_the_one_before_counts_and_all_of_them_are_refused(
    stored: str,
) -> None:
    before, last = names("manifests")
    for number, name in enumerate((last, before)):
        path = f"/bucket/saved/{name}"
        raw = Strict().cat_file(path).replace(b'"owners":2', b'"owners":3')
        del Strict.store[path]
        Strict().pipe_file(path, raw)
        place = place_at(URL).backend if number == 0 else None
        if place is not None:
            record = place.read()
            assert record is not None and len(record.layers) in (8, 9)
    with pytest.raises(StoreError, match=rf"{URL}/{last} is damaged"):
        resume(URL)


def test_a_folder_with_other_files_is_no_store() -> None:
    Strict().pipe_file("/bucket/saved/mine.txt", b"mine")
    with pytest.raises(StoreError, match="not a store"):
        place_at(URL)
    assert names() == ["mine.txt"]


def test_nothing_is_resumed_from_an_empty_url() -> None:
    with pytest.raises(StoreError, match=f"there is no store in {URL}"):
        resume(URL)


def test_an_unknown_protocol_is_refused() -> None:
    with pytest.raises(UsageError, match="fsspec cannot use the protocol `nowhere`"):
        ObjectStore("nowhere://bucket/saved")


def test_a_protocol_without_its_package_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "s3fs", None)
    with pytest.raises(UsageError, match="the protocol `s3` needs another package"):
        ObjectStore("s3://bucket/saved")


def test_without_fsspec_the_error_names_the_missing_package(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "fsspec.core", None)
    with pytest.raises(UsageError, match="needs fsspec") as caught:
        ObjectStore("file:///saved")
    assert "pip install '.[cluster]'" in caught.value.hint


def test_a_url_is_for_a_cluster() -> None:
    for command in (
        ["explore", "tiles-2x3"],
        ["solve", "tiles-2x3"],
        ["solve", "tiles-2x3", "-e", "sat"],
        ["explore", "tiles-2x3", "--store", "index"],
    ):
        found = run(*command, "--checkpoint", "s3://bucket/saved")
        assert found.returncode == 2 and "use --cluster" in found.stderr, command
        assert "s3://bucket/saved" in found.stderr


# -- files --------------------------------------------------------------------------------------------


def test_files_of_this_machine_are_an_object_store_too(tmp_path: Path) -> None:
    objects = ObjectStore(f"file://{tmp_path}/saved")
    assert objects.names() == [] and is_url(objects.url)
    (tmp_path / "here").write_bytes(b"what is here")
    part = put(objects, "owner-000/layer-000000-ab", tmp_path / "here")
    objects.write("manifests/1", b"one")
    assert objects.names() == [part.name, "manifests/1"] or objects.names() == [
        "manifests/1",
        part.name,
    ]
    assert objects.names("manifests") == ["manifests/1"]
    assert (objects.read(part.name), part.size) == (b"what is here", 12)
    objects.remove([part.name, "never"])
    assert objects.names() == ["manifests/1"]
    with pytest.raises(OSError, match="never"):
        objects.read("never")


def test_a_store_moves_to_another_number_of_owners() -> None:
    compiled = fewest.load("tiles-2x4")
    expected = compiled.explore(consistent=False)
    compiled.explore(store=place_at(URL, 2), depth=15)
    for owners in (5, 1, 3):
        found = compiled.explore(store=place_at(URL, owners), consistent=False)
        assert (found.layers, found.minimum) == (expected.layers, expected.minimum)
        record = place_at(URL).backend.read()  # type: ignore[union-attr]
        assert record is not None and record.owners == owners
