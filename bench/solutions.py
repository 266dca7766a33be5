"""Compares `solutions` with `explore`: `python -m bench.solutions [NAME …] [--most S] [--runs N]`.

For each shipped puzzle, the benchmark measures both calls alternately, in the default metric and without an audit, and
prints the lowest CPU seconds of each and their ratio. `solutions` may take at most twice as long as `explore`. Short
calls are repeated more often. A puzzle that `explore` does not finish within the limit is left out.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator

import fewest
from fewest.commands.catalogue import catalogue
from fewest.errors import FewestError

SHORT = 0.25  # seconds; shorter calls are measured three times as often
WANTED = 2.0


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.solutions", description=__doc__)
    parser.add_argument("names", nargs="*", help="puzzles; default: all that ship")
    parser.add_argument("--most", type=float, default=2.0, help="seconds for explore")
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    rows: list[tuple[str, float, float]] = []
    print(f"{'puzzle':<28} {'explore':>9} {'solutions':>9} {'ratio':>6}")
    for name in options.names or [entry.name for entry in catalogue()]:
        for explored, counted in _measured(name, options.most, options.runs):
            rows.append((name, explored, counted))
            print(
                f"{name:<28} {explored:9.4f} {counted:9.4f} {counted / explored:6.2f}", flush=True
            )
    above = [name for name, explored, counted in rows if counted > WANTED * explored]
    explored, counted = (sum(row[place] for row in rows) for place in (1, 2))
    print(f"{len(rows)} puzzles: {explored:.2f} s, {counted:.2f} s, ratio {counted / explored:.2f}")
    print(f"{len(above)} with a ratio above {WANTED:g}: {', '.join(above) or 'none'}")


def _measured(name: str, most: float, runs: int) -> Iterator[tuple[float, float]]:
    """The lowest CPU seconds of both calls; nothing if the puzzle has no goal or takes too long."""
    compiled = fewest.load(name)
    if compiled.puzzle.goal is None:
        return
    try:
        compiled.grounded  # noqa: B018 - compiles the puzzle before the measurement
        found = compiled.explore(seconds=most, audit="off")
    except FewestError:
        return
    if found.reason is not None:
        return
    compiled.solutions(audit="off")  # this call fills caches and loads modules
    calls: list[Callable[[], object]] = [
        lambda: compiled.explore(audit="off"),
        lambda: compiled.solutions(audit="off"),
    ]
    least = [float("inf")] * 2
    number = 0
    while number < runs * (3 if sum(least) < SHORT else 1):
        number += 1
        for place, call in enumerate(calls):
            began = time.process_time()
            call()
            least[place] = min(least[place], time.process_time() - began)
    yield least[0], least[1]


if __name__ == "__main__":
    main()
