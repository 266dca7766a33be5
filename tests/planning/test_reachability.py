"""Unreachable combinations of facts: `forbid` is part of the proof."""

from __future__ import annotations

import fewest
from fewest.model.task import Task
from fewest.planning.reachability import unreachable_cubes
from tests.helpers.dead_states import states_of


def corridor(forbidden: str) -> Task:
    text = """
puzzle: corridor
board: "ab..."
legend: {".": floor, a: a, b: b}
pieces: {a: {}, b: {}}
moves: {go: {before: [a|b, empty], after: [empty, a|b], directions: horizontal}}
goal: {b: {at: [0, 4]}}
"""
    return fewest.load("corridor.yaml", text=f"{text}forbid: {forbidden}\n").task


def test_a_goal_behind_what_is_forbidden_is_not_reached_and_cubes_say_why() -> None:
    task = corridor("{b: {at: [0, 3]}}")
    cubes = unreachable_cubes(task)
    assert cubes

    def is_in_one(state: int) -> bool:
        return any(state & mask == value for mask, value in cubes)

    states = [state for state, _ in states_of(task, 100)]
    assert len(states) > 1 and not any(map(is_in_one, states))
    # In the task without a relevant `forbid`, each goal state is in one of the cubes.
    free = [state for state, _ in states_of(corridor("{a: {at: [0, 4]}}"), 100)]
    assert all(is_in_one(state) for state in free if task.is_goal(state))


def test_a_goal_that_can_be_reached_has_no_such_combinations() -> None:
    assert unreachable_cubes(corridor("{a: {at: [0, 3]}}")) is None
