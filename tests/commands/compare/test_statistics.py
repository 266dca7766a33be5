"""The statistics of times equal values that were computed by hand."""

from __future__ import annotations

from math import exp, log, sqrt

import pytest

from fewest.commands.compare.statistics import (
    Ratio,
    cactus,
    coverage,
    middle,
    par2,
    ratio,
    t_quantile,
)


def test_par2_counts_an_unsolved_instance_as_twice_the_limit() -> None:
    assert par2([1.0, 2.0, None], 10) == pytest.approx((1 + 2 + 20) / 3)
    assert par2([4.0], 10) == 4.0
    assert par2([None, None], 60) == 120.0


def test_par2_counts_a_time_above_the_limit_as_unsolved() -> None:
    assert par2([11.0, 10.0], 10) == pytest.approx((20 + 10) / 2)
    with pytest.raises(ValueError, match="no instances"):
        par2([], 10)


def test_coverage_counts_solved_instances() -> None:
    assert (coverage([1.0, None, 0.0]), coverage([])) == (2, 0)


@pytest.mark.parametrize(
    ("times", "median"),
    [
        ([3.0, 1.0, 2.0], 2.0),
        ([1.0, 2.0, 4.0, 9.0], 3.0),
        ([1.0, None, 2.0], 2.0),
        ([1.0, None], None),
        ([None], None),
        ([1.0, None, None], None),
    ],
)
def test_an_unsolved_run_is_longer_than_every_other_in_a_median(
    times: list[float | None], median: float | None
) -> None:
    assert middle(times) == median


def test_a_ratio_is_the_geometric_mean_with_an_interval_of_student() -> None:
    found = ratio([1.0, 4.0, None, 5.0], [2.0, 2.0, 3.0, None])
    assert found is not None
    # The ratios are 1/2 and 2. Their logarithms have mean 0 and standard deviation log 2 · √2.
    assert found.mean == pytest.approx(1.0) and found.count == 2
    half = 12.7062 * log(2) * sqrt(2) / sqrt(2)
    assert found.high == pytest.approx(exp(half)) and found.low == pytest.approx(exp(-half))


def test_a_ratio_of_equal_ratios_has_an_interval_without_width() -> None:
    assert ratio([2.0, 4.0, 6.0], [1.0, 2.0, 3.0]) == Ratio(
        pytest.approx(2.0), pytest.approx(2.0), pytest.approx(2.0), 3
    )


def test_one_instance_has_no_interval_and_none_has_no_ratio() -> None:
    assert ratio([3.0, None], [1.5, 1.0]) == Ratio(pytest.approx(2.0), None, None, 1)
    assert ratio([None, 1.0], [1.0, None]) is None


def test_times_that_cannot_be_measured_count_as_a_millisecond_in_ratios() -> None:
    assert ratio([0.0], [0.002]) == Ratio(pytest.approx(0.5), None, None, 1)


@pytest.mark.parametrize(
    # The quantiles come from a table of Student's distribution (two-sided, 5 %).
    ("degrees", "quantile"),
    [(1, 12.706), (5, 2.571), (10, 2.228), (11, 2.201), (20, 2.086), (30, 2.042), (120, 1.980)],
)
def test_the_quantiles_of_student_are_those_of_the_table(degrees: int, quantile: float) -> None:
    assert t_quantile(degrees) == pytest.approx(quantile, abs=0.0011)


def test_a_cactus_line_sorts_the_solved_instances() -> None:
    assert cactus([3.0, None, 1.0, 1.0]) == [(1, 1.0), (2, 1.0), (3, 3.0)]
