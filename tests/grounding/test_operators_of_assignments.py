"""Rules that move pieces and set variables are refused before their operators are added, if there are too many."""

from __future__ import annotations

import pytest

import fewest
from fewest.errors import DocumentError
from fewest.grounding.ground import ground

WALKER = """
puzzle: walker
legend: {".": floor, "@": man}
pieces: {man: {}}
variables: {"c[i]": {for: {i: range(6)}, values: range(6), initial: 0}}
moves:
  walk: {MOTION, set: {SET}}
goal: {man: {at: [0, 0]}}
board: |
BOARD
"""
ROTATED = ", ".join(f'"c[{i}]": "c[{(i + 1) % 6}]"' for i in range(6))
SWAPPED = '"c[0]": "c[1]", "c[1]": "c[0]"'
MOTIONS = {
    "slide": "slide: man",
    "pattern": "before: [man, empty], after: [empty, man]",
    "bindings": "slide: man, distance: 1, for: {k: range(2)}",
}


@pytest.mark.parametrize("motion", MOTIONS.values(), ids=MOTIONS)
@pytest.mark.parametrize(
    ("assigned", "row"), [(ROTATED, "  ......@"), (SWAPPED, "  " + "." * 99 + "@")]
)
def test_too_many_operators_are_refused_early(motion: str, assigned: str, row: str) -> None:
    rows = "\n".join([row] + [row.replace("@", ".")] * (29 if len(row) > 9 else 0))
    text = WALKER.replace("MOTION", motion).replace("SET", assigned).replace("BOARD", rows)
    puzzle = fewest.load("walker.yaml", text=text).puzzle
    calls: list[int] = []
    with pytest.raises(DocumentError) as error:
        ground(puzzle, lambda operators, _: calls.append(operators))
    (diagnostic,) = error.value.diagnostics
    assert diagnostic.code == "task-too-large"
    assert "`walk` has about" in diagnostic.message
    assert ":7:3:" in str(error.value)
    assert max(calls, default=0) < 30_000  # without the estimate, 200,000


def test_a_rule_below_the_limit_is_accepted() -> None:
    text = WALKER.replace("MOTION", "slide: man").replace("SET", SWAPPED)
    task = ground(fewest.load("walker.yaml", text=text.replace("BOARD", "  ....@")).puzzle)
    assert len(task.moves) == 8  # both variables are always 0
