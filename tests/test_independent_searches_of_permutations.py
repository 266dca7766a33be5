"""Searches that share no code with this program confirm minima and sizes of puzzles in which rings move many pieces."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

import fewest
from tests.test_independent_searches import expected, fewest_moves


def ring(state: str, places: Iterable[int]) -> Iterable[str]:
    """The two states after the ring moves its pieces forward or back by one place."""
    order = list(places)
    for shifted in (order[1:] + order[:1], order[-1:] + order[:-1]):
        moved = list(state)
        for source, target in zip(order, shifted, strict=True):
            moved[target] = state[source]
        yield "".join(moved)


def test_top_spin() -> None:
    def move(state: str) -> Iterable[str]:
        yield state[1:] + state[0]
        yield state[-1] + state[:-1]
        yield state[3::-1] + state[4:]

    found = fewest_moves("BADCFEHGI", move, lambda state: state == "ABCDEFGHI")
    assert found == (expected("top-spin", "moves"), expected("top-spin", "reachable"))


def test_pancakes() -> None:
    def move(state: str) -> Iterable[str]:
        return (state[:k][::-1] + state[k:] for k in range(2, len(state) + 1))

    found = fewest_moves("FDBGECA", move, lambda state: state == "ABCDEFG")
    assert found == (expected("pancakes-7", "flips"), expected("pancakes-7", "reachable"))


@pytest.mark.slow  # the search visits 39,916,796 stacks in half a minute
def test_eleven_pancakes() -> None:
    compiled = fewest.load("pancakes-11")
    assert compiled.solve(metric="flips").cost == expected("pancakes-11", "flips") == 13


def test_two_rings_that_cross() -> None:
    left, right = (0, 1, 2, 6, 10, 9, 8, 4), (5, 6, 7, 11, 15, 14, 13, 9)

    def move(state: str) -> Iterable[str]:
        return (after for places in (left, right) for after in ring(state, places))

    found = fewest_moves("rbr#brbrrbrb#rbr", move, lambda state: state == "rrr#rbrbrrrb#bbb")
    known = (expected("hungarian-rings", "places"), expected("hungarian-rings", "reachable"))
    assert found == known


@pytest.mark.slow
def test_turning_blocks() -> None:
    blocks = [(0, 1, 4, 3), (1, 2, 5, 4), (3, 4, 7, 6), (4, 5, 8, 7)]

    def move(state: str) -> Iterable[str]:
        return (after for places in blocks for after in ring(state, places))

    found = fewest_moves("321654987", move, lambda state: state == "123456789")
    assert found == (
        expected("turning-blocks", "quarters"),
        expected("turning-blocks", "reachable"),
    )


@pytest.mark.slow
def test_loopover() -> None:
    lines = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8)]

    def move(state: str) -> Iterable[str]:
        return (after for places in lines for after in ring(state, places))

    found = fewest_moves("IHGFEDCBA", move, lambda state: state == "ABCDEFGHI")
    assert found == (expected("loopover", "moves"), expected("loopover", "reachable"))
