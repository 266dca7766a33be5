"""A* with local PDBs gives the answers of exhaustive search, and expands fewer states in a long search."""

from __future__ import annotations

import pytest

import fewest
from fewest import search
from tests.helpers.console import MANNERS
from tests.helpers.small_levels import compiled_level, exchanged, known_minimum, level

MEMORY = 1 << 30

pytestmark = pytest.mark.skipif(not search.NATIVE, reason="A* needs the native core")


def check_agreement(
    text: str, metric: str, engine: str = "astar", threads: int = 1, memory: int = MEMORY
) -> bool:
    """Whether the search used local PDBs. Checks the cost against exhaustive search."""
    compiled = compiled_level(text)
    expected = known_minimum(text, metric)
    options = {"threads": threads, "memory": memory, "patterns": "on", "audit": "off"}
    found = compiled.solve(metric, **MANNERS[engine], **options)
    assert (found.status, found.cost) == expected, text
    return "local_pdbs" in found.statistics


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("engine", ["astar", "both-ends"])
def test_they_agree_with_exhaustive_search_on_small_levels(engine: str, threads: int) -> None:
    used = [check_agreement(level(seed), "pushes", engine, threads) for seed in range(30)]
    assert sum(used) >= 10


@pytest.mark.slow
def test_they_agree_with_exhaustive_search_on_four_hundred_small_levels() -> None:
    used = [check_agreement(level(seed), "pushes") for seed in range(40, 440)]
    assert sum(used) >= 200


@pytest.mark.parametrize("metric", ["moves", "lines"])
def test_they_agree_where_walks_cost_or_moves_merge(metric: str) -> None:
    used = [check_agreement(level(seed), metric) for seed in range(15)]
    assert sum(used) >= 5


def test_local_pdbs_are_not_used_for_pairs_of_costs() -> None:
    assert not check_agreement(level(3), "pushes-then-moves")


def test_they_agree_where_boxes_are_pulled() -> None:
    texts = [exchanged(level(seed, "sokoban-pull")) for seed in range(30)]
    assert sum(check_agreement(text, "pulls") for text in texts) >= 10


def test_they_agree_where_positions_are_forbidden() -> None:
    texts = [f"{level(seed)}forbid: count(box, target) == 2\n" for seed in range(40)]
    assert sum(check_agreement(text, "pushes") for text in texts) >= 10


def test_with_little_memory_there_are_few_or_none() -> None:
    for seed in range(10):
        check_agreement(level(seed), "pushes", memory=150 << 20)


def test_a_long_level_takes_fewer_states() -> None:
    compiled = fewest.load("microban.xsb:123")
    single, found = (
        compiled.solve("pushes", engine="astar", ends="both", threads=1, patterns=patterns)
        for patterns in ("off", "on")
    )
    usual = compiled.solve("pushes", threads=1)
    assert (found.cost, single.cost, usual.cost) == (101, 101, 101)
    assert "local_pdbs" in found.statistics and "local_pdbs" not in single.statistics
    assert "local_pdbs" in usual.statistics
    assert 5 * found.statistics["states"] < single.statistics["states"]
    assert found.statistics["initial_bound"] > single.statistics["initial_bound"]


LANES = """
puzzle: lanes
model: sokoban
board: |
  ###############
  #             #
  #   $  @      #
  #             #
  ## ## ### ## ##
  # .    #  $ * #
  ###############
"""


@pytest.mark.parametrize("metric", ["pushes", "moves"])
def test_symmetries_that_move_the_boxes_of_the_start_are_not_used(metric: str) -> None:
    """Boxes cannot leave the lanes, and the left lane can contain only one box. In the mirrored start, it contains
    two."""
    assert check_agreement(LANES, metric)
