"""Searches on disk give the answers of searches in memory, for all metrics, memory limits and threads."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given

import fewest
from fewest import search
from fewest.analysis.reversibility import is_reversible
from fewest.errors import UsageError
from fewest.model.costs import cost_table, plan_cost
from fewest.model.position import Position
from fewest.playing.exhaust import TooManyPositionsError, exhaust
from fewest.playing.move import Move
from fewest.playing.validate import validate
from fewest.store import driver
from fewest.store import search as store_search
from fewest.store.error_translation import StoreError
from fewest.store.location import StoreLocation
from tests.helpers.agreement import LIMIT, compiled_or_none, relaxed
from tests.helpers.random_puzzles import puzzles

pytestmark = pytest.mark.skipif(not search.NATIVE, reason="stores need the native core")

KNOWN = [
    ("tiles-2x3", "moves"),
    ("tiles-2x3-swapped", "moves"),
    ("quzzle", "turns"),
    ("swap-corners", "steps"),
    ("forty-26", "slides"),
    ("microban-001", "pushes"),
    ("microban-001", "moves"),
    ("wolf-goat-cabbage", "moves"),
    ("lights-out-3x3", "moves"),
    ("triangle-15", "jumps"),
]


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(("name", "metric"), KNOWN)
def test_a_store_answers_as_memory_does(
    name: str, metric: str, threads: int, tmp_path: Path
) -> None:
    compiled = fewest.load(name)
    expected = compiled.explore(metric, symmetry="off", consistent=False)
    store = f"disk:{tmp_path / 'store'}"
    found = compiled.explore(metric, store=store, threads=threads)
    for field in ("num_states", "num_goal_states", "layers", "minimum", "is_exhausted", "reason"):
        assert getattr(found, field) == getattr(expected, field)
    # This search resumes the same store.
    result = compiled.solve(metric, store=store, threads=threads)
    assert result.cost == expected.minimum
    assert result.status == ("unsolvable" if expected.minimum is None else "optimal")


@pytest.mark.usefixtures("quick_folders")
@relaxed
@given(puzzles())
def test_random_puzzles_on_disk(text: str) -> None:
    compiled = compiled_or_none(text)
    assume(compiled is not None)
    assert compiled is not None
    puzzle, task = compiled.puzzle, compiled.task
    moves: dict[Position, list[Move]] = {}
    for metric in puzzle.metrics.values():
        try:
            reach = exhaust(puzzle, metric, LIMIT, moves)
        except TooManyPositionsError:
            assume(False)
        table = cost_table(task, metric)
        histogram: dict[tuple[int, ...], int] = {}
        for cost in reach.costs.values():
            histogram[cost] = histogram.get(cost, 0) + 1
        try:
            outcome, _ = store_search.search(
                task.problem,
                table,
                place=StoreLocation(Path(tempfile.mkdtemp())),
                request=store_search.SearchRequest(
                    "random", metric.name, is_reversible(task, table)
                ),
                exhaust=True,
            )
        except UsageError as error:
            assert "a search on disk does not support" in error.message
            continue
        found = (outcome.num_states, outcome.num_goal_states, outcome.cost, outcome.layers)
        expected = (len(reach.costs), reach.num_goal_states, reach.minimum)
        assert found == (*expected, tuple(sorted(histogram.items()))), (metric.name, text)
        if outcome.cost is not None:
            assert plan_cost(task, metric, outcome.plan) == outcome.cost
            validate(puzzle, task, metric, outcome.plan, outcome.cost)


CORNER = """
puzzle: corner
model: tiles
board: [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12], [13, 14, 15, _]]
goal: {board: [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12], [13, 15, 14, _]]}
"""
# OEIS A089484
IN_LAYERS_OF_CORNER = [
    *(1, 2, 4, 10, 24, 54, 107, 212, 446, 946, 1948, 3938, 7808, 15544, 30821, 60842),
    *(119000, 231844, 447342),
]


@pytest.mark.parametrize(("memory", "spools"), [(1, True), (80 << 20, False)])
def test_little_memory_spools_and_changes_nothing(
    memory: int, spools: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_search, "_LEAST", 0)
    closes, spooled = driver.Driver._close, list[int]()

    def measured(self: Any) -> None:
        spooled.append(self.workers.shards.bytes_spooled)
        closes(self)

    monkeypatch.setattr(driver.Driver, "_close", measured)
    found = fewest.load("corner.yaml", text=CORNER).explore(
        store=f"disk:{tmp_path / 'store'}", memory=memory, depth=18, threads=1
    )
    assert [count for _, count in found.layers] == IN_LAYERS_OF_CORNER
    assert (max(spooled) > 0) == spools


def test_symmetry_counts_whole_orbits_on_disk(tmp_path: Path) -> None:
    compiled = fewest.load("triangle-15")
    expected = compiled.explore("turns", symmetry="on")
    found = compiled.explore("turns", symmetry="on", store=f"disk:{tmp_path / 'store'}")
    for field in ("num_states", "canonical_states", "layers", "minimum"):
        assert getattr(found, field) == getattr(expected, field)


def test_a_plan_by_symmetry_begins_at_the_start(tmp_path: Path) -> None:
    result = fewest.load("triangle-15").solve(
        "jumps", symmetry="on", store=f"disk:{tmp_path / 's'}"
    )
    assert (result.status, result.cost) == ("optimal", 13)


@pytest.mark.parametrize("depth", [0, 7])
def test_layers_up_to_a_depth_are_exact(depth: int, tmp_path: Path) -> None:
    compiled = fewest.load("fifteen-30")
    found = compiled.explore(store=f"disk:{tmp_path / 'store'}", depth=depth)
    assert found.is_to_depth and found.reason is None and not found.is_exhausted
    # OEIS A089484 counts from a position with the gap in a corner. This start differs, so the test searches in memory.
    whole = compiled.solve(engine="bfs", exhaust=True, memory=4 << 20).statistics["layers"]
    assert [count for _, count in found.layers] == [count for _, count in whole[: depth + 1]]


def test_a_store_serves_smaller_and_larger_depths(tmp_path: Path) -> None:
    compiled, store = fewest.load("tiles-2x4"), f"disk:{tmp_path / 'store'}"
    deep = compiled.explore(store=store, depth=20)
    assert compiled.explore(store=store, depth=9).layers == deep.layers[:10]
    assert compiled.explore(store=store).num_states == 20_160
    # The store now has all layers, but the layers up to a smaller depth do not show that there are no others.
    again = compiled.explore(store=store, depth=9)
    assert again.layers == deep.layers[:10]
    assert again.is_to_depth and not again.is_exhausted and again.goal_distances is None
    answer = compiled.solve("moves", engine="bfs", store=store, depth=5)
    assert (answer.status, answer.reason, answer.lower_bound) == ("limit", "depth", 6)


def test_weights_are_refused_with_the_reason(tmp_path: Path) -> None:
    compiled = fewest.load("microban-001")
    with pytest.raises(UsageError, match="a search on disk does not support the metric"):
        compiled.solve("moves-then-pushes", engine="bfs", store=f"disk:{tmp_path / 'store'}")
    assert not (tmp_path / "store").exists()


def test_a_folder_of_a_search_killed_before_its_first_record_can_be_used_again(
    tmp_path: Path,
) -> None:
    for name in ("lock", "layer-000000"):
        (tmp_path / name).write_bytes(b"half")
    compiled = fewest.load("tiles-2x3")
    assert compiled.explore(store=f"disk:{tmp_path}").num_states == 360


def test_a_folder_of_other_things_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(StoreError, match="not a store"):
        fewest.load("jugs").solve(store=f"disk:{tmp_path}")
    assert [file.name for file in tmp_path.iterdir()] == ["mine.txt"]


def test_disk_alone_leaves_nothing_behind(tmp_path: Path) -> None:
    result = fewest.load("tiles-2x3").solve(store="disk")
    assert result.status == "optimal" and result.statistics["store"]["bytes"] > 0
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("threads", [1, 2])
def test_a_shard_larger_than_the_buffers_is_merged_in_parts(
    threads: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_search, "NUM_SHARDS", 1)
    monkeypatch.setattr(store_search, "_LEAST", 0)
    found = fewest.load("corner.yaml", text=CORNER).explore(
        store=f"disk:{tmp_path / 'one'}", memory=1 << 20, depth=16, threads=threads
    )
    # the buffers hold 65,536 states
    assert [count for _, count in found.layers] == IN_LAYERS_OF_CORNER[:17]
