"""Goal distances in a store equal those in memory, even if the backward search is interrupted and resumed."""

from __future__ import annotations

import errno
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from msgspec.structs import replace

import fewest
from fewest import search
from fewest.errors import UsageError
from fewest.model.costs import cost_table
from fewest.store import driver, plans, workers
from fewest.store.error_translation import StoreError
from fewest.store.metadata import GOAL_DISTANCES, read_record, write_record
from tests.helpers import preloaded
from tests.helpers.agreement import LIMIT, compiled_or_none, relaxed
from tests.helpers.command_line import run
from tests.helpers.random_puzzles import puzzles
from tests.helpers.smaller_puzzles import smaller

pytestmark = pytest.mark.skipif(not search.NATIVE, reason="stores need the native core")


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("name", "metric"),
    [
        ("tiles-2x3", "moves"),  # used-operator bits and a parity give the predecessors
        ("hanoi", "moves"),  # several goal states
        ("quzzle", "turns"),
        ("swap-corners", "steps"),
        ("forty-26", "slides"),
        ("lights-out-3x3", "moves"),
        ("tiles-2x3-swapped", "moves"),  # the goal is unreachable
        ("zou-tou-wu-lu", "turns"),
        # The following puzzles have moves that are not reversible.
        ("triangle-15", "jumps"),
        ("triangle-15", "turns"),
        ("square-4x4", "turns"),  # the goal is unreachable
        ("microban-001", "moves"),
        ("microban-001", "pushes"),
        ("strong-player", "pushes"),
        ("pull-home", "pulls"),
        ("odd-crates", "moves"),
        ("machinarium", "moves"),
        ("lunar-one", "turns"),
        ("lunar-one", "flights"),
        ("ricochet-small", "moves"),
        ("knights-feast", "moves"),
        ("doors-and-buttons", "moves"),
        ("toggled-path", "moves"),
        ("copy-and-paste", "moves"),  # the compiler first splits the cases
    ],
)
def test_they_are_those_in_memory(name: str, metric: str, tmp_path: Path) -> None:
    compiled = smaller(name)
    expected = compiled.explore(metric, symmetry="off")
    assert expected.goal_distances is not None
    is_counted = _counts_plans(compiled, metric) or not expected.num_goal_states
    for threads in (1, 2):
        store = f"disk:{tmp_path / str(threads)}"
        found = compiled.explore(metric, store=store, threads=threads)
        assert found.goal_distances == expected.goal_distances and found.unmeasured is None
        # This call reads the saved distances. It counts plans again, unless `plans` is False.
        again = compiled.explore(metric, store=store, plans=threads == 1)
        assert again.goal_distances == expected.goal_distances
        assert found.num_plans == (expected.num_plans if is_counted else None)
        assert again.num_plans == (found.num_plans if threads == 1 else None)


COUNTER = """
puzzle: counter
variables: {x: {values: range(320), initial: 0}}
moves:
  count: {when: x < 319, set: {x: x + 1}}
  reset: {set: {x: 0}}
goal: x == 319
"""


# Each of the two searches has 320 layers, and a search keeps the files of 256 layers open.
WITH_FEW_FILES = """
import resource
resource.setrlimit(resource.RLIMIT_NOFILE, (560, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
from fewest.cli import main
main()
"""


def test_a_search_may_have_more_layers_than_a_process_may_have_open_files(tmp_path: Path) -> None:
    """The moves are not reversible, so the search looks for successors in all layers."""
    expected = fewest.load("counter.yaml", text=COUNTER).explore().goal_distances
    assert expected is not None and len(expected.histogram) == 320
    (tmp_path / "counter.yaml").write_text(COUNTER, encoding="utf-8")
    call = ["explore", "counter.yaml", "--store", "disk:store", "--threads", "2", "--json"]
    done = preloaded.finished(WITH_FEW_FILES, *call)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["goal_distances"] == [list(row) for row in expected.histogram]


@pytest.mark.usefixtures("quick_folders")
@relaxed
@given(puzzles())
def test_random_ones_are_those_in_memory(text: str) -> None:
    compiled = compiled_or_none(text)
    assume(compiled is not None)
    assert compiled is not None
    for metric in compiled.puzzle.metrics.values():
        options: Any = {"consistent": False, "threads": 1}
        expected = compiled.explore(metric.name, symmetry="off", seconds=5, **options)
        assume(expected.reason is None and expected.num_states <= LIMIT)
        try:
            found = compiled.explore(metric.name, store="disk", **options)
        except UsageError:  # the costs need a search that is not breadth-first
            continue
        assert found.unmeasured is not None or found.goal_distances == expected.goal_distances
        if found.unmeasured is None and _counts_plans(compiled, metric.name):
            assert found.num_plans == expected.num_plans


def test_a_limit_at_the_beginning_leaves_the_first_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stops(_: Any) -> None:
        raise KeyboardInterrupt

    compiled = fewest.load("tiles-2x3")
    expected = compiled.explore().goal_distances
    assert expected is not None
    with monkeypatch.context() as patch:
        patch.setattr("fewest.store.workers.ThreadWorkers._begin_at_goals", stops)
        stopped = compiled.explore(store="disk")
    assert (stopped.is_exhausted, stopped.reason, stopped.num_states) == (True, "interrupted", 360)
    done = run("resume", "tiles-2x3.moves.store", "--json")
    assert json.loads(done.stdout)["goal_eccentricity"] == expected.eccentricity


