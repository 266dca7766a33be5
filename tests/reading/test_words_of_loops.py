"""Words can be the indices of variables, and the `count` of a rule can compare its loops with words."""

from __future__ import annotations

import pytest

import fewest
from fewest.errors import DocumentError
from tests.helpers.matrix.compare import compare

DOORS = """
puzzle: doors
variables:
  door[side, floor]:
    for: {side: [north, south], floor: range(2)}
    values: [open, shut]
    initial: shut
moves:
  open: {for: {side: [north, south], floor: range(2)}, when: 'door[south, 1] == shut', set: {'door[side, floor]': open}}
goal: door[north, 0] == open and all(door[side, 1] == open for side in [north, south])
"""
STONES = """
puzzle: stones
legend: {".": floor, "#": wall, r: red-stone, b: blue-stone, "@": man}
pieces: {stone: {colours: [red, blue]}, man: {}}
moves:
  walk: {before: [man, empty], after: [empty, man]}
  swap: {before: [man, stone], after: [stone, man], count: COUNT}
goal: {man: {at: [0, 3]}}
board: |
  @rb.
"""


def test_words_are_indices_like_numbers() -> None:
    compiled = fewest.load("doors.yaml", text=DOORS)
    assert compiled.solve().cost == 3
    assert [v.name for v in compiled.puzzle.variables][:2] == ["door[north, 0]", "door[north, 1]"]
    assert compare(compiled.puzzle).is_complete
    there = compiled.at("door[north, 0]=open door[north, 1]=open")
    assert there.solve().cost == 1


def test_a_wrong_index_is_reported() -> None:
    with pytest.raises(DocumentError, match="`door` has no index north, 2"):
        fewest.load("doors.yaml", text=DOORS.replace("door[north, 0]", "door[north, 2]")).solve()


@pytest.mark.parametrize(("count", "cost"), [("1", 3), ("2 if colour == red else 1", 4)])
def test_the_weight_of_a_move_depends_on_the_colour(count: str, cost: int) -> None:
    compiled = fewest.load("stones.yaml", text=STONES.replace("COUNT", count))
    assert compiled.solve().cost == cost
    assert not compiled.warnings


@pytest.mark.parametrize(
    ("old", "new", "hint"),
    [
        ("goal: {man: {at: [0, 3]}}", "goal: {man: {at: exit}}", "write `on: exit` for a terrain"),
        ("board: |", "wrap: rows columns\nboard: |", "did you mean `both`?"),
    ],
)
def test_a_hint_says_what_to_write(old: str, new: str, hint: str) -> None:
    text = STONES.replace("COUNT", "1").replace(
        "legend:", "terrain: {exit: {cells: [[0, 3]]}}\nlegend:"
    )
    with pytest.raises(DocumentError) as error:
        fewest.load("stones.yaml", text=text.replace(old, new))
    assert [found.hint for found in error.value.diagnostics] == [hint]
