"""Distances between the positions of boards."""

from __future__ import annotations

import numpy as np
import pytest

from fewest.errors import UsageError
from fewest.search.batches import StateSet
from fewest.space.board_graph import DEAD, MOST, BoardGraph, distances_to


def chain(length: int) -> BoardGraph:
    """A graph in which position i has one move, to position i - 1; position 0 has a move to itself."""
    numbers = np.arange(length, dtype=np.int32)
    return BoardGraph(
        states=numbers.astype(np.uint64).reshape(-1, 1),
        index=StateSet(1),
        first=np.arange(length + 1, dtype=np.int64),
        target=np.maximum(numbers - 1, 0),
        operator=np.zeros(length, dtype=np.int32),
        component=np.zeros(length, dtype=np.int32),
    )


@pytest.mark.parametrize("is_reversible", [True, False])
def test_a_distance_that_does_not_fit_is_refused(is_reversible: bool) -> None:
    graph = chain(MOST + 2)
    is_goal = np.zeros(MOST + 2, dtype=np.bool_)
    is_goal[-2 if is_reversible else 1] = True
    found = distances_to(graph, is_goal, [1], is_reversible=is_reversible)
    assert found.max() == MOST
    assert (found == DEAD).sum() == 1
    is_goal[:] = False
    is_goal[-1 if is_reversible else 0] = True
    with pytest.raises(UsageError, match="minima of up to 32,766"):
        distances_to(graph, is_goal, [1], is_reversible=is_reversible)
