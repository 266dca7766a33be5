"""Iterative deepening over a stored tree answers what exhaustive search answers, and says what it proved."""

from __future__ import annotations

import csv

import pytest
from hypothesis import given, settings

import fewest
from fewest import search
from fewest.errors import UsageError
from fewest.machine.resources import puzzles as shipped
from fewest.questions.result import Result
from tests.helpers.agreement import check_informed, relaxed
from tests.helpers.random_puzzles import puzzles
from tests.helpers.small_levels import level

pytestmark = pytest.mark.skipif(
    not search.NATIVE, reason="iterative deepening needs the native core"
)

ENGINE = "iterative-deepening"
METRICS = ("pushes", "moves", "lines", "pushes-then-moves", "moves-then-pushes")
SOKOBAN = {name: path for family, name, path in shipped() if family == "sokoban"}


def check_agreement(text: str, metrics: tuple[str, ...]) -> bool:
    """Whether there is a plan; the engine and exhaustive search agree on its cost in every metric."""
    compiled = fewest.load("level.yaml", text=text)
    is_solvable = False
    for metric in metrics:
        expected = compiled.solve(metric, engine="bfs")
        found = compiled.solve(metric, engine=ENGINE)
        assert (found.status, found.cost) == (expected.status, expected.cost), (metric, text)
        check_iterations(found)
        is_solvable = found.cost is not None
    return is_solvable


def check_iterations(result: Result) -> None:
    """Limits rise from the first lower bound to the cost; the tree only grows."""
    iterations = result.statistics["iterations"]
    if not iterations:  # a dead end from the start
        assert result.status == "unsolvable"
        return
    limits = [limit for limit, _, _ in iterations]
    assert limits == sorted(set(limits))
    assert list(limits[0]) == result.statistics["initial_bound"]
    assert [nodes for _, nodes, _ in iterations] == sorted(nodes for _, nodes, _ in iterations)
    assert iterations[-1][1:] == (result.statistics["states"], result.statistics["expanded"])
    if result.status == "optimal":
        cost = result.cost if isinstance(result.cost, tuple) else (result.cost,)
        assert limits[-1] <= cost


def test_it_agrees_with_exhaustive_search_on_small_levels() -> None:
    assert sum(check_agreement(level(seed), METRICS) for seed in range(300, 330)) >= 8


@pytest.mark.parametrize(
    ("model", "metrics"),
    [
        ("sokoban-double-push", ("pushes", "moves")),
        ("sokoban-pull", ("pulls", "moves")),
        ("sokoban-toll", ("effort", "pushes", "moves")),
    ],
)
def test_it_agrees_where_moves_are_of_other_kinds(model: str, metrics: tuple[str, ...]) -> None:
    assert sum(check_agreement(level(seed, model), metrics) for seed in range(15)) >= 1


@settings(relaxed, max_examples=40)
@given(puzzles())
def test_it_agrees_with_the_reference_on_random_puzzles(text: str) -> None:
    check_informed(text, [ENGINE])


@pytest.mark.parametrize("name", ["eight-puzzle", "eight-puzzle-2"])
def test_the_hardest_eight_puzzles_take_thirty_one_moves(name: str) -> None:
    result = fewest.load(name).solve(engine=ENGINE)
    assert (result.status, result.cost) == ("optimal", 31)
    assert result.statistics["states"] < 181_440


def test_a_swapped_eight_puzzle_is_exhausted() -> None:
    assert fewest.load("eight-puzzle-swapped").solve(engine=ENGINE).status == "unsolvable"


def test_microban_takes_the_published_moves() -> None:
    folder = SOKOBAN["microban-001"].parent
    with open(folder / "microban.tsv", encoding="utf-8") as file:
        rows = list(csv.DictReader((line for line in file if line[0] != "#"), delimiter="\t"))
    for row in rows[:10]:
        result = fewest.load(f"{folder / 'microban.xsb'}:{row['level']}").solve(
            "moves", engine=ENGINE
        )
        assert (result.status, result.cost) == ("optimal", int(row["min_moves"])), row["level"]


def test_a_puzzle_in_which_the_agent_must_come_home_pays_for_the_way() -> None:
    for metric in ("pulls", "moves"):
        for name in ("pull-home", "pull-out"):
            compiled = fewest.load(name)
            assert (
                compiled.solve(metric, engine=ENGINE).cost
                == compiled.solve(metric, engine="bfs").cost
            )


def test_a_memory_limit_leaves_a_lower_bound_that_is_right() -> None:
    bounds = []
    for memory in (20_000, 200_000, 2_000_000):
        result = fewest.load("fifteen-30").solve(engine=ENGINE, memory=memory)
        assert result.status == "optimal" or result.reason == "memory"
        check_iterations(result)
        bounds.append(result.lower_bound)
    assert bounds == sorted(bounds)
    assert 0 < bounds[0] < bounds[-1] <= 30


def test_a_time_limit_leaves_a_lower_bound_that_is_right() -> None:
    result = fewest.load("tiles-3x4").solve(engine=ENGINE, seconds=0.3, memory=500_000_000)
    assert (result.status, result.reason) == ("limit", "time")
    assert isinstance(result.lower_bound, int) and 30 < result.lower_bound <= 53
    check_iterations(result)
    assert list(result.statistics["iterations"][-1][0]) == [result.lower_bound]


def test_a_metric_that_merges_moves_round_corners_is_refused() -> None:
    with pytest.raises(UsageError, match="counts moves round corners as one"):
        fewest.load("heng-dao-li-ma").solve("turns", engine=ENGINE)
