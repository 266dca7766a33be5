"""Weighted A* finds a plan of at most W times the minimum, and its messages state this guarantee."""

from __future__ import annotations

from typing import Any

import pytest

import fewest
from fewest import search
from fewest.errors import UsageError
from tests.helpers.small_levels import compiled_level, known_minimum, level

pytestmark = pytest.mark.skipif(not search.NATIVE, reason="A* needs the native core")


@pytest.mark.parametrize("weight", [1.1, 2, 5, 100])
def test_a_weighted_plan_costs_at_most_its_factor_times_the_minimum(weight: float) -> None:
    dearer = 0
    for seed in range(20):
        compiled = compiled_level(level(seed))
        for metric in ("moves", "pushes", "lines"):
            _, minimum = known_minimum(level(seed), metric)
            found = compiled.solve(metric, engine="astar", weight=weight, audit="off")
            if minimum is None:
                assert found.status == "unsolvable", seed
                continue
            assert isinstance(minimum, int) and isinstance(found.cost, int)
            factor = found.statistics["factor"]
            assert minimum <= found.cost <= factor * minimum + 1e-9, (seed, metric)
            assert 1 <= factor <= weight and found.lower_bound <= minimum, (seed, metric)
            assert found.status == ("optimal" if factor == 1 else "solved")
            dearer += found.cost > minimum
    assert dearer > 0 or weight < 5


def test_a_weighted_search_expands_fewer_positions_and_reports_its_guarantee() -> None:
    compiled = fewest.load("korf-001")
    found = compiled.solve(engine="astar", weight=5)
    assert found.status == "solved" and found.statistics["expanded"] < 50_000
    assert isinstance(found.cost, int) and 57 < found.cost <= 5 * 57
    bound = found.lower_bound
    assert isinstance(bound, int) and 41 <= bound <= 57
    assert f"times the minimum, which is at least {bound} moves (proven: astar)" in found.summary()


def test_a_weight_of_one_proves_the_minimum() -> None:
    found = fewest.load("eight-puzzle").solve(engine="astar", weight=1)
    assert (found.status, found.cost) == ("optimal", 31) and "factor" not in found.statistics


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"weight": 0.5}, "is not a valid value of --weight"),
        ({"weight": "much"}, "is not a valid value of --weight"),
        ({"weight": float("nan")}, "is not a valid value of --weight"),
        ({"weight": 2, "algorithm": "ida"}, "cannot be used together"),
        ({"weight": 2, "ends": "both"}, "cannot be used together"),
        ({"weight": 2, "threads": 2}, "cannot be used together"),
        ({"weight": 2, "heuristic": "abstraction"}, "cannot be used together"),
        ({"heuristic": "abstraction", "ends": "both"}, "cannot be used together"),
    ],
)
def test_a_weight_is_refused_together_with_incompatible_options(
    options: dict[str, Any], reason: str
) -> None:
    with pytest.raises(UsageError, match=reason):
        fewest.load("eight-puzzle").solve(engine="astar", **options)


def test_a_weight_of_a_pair_of_metrics_is_refused() -> None:
    with pytest.raises(UsageError, match="lexicographic"):
        fewest.load("microban-001").solve("pushes-then-moves", engine="astar", weight=2)
