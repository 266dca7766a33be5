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
