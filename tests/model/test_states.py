"""Positions and states are two ways to write the same."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings

import fewest
from fewest.errors import DocumentError
from fewest.model.states import decode, encode
from fewest.playing.exhaust import TooLargeError, exhaust
from fewest.playing.rules import legal_moves
from tests.helpers.agreement import LIMIT, compiled_or_none, relaxed
from tests.helpers.random_puzzles import puzzles

SHIPPED = ["heng-dao-li-ma", "hardest-6x6", "microban-001", "hanoi", "jugs", "english", "bird"]


@settings(relaxed, max_examples=40)
@given(puzzles())
def test_every_reachable_position_comes_back_from_its_state(text: str) -> None:
    compiled = compiled_or_none(text)
    assume(compiled is not None)
    assert compiled is not None
    try:
        reach = exhaust(compiled.puzzle, compiled.puzzle.metrics["ones"], LIMIT)
    except (TooLargeError, DocumentError):
        assume(False)
    states = {encode(compiled.task, position): position for position in reach.costs}
    assert len(states) == len(reach.costs)
    for state, position in states.items():
        assert decode(compiled.puzzle, compiled.task, state) == position


@pytest.mark.parametrize("name", SHIPPED)
def test_the_start_of_a_puzzle_is_the_initial_state_of_its_task(name: str) -> None:
    compiled = fewest.load(name)
    assert encode(compiled.task, compiled.start) == compiled.task.initial
    assert decode(compiled.puzzle, compiled.task, compiled.task.initial) == compiled.start


@pytest.mark.parametrize("name", SHIPPED)
def test_operators_do_what_legal_moves_do(name: str) -> None:
    compiled = fewest.load(name)
    task, position = compiled.task, compiled.start
    for _ in range(3):
        state = encode(task, position)
        moves = list(legal_moves(position))
        after = {o.apply(state) for o in task.operators if o.is_applicable(state)}
        assert after == {encode(task, move.target) for move in moves}
        assert task.initial.bit_length() <= len(task.facts)
        position = moves[0].target
