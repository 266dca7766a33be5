"""Expressions can contain terrain expressions, the word `ground`, and the size of the board."""

from __future__ import annotations

import pytest

import fewest
from fewest.errors import DocumentError
from fewest.playing.exhaust import exhaust

ROW = """puzzle: x
legend: {".": floor, "~": ice, "=": mud, "@": walker, "#": wall, o: stone}
terrain: [ice, mud]
pieces: {walker: {}, stone: {}}
moves: {go: RULE}
board: |
  BOARD
goal: GOAL
"""


def _reached(rule: str, board: str = "@.~=o.", goal: str = "{walker: {at: [0, 1]}}") -> int:
    """The number of positions, on which the reference interpreter and the task agree."""
    text = ROW.replace("RULE", rule).replace("BOARD", board).replace("GOAL", goal)
    compiled = fewest.load("x.yaml", text=text)
    puzzle = compiled.puzzle
    positions = len(exhaust(puzzle, puzzle.metrics["moves"]).costs)
    assert compiled.explore().num_states == positions
    return positions


@pytest.mark.parametrize(
    ("place", "positions"),
    [
        ("empty on floor", 2),
        ("empty on floor|ice", 3),
        ("empty off mud", 3),
        ("empty off ice|mud", 2),
        ("empty on not ice|mud", 2),
        ("empty on not mud", 3),
        ("empty off not floor|ice|mud", 4),
        ("empty on ice|mud", 1),
    ],
)
def test_a_terrain_expression_limits_the_motion_of_a_piece(place: str, positions: int) -> None:
    assert _reached(f"{{before: [walker, {place}], after: [empty, walker]}}") == positions


def test_ground_matches_a_floor_cell_with_any_content() -> None:
    rule = "{before: [walker, WORD, empty], after: [empty, WORD, walker], directions: right}"
    assert _reached(rule.replace("WORD", "ground"), "@o.#.") == 2
    assert _reached(rule.replace("WORD", "ground"), "@....") == 3
    assert _reached(rule.replace("WORD", "ground on mud"), "@=...") == 2
    line = "{before: [walker, ground..., empty], after: [empty, ground..., walker]}"
    assert _reached(line, "@oo.#.") == 2


def test_no_kind_may_be_called_ground() -> None:
    text = ROW.replace("stone", "ground").replace("BOARD", "@o.")
    text = text.replace("RULE", "{before: [walker, ground], after: [empty, walker]}")
    with pytest.raises(fewest.DocumentError) as error:
        fewest.load("x.yaml", text=text.replace("GOAL", "{count: {ground: 0}}"))
    assert error.value.diagnostics[0].code == "bad-name"


@pytest.mark.parametrize(
    ("terrain", "number"),
    [
        ("floor", 1),
        ("ice", 1),
        ("floor|mud", 2),
        ("ice | mud", 2),
        ("not floor", 2),
        ("not ice|mud", 1),
        ("not mud", 2),
    ],
)
def test_pieces_are_counted_on_a_terrain_expression(terrain: str, number: int) -> None:
    """Stones stand on a floor cell, on ice and on mud."""
    text = ROW.replace("legend: {", 'legend: {"1": stone on ice, "2": stone on mud, ')
    text = text.replace("BOARD", "@.o12").replace("GOAL", "{walker: {at: [0, 1]}}")
    for count, moves in ((number, "optimal"), (number + 1, "unsolvable")):
        rule = f'{{before: [walker, empty], after: [empty, walker], when: "count(stone, {terrain}) == {count}"}}'
        assert fewest.load("x.yaml", text=text.replace("RULE", rule)).solve().status == moves


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("empty]", "empty on ice|snow]", "unknown-terrain"),
        ("empty]", "empty on not snow]", "unknown-terrain"),
        ("empty]", "empty on not]", "pattern-word"),
        ("terrain: [ice, mud]", "terrain: [ice, mud, a|b]", "bad-name"),
        ("at: [0, 1]", "'on': ice|snow", "unknown-terrain"),
    ],
)
def test_a_wrong_terrain_expression_is_refused(old: str, new: str, code: str) -> None:
    text = ROW.replace("RULE", "{before: [walker, empty], after: [empty, walker]}")
    text = text.replace("BOARD", "@.~=o.").replace("GOAL", "{walker: {at: [0, 1]}}")
    with pytest.raises(DocumentError) as error:
        fewest.load("x.yaml", text=text.replace(old, new, 1))
    assert code in [found.code for found in error.value.diagnostics]


def test_the_size_of_the_board_has_names() -> None:
    rule = "{before: [walker, empty], after: [empty, walker], when: col(walker) < columns - 3}"
    assert _reached(rule, "@.....") == 4
    assert _reached(rule, "@.....", "cell(rows - 1, columns // 3) == walker") == 4


def test_other_things_may_have_the_names_of_the_size() -> None:
    text = "parameters: {rows: 3}\nvariables: {columns: {values: range(rows), initial: 1}}\n"
    whole = ROW.replace("BOARD", "@.....").replace("GOAL", "columns == 2") + text
    rule = "{before: [walker, empty], after: [empty, walker], set: {columns: (columns + 1) % rows}}"
    compiled = fewest.load("x.yaml", text=whole.replace("RULE", rule))
    assert compiled.solve().cost == 1
