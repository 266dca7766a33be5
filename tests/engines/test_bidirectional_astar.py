"""Bidirectional A* gives the same answers as exhaustive search, and expands fewer states than A* in a long search."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

import fewest
from fewest import search
from fewest.commands import prove
from fewest.engines import stage_searches
from fewest.engines.astar_stages import STAGES, LocalPdbStage, StagedAStar
from tests.helpers.small_levels import compiled_level, exchanged, known_minimum, level

MEMORY = 1 << 30

pytestmark = pytest.mark.skipif(not search.NATIVE, reason="A* needs the native core")


@pytest.fixture
def begins_at_both_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """Start the backward search immediately, without a long forward search before it."""
    monkeypatch.setattr(stage_searches, "HINTS_AFTER", MEMORY)


def check_agreement(text: str, metric: str, threads: int = 1) -> bool | None:
    """Whether there is a plan; None if the search had only one direction. Fails if its cost differs from exhaustive
    search."""
    compiled = compiled_level(text)
    expected = known_minimum(text, metric)
    found = compiled.solve(
        metric,
        engine="astar",
        ends="both",
        threads=threads,
        memory=MEMORY,
        patterns="off",
        audit="off",
    )
    assert (found.status, found.cost) == expected, text
    return found.cost is not None if found.statistics["algorithm"] == "bidirectional a*" else None


@pytest.mark.usefixtures("begins_at_both_ends")
@pytest.mark.parametrize("threads", [1, 2])
def test_it_agrees_with_exhaustive_search_on_small_levels(threads: int) -> None:
    found = [check_agreement(level(seed), "pushes", threads) for seed in range(40)]
    assert found.count(True) >= 10 and found.count(False) >= 5


@pytest.mark.slow
@pytest.mark.usefixtures("begins_at_both_ends")
def test_it_agrees_with_exhaustive_search_on_four_hundred_small_levels() -> None:
    found = [check_agreement(level(seed), "pushes") for seed in range(40, 440)]
    assert found.count(True) >= 100 and found.count(False) >= 50


@pytest.mark.usefixtures("begins_at_both_ends")
def test_it_agrees_where_boxes_are_pulled() -> None:
    texts = [exchanged(level(seed, "sokoban-pull")) for seed in range(60)]
    found = [check_agreement(text, "pulls") for text in texts]
    assert found.count(True) >= 10


GOALS = {
    "the player comes home": "{all: [{every: target, holds: box}, {player: {at: [1, 4]}}]}",
    "or elsewhere": (
        "{any: [{all: [{every: target, holds: box}, {player: {at: [1, 4]}}]},"
        " {all: [{every: target, holds: box}, {player: {at: [3, 1]}}]}]}"
    ),
}
ROOM = """
puzzle: room
model: sokoban
board: |
  ######
  #    #
  # $$ #
  #@ . #
  #   .#
  ######
"""


@pytest.mark.usefixtures("begins_at_both_ends")
@pytest.mark.parametrize("goal", list(GOALS.values()), ids=list(GOALS))
def test_goals_of_other_forms(goal: str) -> None:
    assert check_agreement(f"{ROOM}goal: {goal}\n", "pushes")


@pytest.mark.usefixtures("begins_at_both_ends")
def test_a_forbidden_position_is_on_no_plan() -> None:
    found = [
        check_agreement(f"{level(seed)}forbid: count(box, target) == 2\n", "pushes")
        for seed in range(100)
    ]
    assert found.count(True) >= 5 and found.count(False) >= 5


@pytest.mark.usefixtures("begins_at_both_ends")
@pytest.mark.parametrize("metric", ["moves", "lines", "pushes-then-moves"])
def test_where_walks_cost_or_moves_merge_it_begins_at_one_end(metric: str) -> None:
    text = ROOM.replace("sokoban", "sokoban-pairs")
    assert check_agreement(text, metric) is None


@pytest.mark.usefixtures("begins_at_both_ends")
def test_where_a_box_may_be_anywhere_it_begins_at_one_end() -> None:
    assert check_agreement(ROOM.replace("#   .#", "#    #"), "pushes") is None


def test_the_search_from_both_ends_expands_fewer_states_and_is_the_default(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each stage of the search begins soon, as if the level were long."""
    soon = (LocalPdbStage(500, 20_000, 1 << 19), LocalPdbStage(1_000, 20_000, 1 << 19))
    stages = replace(STAGES, local_pdbs=soon, before_both_ends=1_000)
    monkeypatch.setitem(StagedAStar.__init__.__kwdefaults__, "stages", stages)
    monkeypatch.setattr(stage_searches, "HINTS_AFTER", 1 << 16)
    compiled = fewest.load("microban.xsb:112")
    found = compiled.solve("pushes", threads=1)
    assert (found.engine, found.statistics["algorithm"]) == ("astar", "bidirectional a*")
    assert (found.status, found.cost, found.lower_bound) == ("optimal", 94, 94)
    alone = compiled.solve("pushes", engine="astar", ends="one", threads=1, patterns="off")
    assert alone.cost == 94
    assert alone.statistics["states"] > 2 * found.statistics["states"]


@pytest.mark.parametrize("ends", ["one", "both"])
def test_a_bound_certifies_the_minimum_of_an_informed_search(ends: str) -> None:
    compiled = fewest.load("microban-001")
    result = compiled.solve("pushes", engine="astar", ends=ends)
    pushes = compiled.puzzle.metrics["pushes"]
    assert prove._kinds((), result, pushes, is_refuted=False) == ("plan", "bound")


def test_ida_continues_when_memory_runs_out() -> None:
    found = fewest.load("microban.xsb:111").solve(
        "pushes", engine="astar", ends="both", memory=150 << 20, threads=1
    )
    assert found.cost == 61


def test_a_limit_leaves_a_lower_bound() -> None:
    found = fewest.load("microban.xsb:144").solve(
        "pushes", engine="astar", ends="both", seconds=0.5, threads=1
    )
    assert found.status in ("limit", "optimal") and 20 < found.lower_bound <= 36
