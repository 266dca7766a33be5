"""`bench/sliding.py` finds the hardest sliding blocks on 4×4 cells for each number of pieces."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

import fewest
from bench import sliding

# N. Bickford, "Sliding Block Puzzles, Part 3", 2012.
PUBLISHED = [1, 4, 9, 19, 36, 51, 62, 89, 132, 81, 64, 73, 61, 25, 21]


@cache
def numbers_of_partitions(free: int) -> tuple[int, ...]:
    """For each number of pieces, the number of ways to cover some of the free cells with that many connected pieces."""
    if not free:
        return (1,)
    first = free & -free
    found = [0] * (bin(free).count("1") + 1)
    for number, partitions in enumerate(
        numbers_of_partitions(free ^ first)
    ):  # the first cell is empty
        found[number] += partitions
    shapes, new = {first}, {first}
    while new:
        cells = {1 << cell for cell in range(16) if free >> cell & 1}
        new = {s | c for s in new for c in cells if not s & c and s & neighbours(c)} - shapes
        shapes |= new
    for shape in shapes:
        for number, partitions in enumerate(numbers_of_partitions(free ^ shape)):
            found[number + 1] += partitions
    return tuple(found)


@cache
def neighbours(cell: int) -> int:
    """The cells beside a cell of the board with 4×4 cells."""
    row, column = divmod(cell.bit_length() - 1, 4)
    beside = [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]
    return sum(1 << r * 4 + c for r, c in beside if 0 <= r < 4 and 0 <= c < 4)


def test_the_number_of_partitions_is_that_of_another_count() -> None:
    numbers = numbers_of_partitions((1 << 16) - 1)
    assert sum(numbers[1:16]) == 55_807_714
    # This sum includes the empty board, and the board with 16 pieces.
    assert sum(numbers) == 55_807_716
    for pieces in (1, 2, 11, 12, 13, 14, 15):
        assert len(sliding.cuts(pieces)) == numbers[pieces]


@pytest.mark.parametrize("pieces", [1, 14, 15])
def test_a_row_is_that_of_the_published_table(pieces: int) -> None:
    assert sliding.row(pieces)[0] == PUBLISHED[pieces - 1]


def test_the_distances_are_minima_by_the_rules() -> None:
    random = np.random.default_rng(5)
    for distance, layer in enumerate(sliding.layers(sliding.goals(sliding.cuts(13)))):
        if distance % 6 == 1:
            text = sliding.document(int(random.choice(layer)), 13, distance)
            puzzle = fewest.load("it.yaml", text=text)
            assert puzzle.solve("turns", engine="bfs", audit="off").cost == distance


def test_a_written_board_is_solved_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sliding.main(["14", "-o", str(tmp_path)])
    assert "14 pieces:  25 moves, 732 cuts" in capsys.readouterr().out
    puzzle = fewest.load(tmp_path / "sliding-4x4-14.yaml")
    assert puzzle.solve("turns").cost == 25
    assert (tmp_path / "sliding-4x4-14.proof").exists()
