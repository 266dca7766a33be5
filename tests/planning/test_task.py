"""Planning tasks have the minima, invariants, merged moves and idle layers that playing the puzzle shows."""

from __future__ import annotations

import heapq
from collections.abc import Iterator

import pytest
from hypothesis import assume, given, settings

import fewest
from fewest.errors import DocumentError, UsageError
from fewest.grounding.ground import ground
from fewest.model.metric import metric_of
from fewest.planning.macros import MacroOperator
from fewest.planning.task import PlanningTask, planning_task, weighted_task
from fewest.playing.exhaust import TooManyPositionsError, exhaust
from tests.helpers.agreement import compiled_or_none, relaxed
from tests.helpers.random_puzzles import puzzles

MOST = 3_000  # the limit on states of a planning task


def after(planning: PlanningTask, state: int) -> Iterator[tuple[MacroOperator, int, int]]:
    """The applicable moves, their costs in layers, and their target states."""
    for moves, is_free in ((planning.free, True), (planning.moves, False)):
        for move in moves:
            if not move.is_applicable(state):
                continue
            target = state ^ move.flip
            if planning.is_forbidden(target):
                continue
            assert move.flip & ~move.mask == 0
            yield move, 0 if is_free else move.layers, target


def least(planning: PlanningTask, whole_runs: bool) -> tuple[int | None, set[int]]:
    """The fewest layers to a goal, and all states. With `whole_runs`, no move continues the run of an earlier move."""
    queue = [(0, planning.initial, -1)]
    known: set[tuple[int, int]] = set()
    successors: dict[int, list[tuple[MacroOperator, int, int]]] = {}
    minimum = None
    while queue:
        cost, state, run = heapq.heappop(queue)
        if (state, run) in known:
            continue
        known.add((state, run))
        if len(known) > MOST:
            raise TooManyPositionsError(MOST)
        if minimum is None and planning.is_goal(state):
            minimum = cost
        if state not in successors:  # with `whole_runs`, a state may be expanded after several runs
            successors[state] = list(after(planning, state))
        for move, layers, target in successors[state]:
            if whole_runs and run >= 0 and move.run_in == run:
                continue
            heapq.heappush(queue, (cost + layers, target, move.run_out if whole_runs else -1))
    return minimum, {state for state, _ in known}


def check_planning_task(compiled: fewest.CompiledPuzzle, name: str, most: int = 150) -> bool:
    """Whether the task is small enough. If so, check that its minimum in layers and in weights is that of the
    reference."""
    puzzle, task = compiled.puzzle, compiled.task
    metric = metric_of(task, name)
    try:
        reach = exhaust(puzzle, metric, most)
        plain, layered = weighted_task(task, metric), planning_task(task, metric)
    except (TooManyPositionsError, DocumentError, UsageError):
        return False
    expected = None if reach.minimum is None else reach.minimum[0]
    inside = (1 << len(task.facts)) - 1
    for planning in (plain, layered):
        try:
            minimum, states = least(planning, False)
        except TooManyPositionsError:
            return False
        assert expected == (None if minimum is None else minimum * planning.unit)
        assert {state & inside for state in states} >= {task.initial}
        extra = planning.facts[len(task.facts) :]
        assert len(set(extra)) == len(extra)
        assert planning.facts[: len(task.facts)] == tuple(fact.name for fact in task.facts)
        for state in states:
            assert state.bit_length() <= len(planning.facts)
            for group in planning.exactly:
                assert sum(state >> fact & 1 for fact in group.facts) == group.count
            for facts in planning.at_most_one:
                assert sum(state >> fact & 1 for fact in facts) <= 1
        if planning.has_whole_runs:
            assert least(planning, True)[0] == minimum
        assert all(move.layers == 0 for move in planning.free)
        for move in (*planning.moves, *planning.free):
            flip = 0
            for operator in move.operators:
                flip ^= task.operators[operator].flip
            assert move.flip & inside == flip
    assert plain.unit == 1
    assert all(move.layers == 1 for move in layered.moves)
    return True


