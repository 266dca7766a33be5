"""On sliding puzzles of every kind, pattern databases give the same minima with fewer states."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

import fewest
from fewest import search
from tests.helpers.agreement import check_informed, relaxed
from tests.helpers.random_puzzles import puzzles
from tests.helpers.small_boards import board

pytestmark = pytest.mark.skipif(not search.NATIVE, reason="A* needs the native core")


def check_agreement(seed: int) -> bool:
    """Whether A* used patterns. Fails unless A* with patterns, A* without patterns, and exhaustive search agree."""
    compiled = fewest.load("small.yaml", text=board(seed))
    expected = compiled.solve("steps")
    plain = compiled.solve("steps", engine="astar", patterns="off", audit="off")
    found = compiled.solve("steps", engine="astar", patterns="on", audit="off")
    assert (plain.status, plain.cost) == (expected.status, expected.cost), board(seed)
    assert (found.status, found.cost) == (expected.status, expected.cost), board(seed)
    return "patterns" in found.statistics


def test_astar_with_patterns_agrees_with_exhaustive_search_on_small_boards() -> None:
    assert sum(check_agreement(seed) for seed in range(12)) >= 9


@pytest.mark.slow
def test_astar_with_patterns_agrees_with_exhaustive_search_on_two_hundred_small_boards() -> None:
    assert sum(check_agreement(seed) for seed in range(12, 220)) >= 150


@settings(relaxed, max_examples=20)
@given(puzzles())
def test_astar_with_patterns_agrees_with_the_reference_on_random_puzzles(text: str) -> None:
    check_informed(text, ["astar", "ida"], patterns="on")


# The 105 pairs and the partition derived from them are the same on every machine. The expected bounds come from the
# tables alone, as in Korf and Taylor (1996) and Korf and Felner (2002).
@pytest.mark.parametrize(
    ("name", "cost", "single", "together"),
    [("eight-puzzle", 31, 21, 29), ("tiles-2x5", 55, 25, 51)],
)
def test_patterns_raise_the_first_bound(name: str, cost: int, single: int, together: int) -> None:
    compiled = fewest.load(name)
    plain = compiled.solve(engine="astar", patterns="off")
    found = compiled.solve(engine="astar", patterns="on")
    assert plain.cost == found.cost == cost
    assert plain.statistics["initial_bound"] == [single]
    assert found.statistics["initial_bound"] == [together]
    assert found.statistics["states"] < plain.statistics["states"] / 3


def test_patterns_are_built_only_where_the_search_takes_long() -> None:
    for name in ("fifteen-25", "tiles-2x3", "hanoi"):
        assert "patterns" not in fewest.load(name).solve(engine="astar").statistics
    statistics = fewest.load("tiles-2x5").solve(engine="astar").statistics["patterns"]
    assert statistics["bytes"] == statistics["entries"] == 10**5 + 10**4
    assert sorted(len(facts) for facts in statistics["facts"]) == [4, 5]


@pytest.mark.parametrize("memory", [30_000, 1_000_000])
def test_patterns_keep_within_the_memory_limit(memory: int) -> None:
    result = fewest.load("eight-puzzle").solve(engine="astar", memory=memory, patterns="on")
    assert (result.status, result.cost) == ("optimal", 31)
    assert result.statistics["patterns"]["bytes"] <= memory / 8
    assert result.statistics["bytes"] <= memory


def test_a_sokoban_level_is_searched_without_patterns() -> None:
    result = fewest.load("microban-001").solve("pushes", engine="astar", patterns="on")
    assert "patterns" not in result.statistics
    assert result.cost == 8


def test_a_mirror_that_exchanges_kinds_of_unequal_numbers_is_not_used() -> None:
    # The level has three blocks of one shape and two of its mirror image, so no bound holds for a mirrored state.
    result = fewest.load("impassable-gate").solve("steps", engine="astar")
    assert (result.status, result.cost) == ("optimal", 78)
    assert result.statistics["symmetries"] == 1


def test_patterns_of_variables_with_many_values() -> None:
    text = """
puzzle: two-counters
variables:
  c[i]: {for: {i: range(2)}, values: range(200), initial: 0}
moves:
  up:   {for: {i: range(2), v: range(199)}, when: "c[i] == v", set: {"c[i]": v + 1}}
  down: {for: {i: range(2), v: range(199)}, when: "c[i] == v + 1", set: {"c[i]": v}}
goal: c[0] == 150 and c[1] == 190
"""
    found = fewest.load("counters.yaml", text=text).solve(engine="astar", patterns="on")
    assert (found.status, found.cost) == ("optimal", 340)
