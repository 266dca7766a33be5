"""Every operator of a task is a move of the rules, with the same target position."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from msgspec.structs import replace

import fewest
from fewest.errors import DocumentError
from fewest.grounding.ground import ground
from fewest.model.position import Position
from fewest.model.states import encode
from fewest.playing import rules
from fewest.playing.exhaust import TooManyPositionsError, exhaust
from fewest.playing.move import Move
from fewest.playing.replay import _legal_move, play
from tests.helpers.agreement import compiled_or_none, relaxed
from tests.helpers.random_puzzles import puzzles


@settings(relaxed, max_examples=15)
@given(puzzles())
def test_every_operator_is_a_move_wherever_it_applies(text: str) -> None:
    compiled = compiled_or_none(text)
    assume(compiled is not None)
    assert compiled is not None
    puzzle, task = compiled.puzzle, compiled.task
    try:
        positions = list(exhaust(puzzle, puzzle.metrics["ones"], 150).costs)
    except (TooManyPositionsError, DocumentError):
        assume(False)
    for position in positions[:12]:
        state = encode(task, position)
        for index, operator in enumerate(task.operators):
            target = operator.apply(state)
            if operator.is_applicable(state) and not task.is_forbidden(target):
                move = _legal_move(task, position, index, target)
                assert move is not None and encode(task, move.target) == target
                if position == positions[0]:
                    (step,) = play(puzzle, task, [index])
                    assert step.move.target == move.target


@pytest.mark.parametrize("name", ["hanoi", "tiles-2x3", "microban-001", "two-rings", "jugs"])
def test_an_operator_without_a_moved_piece_is_also_played(name: str) -> None:
    compiled = fewest.load(name)
    task, plan = compiled.task, compiled.solve().plan
    assert plan is not None
    bare = replace(
        task,
        operators=tuple(
            replace(operator, from_fact=-1, to_fact=-1, ring=-1, direction=None)
            for operator in task.operators
        ),
    )
    with_labels, without_labels = (
        list(play(compiled.puzzle, t, plan.operators)) for t in (task, bare)
    )
    assert [s.move.target for s in with_labels] == [s.move.target for s in without_labels]


@pytest.mark.parametrize("name", ["tilt-4", "landslide", "falling-snake", "flood-4x4"])
def test_the_consequences_of_each_move_of_a_plan_are_played_once(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The replay of a plan takes most of the time of `solutions`, if moves have consequences."""
    compiled = fewest.load(name)
    plan = compiled.solve(audit="off").plan
    assert plan is not None
    played: list[Move] = []
    whole = rules._with_consequences

    def counted(position: Position, move: Move) -> Move | None:
        played.append(move)
        return whole(position, move)

    monkeypatch.setattr(rules, "_with_consequences", counted)
    steps = list(play(compiled.puzzle, compiled.task, plan.operators))
    assert len(played) == len(steps)


CAPTURED = """
puzzle: fed
legend: {".": floor, f: fish, s: shark}
pieces: {fish: {}, shark: {}}
moves:
  swim: {before: [fish, empty], after: [empty, fish], for: {k: [5, 1]}, count: k}
then:
  eat: {before: [shark, fish], after: [shark, empty]}
goal: {count: {fish: 0}}
board: |
  f.s
"""


@pytest.mark.parametrize("most_divided", [100_000, 0])
def test_a_move_whose_piece_is_captured_by_consequences_has_the_binding_of_its_operator(
    most_divided: int,
) -> None:
    puzzle = fewest.load("fed.yaml", text=CAPTURED).puzzle
    task = ground(puzzle, most_divided=most_divided)
    bindings = {operator.binding for operator in task.operators}
    assert bindings == {0, 1}
    for index, operator in enumerate(task.operators):
        if operator.is_applicable(task.initial):
            (step,) = play(puzzle, task, [index])
            assert step.move.binding == operator.binding
