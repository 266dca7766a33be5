"""The operations on sets of states that count boards give the results of simple loops."""

from __future__ import annotations

import numpy as np
import pytest

from fewest.search.batches import Components, StateSet
from fewest.search.pure import batches as pure
from fewest.space.state_graph import sums_over_facts


@pytest.mark.parametrize("kind", [Components, pure.Components], ids=["in use", "pure"])
def test_components_are_named_by_their_least_member(kind: type) -> None:
    sets = kind(6)
    sets.link(np.array([5, 3], dtype=np.int32), np.array([4, 5], dtype=np.int32))
    sets.link(np.array([1], dtype=np.int32), np.array([0], dtype=np.int32))
    assert sets.labels().tolist() == [0, 0, 2, 3, 3, 3]
    with pytest.raises(ValueError, match="a number that is not"):
        sets.link(np.array([6], dtype=np.int32), np.array([0], dtype=np.int32))
    with pytest.raises(TypeError):
        sets.link(np.array([1]), np.array([0]))


@pytest.mark.parametrize("count", [0, 50, 140_000])
def test_sums_over_facts_are_those_of_a_loop(count: int) -> None:
    random = np.random.default_rng(3)
    states = random.integers(0, 1 << 63, (count, 2), dtype=np.uint64)
    values = random.integers(0, 1 << 40, 101, dtype=np.uint64)
    states[:, 1] &= np.uint64((1 << 37) - 1)
    found = sums_over_facts(states, values)
    assert found.shape == (count,)
    for row in range(0, count, max(1, count // 50)):
        number = int(states[row, 0]) | int(states[row, 1]) << 64
        expected = sum(int(value) for fact, value in enumerate(values) if number >> fact & 1)
        assert int(found[row]) == expected


@pytest.mark.parametrize("kind", [StateSet, pure.StateSet], ids=["in use", "pure"])
@pytest.mark.parametrize("words", [1, 2])
def test_a_set_finds_states_in_the_order_of_insertion(kind: type, words: int) -> None:
    states = np.random.default_rng(1).integers(0, 1 << 40, (500, words), dtype=np.uint64)
    found = kind(words)
    assert found.find(states[:3]).tolist() == [-1, -1, -1]
    found.insert(states[:300])
    places = found.find(states)
    assert places[:300].tolist() == list(range(300))
    assert set(places[300:].tolist()) == {-1}
