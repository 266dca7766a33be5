"""The potential is a lower bound in every state; the waste of a plan is its length above the bound."""

from __future__ import annotations

from itertools import pairwise, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fewest
from fewest.model.metric import metric_of
from fewest.planning.assignment import assignment_weights
from fewest.planning.potential import Potential
from fewest.planning.task import PlanningTask, planning_task

PUZZLES = [
    ("eight-puzzle", {}, None, 31),
    ("tiles-2x3", {}, None, 21),
    ("fifteen-15", {}, None, 15),
    ("hanoi", {}, None, 7),
    ("guarini", {}, None, 16),
    ("machinarium", {}, None, 15),
    ("microban-003", {}, "pushes", 13),
    ("microban-005", {}, "moves", 25),
    ("microban.xsb:36", {}, "pushes", 59),
    ("microban.xsb:131", {}, "pushes", 31),
    ("bird", {}, "slides", 24),
    ("toll", {}, "effort", 14),
    ("wolf-goat-cabbage", {}, None, 7),
]


def wasted(planning: PlanningTask, potential: Potential, states: list[int]) -> int:
    """The waste of a walk in units; each pair of consecutive states determines the effect of a move."""
    waste = dict(zip((move.effect for move in planning.moves), potential.waste, strict=True))
    return sum(waste[state & ~target, target & ~state] for state, target in pairwise(states))


@pytest.mark.parametrize(("name", "parameters", "metric", "minimum"), PUZZLES)
def test_no_move_wastes_less_than_nothing_and_the_start_needs_no_more_than_the_minimum(
    name: str, parameters: dict[str, int], metric: str | None, minimum: int
) -> None:
    task = fewest.load(name, parameters).task
    planning = planning_task(task, metric_of(task, metric))
    potential = Potential(planning)
    assert 0 < potential.start <= minimum // planning.unit
    assert min(potential.waste) == 0
    assert potential.is_excluded(potential.start - 1, False)
    assert not potential.is_excluded(minimum // planning.unit, True)


def test_tiles_have_the_manhattan_distance() -> None:
    task = fewest.load("eight-puzzle").task
    potential = Potential(planning_task(task, metric_of(task, None)))
    # A step away from the goal cell wastes two moves, the step and its reversal.
    assert (potential.start, potential.unit, set(potential.waste)) == (21, 2, {0, 1})
    assert potential.most(31) == 5
    assert potential.most(20) is None and potential.most(21 + 2 * 12) == 12
    assert potential.most(21 + 2 * 13) is None


@pytest.mark.parametrize("engine", ["sat", "asp"])
def test_the_waste_of_a_minimal_plan_is_its_length_minus_the_potential(engine: str) -> None:
    compiled = fewest.load("fifteen-15")
    planning = planning_task(compiled.task, metric_of(compiled.task, None))
    potential = Potential(planning)
    result = compiled.solve(engine=engine)
    assert result.plan is not None and result.cost == 15
    states = [planning.initial]
    for number in result.plan.operators:
        states.append(states[-1] ^ compiled.task.operators[number].flip)
    assert wasted(planning, potential, states) * potential.unit == 15 - potential.start


def test_every_box_has_a_goal_of_its_own_and_dead_squares_do_not_spoil_the_unit() -> None:
    task = fewest.load("microban.xsb:131").task
    potential = Potential(planning_task(task, metric_of(task, "pushes")))
    # The boxes are 11 pushes from the nearest goals in total, but 17 from different goals.
    assert (potential.start, potential.unit) == (17, 2)
    assert potential.most(31) == 7
    assert potential.is_excluded(30, True) and not potential.is_excluded(31, True)


def test_the_waste_of_a_plan_of_pushes_is_its_length_minus_the_potential() -> None:
    compiled = fewest.load("microban-003")
    planning = planning_task(compiled.task, metric_of(compiled.task, "pushes"))
    potential = Potential(planning)
    result = compiled.solve("pushes", engine="bfs")
    assert result.plan is not None and result.cost == 13
    of_operator = {move.operators[0]: n for n, move in enumerate(planning.moves)}
    pushes = [of_operator[n] for n in result.plan.operators if n in of_operator]
    assert len(pushes) == 13
    assert sum(potential.waste[n] for n in pushes) * potential.unit == 13 - potential.start


def squares(size: int) -> st.SearchStrategy[list[list[int]]]:
    rows = st.lists(st.integers(0, 9), min_size=size, max_size=size)
    return st.lists(rows, min_size=size, max_size=size)


@given(st.integers(1, 5).flatmap(squares))
def test_the_weights_prove_the_cost_of_the_cheapest_assignment(costs: list[list[int]]) -> None:
    weights = assignment_weights(costs)
    least = [min(cost - weight for cost, weight in zip(row, weights, strict=True)) for row in costs]
    cheapest = min(
        sum(row[column] for row, column in zip(costs, order, strict=True))
        for order in permutations(range(len(costs)))
    )
    assert sum(weights) + sum(least) == cheapest
