"""Solves all of Microban: `python -m bench.microban [METRIC...] [--engine astar] [--seconds 30] [--levels 1-20]`.

The benchmark solves the levels in sequence in one process and one thread, with a time limit for each level. CPU seconds
cover all the work on a level: reading, grounding, search, and the replay by the reference interpreter. The benchmark
compares the answers with `puzzles/sokoban/microban.tsv`; a difference between a proven minimum and the published one is
an error.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import fewest

TABLE = Path(__file__).parent.parent / "puzzles" / "sokoban" / "microban.tsv"
COLUMNS: dict[str, tuple[str, ...]] = {
    "pushes": ("min_pushes",),
    "moves": ("min_moves",),
    "pushes-then-moves": ("min_pushes", "moves_at_min_pushes"),
    "moves-then-pushes": ("min_moves", "pushes_at_min_moves"),
    "lines": (),  # no published minima
}
SLOW = 1.0  # CPU seconds; levels that take longer are listed


@dataclass(frozen=True)
class Row:
    """The cost of one level; `known` is the published minimum."""

    level: int
    metric: str
    status: str
    cost: object
    known: object
    lower_bound: object
    states: int
    bytes: int
    cpu_seconds: float


def known(metric: str) -> dict[int, int | tuple[int, ...] | None]:
    """The published minimum of each level, or None if none is published."""
    lines = [line for line in TABLE.read_text("utf-8").splitlines() if not line.startswith("#")]
    names = lines[0].split("\t")
    found: dict[int, int | tuple[int, ...] | None] = {}
    for line in lines[1:]:
        row = dict(zip(names, line.split("\t"), strict=False))
        values = tuple(int(row[column]) for column in COLUMNS[metric])
        found[int(row["level"])] = values if len(values) > 1 else next(iter(values), None)
    return found


def measure(level: int, metric: str, engine: str, seconds: float, expected: object) -> Row:
    """Solve one level, from its file to its answer."""
    began = time.process_time()
    result = fewest.load(f"microban.xsb:{level}").solve(
        metric, engine=engine, seconds=seconds, memory=8 << 30
    )
    spent = time.process_time() - began
    return Row(
        level,
        metric,
        result.status,
        result.cost,
        expected,
        result.lower_bound,
        result.statistics["states"],
        result.statistics["bytes"],
        spent,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("metrics", nargs="*", default=["pushes", "moves"])
    parser.add_argument("--engine", default="astar")
    parser.add_argument("--seconds", type=float, default=30.0, help="for each level")
    parser.add_argument("--levels", default="1-155", help="such as 93 or 1-20")
    parser.add_argument("--json", type=Path, help="write the rows here")
    arguments = parser.parse_args()
    first, _, last = arguments.levels.partition("-")
    rows: list[Row] = []
    for metric in arguments.metrics:
        minima = known(metric)
        mine: list[Row] = []
        for level in range(int(first), int(last or first) + 1):
            row = measure(level, metric, arguments.engine, arguments.seconds, minima[level])
            mine.append(row)
            if (
                row.status != "optimal"
                or row.known not in (None, row.cost)
                or row.cpu_seconds >= SLOW
            ):
                print(
                    f"  {metric} {level}: {row.status} {row.cost} (table {row.known}, bound "
                    f"{row.lower_bound}), {row.states:,} states, {row.cpu_seconds:.1f} s CPU",
                    flush=True,
                )
        proven = [row for row in mine if row.status == "optimal"]
        states = sum(row.states for row in mine)
        print(
            f"{metric}: {len(proven)} of {len(mine)} proven, "
            f"{sum(row.cpu_seconds for row in mine):.1f} s CPU "
            f"({sum(row.cpu_seconds for row in proven):.1f} s for those proven), {states:,} states, "
            f"{sum(row.bytes for row in mine) / max(1, states):.1f} bytes each",
            flush=True,
        )
        rows += mine
    if arguments.json is not None:
        arguments.json.write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n")
    if any(row.status == "optimal" and row.known not in (None, row.cost) for row in rows):
        sys.exit("an answer differs from the table")


if __name__ == "__main__":
    main()
