"""The reference interpreter lists all legal moves, or those of one piece."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

import fewest
from fewest.playing.rules import legal_moves
from tests.helpers.agreement import compiled_or_none, relaxed
from tests.helpers.random_puzzles import puzzles


@settings(relaxed, max_examples=100)
@given(puzzles())
def test_the_moves_of_one_piece_are_those_that_it_makes_among_all(text: str) -> None:
    compiled = compiled_or_none(text)
    if compiled is None:
        return
    position = compiled.start
    for _ in range(4):
        moves = list(legal_moves(position))
        for rule in {move.rule for move in moves}:
            of_rule = [move for move in moves if move.rule == rule]
            assert list(legal_moves(position, rule)) == of_rule
            for spot in position.pieces:
                of_piece = [
                    m for m in of_rule if m.ring is None and m.moved and m.moved[-1][0] == spot
                ]
                named = list(legal_moves(position, rule, spot))
                assert [move for move in named if move in of_piece] == of_piece
                assert all(move in of_rule for move in named)
                for move in of_piece:
                    assert move in legal_moves(position, rule, spot, move.direction)
            for heading, binding in {(move.direction, move.binding) for move in of_rule}:
                found = legal_moves(
                    position,
                    rule,
                    in_direction=heading,
                    bindings=lambda _, number, of=binding: number == of,
                )
                assert list(found) == [
                    m for m in of_rule if heading in (None, m.direction) and m.binding == binding
                ]
        for move in moves[:3]:
            assert list(legal_moves(position, but=move)) == [m for m in moves if m != move]
        if not moves:
            return
        position = moves[-1].target


@pytest.mark.parametrize(
    "name",
    [
        "double-push",  # lines of cells
        "round-the-world",  # a closed board
        "shunting",  # paths in a graph
        "strong-player",  # lines of several lengths
        "swinging-stone",  # rectangles
        "thin-ice",  # several layers
        "three-sides",  # steps across the sides of triangles
        "triangle-10",  # a hexagonal board
    ],
)
def test_a_pattern_is_laid_by_its_last_piece_wherever_that_moves(name: str) -> None:
    position, seen = fewest.load(name).start, 0
    for _ in range(4):
        moves = list(legal_moves(position))
        for move in moves:
            if move.carrier is not None:
                assert move in legal_moves(position, move.rule, move.carrier[0], move.direction)
                seen += 1
        position = moves[-1].target
    assert seen


def test_the_text_of_a_move_gives_the_motion_of_the_piece() -> None:
    plan = fewest.load("pull-out").solve().plan
    assert plan is not None
    offsets = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}
    steps = [step for move in plan.to_json() for step in move["steps"]]
    assert {step["rule"] for step in steps} == {"walk", "pull"}
    for step in steps:
        (row, column), (to_row, to_column) = step["from"], step["to"]
        assert offsets[step["direction"]] == (to_row - row, to_column - column)


def test_slides_and_pivots_can_be_limited_to_one_piece_and_direction() -> None:
    text = """
puzzle: two
board: |
  AA..
  ....
  ..BB
legend: {".": floor}
pieces: {bar: {letters: A-Z}}
moves: {turn: {pivot: bar, about: own}, go: {slide: bar}}
goal: {A: {at: [0, 2]}}
"""
    position = fewest.load("two.yaml", text=text).start
    for rule in ("turn", "go"):
        moves = list(legal_moves(position, rule))
        assert {move.carrier[0] for move in moves if move.carrier} == position.pieces
        for spot in position.pieces:
            own = [move for move in moves if move.carrier and move.carrier[0] == spot]
            assert list(legal_moves(position, rule, spot)) == own
            for heading in {move.direction for move in own}:
                assert list(legal_moves(position, rule, spot, heading)) == [
                    move for move in own if move.direction == heading
                ]
