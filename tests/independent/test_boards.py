"""`fewest` and an independent player, written from the docs alone, find the same moves and numbers."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.independent.compare_boards import compare, examples
from tests.independent.dense import BOARDS
from tests.independent.hunt_boards import dense, drawn

SLOW = {
    "joining-colours",
    "no-box-left-behind",
    "rolling-stones",
    "the-press",
    "the-watchman",
    "two-jellies",
    "two-minds",
}  # too many positions for this test
EQUAL = 59  # examples of the language that the player supports

SAME = 3  # dense documents of each type of board


def test_the_player_imports_nothing_from_the_program() -> None:
    for path in Path(__file__).with_name("boards").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [each.name for each in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom):
                assert node.level == 0
                names = [node.module or ""]
            for name in names:
                assert name.split(".")[0] != "fewest"
                assert name.split(".")[0] != "tests" or name.startswith("tests.independent.boards.")


def test_examples_of_the_language() -> None:
    outcomes = {name: compare(text) for name, text in examples().items() if name not in SLOW}
    assert {name: found for name, found in outcomes.items() if found.difference} == {}
    assert [found.verdict for found in outcomes.values()].count("equal") >= EQUAL


def test_random_documents() -> None:
    verdicts = []
    for name, text in drawn(seed=1, puzzles=20):
        outcome = compare(text, most=100)
        assert not outcome.difference, (name, outcome.difference)
        verdicts.append(outcome.verdict)
    assert verdicts.count("equal") >= 2


@pytest.mark.parametrize(
    ("condition", "positions"),
    [
        ("{box: {on: lava}}", 9),
        ("{box: {at: [5, 1]}}", 9),
        ("{box: {on: ice, touches: left}}", 9),
        ("{some: ball, at: [0, 1]}", 9),
        ("{every: floor, holds: box}", 9),
        ("{count: {box: 3}}", 9),
        ("{all: [{box: {at: [0, 1]}}, {box: {on: lava}}]}", 9),
        ("{any: [{box: {at: [0, 1]}}, {box: {on: lava}}]}", 8),
        ("{every: box, on: lava}", 9),
    ],
)
def test_conditions_of_forbid_about_things_that_the_board_lacks(
    condition: str, positions: int
) -> None:
    text = f"""puzzle: pond
legend: {{".": floor, "#": wall, $: box, "!": target, "~": ice}}
terrain: [target, ice, lava]
pieces: {{box: {{}}, ball: {{}}}}
moves: {{slide: {{slide: box}}}}
goal: {{box: {{on: target}}}}
forbid: {condition}
board: |
  $.!
  ..~
  ...
"""
    outcome = compare(text)
    assert (outcome.verdict, outcome.positions) == ("equal", positions)


@pytest.mark.parametrize("board", BOARDS)
def test_dense_documents(board: str) -> None:
    same = 0
    for name, text in dense(seed=1, puzzles=200, board=board):
        outcome = compare(text, most=60, played=20)
        assert not outcome.difference, (name, outcome.difference)
        same += outcome.verdict.startswith("equal")
        if same == SAME:
            return
    raise AssertionError("few documents are accepted by both programs")
