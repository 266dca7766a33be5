"""IDA* gives the answers of exhaustive search, alone and after A* has used up its memory."""

from __future__ import annotations

from typing import Any

import pytest

import fewest
from fewest import search
from tests.helpers.console import MANNERS
from tests.helpers.small_boards import board
from tests.helpers.small_levels import compiled_level, known_minimum, level

pytestmark = pytest.mark.skipif(not search.NATIVE, reason="IDA* needs the native core")

METRICS = ("pushes", "moves", "lines", "pushes-then-moves", "moves-then-pushes")


def check_agreement(text: str, metrics: tuple[str, ...]) -> tuple[bool, bool]:
    """Whether there is a plan, and whether A* used up its memory. Fails if the engines disagree about a cost."""
    compiled = compiled_level(text)
    is_solvable = has_gone_on = False
    for metric in metrics:
        expected = known_minimum(text, metric)
        alone = compiled.solve(metric, engine="astar", algorithm="ida", audit="off")
        after = compiled.solve(metric, engine="astar", memory=20_000, audit="off")
        for found in (alone, after):
            assert (found.status, found.cost) == expected, (metric, text)
        has_gone_on = has_gone_on or after.statistics["algorithm"] == "a*, then ida*"
        is_solvable = expected[1] is not None
    return is_solvable, has_gone_on


def test_ida_agrees_with_exhaustive_search_on_small_levels() -> None:
    seen = [check_agreement(level(seed), METRICS) for seed in range(24)]
    assert sum(is_solvable for is_solvable, _ in seen) >= 6
    assert any(has_gone_on for _, has_gone_on in seen)


@pytest.mark.slow
def test_ida_agrees_with_exhaustive_search_on_a_hundred_more_small_levels() -> None:
    assert sum(check_agreement(level(seed), METRICS)[0] for seed in range(24, 140)) >= 25


@pytest.mark.parametrize(
    ("model", "metrics"),
    [
        ("sokoban-double-push", ("pushes", "moves")),
        ("sokoban-pull", ("pulls", "moves")),
        ("sokoban-toll", ("effort", "pushes")),
    ],
)
def test_ida_agrees_where_moves_are_of_other_kinds(model: str, metrics: tuple[str, ...]) -> None:
    assert sum(check_agreement(level(seed, model), metrics)[0] for seed in range(12)) >= 1


def test_ida_agrees_with_exhaustive_search_on_small_boards() -> None:
    for seed in range(12):
        compiled = fewest.load("small.yaml", text=board(seed))
        expected = compiled.solve("steps")
        if expected.cost is None:  # visiting all states with IDA* would take too long
            continue
        for patterns in ("on", "off"):
            found = compiled.solve(
                "steps", engine="astar", algorithm="ida", patterns=patterns, audit="off"
            )
            assert (found.status, found.cost) == ("optimal", expected.cost), board(seed)


@pytest.mark.parametrize(("name", "cost"), [("eight-puzzle", 31), ("fifteen-25", 25)])
def test_ida_finds_the_published_minimum_under_rising_limits(name: str, cost: int) -> None:
    result = fewest.load(name).solve(engine="astar", algorithm="ida")
    assert (result.status, result.cost, result.statistics["algorithm"]) == ("optimal", cost, "ida*")
    limits = [limit for (limit,), _ in result.statistics["iterations"]]
    assert limits == sorted(limits)
    assert limits[-1] >= cost


@pytest.mark.parametrize("memory", [0, 50_000, 100_000])
def test_astar_continues_when_memory_runs_out_and_still_proves_the_minimum(memory: int) -> None:
    result = fewest.load("eight-puzzle").solve(engine="astar", memory=memory, patterns="off")
    assert (result.status, result.cost) == ("optimal", 31)
    assert result.statistics["algorithm"] == "a*, then ida*"
    assert result.statistics["bytes"] <= memory


def test_ida_proves_that_there_is_no_plan_where_the_states_are_few() -> None:
    result = fewest.load("tiles-2x3-swapped").solve(engine="astar", algorithm="ida")
    assert (result.status, result.cost) == ("unsolvable", None)


@pytest.mark.parametrize("engine", ["astar", "ida"])
def test_a_time_limit_leaves_a_lower_bound_when_the_memory_has_ended(engine: str) -> None:
    compiled = fewest.load("tiles-3x4")
    result = compiled.solve(**MANNERS[engine], memory=200_000, seconds=0.3)
    assert (result.status, result.reason) == ("limit", "time")
    assert isinstance(result.lower_bound, int)
    first = result.statistics["initial_bound"][0]
    assert first < result.lower_bound <= 53  # 53 is the minimum, from exhaustive search


LEVER = """
puzzle: lever
model: sokoban
board: |
  #######
  #---###
  #-$--.#
  ###@###
  #######
variables: {v: {values: range(8), initial: 0}}
moves:
  turn: {before: [player], after: [player], set: {v: (v + 1) % 8}}
  turn back: {before: [player], after: [player], set: {v: (v + 2) % 8}}
metrics: {pushes: {count: {push: 1, walk: 0, turn: 1, turn back: 1}}}
metric: pushes
"""


@pytest.mark.parametrize("options", [{"algorithm": "ida"}, {"weight": 2}])
def test_a_box_is_dead_only_while_the_player_is_in_the_pit(options: dict[str, Any]) -> None:
    """Most operators change the lever, so for the deadlock sets the lever is the agent, and the player is a piece. The
    player begins in the pit, in which the box beside it would be dead."""
    found = fewest.load("lever.yaml", text=LEVER).solve(engine="astar", **options)
    assert (found.status, found.cost) == ("optimal", 3)
