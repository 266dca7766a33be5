"""The different rows of an array are those that NumPy finds."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fewest.machine.arrays import unique_rows


@given(
    st.integers(1, 3).flatmap(
        lambda width: st.lists(
            st.lists(st.integers(-2, 2), min_size=width, max_size=width), min_size=1
        )
    )
)
def test_the_different_rows_are_those_that_numpy_finds(rows: list[list[int]]) -> None:
    for kind in (np.int64, np.uint64):
        given_rows = np.array(rows, dtype=np.int64).view(kind)
        found, place = unique_rows(given_rows)
        assert np.array_equal(found, np.unique(given_rows, axis=0))
        assert np.array_equal(found[place], given_rows)
