"""Measures how much each part of A* saves: `python -m bench.ablation [COLLECTION.xsb:LEVELS...]
[--seconds 30] [--sample 20]`.

The command solves each level by A* with all parts enabled, and then with each part disabled in turn, all in one
process. It prints the CPU seconds of the search alone (without reading, grounding and replay), expansions, and their
ratios to those of the full search. It skips levels that the full search does not solve within the CPU time limit. All
answers must agree. `--sample N` draws N random levels from each collection; `--seed` seeds the draw.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import fewest
from fewest.engines import solve
from fewest.model.answer import Limits
from fewest.search import _native
from fewest.search.informed import InformedProblem
from fewest.search.interface import Progress

OPTIONS = {"ends": "both", "threads": 1}  # the options that `auto` uses if the agent moves for free
NEVER = 1 << 63  # more expansions than any search reaches


@contextmanager
def _hints(**switches: Any) -> Iterator[None]:
    """In this context, all hints for A* have these attributes."""
    make = _native.Hints

    def changed(*arguments: Any, **named: Any) -> _native.Hints:
        hints = make(*arguments, **named)
        for name, value in switches.items():
            setattr(hints, name, value)
        return hints

    with patch.object(_native, "Hints", changed):
        yield


def _no_second_set() -> AbstractContextManager[Any]:
    """While this context is active, A* builds no local PDBs for its search from the goals."""
    return patch.object(InformedProblem, "build_local_pdbs_from_goals", lambda *_, **__: "running")


VARIANTS: dict[str, Callable[[], AbstractContextManager[Any]]] = {
    "all parts": nullcontext,
    "no corrals": lambda: _hints(has_corrals=False),
    "no deadlock sets": lambda: _hints(look_from=NEVER),
    "no second set of local PDBs": _no_second_set,
    "no areas": lambda: _hints(has_areas=False),
}


class _TooLongError(Exception):
    """Ends a search once it has used up its CPU time."""


@dataclass(frozen=True)
class Row:
    """The figures of one search; `cost` is None if the search did not finish in time."""

    level: str
    variant: str
    cost: object
    expanded: int
    cpu_seconds: float


def measure(ref: str, metric: str, variant: str, seconds: float) -> Row:
    """Solve one level with one variant of the search."""
    task = fewest.load(ref).task
    began = time.process_time()
    expanded = 0

    def progress(now: Progress) -> None:
        nonlocal expanded
        expanded = now.num_expanded
        if time.process_time() - began > seconds:
            raise _TooLongError

    cost = None
    try:
        with VARIANTS[variant]():
            answer = solve(
                "astar",
                task,
                task.metrics[metric],
                Limits(memory=8 << 30),
                progress=progress,
                **OPTIONS,
            )
        if answer.status == "optimal":
            cost, expanded = answer.cost, answer.statistics["expanded"]
    except _TooLongError:
        pass
    return Row(ref, variant, cost, expanded, time.process_time() - began)


def levels_of(text: str) -> list[str]:
    """The levels that a text such as `FILE:3,5-7` names; a name without numbers means levels 1 to 155, the numbers of
    Microban."""
    name, _, numbers = text.partition(".xsb:")
    if not numbers:
        name, numbers = name.removesuffix(".xsb"), "1-155"
    found = []
    for part in numbers.split(","):
        first, _, last = part.partition("-")
        found += [f"{name}.xsb:{level}" for level in range(int(first), int(last or first) + 1)]
    return found


def summary(rows: list[Row], variant: str) -> str:
    """The totals of a variant over the levels that both this variant and the full search have solved."""
    whole = {row.level: row for row in rows if row.variant == "all parts" and row.cost is not None}
    mine = [row for row in rows if row.variant == variant and row.level in whole]
    solved = [row for row in mine if row.cost is not None]
    if any(row.cost != whole[row.level].cost for row in solved):
        sys.exit(f"{variant}: an answer differs")
    seconds, expanded = sum(r.cpu_seconds for r in solved), sum(r.expanded for r in solved)
    base = [whole[row.level] for row in solved]
    slower = seconds / max(1e-9, sum(row.cpu_seconds for row in base))
    more = expanded / max(1, sum(row.expanded for row in base))
    return (
        f"{variant:<28}{len(solved):>5} of {len(mine)} solved {seconds:>9.2f} s CPU {slower:>7.3f} times"
        f"{expanded:>14,} expanded {more:>7.3f} times"
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.ablation", description=__doc__)
    parser.add_argument("levels", nargs="*", default=["microban.xsb"])
    parser.add_argument("--metric", default="pushes")
    parser.add_argument("--seconds", type=float, default=30.0, help="of CPU, for each search")
    parser.add_argument("--rounds", type=int, default=1, help="the least time of so many counts")
    parser.add_argument("--sample", type=int, help="so many levels of each collection")
    parser.add_argument("--seed", type=int, default=1, help="of the sample")
    parser.add_argument("--json", type=Path, help="write the rows here")
    options = parser.parse_args()
    rows: list[Row] = []
    for text in options.levels:
        mine: list[Row] = []
        refs = levels_of(text)
        if options.sample is not None and options.sample < len(refs):
            drawn = random.Random(options.seed).sample(range(len(refs)), options.sample)
            refs = [refs[i] for i in sorted(drawn)]
        for ref in refs:
            for variant in VARIANTS:
                tries = [
                    measure(ref, options.metric, variant, options.seconds)
                    for _ in range(options.rounds)
                ]
                row = min(tries, key=lambda one: one.cpu_seconds)
                mine.append(row)
                print(
                    f"  {Path(ref).name} {variant}: {row.cost}, {row.expanded:,} expanded, "
                    f"{row.cpu_seconds:.2f} s CPU",
                    file=sys.stderr,
                    flush=True,
                )
                if variant == "all parts" and row.cost is None:
                    break
        print(Path(text).name)
        for variant in VARIANTS:
            print(summary(mine, variant), flush=True)
        rows += mine
    if options.json is not None:
        options.json.write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n")


if __name__ == "__main__":
    main()
