"""Ways of single pieces: a step does what it says, and what is proposed can be done."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings

import fewest
from fewest.analysis.ways import Ways
from fewest.model.task import Task, facts_in
from tests.helpers.agreement import compiled_or_none, relaxed
from tests.helpers.dead_states import states_of
from tests.helpers.random_puzzles import puzzles


def check_steps(task: Task) -> None:
    """A step takes its fact away for another of its class or variable, or for none; none is missing."""
    ways = Ways(task)
    leaving: dict[int, set[int]] = {number: set() for number in range(len(task.operators))}
    for source, steps in ways.leaving.items():
        for target, number in ((t, n) for t, numbers in steps.items() for n in numbers):
            operator = task.operators[number]
            leaving[number].add(source)
            if (source, target) == (operator.from_fact, operator.to_fact):
                continue  # another piece of its class may come to where it was, or stand where it goes
            deleted, added = operator.flip & operator.value, operator.flip & ~operator.value
            assert deleted >> source & 1
            if target >= 0:
                assert added >> target & 1 and ways.owned[source] >> target & 1
            else:
                named = 1 << operator.to_fact if operator.to_fact >= 0 else 0
                assert not added & ways.owned[source] & ~named
    for number, operator in enumerate(task.operators):
        deleted = set(facts_in(operator.flip & operator.value))
        assert deleted <= leaving[number] <= deleted | {operator.from_fact}
    for target, numbers in ways.created.items():
        for operator in (task.operators[number] for number in numbers):
            assert operator.flip & ~operator.value & 1 << target


def check_plans(task: Task, most: int, num_states: int) -> int:
    """How many plans there are; each begins with an operator that can be done."""
    ways = Ways(task)
    num_plans = 0
    for state, _ in list(states_of(task, num_states))[:50]:
        fresh = ways.plans_at(state, None, most)
        for plans in (fresh, *(ways.plans_at(state, plan, most) for plan in fresh)):
            assert len(plans) <= most
            for first, _ in plans:
                operator = task.operators[first]
                assert operator.is_applicable(state)
                assert not task.is_forbidden(operator.apply(state))
        num_plans += len(fresh)
    return num_plans


@settings(relaxed, max_examples=25)
@given(puzzles())
def test_steps_and_plans_of_random_puzzles_can_be_done(text: str) -> None:
    compiled = compiled_or_none(text)
    assume(compiled is not None)
    assert compiled is not None
    check_steps(compiled.task)
    for most in (1, 3):
        check_plans(compiled.task, most, 500)


@pytest.mark.parametrize("name", ["microban-001", "knights-feast", "keys-and-doors", "guarini"])
def test_steps_and_plans_of_shipped_puzzles_can_be_done(name: str) -> None:
    task = fewest.load(name).task
    check_steps(task)
    assert check_plans(task, 2, 3_000)
