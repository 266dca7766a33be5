"""Compares goal-directed search with breadth-first search: `python -m bench.planning [FAMILY] [--only NAME]`.

For every shipped puzzle of a family (by default rush-hour) and for both searches, the benchmark prints the number of
states expanded until the first plan and the length of that plan. At the end, it prints the sums, and the medians of the
ratios. None of these numbers depends on the machine.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from statistics import median

import fewest
from fewest.commands.result import Result
from fewest.machine.resources import puzzles
from fewest.model.answer import Cost, format_cost

SECONDS = 60.0
MEMORY = 2 << 30


@dataclass(frozen=True)
class Comparison:
    """The results of the two engines; a cost is in the default metric, or None if a limit ended the search."""

    puzzle: str
    metric: str
    searched: Result
    planned: Result

    @property
    def is_whole(self) -> bool:
        return self.searched.cost is not None and self.planned.cost is not None


def compare(ref: str, metric: str | None) -> Comparison:
    """Run both engines on one puzzle until the first plan."""
    compiled = fewest.load(ref)
    answers = [
        compiled.solve(metric, engine=engine, seconds=SECONDS, memory=MEMORY)
        for engine in ("bfs", "goal-directed")
    ]
    return Comparison(compiled.puzzle.name, answers[0].metric, *answers)


def _said(result: Result) -> str:
    return result.status if result.cost is None else format_cost(result.cost)


def _sum(cost: Cost | None) -> int:
    return 0 if cost is None else cost if isinstance(cost, int) else sum(cost)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.planning", description=__doc__)
    parser.add_argument("family", nargs="?", default="rush-hour")
    parser.add_argument("--metric", help="instead of each puzzle's own")
    parser.add_argument("--only", default="", help="puzzles whose name contains this")
    options = parser.parse_args()
    print(
        f"{'puzzle':<22}{'metric':<8}{'expanded: bfs':>14}{'planning':>10}"
        f"{'plan: fewest':>14}{'planning':>11}"
    )
    rows: list[Comparison] = []
    for family, name, path in puzzles():
        if family != options.family or options.only not in name:
            continue
        row = compare(str(path), options.metric)
        rows.append(row)
        print(
            f"{row.puzzle:<22}{row.metric:<8}{row.searched.statistics['expanded']:>14,}"
            f"{row.planned.statistics['expanded']:>10,}{_said(row.searched):>14}"
            f"{_said(row.planned):>11}",
            flush=True,
        )
    whole = [row for row in rows if row.is_whole]
    if not whole:
        raise SystemExit(f"nothing of the family {options.family} was solved by both")
    states, lengths = [], []
    for side in ([row.searched for row in whole], [row.planned for row in whole]):
        states.append(sum(result.statistics["expanded"] for result in side))
        lengths.append(sum(_sum(result.cost) for result in side))
    minimal = sum(row.searched.cost == row.planned.cost for row in whole)
    print(
        f"\n{len(whole)} of {len(rows)} solved by both: {states[0]:,} states expanded by bfs, "
        f"{states[1]:,} by planning; "
        f"{lengths[0]:,} moves fewest, {lengths[1]:,} by planning "
        f"({lengths[1] / max(1, lengths[0]) - 1:+.0%}); {minimal} plans are minimal"
    )
    longer = [_sum(row.planned.cost) / max(1, _sum(row.searched.cost)) for row in whole]
    fewer = [
        row.searched.statistics["expanded"] / max(1, row.planned.statistics["expanded"])
        for row in whole
    ]
    print(
        f"medians: a plan is {median(longer):.3f} times as long as the shortest (at most "
        f"{max(longer):.2f}); bfs expands {median(fewer):.1f} times as many states"
    )


if __name__ == "__main__":
    main()
