"""One operator of a repeated pattern has the effect of the steps of the reference interpreter."""

from __future__ import annotations

import pytest

import fewest
from fewest.model.position import start
from fewest.model.states import encode
from fewest.playing.exhaust import exhaust
from fewest.playing.rules import legal_moves
from tests.helpers.dead_states import states_of
from tests.helpers.matrix.compare import compare

HEAD = """
puzzle: on
legend: {{".": floor, "#": wall, a: a, b: b, c: c}}
pieces: {{a: {{}}, b: {{}}, c: {{}}}}
moves: {{go: {{{rule}, distance: blocked}}}}
goal: {{b: {{at: [0, 0]}}}}
metrics: {{ones: {{}}}}
board: |
  ab.b.c
  ..#...
  ba....
"""
RULES = {
    "goes": "before: [a, empty], after: [empty, a]",
    "pushes": "before: [a, b, empty], after: [empty, a, b]",
    "pulls": "before: [b, a, empty], after: [empty, b, a]",
    "jumps": "before: [a, b, empty], after: [empty, b, a]",
    "eats": "before: [a, c|empty], after: [empty, a]",
    "leaves a trail": "before: [a, empty], after: [c, a]",
}


@pytest.mark.parametrize("rule", RULES)
def test_positions_and_directions_are_those_of_the_reference(rule: str) -> None:
    compiled = fewest.load("on.yaml", text=HEAD.format(rule=RULES[rule]))
    puzzle, task = compiled.puzzle, compiled.task
    reach = exhaust(puzzle, puzzle.metrics["ones"], 2_000)
    assert {state for state, _ in states_of(task, 2_000)} == {
        encode(task, position) for position in reach.costs
    }
    assert len(reach.costs) > 1
    grounded = {
        (o.apply(task.initial), (task.facts[o.from_fact].cell, task.facts[o.to_fact].cell))
        for o in task.operators
        if o.is_applicable(task.initial)
    }
    played = {
        (encode(task, move.target), (move.carrier[0][1], move.carrier[1][1]))
        for move in legal_moves(start(puzzle))
        if move.carrier is not None
    }
    assert grounded == played  # this includes the path of the counted piece


SWAPS = """
puzzle: swaps
legend: {".": floor, a: a, b: b, w: walker}
pieces: {a: {}, b: {}, walker: {}}
moves:
  swap: {before: [a, any], after: [any, a], distance: blocked, directions: right}
"""


def test_a_repetition_continues_after_a_swap_of_two_equal_pieces() -> None:
    text = SWAPS + "goal: {b: {at: [0, 0]}}\nboard: |\n  abab\n"
    compiled = fewest.load("swaps.yaml", text=text)
    assert compare(compiled.puzzle).is_complete
    assert compiled.solve().cost == 1


def test_a_rule_fits_if_its_first_application_swaps_two_equal_pieces() -> None:
    walk = "  walk: {before: [walker, empty], after: [empty, walker], when: can(swap)}\n"
    text = SWAPS + walk + "goal: {walker: {at: [1, 1]}}\nboard: |\n  aa\n  w.\n"
    compiled = fewest.load("swaps.yaml", text=text)
    assert compare(compiled.puzzle).is_complete
    assert compiled.solve().cost == 1
