"""Property-directed reachability: its proofs that no goal state is reachable take `forbid` into account."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from math import inf

import pytest
from hypothesis import given, settings

import fewest
from fewest.errors import DocumentError
from fewest.model.answer import LimitReached
from fewest.model.task import Task
from fewest.planning.reachability import GoalRefutation, can_search, unreachable_cubes
from tests.helpers.dead_states import states_of
from tests.helpers.random_puzzles import puzzles


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


def test_a_goal_behind_forbidden_positions_is_refuted_by_cubes() -> None:
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


def in_slices(task: Task, slice_seconds: float) -> bool:
    """The verdict of a search that is stopped after every time slice and resumed until the search ends."""
    refutation = GoalRefutation(task)
    allowed = 0.0
    while not refutation._is_over:
        allowed = max(allowed, refutation.spent) + slice_seconds
        if refutation.succeeds(allowed, inf):
            assert refutation.num_cubes > 0
            return True
    return False


@settings(max_examples=60)
@given(puzzles())
def test_a_goal_is_refuted_alongside_the_horizons_iff_no_state_satisfies_it(text: str) -> None:
    try:
        task = fewest.load("random.yaml", text=text).task
    except DocumentError:
        return
    if can_search(task) and not task.further_goals:
        states = [state for state, _ in states_of(task, 3_000)]
        if len(states) < 3_000:
            assert in_slices(task, 0.001) == (not any(map(task.is_goal, states)))


def test_many_attempts_that_are_too_short_for_one_goal_end() -> None:
    assert in_slices(fewest.load("clones-three").task, 0.0003)


def test_a_stopped_solver_continues_and_ends_at_a_deadline() -> None:
    task = fewest.load("clones-three").task  # the proof takes about 0.1 s
    refutation = GoalRefutation(task)
    assert not refutation.succeeds(0.005, inf)
    before = refutation.spent
    assert not refutation.succeeds(before, inf) and refutation.spent == before
    with pytest.raises(LimitReached):
        refutation.succeeds(inf, time.perf_counter())
    assert refutation.succeeds(inf, inf)
    assert not refutation.succeeds(inf, inf)  # the search is over


PIGEONS = """
import os, subprocess
from math import inf
import fewest
from fewest.planning.reachability import _Steps
steps = _Steps(fewest.load("jugs").task, inf)
holes, first = 8, steps.top
at = lambda pigeon, hole: first + pigeon * holes + hole + 1
for pigeon in range(holes + 1):
    steps.solver.add_clause([at(pigeon, hole) for hole in range(holes)])
for hole in range(holes):
    for one in range(holes + 1):
        for other in range(one):
            steps.solver.add_clause([-at(one, hole), -at(other, hole)])
print("ready", flush=True)
try:
    while True:
        steps.is_satisfiable([])
except BaseException as error:
    print(type(error).__name__)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs the signals of POSIX")
def test_ctrl_c_in_the_solver_is_ctrl_c() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", PIGEONS], stdout=subprocess.PIPE, text=True
    ) as one:
        assert one.stdout is not None and one.stdout.readline() == "ready\n"
        time.sleep(0.1)  # the solver refutes nine pigeons in eight holes repeatedly
        one.send_signal(signal.SIGINT)
        out, _ = one.communicate(timeout=60)
    assert out == "KeyboardInterrupt\n"
