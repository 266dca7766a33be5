"""Places in a text count UTF-16 units, as editors do, and the text has a place for each board cell."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from fewest.commands.load import load_any, load_puzzle
from fewest.errors import FewestError
from fewest.machine.resources import puzzles
from fewest.serve.handlers.paint import brushes, painting
from fewest.serve.text_offsets import Offsets

SHIPPED = [path for _, _, path in puzzles()]


def units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def test_offsets_are_those_of_utf_16() -> None:
    text = "a\n曹操𝄞x\n\n𝄞𝄞\r\ny"
    offsets = Offsets(text)
    assert offsets.at(1, 1) == 0
    assert offsets.at(2, 4) == units("a\n曹操𝄞")
    assert offsets.at(2, 99) == units("a\n曹操𝄞x")
    assert offsets.at(3, 1) == units("a\n曹操𝄞x\n")
    assert offsets.at(4, 2) == units("a\n曹操𝄞x\n\n𝄞")
    assert offsets.at(5, 2) == offsets.at(99, 99) == units(text)
    assert offsets.at(0, 0) == 0


def cut(text: str, start: int, end: int, put: str) -> str:
    """The text with a range of UTF-16 units replaced."""
    raw = text.encode("utf-16-le")
    return (raw[: 2 * start] + put.encode("utf-16-le") + raw[2 * end :]).decode("utf-16-le")


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_a_cell_is_where_it_is_written(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    puzzle = load_puzzle(path)
    found = painting(text, Offsets(text), puzzle)
    if found is None:
        assert puzzle.board is None or "board: |" not in text or "{" in text
        return
    assert puzzle.board is not None
    cells = found["cells"]
    drawn = {row * puzzle.board.columns + column for row, column, *_ in cells}
    assert len(cells) == len(drawn) and drawn.issuperset(puzzle.board.floors)
    if not puzzle.board.nodes:  # rows of a graph may have different lengths
        assert len(cells) == puzzle.board.rows * puzzle.board.columns
    rng = random.Random(path.stem)
    for row, column, _, _, start, end, mark in cells:
        assert cut(text, 0, start, "")[: end - start] == mark, (row, column)
    row, column, _, _, start, end, mark = rng.choice(cells)
    shown = brushes(load_any(path), text, found)
    other = next(brush for brush, _ in shown if brush not in (mark, " "))
    changed = load_any(path, text=cut(text, start, end, other)).document.board
    before = load_any(path).document.board
    wanted = grid_of(before)
    wanted[row][column] = other
    assert grid_of(changed) == wanted


def grid_of(board: object) -> list[list[str]]:
    if isinstance(board, str):
        return [list(row) for row in board.strip("\n").split("\n")]
    assert isinstance(board, list)
    return [[str(token) for token in row] for row in board]


@pytest.mark.parametrize(
    ("board", "notation"),
    [
        ("board: |\n  A.\n  .𝄞\n", "block"),
        ('board: "A.\\n.\\U0001D11E"\n', "double quotes"),
        ("board: [[A, .], [., 𝄞]]\n", "tokens"),
        ("# 𝄞\nboard:\n- - A\n  - '.'\n- [., \"𝄞\"]\n", "tokens"),
        ("board: |2\n  A.\n  .𝄞\n", "block"),
        ("board: |\n\n\n  A.\n  .𝄞\n", "block"),
    ],
)
def test_boards_in_every_notation_can_be_painted(board: str, notation: str) -> None:
    text = f"puzzle: x\n{board}"
    found = painting(text, Offsets(text), None)
    assert found is not None and found["notation"] == notation
    marks = {(cell[0], cell[1]): cell[6] for cell in found["cells"]}
    assert marks == {(0, 0): "A", (0, 1): ".", (1, 0): ".", (1, 1): "𝄞"}
    for row, column, _, _, start, end, _ in found["cells"]:
        changed = cut(text, start, end, "B")
        again = painting(changed, Offsets(changed), None)
        assert again is not None
        expected = marks | {(row, column): "B"}
        assert {(c[0], c[1]): c[6] for c in again["cells"]} == expected


def test_boards_that_are_not_in_the_text_are_not_painted_on() -> None:
    for text in ("puzzle: x\nmodel: tiles\n", "puzzle: x\nboard: |\n  {row}\n", "[", ""):
        try:
            assert painting(text, Offsets(text), None) is None
        except FewestError:
            pytest.fail(text)
