"""Searches of a dozen lines each confirm minima of puzzles in which pieces share cells."""

from __future__ import annotations

from collections.abc import Iterable

from tests.test_independent_searches import Cell, expected, fewest_moves
from tests.test_independent_searches_of_lines import DIRECTIONS, cells

Painted = tuple[Cell, frozenset[Cell]]
Ice = tuple[
    Cell, frozenset[tuple[Cell, int]], int
]  # the walker, the remaining ice, the stage of the key


def test_toggled_path() -> None:
    rows = ["@...", ".#.#", "....", "..#."]
    floor = cells(rows, ".@")
    picture = cells(["xx.x", "x#x#", "xxx.", "..#x"], "x")

    def walk(state: Painted) -> Iterable[Painted]:
        (r, c), painted = state
        for d, e in DIRECTIONS:
            if (r + d, c + e) in floor:
                yield (r + d, c + e), painted ^ {(r, c)}

    found, reachable = fewest_moves(
        ((0, 0), frozenset[Cell]()), walk, lambda s: s == ((2, 3), picture)
    )
    assert found == expected("toggled-path", "moves")
    assert reachable == expected("toggled-path", "reachable")


def test_thin_ice() -> None:
    rows = ["@-=-##", "-===--", "-=k--+", "--##=!", "####-#"]
    ice = {cell: 1 + (cell in cells(rows, "=")) for cell in cells(rows, "@-=k+")}
    (key,), (gate,), (home,) = (cells(rows, x) for x in "k+!")

    def step(state: Ice) -> Iterable[Ice]:
        here, left, story = (
            state  # story: 0 if the key is on the ice, 1 if it is taken, 2 if the gate is open
        )
        board = dict(left)
        for d, e in DIRECTIONS:
            there = (here[0] + d, here[1] + e)
            is_closed = there == gate and story < 2
            if here == home or (there != home and there not in board):
                continue
            if (there == home or is_closed) and (board[here] == 2 or (is_closed and story != 1)):
                continue
            after = {**board, here: board[here] - 1}
            rest = frozenset((cell, n) for cell, n in after.items() if n)
            yield there, rest, 2 if is_closed else max(story, there == key)

    first = (0, 0), frozenset(ice.items()), 0
    found, _ = fewest_moves(first, step, lambda s: s[0] == home and not s[1])
    assert found == expected("thin-ice", "moves")
