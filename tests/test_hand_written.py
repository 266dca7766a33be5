"""The hand-written ASP programs find the minima of the puzzles that the benchmark compares."""

import pytest

import fewest
from bench.hand_written.__main__ import QUESTIONS, by_hand


@pytest.mark.parametrize(("program", "puzzle", "parameters"), QUESTIONS)
def test_minimum(program: str, puzzle: str, parameters: dict[str, int]) -> None:
    minimum, seconds = by_hand(program, "tweety")
    result = fewest.load(puzzle, parameters).solve("moves", engine="bfs")
    assert minimum == result.cost
    assert seconds > 0
