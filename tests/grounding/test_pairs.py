"""Mutex pairs of values reduce the number of operators and change nothing else."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings

import fewest
from fewest.engines import ENGINES
from fewest.errors import UsageError
from fewest.grounding import action
from fewest.grounding.ground import ground
from fewest.model.answer import single
from fewest.model.position import Position, start
from fewest.model.states import encode
from fewest.model.task import Task
from fewest.playing.exhaust import TooManyPositionsError, exhaust
from fewest.playing.move import Move
from fewest.playing.rules import legal_moves
from tests.helpers.agreement import LIMIT, compiled_or_none, relaxed
from tests.helpers.dead_states import states_of
from tests.helpers.random_puzzles import actions

BALLS = """
puzzle: balls
constants: {start: [[1, 2, 1], [2, 1, 2], [0, 0, 0]], heights: [3, 3, 0]}
variables:
  c[b, h]: {for: {b: range(3), h: range(3)}, values: range(3), initial: "start[b][h]"}
  n[b]: {for: {b: range(3)}, values: range(4), initial: "heights[b]"}
moves:
  move:
    for: {a: range(3), b: range(3), i: range(3), j: range(3), v: [1, 2]}
    when: >-
      a != b and n[a] == i + 1 and n[b] == j and c[a, i] == v
      and (j == 0 or c[b, max(j - 1, 0)] == v)
    set: {"c[a, i]": 0, "n[a]": i, "c[b, j]": v, "n[b]": j + 1}
goal: all(c[b, 0] == c[b, h] for b in range(3) for h in range(3))
"""


LAST = 8
"""the horizon at which SAT and ASP end without a plan; refuting all horizons would take most of the time"""


@pytest.fixture(autouse=True)
def every_rule_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(action, "MANY_TURNS", 1)


def test_a_ball_moves_to_an_empty_place() -> None:
    compiled = fewest.load("balls.yaml", text=BALLS)
    task = compiled.grounded
    assert len(task.operators) == 6 * 3 * 3 * 2  # pairs of tubes, levels, levels, colours
    assert not task.pending
    for engine in ("bfs", "python", "bidirectional", "sat", "asp"):
        found = compiled.solve(engine=engine)
        assert (found.status, found.cost) == ("optimal", 6), engine


def test_no_operator_for_a_replaced_value_that_is_there_is_missing() -> None:
    text = BALLS.replace("[0, 0, 0]]", "[0, 2, 0]]")  # a move replaces a ball without support
    compiled = fewest.load("balls.yaml", text=text)
    puzzle = compiled.puzzle
    states = {state for state, _ in states_of(compiled.grounded, 5_000)}
    reach = exhaust(puzzle, puzzle.metrics["moves"], 5_000)
    assert states == {encode(compiled.grounded, position) for position in reach.costs}


def test_positions_that_are_never_reached_are_no_states() -> None:
    compiled = fewest.load("balls.yaml", text=BALLS)
    elsewhere = fewest.load("balls.yaml", text=BALLS.replace("[0, 0, 0]]", "[0, 2, 0]]")).puzzle
    assert encode(compiled.grounded, start(compiled.puzzle)) == compiled.grounded.initial
    with pytest.raises(KeyError):
        encode(compiled.grounded, start(elsewhere))


def test_simultaneous_changes_by_another_rule_are_no_proof() -> None:
    other = "  mess: {when: 'n[2] == 0', set: {'c[b, h] for b in range(3) for h in range(3)': '2 - c[b, h]'}}\ngoal:"
    compiled = fewest.load("balls.yaml", text=BALLS.replace("goal:", other))
    puzzle, task = compiled.puzzle, compiled.grounded
    assert task.pending and not task.never
    reach = exhaust(puzzle, puzzle.metrics["moves"], 5_000)
    for position in reach.costs:
        moves = {encode(task, move.target) for move in legal_moves(position)}
        assert moves == successors(task, encode(task, position))


@settings(relaxed, max_examples=40)
@given(text=actions())
def test_random_actions_lead_to_the_position_of_the_reference(text: str) -> None:
    compiled = compiled_or_none(text)
    assume(compiled is not None)
    assert compiled is not None
    puzzle = compiled.puzzle
    try:
        played: dict[Position, list[Move]] = {}
        reaches = {m.name: exhaust(puzzle, m, LIMIT, played) for m in puzzle.metrics.values()}
    except TooManyPositionsError:
        assume(False)
    positions = next(iter(reaches.values())).costs
    moves = {p: [move.target for move in played[p]] for p in positions}
    for most in (64, 2):
        task = ground(puzzle, most_flips=most)
        for position, targets in moves.items():
            states = {encode(task, target) for target in targets}
            assert states == successors(task, encode(task, position))
        compiled.__dict__["grounded"] = task
        for number, (metric, reach) in enumerate(reaches.items()):
            minimum = None if reach.minimum is None else single(reach.minimum)
            for engine in list(ENGINES)[number % 2 if most == 64 else 1 - number % 2 :: 2]:
                is_planner = engine in ("sat", "asp")
                options = {"last": LAST} if is_planner and minimum is None else {}
                try:
                    found = compiled.solve(metric, engine=engine, **options)
                except UsageError:
                    continue
                if ENGINES[engine].is_optimal and found.status != "limit":
                    assert found.cost == minimum, engine


def successors(task: Task, state: int) -> set[int]:
    found = (
        task.after(number, state)
        for number, move in enumerate(task.moves)
        if move.is_applicable(state)
    )
    return {after for after in found if after is not None and not task.is_forbidden(after)} - {
        state
    }
