"""The enumeration of goal states stops at a budget of partial states and at a deadline."""

from __future__ import annotations

from math import comb

import pytest

import fewest
from fewest.analysis import regression as reverse_module
from fewest.analysis.regression import TooManyStatesError, goal_states
from fewest.model.answer import LimitReached
from fewest.model.task import Task


def five_of_ten() -> Task:
    """Five pieces anywhere on ten cells; the goal mentions none of them."""
    text = """
puzzle: five
board: "aaaaa.....b"
legend: {".": floor, a: a, b: b}
pieces: {a: {}, b: {}}
moves: {go: {before: [a, empty], after: [empty, a]}, swap: {before: [a, b], after: [b, a]}}
goal: {b: {at: [0, 10]}}
"""
    return fewest.load("five.yaml", text=text).task


def test_the_enumeration_stops_only_after_the_deadline(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(reverse_module.time, "perf_counter", lambda: 5.0)
    task = five_of_ten()
    assert len(goal_states(task, 300, 5.0)) == comb(10, 5)
    with pytest.raises(LimitReached) as stopped:
        goal_states(task, 300, 4.9)
    assert stopped.value.reason == "time"


def test_more_partial_states_than_allowed_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    # The enumeration visits placements of up to four of the five pieces, including placements that leave too few cells
    # for the rest.
    task = five_of_ten()
    num_nodes = comb(11, 4)
    monkeypatch.setattr(reverse_module, "_NODES_PER_STATE", 1)
    assert len(goal_states(task, num_nodes)) == comb(10, 5)
    with pytest.raises(TooManyStatesError) as stopped:
        goal_states(task, num_nodes - 1)
    assert stopped.value.at_most == comb(10, 5)
