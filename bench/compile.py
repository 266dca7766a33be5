"""Measures compilation: `python -m bench.compile [--runs N] [FILE ...]`.

The benchmark prints the CPU seconds for compiling a parsed puzzle to its task, as the best of several runs. The slowest
puzzles come first. Without files, the benchmark measures all shipped puzzles.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import fewest
from fewest.grounding.ground import ground
from fewest.machine.resources import data_folder

SHOWN = 20


def seconds_of(file: Path, runs: int) -> tuple[float, str]:
    """The shortest compilation time of a puzzle, and the sizes of its task."""
    puzzle = fewest.load(file).puzzle
    best, sizes = float("inf"), ""
    for _ in range(runs):
        began = time.process_time()
        task = ground(puzzle)
        best = min(best, time.process_time() - began)
        goals = " x ".join(str(len(cubes)) for cubes in task.goal_lists)
        sizes = f"{len(task.facts):,} facts, {len(task.moves):,} operators, goal {goals}"
    return best, sizes


def main() -> None:
    """Read the arguments, and print a row for each puzzle."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE")
    parser.add_argument("--runs", type=int, default=3)
    given = parser.parse_args()
    files = given.files or sorted((Path(data_folder()) / "puzzles").rglob("*.yaml"))
    rows = sorted(((*seconds_of(file, given.runs), file.stem) for file in files), reverse=True)
    for seconds, sizes, name in rows[:SHOWN]:
        print(f"{seconds:8.3f}  {name:28}  {sizes}")
    print(f"{sum(row[0] for row in rows):8.3f}  all {len(rows)}")


if __name__ == "__main__":
    main()
