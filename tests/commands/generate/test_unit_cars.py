"""`bench/unit_cars.py` finds the hardest boards with one-cell cars and a single empty cell."""

from __future__ import annotations

import pytest

from bench import unit_cars
from fewest.commands.generate.indexed import generate_in_index


# J. Tromp and R. Cilibrasi, "Limits of Rush Hour Logic Complexity", 2005.
@pytest.mark.parametrize(("size", "published"), [(2, 3), (3, 12), (4, 40)])
def test_the_records_are_the_published_ones(size: int, published: int) -> None:
    found = [one.metrics[0].minimum or 0 for _, one in unit_cars.searches(size)]
    assert max(found) == published


@pytest.mark.slow
def test_the_record_of_five_by_five_is_the_published_one() -> None:
    (metric,) = generate_in_index(unit_cars.spec_of(5, 0, 10)).metrics
    assert metric.minimum == 199
