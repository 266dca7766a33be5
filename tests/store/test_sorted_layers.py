"""A long search in memory continues with sorted layers, still in memory, and gives the same answer as a search in a
table."""

from __future__ import annotations

from math import comb
from pathlib import Path
from typing import Any

import pytest

import fewest
from fewest import search
from fewest.engines import external
from fewest.model.costs import cost_table
from fewest.search import native
from fewest.search.cost_packing import CostPacking
from fewest.store import spill
from tests.helpers.agreement import compiled_or_none

pytestmark = pytest.mark.skipif(not search.NATIVE, reason="sorted layers need the native core")

# Searches with and without coloured layers, with merged moves, and with symmetry.
CASES: list[tuple[str, str, dict[str, Any]]] = [
    ("tiles-2x4", "moves", {}),
    ("heng-dao-li-ma", "turns", {"threads": 2}),
    ("heng-dao-li-ma", "steps", {"symmetry": "on"}),
]
SORTED = "in sorted layers"


@pytest.fixture(autouse=True)
def _long_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(spill, "LONG", 2_000)


def _in_a_table(name: str, metric: str, arguments: dict[str, Any]) -> fewest.Result:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spill, "LONG", 1 << 40)
        found = fewest.load(name).solve(metric, **arguments)
    assert SORTED not in found.statistics["algorithm"]
    return found


@pytest.mark.parametrize(("name", "metric", "options"), CASES)
def test_sorted_layers_are_those_of_a_table(
    name: str, metric: str, options: dict[str, Any]
) -> None:
    arguments = {"engine": "bfs", "exhaust": True, "symmetry": "off"} | options
    expected = _in_a_table(name, metric, arguments)
    found = fewest.load(name).solve(metric, **arguments)
    assert SORTED in found.statistics["algorithm"]
    assert (found.status, found.cost) == (expected.status, expected.cost)
    for key in ("states", "goal_states", "layers", "expanded", "exhausted"):
        assert found.statistics[key] == expected.statistics[key], key
    assert found.statistics["bytes"] > 0


@pytest.mark.parametrize("name", ["du-se-yao-dao", "tiles-2x4"])
def test_a_plan_is_found_in_sorted_layers(name: str) -> None:
    # The start of du-se-yao-dao is not its own mirror image.
    symmetry = "on" if name == "du-se-yao-dao" else "off"
    arguments = {"engine": "bfs", "symmetry": symmetry}
    expected = _in_a_table(name, "moves" if symmetry == "off" else "steps", arguments)
    found = fewest.load(name).solve(expected.metric, **arguments)
    assert SORTED in found.statistics["algorithm"]
    assert (found.status, found.cost) == ("optimal", expected.cost)  # `solve` has replayed the plan


def test_ctrl_c_during_the_transfer_of_layers_returns_the_proved_bound(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    hand_over = native.ExhaustiveSearch.hand_over

    def interrupted(search: native.ExhaustiveSearch, shards: Any) -> None:
        hand_over(search, shards)
        raise KeyboardInterrupt

    monkeypatch.setattr(native.ExhaustiveSearch, "hand_over", interrupted)
    found = fewest.load("tiles-2x4").solve("moves", engine="bfs", exhaust=True, symmetry="off")
    assert (found.status, found.reason) == ("limit", "interrupted")
    assert isinstance(found.lower_bound, int) and 0 < found.lower_bound <= 36
    assert 0 < found.statistics["states"] < 20_160


def test_ctrl_c_during_the_choice_of_a_replacement_returns_the_proved_bound(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def interrupted(*_: Any) -> bool:
        raise KeyboardInterrupt

    monkeypatch.setattr(spill._Spill, "is_sortable", interrupted)
    found = fewest.load("tiles-2x5").solve("moves", engine="bfs", exhaust=True, symmetry="off")
    assert (found.status, found.reason) == ("limit", "interrupted")
    assert 0 < found.statistics["states"] < 1_814_400


def test_irreversible_moves_remain_in_the_table() -> None:
    found = fewest.load("triangle-15").solve("jumps", engine="bfs", exhaust=True, symmetry="off")
    assert found.is_proven and SORTED not in found.statistics["algorithm"]


def test_sorted_layers_respect_the_memory_limit_and_resume_from_a_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(external, "LEAST", 0)
    memory = 4 << 20
    compiled = fewest.load("tiles-2x5")
    arguments: dict[str, Any] = {"engine": "bfs", "exhaust": True, "memory": memory, "threads": 1}
    stopped = compiled.solve(**arguments)
    assert SORTED in stopped.statistics["algorithm"] and stopped.reason == "memory"
    assert memory // 2 < stopped.statistics["bytes"] <= 1.05 * memory
    found = compiled.solve(**arguments, store="auto")
    assert (found.statistics["states"], found.reason) == (1_814_400, None)
    assert (
        found.statistics["layers"][: len(stopped.statistics["layers"])]
        == (stopped.statistics["layers"])
    )
    assert list(tmp_path.iterdir()) == []


def test_a_time_limit_returns_the_proved_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fewest.store.workers.LOOK", 0.001)
    found = fewest.load("tiles-3x4").solve(engine="bfs", exhaust=True, seconds=0.3)
    assert found.reason == "time"
    assert found.lower_bound == len(found.statistics["layers"])


def test_the_bound_remains_if_the_layers_cannot_be_sorted(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: Any) -> None:
        raise MemoryError

    monkeypatch.setattr("fewest.store.workers.shards_of", fails)
    monkeypatch.setattr(external, "LEAST", 0)
    found = fewest.load("tiles-2x4").solve(engine="bfs", exhaust=True, store="auto", memory=200_000)
    assert found.reason == "memory"
    assert found.statistics["states"] > 1_000 and found.lower_bound is not None


def test_layers_are_merged_in_little_memory() -> None:
    """With many threads and little memory, the buffers of a thread still have room for a whole block."""
    puzzle = """\
puzzle: remove-all
legend: {".": floor, o: peg}
pieces: {peg: {}}
moves: {remove: {before: [peg], after: [empty], directions: right}}
goal: {count: {peg: 0}}
board: |
  oooooo
  oooooo
  oooooo
"""
    compiled = compiled_or_none(puzzle)
    assert compiled is not None
    task = compiled.task
    cost = cost_table(task, task.metrics["moves"])
    shards = native.shards(
        task.problem,
        CostPacking(cost),
        None,
        folder="",
        num_shards=1,
        workers=8,
        memory=8 << 20,
        is_reversible=False,
    )
    assert shards is not None
    states = []
    shards.begin()
    while (layer := shards.close_layer()).entries > 0:
        states.append(layer.states)
        assert shards.expand(0)
        assert shards.merge(0)
    assert states == [comb(18, removed) for removed in range(19)]
