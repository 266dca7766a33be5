"""The native search core and its primitives give the results of the naive search of `core_cases.py`."""

from __future__ import annotations

import threading
from random import Random

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fewest.search.interface import Outcome
from fewest.search.pure import batches as pure
from tests.helpers.core_cases import (
    FAMILIES,
    Case,
    agent_case,
    check_plan,
    ladder,
    naive_costs,
    random_case,
    with_costs,
)

native = pytest.importorskip("fewest.search.native", reason="built without a compiler")
native_batches = pytest.importorskip("fewest.search.native_batches")


def check(case: Case, algorithm: str | None = None) -> Outcome:
    """Compare the native search, with and without exhaustion, with the naive search."""
    costs = naive_costs(case)
    layers: dict[tuple[int, ...], int] = {}
    for cost in costs.values():
        layers[cost] = layers.get(cost, 0) + 1
    goals = [cost for state, cost in costs.items() if case.is_goal(state)]

    whole = native.search(case.problem, case.cost, exhaust=True)
    assert whole.status == "exhausted"
    assert whole.layers == tuple(sorted(layers.items()))
    assert whole.num_states == len(costs)
    assert whole.num_goal_states == len(goals)
    assert whole.cost == (min(goals) if goals else None)
    first = native.search(case.problem, case.cost)
    assert first.status == ("goal" if goals else "exhausted")
    assert first.cost == whole.cost
    for outcome in (whole, first):
        if algorithm is not None:
            assert outcome.algorithm == algorithm
        if goals:
            check_plan(case, outcome)
            assert outcome.lower_bound == outcome.cost
        else:
            assert outcome.plan == ()
    return whole


thorough = settings(
    max_examples=150, deadline=None, suppress_health_check=list(HealthCheck), print_blob=True
)
seeds = st.integers(0, 2**32).map(Random)


@pytest.mark.parametrize("family", FAMILIES)
@given(random=seeds)
@thorough
def test_breadth_first_equals_the_naive_search(family: str, random: Random) -> None:
    check(with_costs(random, FAMILIES[family](random), "equal"), "bfs")


@pytest.mark.parametrize("family", FAMILIES)
@given(random=seeds)
@thorough
def test_runs_equal_the_naive_search(family: str, random: Random) -> None:
    outcome = check(with_costs(random, FAMILIES[family](random), "runs"))
    assert outcome.algorithm in ("bfs", "bfs over runs")


@pytest.mark.parametrize("family", FAMILIES)
@given(random=seeds)
@thorough
def test_free_operators_equal_the_naive_search(family: str, random: Random) -> None:
    check(with_costs(random, FAMILIES[family](random), "free"))


@pytest.mark.parametrize("family", FAMILIES)
@given(random=seeds)
@thorough
def test_weights_and_runs_equal_the_naive_search(family: str, random: Random) -> None:
    check(with_costs(random, FAMILIES[family](random), "any"))


@pytest.mark.parametrize("family", FAMILIES)
@given(random=seeds)
@thorough
def test_lexicographic_pairs_equal_the_naive_search(family: str, random: Random) -> None:
    kind = random.choice(["any", "runs", "equal"])
    check(with_costs(random, FAMILIES[family](random), kind, 2), "dijkstra")


@given(random=seeds)
@thorough
def test_regions_equal_the_naive_search(random: Random) -> None:
    check(agent_case(random))


@given(random=seeds)
@thorough
def test_an_agent_in_pairs_equals_the_naive_search(random: Random) -> None:
    check(with_costs(random, agent_case(random), "any", 2), "dijkstra")


@pytest.mark.parametrize("words", [1, 2, 3, 4, 5, 8, 16, 17])
def test_a_state_set_is_a_dict_in_insertion_order(words: int) -> None:
    numbers = np.random.default_rng(words)
    states = numbers.integers(0, 4, (3000, words), dtype=np.uint64) << np.uint64(61)
    found = native_batches.StateSet(words)
    known: dict[bytes, None] = {}
    for part in np.array_split(states, 7):
        expected = []
        for row in part:
            expected.append(row.tobytes() not in known)
            known[row.tobytes()] = None
        assert found.insert(part).tolist() == expected
        assert found.contains(part).all()
        assert not found.insert(part).any()
    assert len(found) == len(known)
    assert found.states().tobytes() == b"".join(known)
    assert not found.contains(states | np.uint64(1)).any()
    assert found.insert(states[:0]).shape == (0,)


def test_a_state_set_takes_any_strides_and_read_only_rows() -> None:
    states = np.arange(40, dtype=np.uint64).reshape(10, 4)
    states.flags.writeable = False
    found = native_batches.StateSet(2)
    assert found.insert(states[::2, 1:3]).all()
    assert found.states().tolist() == states[::2, 1:3].tolist()


