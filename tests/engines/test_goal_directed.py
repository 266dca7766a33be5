"""Goal-directed search: it finds some plan where there is one, and says so where there is none."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings

import fewest
from fewest.analysis.ways import Ways
from fewest.machine.resources import puzzles as shipped
from tests.helpers.agreement import compiled_or_none, relaxed
from tests.helpers.random_puzzles import puzzles


@settings(relaxed, max_examples=150)
@given(puzzles())
def test_a_random_puzzle_is_solved_exactly_if_it_can_be(text: str) -> None:
    compiled = compiled_or_none(text)
    assume(compiled is not None)
    assert compiled is not None
    first = compiled.metrics[0]
    known = compiled.solve(first, exhaust=True, seconds=5)
    assume(known.statistics["exhausted"] and known.statistics["states"] <= 2_000)
    for name in compiled.metrics:
        best = compiled.solve(name)
        found = compiled.solve(name, engine="goal-directed")
        if best.status == "unsolvable":
            assert (found.status, found.plan) == ("unsolvable", None)
            assert found.statistics["states"] == known.statistics["states"]
        else:
            assert found.status == "solved" and found.plan is not None
            assert found.lower_bound <= best.cost <= found.cost


@pytest.mark.parametrize("name", [name for family, name, _ in shipped() if family == "rush-hour"])
def test_every_rush_hour_board_is_solved_in_few_states(name: str) -> None:
    compiled = fewest.load(name)
    result = compiled.solve("steps", engine="goal-directed")
    best = compiled.solve("steps")
    assert result.status == "solved" and best.cost <= result.cost
    assert result.statistics["states"] < 5_000


def test_birds_board_takes_a_fraction_of_the_states() -> None:
    compiled = fewest.load("bird")
    planned, searched = compiled.solve(engine="goal-directed"), compiled.solve()
    assert planned.cost == searched.cost == 34
    assert planned.statistics["expanded"] * 20 < searched.statistics["expanded"]


def test_no_position_comes_twice_in_a_plan_and_no_detour_could_be_cut_short() -> None:
    compiled = fewest.load("hardest-6x6")
    result = compiled.solve("steps", engine="goal-directed")
    assert result.plan is not None
    task, states = compiled.task, [compiled.task.initial]
    for step in result.plan.operators:
        states.append(task.operators[step].apply(states[-1]))
    assert len(set(states)) == len(states)
    for number, state in enumerate(states):
        after = {o.apply(state) for o in task.operators if o.is_applicable(state)}
        assert not after & set(states[number + 2 :])


def test_the_cost_is_counted_in_the_metric_that_was_asked() -> None:
    compiled = fewest.load("qi-bu-cheng-shi")
    results = {m: compiled.solve(m, engine="goal-directed") for m in compiled.metrics}
    for metric, result in results.items():
        assert result.plan is not None
        assert sum(move.cost[0] for move in result.plan.moves) == result.cost, metric


def test_the_summary_does_not_claim_a_minimum() -> None:
    result = fewest.load("bird").solve(engine="goal-directed")
    assert result.summary() == "bird: 34 steps (not proven minimal)"


def test_a_step_that_is_hindered_is_preceded_by_what_frees_it() -> None:
    text = """
puzzle: jam
model: rush-hour
board: |
  ..B
  XXB
  ...
  ...
goal: {X: {touches: right}}
"""
    compiled = fewest.load("jam.yaml", text=text)
    task = compiled.task
    ((step, _), *_) = Ways(task).plans_at(task.initial, None, 8)
    assert task.operators[step].direction is not None
    assert task.operators[step].direction.name == "down"  # B must leave X's row altogether
    result = compiled.solve(engine="goal-directed")
    assert (result.status, result.cost) == ("solved", 3)


def test_variables_are_planned_for_too() -> None:
    result = fewest.load("hanoi", {"disks": 6}).solve(engine="goal-directed")
    assert result.status == "solved" and result.cost >= 63
    assert result.statistics["states"] < 729
