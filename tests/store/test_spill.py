"""At its memory limit, a search continues in a folder, and gives the answer of a search with enough memory."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import fewest
from fewest import search
from fewest.engines import external
from fewest.search import native
from fewest.store import metadata, spill, workers
from fewest.store import search as stored
from fewest.store.location import StoreLocation
from tests.helpers.command_line import run

pytestmark = pytest.mark.skipif(not search.NATIVE, reason="stores need the native core")

# Cases with reversible moves and others, merged moves, regions, symmetry, and a table in parts.
CASES = [
    ("tiles-2x4", "moves", 200_000, {}),
    ("quzzle", "turns", 10_000, {}),
    ("triangle-15", "turns", 10_000, {"symmetry": "on"}),
    ("microban-004", "pushes", 10_000, {}),
    ("triangle-15", "jumps", 20_000, {}),
    pytest.param(
        "tiles-2x5", "moves", 14_000_000, {"threads": 2}, marks=pytest.mark.slow
    ),  # the table is in parts
]


SAVED = StoreLocation("saved.store", is_removed_after_answer=True, is_fallback=True)
"""A temporary store that exists until there is an answer; the folder of "auto" is always deleted."""


@pytest.fixture(autouse=True)
def _with_little_memory(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(external, "LEAST", 0)
    temporary = tmp_path_factory.mktemp("temporary")
    monkeypatch.setenv("TMPDIR", str(temporary))
    yield
    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize(("name", "metric", "memory", "options"), CASES)
def test_a_search_without_enough_memory_continues_in_a_folder(
    name: str, metric: str, memory: int, options: dict[str, Any], tmp_path: Path
) -> None:
    compiled = fewest.load(name)
    options_of_search = {"engine": "bfs", "exhaust": True, "symmetry": "off"} | options
    expected = compiled.solve(metric, **options_of_search)
    assert compiled.solve(metric, **options_of_search, memory=memory).reason == "memory"
    found = compiled.solve(metric, **options_of_search, memory=memory, store="auto")
    assert (found.status, found.cost) == (expected.status, expected.cost)
    for key in ("states", "goal_states", "layers", "expanded", "exhausted"):
        assert found.statistics[key] == expected.statistics[key], key
    assert found.statistics["store"]["bytes"] > 0
    assert list(tmp_path.iterdir()) == []  # the folder is deleted after the answer


def test_a_goal_behind_the_memory_is_found_with_its_plan(tmp_path: Path) -> None:
    compiled = fewest.load("heng-dao-li-ma")
    found = compiled.solve("turns", engine="bfs", memory=200_000, store="auto")
    assert (found.status, found.cost) == ("optimal", 81)  # `solve` has replayed the plan
    assert found.statistics["store"]["folder"] is None
    assert list(tmp_path.iterdir()) == []


def test_a_search_that_fits_into_memory_creates_no_folder(tmp_path: Path) -> None:
    result = fewest.load("tiles-2x3").solve(engine="bfs", store="auto", memory=1 << 30)
    assert result.is_proven and "store" not in result.statistics
    assert list(tmp_path.iterdir()) == []


def _stops(*_: Any, **__: Any) -> None:
    raise KeyboardInterrupt


def test_an_interrupted_search_leaves_no_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiled = fewest.load("tiles-2x4")
    monkeypatch.setattr("fewest.store.workers.ThreadWorkers.work", _stops)
    stopped = compiled.explore(memory=200_000, store="auto")
    assert (stopped.reason, stopped.store) == ("interrupted", None)
    solved = compiled.solve(engine="bfs", exhaust=True, memory=200_000, store="auto")
    assert (solved.reason, solved.statistics["store"]["folder"]) == ("interrupted", None)
    assert solved.statistics["store"]["bytes"] > 0
    assert list(tmp_path.iterdir()) == []  # the fixture also checks the folder of temporary files


def test_the_folder_is_among_temporary_files_during_the_search(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []

    def looks(*_: Any, **__: Any) -> None:
        seen.extend(path.name for path in Path(os.environ["TMPDIR"]).iterdir())
        raise KeyboardInterrupt

    monkeypatch.setattr("fewest.store.workers.ThreadWorkers.work", looks)
    fewest.load("tiles-2x4").explore(memory=200_000, store="auto")
    assert len(seen) == 1 and seen[0].startswith("fewest-")
    assert list(tmp_path.iterdir()) == []


def test_an_interrupted_search_in_a_named_folder_is_resumed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    compiled = fewest.load("tiles-2x4")
    found = compiled.explore(memory=200_000, store="auto", seconds=3600)
    assert found.is_exhausted and found.goal_distances == compiled.explore().goal_distances
    with monkeypatch.context() as patch:
        patch.setattr("fewest.store.workers.ThreadWorkers.work", _stops)
        stopped = compiled.explore(memory=200_000, store=SAVED)
    assert stopped.reason == "interrupted"
    assert stopped.store == "saved.store"
    done = run("resume", stopped.store, "--json")
    assert json.loads(done.stdout)["states"] == found.num_states


def _interrupts_once(patch: pytest.MonkeyPatch, where: Any, name: str, *, behind: bool) -> None:
    """Interrupt the first call of a function, before or after its work; later calls are not interrupted."""
    does, is_first = getattr(where, name), True

    def interrupted(*arguments: Any, **options: Any) -> Any:
        nonlocal is_first
        was_first, is_first = is_first, False
        if was_first and not behind:
            raise KeyboardInterrupt
        done = does(*arguments, **options)
        if was_first:
            raise KeyboardInterrupt
        return done

    patch.setattr(where, name, interrupted)


@pytest.mark.parametrize(
    ("where", "name", "behind"),
    [
        (workers, "shards_of", False),  # the shards that receive layers do not exist yet
        (workers, "shards_of", True),
        (stored, "locked_folder", False),  # the folder does not exist yet
        (native.ExhaustiveSearch, "hand_over", True),  # all layers are handed over
        (metadata, "write_record", False),
        (metadata, "write_record", True),
        (stored, "read_record", False),  # the store is open
    ],
)
@pytest.mark.parametrize(
    ("long_from", "tiles", "memory", "most"),
    [(1 << 40, "tiles-2x4", 200_000, 36), (2_000, "eight-puzzle", 1 << 20, 31)],
    ids=["table", "sorted"],
)
def test_ctrl_c_during_the_move_to_a_folder_returns_the_proved_bound(
    where: Any,
    name: str,
    behind: bool,
    long_from: int,
    tiles: str,
    memory: int,
    most: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(spill, "LONG", long_from)
    compiled = fewest.load(tiles)
    expected = compiled.solve(engine="bfs", exhaust=True, symmetry="off").statistics
    with monkeypatch.context() as patch:
        _interrupts_once(patch, where, name, behind=behind)
        options_of_search = {"engine": "bfs", "exhaust": True, "symmetry": "off", "threads": 1}
        stopped = compiled.solve(**options_of_search, memory=memory, store=SAVED)
    assert (stopped.status, stopped.reason) == ("limit", "interrupted")
    assert isinstance(stopped.lower_bound, int) and 0 < stopped.lower_bound <= most
    layers = stopped.statistics["layers"]
    assert layers[:-1] == expected["layers"][: len(layers) - 1] and len(layers) > 5
    saved = stopped.statistics.get("store")
    if saved is not None:
        assert layers == expected["layers"][: len(layers)]
        done = json.loads(run("resume", saved["folder"], "--json").stdout)["statistics"]
        assert (done["states"], done["layers"]) == (expected["states"], expected["layers"])
        shutil.rmtree(saved["folder"])
    assert list(Path().iterdir()) == []


# The memory suffices for all positions, but not for their goal distances (in the core, by regions, and with arrays).
SECOND = [
    ("tiles-2x4", "moves", 400_000),
    ("heng-dao-li-ma", "turns", 600_000),
    ("triangle-15", "jumps", 60_000),
    ("microban-004", "moves", 400_000),
    ("microban-004", "pushes", 400_000),
    ("lunar-one", "turns", 50_000),
]


@pytest.mark.parametrize(("name", "metric", "memory"), SECOND)
def test_goal_distances_that_do_not_fit_into_memory_come_from_a_store(
    name: str, metric: str, memory: int, tmp_path: Path
) -> None:
    compiled = fewest.load(name)
    expected = compiled.explore(metric, symmetry="off")
    on_disk = compiled.explore(metric, symmetry="off", store=f"disk:{tmp_path / 'saved'}")
    shutil.rmtree(tmp_path / "saved")
    without = compiled.explore(metric, symmetry="off", memory=memory)
    assert (without.is_exhausted, without.reason, without.goal_distances) == (True, "memory", None)
    found = compiled.explore(metric, symmetry="off", memory=memory, store="auto")
    assert (found.reason, found.exit_code, found.unmeasured) == (None, 0, None)
    assert (found.layers, found.goal_distances) == (expected.layers, expected.goal_distances)
    assert found.num_plans == on_disk.num_plans
    assert list(tmp_path.iterdir()) == []


def test_a_second_stage_that_is_stopped_on_disk_is_resumed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiled = fewest.load("tiles-2x4")
    expected = compiled.explore(symmetry="off")
    for where in ("ThreadWorkers.work", "shards_of"):  # after the first layer, and before it
        with monkeypatch.context() as patch:
            patch.setattr(f"fewest.store.workers.{where}", _stops)
            stopped = compiled.explore(memory=400_000, store=SAVED, symmetry="off")
        assert (stopped.is_exhausted, stopped.reason) == (True, "interrupted")
        assert (stopped.num_states, stopped.goal_distances) == (20_160, None)
        if where == "ThreadWorkers.work":
            done = run("resume", str(stopped.store), "--json")
            assert json.loads(done.stdout)["optimal_plans"] == expected.num_plans
            shutil.rmtree(tmp_path / str(stopped.store))
        assert list(tmp_path.iterdir()) == []


def test_a_search_that_no_store_supports_ends_at_the_memory_limit(tmp_path: Path) -> None:
    compiled = fewest.load("microban-001")
    found = compiled.explore("pushes-then-moves", memory=60_000, store="auto")
    assert (found.is_exhausted, found.reason, found.goal_distances) == (True, "memory", None)
    assert list(tmp_path.iterdir()) == []


def test_without_room_on_the_disk_the_memory_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    full = type("Disk", (), {"f_bavail": 10, "f_frsize": 100})
    monkeypatch.setattr(external.os, "statvfs", lambda _: full)
    result = fewest.load("tiles-2x4").solve(
        engine="bfs", exhaust=True, memory=200_000, store="auto"
    )
    assert (result.status, result.reason) == ("limit", "memory")
