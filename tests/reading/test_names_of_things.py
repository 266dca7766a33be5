"""Names that mean two things are reported."""

from __future__ import annotations

import pytest

import fewest
from fewest.errors import Diagnostic, DocumentError

TEXT = """puzzle: names
legend: {".": floor, "@": KIND}
EXTRA
pieces: {KIND: {}}
moves: {slide: {slide: KIND}}
board: |
  @..
goal: {KIND: {at: [0, 2]}}
"""


def found(kind: str, extra: str = "") -> list[Diagnostic]:
    text = TEXT.replace("KIND", f"'{kind}'").replace("EXTRA", extra)
    try:
        compiled = fewest.load("names.yaml", text=text)
    except DocumentError as error:
        return [d for d in error.diagnostics if d.severity == "error"]
    assert compiled.solve().cost == 2
    return list(compiled.puzzle.warnings)


@pytest.mark.parametrize(
    "kind", ["any", "empty", "floor", "ground", "not", "wall", "_", "a|b", "a&b", "a..."]
)
def test_a_kind_has_no_name_with_another_meaning(kind: str) -> None:
    (mistake,) = found(kind)
    assert (mistake.code, mistake.line) == ("bad-name", 4)


def test_other_names_of_kinds_are_fine() -> None:
    assert found("box") == found("red box") == found("emptying") == []


@pytest.mark.parametrize(
    "extra",
    [
        "constants: {box: 1}",
        "parameters: {box: 1}",
        "variables: {box: {values: [0], initial: 0}}",
        'variables: {"box[i]": {for: {i: range(2)}, values: [0], initial: 0}}',
    ],
)
def test_a_value_with_the_name_of_a_kind_causes_a_warning(extra: str) -> None:
    (warning,) = found("box", extra)
    assert (warning.code, warning.line) == ("name-hides", 3)


def test_a_legend_entry_that_is_a_terrain_and_a_kind_is_an_error() -> None:
    (mistake,) = found("box", "terrain: [box]")
    assert (mistake.code, mistake.line) == ("unknown-legend-meaning", 2)
    assert "both" in mistake.message


# Box B can reach the mark in one move, and box A cannot reach it.
HIDING = """
puzzle: hiding
board: |
  ABx
legend: {x: mark}
terrain: [mark]
pieces: {box: {letters: AB}}
EXTRA
moves: {right: {slide: box, directions: right, LOOP}}
goal: GOAL
"""


@pytest.mark.parametrize(
    ("extra", "loop", "goal"),
    [
        ("constants: {A: B}", "when: 1 == 1", "count(A, mark) == 1"),
        ("constants: {floor: mark}", "when: 1 == 1", "count(B, floor) == 1"),
        ("", "when: 1 == 1", "any(count(A, mark) == 1 for A in ['B'])"),
        ("", "for: {A: [B]}, when: col(A) == 1", "cell(0, 2) == B"),
    ],
)
def test_in_an_argument_a_name_means_the_value_that_hides_the_piece(
    extra: str, loop: str, goal: str
) -> None:
    text = HIDING.replace("EXTRA", extra).replace("LOOP", loop).replace("GOAL", goal)
    result = fewest.load("hiding.yaml", text=text).solve(engine="bfs")
    assert (result.status, result.cost) == ("optimal", 1)
