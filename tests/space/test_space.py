"""State spaces, distances and numbers of plans equal the results of brute force with the reference interpreter."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import assume, given, settings
from msgspec.structs import replace

import fewest
from fewest.commands.explore import explore
from fewest.errors import DocumentError
from fewest.model.answer import Limits
from fewest.model.costs import cost_table
from fewest.model.metric import Metric, metric_of
from fewest.model.position import start
from fewest.model.states import decode, encode
from fewest.playing.exhaust import TooManyPositionsError, exhaust
from fewest.playing.rules import is_goal
from fewest.search.batches import StateSet, expand
from fewest.search.pure import batches as pure
from fewest.space import distances as distances_module
from fewest.space import state_graph as states_module
from fewest.space.distances import _EDGE_BYTES, Distances, goal_distances, start_distances
from fewest.space.plans import count_plans
from fewest.space.state_graph import StateIds, StateSpace, build_state_graph, in_cubes
from tests.helpers.agreement import compiled_or_none, relaxed
from tests.helpers.brute_force import LIMIT, BruteForce
from tests.helpers.random_puzzles import puzzles


def space_of(compiled: fewest.CompiledPuzzle, metric: Metric) -> tuple[StateSpace, Distances]:
    space = build_state_graph(compiled.task.problem)
    return space, goal_distances(space, cost_table(compiled.task, metric))


def check_space(text: str) -> None:
    compiled = compiled_or_none(text)
    assume(compiled is not None)
    assert compiled is not None
    task, puzzle = compiled.task, compiled.puzzle
    try:
        reach = exhaust(puzzle, next(iter(puzzle.metrics.values())), LIMIT)
    except (TooManyPositionsError, DocumentError):
        assume(False)
    positions = list(reach.costs)
    for metric in puzzle.metrics.values():
        brute = BruteForce(positions, metric)
        space, distances = space_of(compiled, metric)
        assert len(space) == len(positions)
        for state_id in range(len(space)):
            position = decode(puzzle, task, space.integer(state_id))
            expected = brute.distance.get((position, brute.fresh))
            assert distances.cost(state_id) == expected, (metric.name, text)
        found = explore(task, metric)
        with patch("fewest.search.goal_distances.NATIVE", False):
            over_arrays = explore(task, metric)
        assert replace(over_arrays, seconds=found.seconds) == found, (metric.name, text)
        solvable = [
            brute.distance[p, brute.fresh] for p in positions if (p, brute.fresh) in brute.distance
        ]
        assert found.num_states == len(positions)
        assert found.num_goal_states == sum(is_goal(p) for p in positions)
        assert found.goal_distances is not None
        assert found.goal_distances.num_solvable == len(solvable)
        assert found.goal_distances.num_dead == len(positions) - len(solvable)
        if solvable:
            worst = max(solvable)
            assert found.goal_distances.num_hardest == solvable.count(worst)
            assert found.goal_distances.hardest is not None
            hardest = decode(puzzle, task, found.goal_distances.hardest)
            assert brute.distance[hardest, brute.fresh] == worst
        first = start(puzzle)
        if (first, brute.fresh) in brute.distance:
            assert found.num_plans == len(brute.plans(first)), (metric.name, text)
        else:
            assert found.num_plans == 0


@settings(relaxed, max_examples=30)
@given(puzzles())
def test_distances_and_plans_are_those_of_brute_force(text: str) -> None:
    check_space(text)


@pytest.mark.slow
@settings(relaxed, max_examples=2000)
@given(puzzles())
def test_distances_and_plans_of_thousands_of_random_puzzles(text: str) -> None:
    check_space(text)


@pytest.mark.parametrize(
    ("name", "metric"),
    [("quzzle", "turns"), ("walls-42", "slides"), ("microban-001", "pushes"), ("toll", "effort")],
)
def test_the_core_and_the_layers_measure_the_same_graph(name: str, metric: str) -> None:
    compiled = fewest.load(name)
    table = cost_table(compiled.task, metric_of(compiled.task, metric))
    space = build_state_graph(compiled.task.problem)
    by_core = goal_distances(space, table)
    with patch.object(distances_module, "_FEW_EDGES", -1):
        by_layers = goal_distances(space, table)
    assert by_core.costs == by_layers.costs
    assert (by_core.level == by_layers.level).all()


@pytest.mark.parametrize(
    ("name", "metric"),
    [
        ("heng-dao-li-ma", "turns"),
        ("hardest-6x6", "slides"),
        ("microban-001", "pushes-then-moves"),
        ("toll", "effort"),
        ("keys-and-doors", "moves"),
        ("two-rings", "turns"),
    ],
)
def test_distances_of_sampled_positions_are_those_of_a_fresh_solve(name: str, metric: str) -> None:
    compiled = fewest.load(name)
    space, distances = space_of(compiled, metric_of(compiled.task, metric))
    random = np.random.default_rng(1)
    for state_id in random.choice(len(space), 6, replace=False).tolist():
        position = decode(compiled.puzzle, compiled.task, space.integer(state_id))
        cost = compiled.at(position).solve(metric).cost
        expected = distances.cost(state_id)
        assert (cost,) == expected if isinstance(cost, int) else cost == expected


def test_backward_over_inverse_operators_reaches_the_same_states() -> None:
    task = fewest.load("microban-001").task
    problem = task.problem
    space, distances = space_of(fewest.load("microban-001"), metric_of(task, "moves"))
    from msgspec.structs import replace

    inverse = replace(
        problem,
        value=problem.arrays.value ^ problem.arrays.flip,
        index_fact=np.full_like(problem.arrays.index_fact, -1),
    )
    solvable = StateSet(task.words)
    frontier = np.ascontiguousarray(space.states[space.is_goal])
    solvable.insert(frontier)
    layers = [len(frontier)]
    while len(frontier):
        before, _, _ = expand(inverse, frontier)
        before = before[space.index.find(before) >= 0]
        frontier = np.ascontiguousarray(before[solvable.insert(np.ascontiguousarray(before))])
        layers.append(len(frontier))
    assert layers[:-1] == [count for _, count in distances.histogram()]


def test_published_counts() -> None:
    klotski = fewest.load("heng-dao-li-ma").explore()
    assert (klotski.num_states, klotski.minimum) == (25_955, 81)
    rush_hour = fewest.load("hardest-6x6").explore()
    assert (rush_hour.num_states, rush_hour.minimum) == (24_132, 93)
    assert rush_hour.goal_distances is not None and rush_hour.goal_distances.eccentricity == 93
    eight = fewest.load("eight-puzzle").explore()
    # Reinefeld, Complete solution of the eight-puzzle, IJCAI 1993: two positions need 31 moves.
    assert eight.num_states == 181_440 and eight.goal_distances is not None
    assert (eight.goal_distances.eccentricity, eight.goal_distances.num_hardest) == (31, 2)
    assert eight.num_plans == 40  # this number is not published; only this program has counted it
    assert not eight.is_unique


def test_an_unsolvable_puzzle_is_all_dead() -> None:
    found = fewest.load("tiles-2x3-swapped").explore()
    assert found.minimum is None and found.num_plans == 0
    assert found.goal_distances is not None and found.goal_distances.num_solvable == 0
    assert found.goal_distances.hardest is None and found.goal_distances.eccentricity is None
    assert found.to_json()["hardest_states"] == 0


def test_the_pure_core_finds_the_same_space(monkeypatch: pytest.MonkeyPatch) -> None:
    task = fewest.load("keys-and-doors").task
    native = build_state_graph(task.problem)
    monkeypatch.setattr(states_module, "expand", pure.expand)
    monkeypatch.setattr(states_module, "StateSet", pure.StateSet)
    slow = build_state_graph(task.problem)
    assert sorted(map(native.integer, range(len(native)))) == sorted(
        map(slow.integer, range(len(slow)))
    )
    assert len(native.target) == len(slow.target)
    metric = metric_of(task, "moves")
    table = cost_table(task, metric)
    assert goal_distances(native, table).histogram() == goal_distances(slow, table).histogram()
    assert count_plans(slow, table, goal_distances(slow, table)) == 1


@pytest.mark.parametrize("words", [1, 2, 5])
def test_states_are_found_by_their_index(words: int) -> None:
    random = np.random.default_rng(words)
    states = np.unique(random.integers(0, 1 << 40, (300, words), np.uint64), axis=0)
    random.shuffle(states)
    index = StateIds(states[50:])
    found = index.find(states)
    assert (found[50:] == np.arange(len(states) - 50)).all() and (found[:50] == -1).all()


def test_cubes_of_one_mask_are_looked_up_together() -> None:
    random = np.random.default_rng(3)
    states = random.integers(0, 64, (500, 2), np.uint64)
    mask = np.repeat(random.integers(0, 64, (4, 2), np.uint64), 10, axis=0)
    value = random.integers(0, 64, (40, 2), np.uint64) & mask
    expected = ((states[:, None] & mask) == value).all(axis=2).any(axis=1)
    assert (in_cubes(states, mask, value) == expected).all()


def test_the_progress_callback_gets_all_states_and_edges_for_every_metric() -> None:
    task = fewest.load("keys-and-doors").task
    space, table = build_state_graph(task.problem), cost_table(task, metric_of(task, "moves"))
    reports: list[list[tuple[int, int]]] = []
    for distances in (goal_distances, start_distances):
        reports.append([])
        distances(space, table, lambda *numbers: reports[-1].append(numbers))
    assert {num_states for numbers in reports for num_states, _ in numbers} == {len(space)}
    most = space.num_bytes + len(space.target) * _EDGE_BYTES
    assert [numbers[-1][1] for numbers in reports] == [most, most]


def test_limits_leave_the_proved_bounds() -> None:
    task = fewest.load("tiles-2x4").task
    metric = metric_of(task, None)
    found = explore(task, metric, Limits(memory=400_000))
    assert found.reason == "memory" and found.goal_distances is None and found.num_plans is None
    found = explore(task, metric, Limits(seconds=0.0))
    assert found.reason == "time" and not found.is_exhausted
    whole = explore(task, metric)
    assert whole.reason is None and encode(task, start(fewest.load("tiles-2x4").puzzle))
