"""Distances to the goal that are measured in a store are those that are measured in memory."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given

import fewest
from fewest import search
from fewest.analysis.undoing import is_undoable
from fewest.errors import UsageError
from fewest.model.costs import cost_table
from fewest.store import driver
from fewest.store.record import TO_GOAL, read_record
from tests.helpers.agreement import LIMIT, compiled_or_none, relaxed
from tests.helpers.command_line import run
from tests.helpers.random_puzzles import puzzles

pytestmark = pytest.mark.skipif(not search.NATIVE, reason="stores need the native core")


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("name", "metric"),
    [
        ("tiles-2x4", "moves"),  # from a state the marks of moves and a parity say what leads back
        ("hanoi", "moves"),  # several goals
        ("heng-dao-li-ma", "turns"),
        ("heng-dao-li-ma", "steps"),
        ("hardest-6x6", "slides"),
        ("lights-out-3x3", "moves"),
        ("tiles-2x3-swapped", "moves"),  # no goal
        ("zou-tou-wu-lu", "turns"),
    ],
)
def test_they_are_those_in_memory(name: str, metric: str, tmp_path: Path) -> None:
    compiled = fewest.load(name)
    expected = compiled.explore(metric, symmetry="off").to_goal
    assert expected is not None
    for threads in (1, 2):
        store = f"disk:{tmp_path / str(threads)}"
        found = compiled.explore(metric, store=store, threads=threads)
        assert found.to_goal == expected and found.unmeasured is None
        assert compiled.explore(metric, store=store).to_goal == expected  # what is kept


@relaxed
@given(puzzles())
def test_random_ones_are_those_in_memory(text: str) -> None:
    compiled = compiled_or_none(text)
    assume(compiled is not None)
    assert compiled is not None
    for metric in compiled.puzzle.metrics.values():
        if not is_undoable(compiled.task, cost_table(compiled.task, metric)):
            continue
        expected = compiled.explore(metric.name, symmetry="off", seconds=5)
        assume(expected.reason is None and expected.num_states <= LIMIT)
        try:
            found = compiled.explore(metric.name, store="disk")
        except UsageError:  # not breadth-first
            continue
        assert found.unmeasured is not None or found.to_goal == expected.to_goal


def test_where_moves_cannot_be_undone_nothing_is_said_of_them() -> None:
    found = fewest.load("triangle-15").explore("jumps", store="disk")
    assert found.is_exhausted and found.to_goal is None
    assert found.unmeasured == "in a store on disk"


def test_what_stops_it_at_its_beginning_leaves_the_first_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stops(_: Any) -> None:
        raise KeyboardInterrupt

    compiled = fewest.load("tiles-2x3")
    expected = compiled.explore().to_goal
    assert expected is not None
    with monkeypatch.context() as patch:
        patch.setattr("fewest.store.to_goal._FromGoals._begin", stops)
        stopped = compiled.explore(store="disk")
    assert (stopped.is_exhausted, stopped.reason, stopped.num_states) == (True, "interrupted", 360)
    done = run("resume", "tiles-2x3.moves.store", "--json")
    assert json.loads(done.stdout)["goal_eccentricity"] == expected.eccentricity


def test_a_measurement_that_is_stopped_is_gone_on_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(driver, "KEEP_EVERY", 0)
    monkeypatch.setattr(driver, "KEEPING_TIMES", 0)
    compiled = fewest.load("tiles-2x4")
    expected = compiled.explore(symmetry="off")
    closes = driver.Driver._close
    closed = 0

    def stops(self: Any) -> None:
        nonlocal closed
        closed += 1
        if closed == len(expected.layers) + 12:  # an empty layer ends the first search
            raise KeyboardInterrupt
        closes(self)

    with monkeypatch.context() as patch:
        patch.setattr(driver.Driver, "_close", stops)
        stopped = compiled.explore(store="disk")
    assert (stopped.is_exhausted, stopped.reason) == (True, "interrupted")
    assert stopped.num_states == expected.num_states and stopped.to_goal is None
    kept = read_record(tmp_path / "tiles-2x4.moves.store" / TO_GOAL).layers
    assert [layer.states for layer in kept] == [
        count
        for _, count in expected.to_goal.histogram[: len(kept)]  # type: ignore[union-attr]
    ]
    done = run("resume", "tiles-2x4.moves.store", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["goal_eccentricity"] == 36
