"""Ways of single pieces: a step does what it says, and what is proposed can be done."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings

import fewest
from fewest.analysis import ways as ways_module
from fewest.analysis.ways import Agenda, Ways, _steps
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


CORRIDOR = """
puzzle: corridor
board: ".a...b"
legend: {".": floor, a: a, b: b}
pieces: {a: {}, b: {}}
moves:
  go: {before: [a, empty], after: [empty, a]}
  turn: {before: [b, empty], after: [empty, b]}
goal: {any: [{all: [{a: {at: [0, 4]}}, {b: {at: [0, 0]}}]}, {a: {at: [0, 0]}}]}
"""


def test_a_plan_is_the_shortest_way_of_a_piece_to_the_goal_that_lacks_least() -> None:
    task = fewest.load("corridor.yaml", text=CORRIDOR).task
    names = {fact.name: number for number, fact in enumerate(task.facts)}
    ways = Ways(task)

    def cells(plan: Agenda) -> list[int]:
        """Where the pieces come to, one after the other."""
        return [task.facts[task.operators[step].to_fact].cell for step in _steps(plan)]

    assert len(task.goal) == 2
    assert [cells(plan) for plan in ways.plans_at(task.initial, None, 5)] == [[0]]
    # From where it stands, not from nearer places where it does not.
    ((cost, way),) = ways._repairs(task.initial, names["a@0,4"], 0, 0)
    assert cost == 3 and [task.facts[task.operators[step].to_fact].cell for step in way] == [
        2,
        3,
        4,
    ]


def test_without_a_replacement_left_a_plan_that_is_stuck_gives_way_to_a_fresh_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    task = fewest.load("corridor.yaml", text=CORRIDOR).task
    ways = Ways(task)
    later = next(
        number
        for number, operator in enumerate(task.operators)
        if operator.rule == "go" and task.facts[operator.from_fact].cell == 2
    )
    ((first, rest),) = ways.plans_at(task.initial, (later, None), 1)
    assert _steps((first, rest))[-1] == later
    monkeypatch.setattr(ways_module, "_MAX_TRIES", 0)
    assert ways.plans_at(task.initial, (later, None), 1) == ways.plans_at(task.initial, None, 1)


@pytest.mark.parametrize(("forbidden", "number"), [("[0, 0]", 0), ("[0, 2]", 1)])
def test_what_leads_to_a_forbidden_position_is_no_plan(forbidden: str, number: int) -> None:
    text = f"{CORRIDOR}forbid: {{a: {{at: {forbidden}}}}}\n"
    task = fewest.load("corridor.yaml", text=text).task
    assert len(Ways(task).plans_at(task.initial, None, 5)) == number
