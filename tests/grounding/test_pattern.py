"""The grounder and the reference interpreter agree about patterns with pieces of several cells."""

from __future__ import annotations

import pytest

import fewest
from fewest.model.states import encode
from fewest.playing.exhaust import exhaust
from tests.helpers.dead_states import states_of

# A piece of two or three cells stands beside pieces of one cell; no rule moves the large piece.
BOARD = """
puzzle: beside
board: |
  {rows}
legend: {{".": floor, a: a}}
pieces: {{a: {{}}, bar: {{letters: B-C}}}}
moves: {{go: {rule}}}
goal: {{a: {{touches: right}}}}
metrics: {{ones: {{}}}}
"""
RULES = {
    "along a bar": "{before: [bar, bar, a, empty], after: [bar, bar, empty, a]}",
    "past whatever": "{before: [a, bar|a, any, empty], after: [empty, bar|a, any, a]}",
    "in a row of three": "{before: [bar, bar, bar, empty, a], after: [bar, bar, bar, a, empty]}",
    "not by a bar": "{before: [a, empty, not bar], after: [empty, a, not bar]}",
    "a square": "{before: [[bar, bar], [empty, a]], after: [[bar, bar], [a, empty]], "
    "rotations: true}",
}


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(
    ("rows", "goes"),
    [
        (["BBa..", "..CCC"], {"along a bar", "not by a bar", "a square"}),
        (["aBB..", "CCC.a"], {"past whatever", "in a row of three", "not by a bar"}),
    ],
)
def test_a_large_piece_may_cover_several_places_of_a_pattern(
    rows: list[str], goes: set[str], rule: str
) -> None:
    text = BOARD.format(rows="\n  ".join(rows), rule=RULES[rule])
    compiled = fewest.load("beside.yaml", text=text)
    puzzle, task = compiled.puzzle, compiled.task
    reach = exhaust(puzzle, puzzle.metrics["ones"], 1_000)
    assert {state for state, _ in states_of(task, 1_000)} == {
        encode(task, position) for position in reach.costs
    }
    assert (len(reach.costs) > 1) == (rule in goes)


def test_an_operator_of_a_pattern_records_its_binding() -> None:
    text = """
puzzle: turns
board: "a.."
legend: {".": floor, a: a}
pieces: {a: {}}
variables: {x: {values: [1, 2], initial: 1}}
moves:
  go:
    for: {to: [2, 1], by: [1]}
    before: [a, empty]
    after: [empty, a]
    when: x != to
    set: {x: to}
goal: {a: {at: [0, 2]}}
"""
    task = fewest.load("turns.yaml", text=text).task
    assert {o.words for o in task.operators} == {"to=1, by=1", "to=2, by=1"}
    for operator in task.operators:
        value = task.facts[(operator.flip & ~operator.value).bit_length() - 1].value
        assert operator.words == f"to={value}, by=1"