@settings(relaxed, max_examples=30)
@given(puzzles())
def test_a_planning_task_has_the_minimum_of_the_reference_and_its_invariants_hold(
    text: str,
) -> None:
    compiled = compiled_or_none(text)
    assume(compiled is not None)
    assert compiled is not None
    for name, metric in compiled.puzzle.metrics.items():
        if len(metric.parts) == 1:
            check_planning_task(compiled, name)


TOLL = """
puzzle: toll
board: |
  A..
  .B.
pieces: {block: {letters: A-Z}}
legend: {".": floor}
moves: {across: {slide: block, directions: horizontal}, down: {slide: block, directions: vertical}}
goal: {A: {at: [1, 2]}}
metrics:
  ones: {}
  twos: {count: {across: 2, down: 2}}
  toll: {count: {across: 2, down: 6}}
  paths: {count: {across: 0, down: 2}, merge: path}
  whole: {merge: path}
"""


@pytest.mark.parametrize(
    ("name", "unit", "extra", "is_whole"),
    [
        ("ones", 1, (), False),
        ("twos", 2, (), False),
        ("toll", 2, ("ready", "wait 1", "wait 2"), False),
        ("whole", 1, (), True),
    ],
)
def test_waits_and_units_are_those_of_the_weights(
    name: str, unit: int, extra: tuple[str, ...], is_whole: bool
) -> None:
    compiled = fewest.load("toll.yaml", text=TOLL)
    planning = planning_task(compiled.task, compiled.puzzle.metrics[name])
    assert planning.unit == unit
    assert planning.facts[len(compiled.task.facts) :] == extra
    assert planning.has_whole_runs == is_whole
    assert len(planning.exactly) == len(compiled.task.exactly) + bool(extra)
    assert check_planning_task(compiled, name, 2_000)


def test_runs_that_free_moves_do_not_end_are_facts() -> None:
    compiled = fewest.load("toll.yaml", text=TOLL)
    task = compiled.task
    planning = planning_task(task, compiled.puzzle.metrics["paths"])
    extra = planning.facts[len(task.facts) :]
    assert extra[0] == "no run" and all(run.startswith("run ") for run in extra[1:])
    assert len(extra) > 1 and not planning.has_whole_runs
    assert planning.exactly[-1].facts == tuple(range(len(task.facts), len(planning.facts)))
    assert planning.exactly[-1].count == 1
    assert planning.initial == task.initial | 1 << len(task.facts)
    assert check_planning_task(compiled, "paths", 2_000)


def test_a_pair_is_refused_and_its_parts_are_not() -> None:
    compiled = fewest.load("microban-001")
    metric = compiled.puzzle.metrics["pushes-then-moves"]
    with pytest.raises(
        UsageError, match="the lexicographic metric `pushes-then-moves` is not supported"
    ):
        planning_task(compiled.task, metric)
    assert [len(planning_task(compiled.task, metric, part).free) > 0 for part in (0, 1)] == [
        True,
        False,
    ]


def test_a_move_that_would_take_too_many_layers_is_refused() -> None:
    text = """
puzzle: far
board: |
  A..B
legend: {".": floor, A: a, B: b}
pieces: {a: {}, b: {}}
moves: {go: {slide: a}, come: {slide: b}}
goal: {a: {at: [0, 2]}}
metrics: {cost: {count: {go: 1, come: 1000000}}}
"""
    compiled = fewest.load("far.yaml", text=text)
    with pytest.raises(UsageError, match=r"up to 1,000,000 times the unit"):
        planning_task(compiled.task, compiled.puzzle.metrics["cost"])
    assert compiled.solve().cost == 2


def test_the_refusal_of_uncounted_moves_is_true_without_consequences() -> None:
    text = """puzzle: dry
variables: {wet: {values: [0, 1], initial: 0}, done: {values: [0, 1], initial: 0}}
moves: {spread: {when: wet == 0, set: {wet: 1}}, end: {when: not can(spread), set: {done: 1}}}
metrics: {spreads: {count: {spread: 1, end: 0}}}
goal: done == 1
"""
    puzzle = fewest.load("dry.yaml", text=text).puzzle
    task = ground(puzzle, most_rule_tests=-1)
    assert task.consequences and not puzzle.then
    with pytest.raises(
        UsageError, match="the conditions or consequences of the moves have too many"
    ):
        planning_task(task, task.metrics["spreads"])
