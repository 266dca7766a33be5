"""Positions and states are two encodings of the same information."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings

import fewest
from fewest.errors import DocumentError
from fewest.model.expression import Content
from fewest.model.position import Position, start
from fewest.model.states import decode, encode
from fewest.playing.exhaust import TooManyPositionsError, exhaust
from fewest.playing.rules import legal_moves
from tests.helpers.agreement import LIMIT, compiled_or_none, relaxed
from tests.helpers.random_puzzles import puzzles

SHIPPED = ["heng-dao-li-ma", "hardest-6x6", "microban-001", "hanoi", "jugs", "english", "bird"]


@settings(relaxed, max_examples=40)
@given(puzzles())
def test_every_reachable_position_can_be_restored_from_its_state(text: str) -> None:
    compiled = compiled_or_none(text)
    assume(compiled is not None)
    assert compiled is not None
    try:
        reach = exhaust(compiled.puzzle, compiled.puzzle.metrics["ones"], LIMIT)
    except (TooManyPositionsError, DocumentError):
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


def test_positions_are_equal_if_their_contents_are_equal() -> None:
    puzzle = fewest.load("jugs").puzzle
    first, second = start(puzzle), start(puzzle)
    other = Position(puzzle, first.pieces, (1, 0))
    assert [first == second, first != second, first == other, first != other] == [
        True,
        False,
        False,
        True,
    ]


def test_a_cell_equals_the_kind_and_the_letter_of_its_piece() -> None:
    content = Content("block", "A")
    assert [content == word for word in ("block", "A", "B", Content("block", "A"))] == [
        True,
        True,
        False,
        True,
    ]
    assert [content != word for word in ("block", "A", "B", Content("block", "A"))] == [
        False,
        False,
        True,
        False,
    ]


def test_equal_values_are_not_different() -> None:
    """A Struct inherits a `!=` that compares identities, so a class that defines `==` must define `!=` too."""
    from fewest.model.expression import Content, Ground

    ground = Ground(frozenset({"floor", "ice"}))
    assert ground == "ice" and not ground != "ice" and ground != "wall"  # noqa: SIM202
    assert not Ground(frozenset({"ice"})) != Ground(frozenset({"ice"}))  # noqa: SIM202
    content = Content("box", "A")
    assert content == "box" and not content != "box" and content != "wall"  # noqa: SIM202