def test_threads_may_share_a_state_set() -> None:
    found = native_batches.StateSet(1)
    states = np.arange(200_000, dtype=np.uint64).reshape(-1, 1)
    new: list[int] = []
    threads = [
        threading.Thread(target=lambda: new.append(int(found.insert(states).sum())))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(new) == len(found) == 200_000


@given(random=seeds)
@thorough
def test_expansion_equals_the_naive_search(random: Random) -> None:
    check_expansion(random)


@pytest.mark.parametrize("seed", [97425, 97736, 97984])
def test_expansion_is_right_where_two_facts_of_a_group_are_true(seed: int) -> None:
    check_expansion(Random(seed))


def check_expansion(random: Random) -> None:
    case = random_case(random)
    problem = case.problem
    numbers = [case.initial, *(random.getrandbits(case.num_facts) for _ in range(5))]
    raw = b"".join(n.to_bytes(problem.mask.shape[1] * 8, "little") for n in numbers)
    states = np.frombuffer(raw, dtype=np.uint64).reshape(len(numbers), -1)
    successors, parents, operators = native_batches.expand(problem, states)
    assert parents.dtype == np.int64
    assert operators.dtype == np.int32
    found = sorted(
        (row, op, int.from_bytes(s.tobytes(), "little"))
        for s, row, op in zip(successors, parents.tolist(), operators.tolist(), strict=True)
    )
    assert found == sorted(
        (row, op, successor)
        for row, state in enumerate(numbers)
        for op, successor in case.successors(state)
    )


@given(random=seeds)
def test_graphs_of_states_equal_the_naive_search(random: Random) -> None:
    problem = ladder(random.randint(2, 9)).problem
    states, _, _ = native_batches.expand(problem, problem.arrays.initial.reshape(1, -1))
    for _ in range(6):
        states = np.concatenate([states, native_batches.expand(problem, states)[0]])[:400]
    known, pure_set = native_batches.StateSet(problem.words), pure.StateSet(problem.words)
    some = states[: random.randint(0, len(states))]
    assert known.insert(some).tolist() == pure_set.insert(some).tolist()
    found = native_batches.find_successors(problem, known, states)
    expected = pure.find_successors(problem, pure_set, states)
    assert found[1].tolist() == expected[1].tolist()
    assert sum(found[1]) == len(found[0]) > 0
    both = [
        list(zip(places.tolist(), operators.tolist(), strict=True))
        for places, _, operators in (found, expected)
    ]
    assert sorted(both[0]) == sorted(both[1])


@given(random=seeds)
def test_distances_in_graphs_equal_the_naive_search(random: Random) -> None:
    size, labels = random.randint(1, 20), random.randint(1, 3)
    counts = [random.randint(0, 3) for _ in range(size)]
    first = np.cumsum([0, *counts]).astype(np.int64)
    target = np.array([random.randrange(size) for _ in range(sum(counts))], dtype=np.int32)
    label = np.array([random.randrange(labels) for _ in range(sum(counts))], dtype=np.int32)
    cost = np.array([random.choice([-1, 0, 1]) for _ in range(labels)], dtype=np.int8)
    start = np.array([random.random() < 0.2 for _ in range(size)])
    found = native_batches.measure_graph(first, target, label, cost, start)
    assert found.tolist() == pure.measure_graph(first, target, label, cost, start).tolist()
    assert all(found[start] == 0)
    for core in (native_batches, pure):
        with pytest.raises(ValueError, match="do not fit"):
            core.measure_graph(first[1:], target, label, cost, start)
        with pytest.raises(TypeError, match="a graph has arrays"):
            core.measure_graph(first, label.astype(np.int64), label, cost, start)
        if len(target):
            with pytest.raises(ValueError, match="out of range"):
                core.measure_graph(first, target - size, label, cost, start)


@pytest.mark.parametrize(
    ("states", "error"),
    [
        ([[1]], TypeError),
        (np.zeros((1, 1), dtype=np.int64), TypeError),
        (np.zeros((1, 2), dtype=np.uint64), ValueError),
        (np.zeros(1, dtype=np.uint64), ValueError),
    ],
)
def test_states_of_another_type_or_shape_are_refused(states: object, error: type) -> None:
    with pytest.raises(error, match="states"):
        native_batches.StateSet(1).insert(states)
    with pytest.raises(error, match="states"):
        native_batches.StateSet(1).contains(states)
    with pytest.raises(error, match="states"):
        native_batches.expand(ladder(3).problem, states)


def test_a_state_set_has_words() -> None:
    with pytest.raises(ValueError, match="word"):
        native_batches.StateSet(0)
