"""Every operator of a task is a move of the rules, with the same target position."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from msgspec.structs import replace

import fewest
from fewest.errors import DocumentError
from fewest.model.states import encode
from fewest.playing.exhaust import TooManyPositionsError, exhaust
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
def test_an_operator_that_does_not_say_what_it_moves_is_played_all_the_same(name: str) -> None:
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
    told, untold = (list(play(compiled.puzzle, t, plan.operators)) for t in (task, bare))
    assert [s.move.target for s in told] == [s.move.target for s in untold]
