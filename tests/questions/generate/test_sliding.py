"""`bench/sliding.py`: the hardest sliding blocks on 4×4 cells for each number of pieces."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import fewest
from bench import sliding

# N. Bickford, "Sliding Block Puzzles, Part 3", 2012.
PUBLISHED = [1, 4, 9, 19, 36, 51, 62, 89, 132, 81, 64, 73, 61, 25, 21]


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