def test_an_interrupted_measurement_is_resumed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(driver, "SAVE_EVERY", 0)
    monkeypatch.setattr(driver, "KEEPING_TIMES", 0)
    compiled = fewest.load("tiles-2x4")
    expected = compiled.explore(symmetry="off")
    closes = driver.Driver._close
    closed = 0

    def stops(self: Any) -> None:
        nonlocal closed
        closed += 1
        if closed == len(expected.layers) + 12:  # this is the twelfth layer of the second search
            raise KeyboardInterrupt
        closes(self)

    with monkeypatch.context() as patch:
        patch.setattr(driver.Driver, "_close", stops)
        stopped = compiled.explore(store="disk")
    assert (stopped.is_exhausted, stopped.reason) == (True, "interrupted")
    assert stopped.num_states == expected.num_states and stopped.goal_distances is None
    on_disk = read_record(tmp_path / "tiles-2x4.moves.store" / GOAL_DISTANCES).layers
    assert [layer.states for layer in on_disk] == [
        count
        for _, count in expected.goal_distances.histogram[: len(on_disk)]  # type: ignore[union-attr]
    ]
    done = run("resume", "tiles-2x4.moves.store", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["goal_eccentricity"] == 36


def _counts_plans(compiled: fewest.CompiledPuzzle, metric: str) -> bool:
    """Whether a store can count plans: every move is one operator, and all moves cost the same."""
    from fewest.search.native import are_steps_equal

    return are_steps_equal(cost_table(compiled.task, compiled.puzzle.metrics[metric]))


def test_where_positions_of_plans_are_too_many_plans_are_not_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    compiled = fewest.load("tiles-2x4")
    assert compiled.explore(store="disk").num_plans == compiled.explore().num_plans
    monkeypatch.setattr(plans, "_BYTES", 1 << 30)
    found = compiled.explore(store="disk", memory=1 << 30)
    assert found.num_plans is None and found.goal_distances is not None and found.reason is None


def test_a_limit_on_the_count_of_plans_leaves_the_distances(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def stops(*_: Any) -> None:
        raise KeyboardInterrupt

    compiled = fewest.load("triangle-15")
    with monkeypatch.context() as patch:
        patch.setattr(plans, "expand", stops)
        stopped = compiled.explore("jumps", store="disk")
    expected = compiled.explore("jumps")
    assert (stopped.reason, stopped.num_plans) == ("interrupted", None)
    assert stopped.goal_distances == expected.goal_distances
    done = run("resume", "triangle-15.jumps.store", "--json")
    assert json.loads(done.stdout)["optimal_plans"] == expected.num_plans


def test_a_useless_second_search_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    makes = workers.shards_of

    def has_none(work: workers.WorkOrder, *arguments: int) -> Any:
        return (
            None
            if work.within is not None and work.within.back is not None
            else makes(work, *arguments)
        )

    monkeypatch.setattr(workers, "shards_of", has_none)
    found = fewest.load("triangle-15").explore("jumps", store="disk")
    assert (found.is_exhausted, found.num_states, found.goal_distances) == (True, 3016, None)
    assert found.unmeasured == "on disk where moves that merge cannot be followed backwards"
    assert fewest.load("tiles-2x3").explore(store="disk").unmeasured is None


def test_a_forbidden_start_is_not_reached_again() -> None:
    text = "puzzle: left\nmodel: tiles\nboard: |\n  1_\ngoal: {1: {at: [0, 1]}}\nforbid: {1: {at: [0, 0]}}\n"
    found = fewest.load("left.yaml", text=text).explore(store="disk")
    assert (found.num_states, found.goal_distances) == (2, None)
    assert found.unmeasured == "on disk where the start is forbidden"


def test_the_hardest_start_is_the_least_of_all_images_too() -> None:
    compiled = fewest.load(
        "mirrored.yaml",
        text="puzzle: mirrored\nmodel: sokoban\nboard: |\n"
        "  #######\n  #  .  #\n  # $ $ #\n  #  @  #\n  #  .  #\n  #######\n",
    )
    for metric in ("pushes", "moves"):
        found = compiled.explore(metric, store="disk", symmetry="on")
        assert found.canonical_states is not None and found.canonical_states < found.num_states
        assert (
            found.goal_distances
            == compiled.explore(metric, symmetry="off", plans=False).goal_distances
        )


def test_layers_that_are_damaged_are_named_by_the_second_search(tmp_path: Path) -> None:
    compiled, store = fewest.load("triangle-15"), f"disk:{tmp_path / 'store'}"
    compiled.explore("jumps", store=store)
    on_disk = tmp_path / "store" / GOAL_DISTANCES
    record = read_record(on_disk)
    for folder in (on_disk, tmp_path / "store"):
        write_record(on_disk, replace(record, layers=record.layers[:5]))
        layer = folder / "layer-000004"
        whole = layer.read_bytes()
        raw = bytearray(whole)
        raw[20] ^= 4
        layer.write_bytes(raw)
        with pytest.raises(StoreError, match=rf"damaged: {layer}"):
            compiled.explore("jumps", store=store)
        layer.write_bytes(whole)
    assert compiled.explore("jumps", store=store).goal_distances is not None


def test_a_disk_that_is_full_in_the_second_search_leaves_the_first_answer(tmp_path: Path) -> None:
    compiled = fewest.load("triangle-15")
    expected = compiled.explore("jumps", plans=False).goal_distances
    closes, closed = driver.Driver._close, 0

    def fills(self: Any) -> None:
        nonlocal closed
        closed += 1
        if closed == 20:  # this layer is in the second search; the first has thirteen jumps
            raise OSError(errno.ENOSPC, "full")
        closes(self)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(driver.Driver, "_close", fills)
        stopped = compiled.explore("jumps", store=f"disk:{tmp_path / 'store'}")
    assert (stopped.is_exhausted, stopped.reason, stopped.num_states) == (True, "disk", 3016)
    assert compiled.explore("jumps", store=f"disk:{tmp_path / 'store'}").goal_distances == expected
