"""Where the memory ends a search goes on from a folder, and has the answer of one that had memory enough."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import fewest
from fewest import search
from fewest.engines import disk
from tests.helpers.command_line import run

pytestmark = pytest.mark.skipif(not search.NATIVE, reason="stores need the native core")

# Moves that can be undone and others, runs, regions, symmetry, a table in parts.
CASES = [
    ("tiles-2x4", "moves", 200_000, {}),
    ("heng-dao-li-ma", "turns", 200_000, {}),
    ("heng-dao-li-ma", "steps", 100_000, {"symmetry": "on"}),
    ("microban-004", "pushes", 10_000, {}),
    ("triangle-15", "jumps", 20_000, {}),
    pytest.param(
        "tiles-2x5", "moves", 14_000_000, {"threads": 2}, marks=pytest.mark.slow
    ),  # in parts
]


@pytest.fixture(autouse=True)
def _with_little_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(disk, "LEAST", 0)


@pytest.mark.parametrize(("name", "metric", "memory", "options"), CASES)
def test_what_memory_does_not_hold_goes_on_from_a_folder(
    name: str, metric: str, memory: int, options: dict[str, Any], tmp_path: Path
) -> None:
    compiled = fewest.load(name)
    asked = {"engine": "bfs", "exhaust": True, "symmetry": "off"} | options
    expected = compiled.solve(metric, **asked)
    assert compiled.solve(metric, **asked, memory=memory).reason == "memory"
    found = compiled.solve(metric, **asked, memory=memory, store="auto")
    assert (found.status, found.cost) == (expected.status, expected.cost)
    for key in ("states", "goal_states", "layers", "expanded", "exhausted"):
        assert found.statistics[key] == expected.statistics[key], key
    assert found.statistics["store"]["bytes"] > 0
    assert list(tmp_path.iterdir()) == []  # there is an answer


def test_a_goal_behind_the_memory_is_found_with_its_plan(tmp_path: Path) -> None:
    compiled = fewest.load("heng-dao-li-ma")
    found = compiled.solve("turns", engine="bfs", memory=200_000, store="auto")
    assert (found.status, found.cost) == ("optimal", 81)  # with a plan that was played
    assert found.statistics["store"]["folder"] is None
    assert list(tmp_path.iterdir()) == []


def test_a_search_that_memory_holds_makes_no_folder(tmp_path: Path) -> None:
    result = fewest.load("tiles-2x3").solve(engine="bfs", store="auto", memory=1 << 30)
    assert result.is_proven and "store" not in result.statistics
    assert list(tmp_path.iterdir()) == []


def test_what_a_limit_stops_is_gone_on_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "tiles-2x4.moves.store").mkdir()  # somebody's: not touched
    compiled = fewest.load("tiles-2x4")
    found = compiled.explore(memory=200_000, store="auto", seconds=3600)
    assert found.is_exhausted and found.to_goal == compiled.explore().to_goal

    def stops(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("fewest.store.crew.Threads.work", stops)
        stopped = compiled.explore(memory=200_000, store="auto")
    assert stopped.reason == "interrupted"
    assert stopped.store == "tiles-2x4.moves-2.store"
    done = run("resume", stopped.store, "--json")
    assert json.loads(done.stdout)["states"] == found.num_states
    assert list((tmp_path / "tiles-2x4.moves.store").iterdir()) == []


def test_without_room_on_the_disk_the_memory_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    full = type("Disk", (), {"f_bavail": 10, "f_frsize": 100})
    monkeypatch.setattr(disk.os, "statvfs", lambda _: full)
    result = fewest.load("tiles-2x4").solve(
        engine="bfs", exhaust=True, memory=200_000, store="auto"
    )
    assert (result.status, result.reason) == ("limit", "memory")
