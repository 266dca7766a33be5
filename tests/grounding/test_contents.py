"""A variable can be compared with the content or the terrain of a cell, but such a content is not a value."""

from __future__ import annotations

import pytest

import fewest
from fewest.errors import DocumentError
from tests.helpers.matrix.compare import compare

SHELF = """
puzzle: shelf
legend: {".": floor, a: a, b: b, "~": ice}
terrain: [ice]
pieces: {a: {}, b: {}}
variables: {want: {values: [a, b, ice, floor], initial: a}}
moves:
  step: {slide: any}
  next: {set: {want: "b if want == a else ice if want == b else a"}}
goal: GOAL
board: |
  .ab~
"""


@pytest.mark.parametrize(
    ("goal", "moves"),
    [
        ("want == cell(0, 3)", 2),
        ("cell(0, 3) == want and cell(0, 0) == empty", 2),
        ("want != cell(0, 1) and want != cell(0, 2) and cell(0, 3) == b", 2),
        ("want == terrain(0, 3)", 2),
        ("all(want == terrain(0, c) for c in [3]) and cell(0, 1) == b", 4),
    ],
)
def test_a_variable_equals_a_content_or_a_terrain(goal: str, moves: int) -> None:
    compiled = fewest.load("shelf.yaml", text=SHELF.replace("GOAL", goal))
    for number in range(2):
        assert compare(compiled.puzzle, number=number).is_complete
    assert compiled.solve(engine="bfs").cost == moves


LOOK = """
puzzle: look
legend: {".": floor, a: a}
pieces: {a: {}}
variables: {seen: {values: [a, empty], initial: empty}, moved: {values: range(2), initial: 0}}
moves:
  step: {slide: a, set: {moved: 1}}
RULE
goal: cell(0, 1) == a and moved == 0
board: |
  a..
"""


def test_a_content_is_no_value_of_a_variable() -> None:
    then = 'then: {look: {when: moved == 1, set: {seen: "cell(0, 2)", moved: 0}}}'
    compiled = fewest.load("look.yaml", text=LOOK.replace("RULE", then))
    assert compare(compiled.puzzle).positions == 1  # such a move is not allowed
    with pytest.raises(DocumentError, match="value-out-of-range"):
        rule = '  look: {set: {seen: "cell(0, 2)"}}'
        fewest.load("look.yaml", text=LOOK.replace("RULE", rule)).solve()
