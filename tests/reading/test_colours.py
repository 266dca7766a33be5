"""A kind with several colours has one rule for all colours, and acts as one kind for each colour."""

from __future__ import annotations

import pytest

import fewest
from fewest.commands.api import CompiledPuzzle
from fewest.errors import DocumentError
from fewest.model.style import COLOURS
from fewest.playing.rules import legal_moves
from tests.helpers.matrix.compare import compare

DOORS = """
puzzle: doors
legend: {".": floor, p: player, r: red-key, b: blue-key, R: red-door, B: blue-door, g: green-door}
pieces:
  player: {}
  key: {colours: [red, blue]}
  door: {colours: [red, blue, green]}
variables: {opened: {values: range(4), initial: 0}}
moves:
  go: RULE
board: |
  bB.Rr.
  pR.rg.
goal: GOAL
"""


def load(rule: str, goal: str = "{count: {door: 0}}") -> CompiledPuzzle:
    return fewest.load("doors.yaml", text=DOORS.replace("RULE", rule).replace("GOAL", goal))


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        (
            "{before: [key, door], after: [empty, key]}",
            ["blue →", "red ←", "red ↑"],
        ),  # no green key
        (
            "{before: [any-key, door], after: [empty, any-key]}",
            ["blue →", "green →", "green ↓", "red ←", "red ↑"],
        ),
        ("{before: [red-key, any-door], after: [empty, red-key]}", ["←", "↑", "→", "↓"]),
        ("{before: [not door, key], after: [_, empty], directions: left}", ["red ←", "red ←"]),
        (
            "{before: ['{colour}-key', door], for: {colour: [red]}, after: [empty, key]}",
            ["red ←", "red ↑"],
        ),
        ("{before: [key, door], after: [empty, key], when: colour == red}", ["red ←", "red ↑"]),
        ("{slide: key, directions: right}", ["→"]),
    ],
)
def test_a_pattern_is_about_one_colour_at_a_time(rule: str, expected: list[str]) -> None:
    puzzle = load(rule)
    found = [
        f"{move.words.removeprefix('colour=')} {move.direction.arrow}".strip()
        for move in legal_moves(puzzle.start)
        if move.direction is not None
    ]
    assert sorted(found) == expected
    assert compare(puzzle.puzzle).is_complete


@pytest.mark.parametrize(
    ("goal", "holds"),
    [
        ("{count: {key: 3}}", True),
        ("{count: {red-key: 2, blue-key: 1}}", True),
        ("count(door) == 4 and count('green-door') == 1", True),
        ("cell(0, 0) == key and cell(0, 0) == 'blue-key' and cell(0, 1) != key", True),
        ("cell(0, 0) == 'red-key'", False),
        ("sees(player, door)", True),
        ('{board: "bB.Rr.\\npR.rg."}', True),
        ('{board: "bB.Rr.\\npR.gr."}', False),
    ],
)
def test_outside_patterns_a_kind_means_every_colour(goal: str, holds: bool) -> None:
    puzzle = load(
        "{before: [player, empty], after: [empty, player]}", f'"{goal}"' if goal[0] != "{" else goal
    )
    assert (puzzle.solve().cost == 0) is holds


def test_colours_by_name_are_drawn_so() -> None:
    style = load("{slide: key}").puzzle.style
    assert style.colours == {
        f"{colour}-{kind}": COLOURS[colour]
        for kind, colours in (("key", ("red", "blue")), ("door", ("red", "blue", "green")))
        for colour in colours
    }


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("[red, blue]", "[red, blue, red]", "bad-name"),
        ("[red, blue]", "[]", "bad-name"),
        ("[red, blue]", "[red, 'light blue']", "bad-name"),
        ("[red, blue]", "[red, blue], letters: A-Z", "bad-letters"),
        ("player: {}", "player: {}\n  red-key: {}", "bad-name"),
        ("[red, blue, green]", "[green]", "colours-apart,unknown-piece"),
        (
            "RULE",
            "{before: [key, empty], after: [empty, door]}\n  to: {slide: kye}",
            "unknown-piece",
        ),
    ],
)
def test_invalid_colours_are_refused(old: str, new: str, code: str) -> None:
    text = DOORS.replace(old, new).replace("RULE", "{before: [key, door], after: [empty, key]}")
    with pytest.raises(DocumentError) as error:
        fewest.load("doors.yaml", text=text.replace("GOAL", "count(door) == 0"))
    found = {d.code for d in error.value.diagnostics if d.severity == "error"}
    assert found & {*code.split(",")}
