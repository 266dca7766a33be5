"""Shipped puzzles with smaller boards, for tests in which only the kinds of moves matter."""

from __future__ import annotations

import re

import fewest
from fewest.machine.resources import puzzle_path

BOARDS = {
    "odd-crates": "  .....\n  .BAA.\n  .B...\n  @....\n",
    "ricochet-small": "  R..#.\n  .#...\n  ...*.\n  B..#.\n  .#..G\n",
}


def smaller(name: str) -> fewest.CompiledPuzzle:
    """A shipped puzzle, with a smaller board or parameter if this module has one."""
    if name == "copy-and-paste":
        return fewest.load(name, {"n": 20})
    if name not in BOARDS:
        return fewest.load(name)
    text = puzzle_path(name).read_text(encoding="utf-8")
    board = f"board: |\n{BOARDS[name]}"
    text, num_boards = re.subn(r"^board: \|\n(  .*\n)+", board, text, flags=re.M)
    assert num_boards == 1
    return fewest.load(f"{name}.yaml", text=text)
