"""Measures searches with symmetry: `python -m bench.symmetry [--large] [--runs N]`.

The benchmark searches puzzles exhaustively, alternately without and with the group of symmetries, and prints the ratio
of the lowest CPU times. With groups that do not fix the start, the search counts orbits, as `docs/symmetry.md`
explains.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import NamedTuple

import fewest
from fewest import search
from fewest.analysis.symmetry import find_symmetry
from fewest.model.costs import cost_table
from fewest.model.metric import metric_of
from fewest.search import Outcome


class Case(NamedTuple):
    puzzle: str
    metric: str
    # This search takes half a minute and half a gigabyte, and runs only with symmetry.
    is_large: bool = False


CASES = [
    Case("heng-dao-li-ma", "turns"),
    Case("heng-dao-li-ma", "steps"),
    Case("two-exits", "slides"),
    Case("trapped-treasure", "turns"),
    Case("trapped-treasure", "steps"),
    Case("eight-puzzle", "moves"),
    Case("tiles-torus", "moves"),
    Case("octagon-21", "jumps"),
    Case("microban-066", "pushes"),
    Case("microban-066", "moves"),
    Case("impassable-gate", "turns"),
    Case("english", "jumps", is_large=True),
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--large", action="store_true", help="English peg solitaire, too")
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()
    print("| puzzle | metric | symmetries | positions | searched | times as fast |")
    print("| --- | --- | ---: | ---: | ---: | ---: |")
    for case in CASES:
        if not case.is_large or arguments.large:
            print(measure(case, 1 if case.is_large else arguments.runs), flush=True)


def measure(case: Case, runs: int) -> str:
    """A row of the table."""
    task = fewest.load(case.puzzle).task
    table = cost_table(task, metric_of(task, case.metric))
    group = find_symmetry(task.problem, table)
    assert group is not None

    def plain() -> Outcome:
        return search.search(task.problem, table, exhaust=True)

    def by_symmetry() -> Outcome:
        return search.search(task.problem, table, exhaust=True, symmetry=group)

    seconds: list[tuple[float, float]] = []
    positions = 0
    for _ in range(runs):
        without = (float("nan"), None) if case.is_large else timed(plain)
        with_it, found = timed(by_symmetry)
        positions = found.num_states if without[1] is None else without[1].num_states
        seconds.append((without[0], with_it))
    ratio = min(pair[0] for pair in seconds) / min(pair[1] for pair in seconds)
    return (
        f"| {case.puzzle} | {case.metric} | {group.order} | {positions:,} | "
        f"{found.canonical_states:,} | {'' if case.is_large else f'{ratio:.1f}'} |"
    )


def timed(search: Callable[[], Outcome]) -> tuple[float, Outcome]:
    """The CPU seconds that a search takes, and its outcome."""
    began = time.process_time()
    found = search()
    return time.process_time() - began, found


if __name__ == "__main__":
    main()
