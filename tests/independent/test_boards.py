"""`fewest` and an independent player of square boards, written from the docs alone, find the same numbers."""

from __future__ import annotations

import ast
from pathlib import Path

from tests.independent.compare_boards import compare, examples
from tests.independent.hunt_boards import drawn

SLOW = {
    "joining-colours",
    "no-box-left-behind",
    "rolling-stones",
    "the-press",
    "the-watchman",
    "two-jellies",
    "two-minds",
}  # too many positions for this test
EQUAL = 54  # examples of the language that the player supports


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
