"""A search that shares no code with this program confirms minima of Jelly no Puzzle.

Public implementations of the game agree on the order of events: everything falls, and then jellies merge.
"""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

import pytest

import fewest
from tests.test_independent_searches import Cell, expected, fewest_moves
from tests.test_independent_searches_of_lines import DIRECTIONS, cells

Jelly = tuple[str, frozenset[Cell]]  # a colour, and cells
Jellies = frozenset[Jelly]

ROWS = {
    "jelly-pair": [".......", "R......", "#....BR", "##B#.##"],
    "jelly-steps": ["......R.R", "....R.###", "...R#####", "B.#######"],
    "jelly-bridges": [".....Y...Y..", "...R.R...R..", "####.#.#.###"],
}


def shifted(cells: Iterable[Cell], d: int, e: int) -> set[Cell]:
    return {(r + d, c + e) for r, c in cells}


def taken_along(jelly: Jelly, jellies: Jellies, free: set[Cell], d: int, e: int) -> Jellies:
    """The jellies that move if this jelly moves by one cell; none if a wall is in the way."""
    group = {jelly}
    while True:
        there = set[Cell]().union(*(shifted(body, d, e) for _, body in group))
        if not there <= free:
            return frozenset()
        more = {other for other in jellies - group if other[1] & there}
        if not more:
            return frozenset(group)
        group |= more


def moved(jellies: Jellies, group: Jellies, d: int, e: int) -> Jellies:
    return jellies - group | {(colour, frozenset(shifted(body, d, e))) for colour, body in group}


def fallen(jellies: Jellies, free: set[Cell]) -> Jellies:
    def falling() -> Jellies:
        groups = (taken_along(jelly, jellies, free, 1, 0) for jelly in jellies)
        return next(filter(None, groups), frozenset())

    while group := falling():
        jellies = moved(jellies, group, 1, 0)
    return jellies


def merged(jellies: Jellies) -> Jellies:
    """The jellies after those of the same colour that touch have become one."""
    found: set[Jelly] = set()
    for colour, body in jellies:
        around = set[Cell]().union(*(shifted(body, d, e) for d, e in DIRECTIONS))
        same = {other for other in found if other[0] == colour and other[1] & around}
        found = found - same | {(colour, body.union(*(other for _, other in same)))}
    return frozenset(found)


def jellies_of(rows: list[str]) -> tuple[Jellies, set[Cell]]:
    """The jellies, each of one cell, and the cells that are not walls."""
    single = frozenset((x, frozenset([cell])) for x in "RGBY" for cell in cells(rows, x))
    return single, cells(rows, ".RGBY")


def search(rows: list[str]) -> tuple[int | None, int]:
    single, free = jellies_of(rows)
    first = merged(single)
    num_colours = len({colour for colour, _ in first})

    def push(jellies: Jellies) -> Iterable[Jellies]:
        for jelly in jellies:
            for e in (-1, 1):
                if group := taken_along(jelly, jellies, free, 0, e):
                    yield merged(fallen(moved(jellies, group, 0, e), free))

    return fewest_moves(first, push, lambda jellies: len(jellies) == num_colours)


@pytest.mark.parametrize("name", ROWS)
def test_shipped_puzzles(name: str) -> None:
    assert search(ROWS[name]) == (expected(name, "moves"), expected(name, "reachable"))


def settled_rows(random: Random) -> list[str]:
    """A random board on which no jelly can fall."""
    height, width = random.choice([(3, 5), (4, 4)])
    rows = ["".join(random.choice("......##RRRBBG") for _ in range(width)) for _ in range(height)]
    jellies, free = jellies_of(rows)
    # the cells fall one by one, so nothing can fall after they have merged
    at = {cell: colour for colour, body in fallen(jellies, free) for cell in body}
    return [
        "".join(at.get((r, c), "." if (r, c) in free else "#") for c in range(width))
        for r in range(height)
    ]


@pytest.mark.slow
def test_the_second_stage() -> None:
    rows = [".......R....", "......##....", "..G.....R.B.", "#B###G.#####"]
    assert search(rows)[0] == expected("jelly-second", "moves")


@pytest.mark.parametrize("seed", range(4))
def test_random_boards(seed: int) -> None:
    random = Random(seed)
    while True:
        rows = settled_rows(random)
        minimum, num_states = search(rows)
        if (minimum or 0) >= 3 and num_states <= 400:
            break
    board = "".join(f"  {row}\n" for row in rows)
    space = fewest.load("x.yaml", text=f"puzzle: x\nmodel: jelly\nboard: |\n{board}").explore()
    assert (space.minimum, space.num_states) == (minimum, num_states), board
