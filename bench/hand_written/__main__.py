"""Compares hand-written programs with the engines: `python -m bench.hand_written [--runs 3] [--configuration tweety]`.

For each program in this folder, the benchmark prints the CPU seconds of clingo with the program, and of `asp` and `sat`
on the same puzzle. For each of them, it prints the shortest time of the runs and, for the engines, also the ratio to
the time of clingo. The runs alternate, so compare ratios within one run. The time for clingo covers its whole process,
including the start of Python (0.1 s). The time for an engine is that of its process, as `fewest compare` measures it.
The exit code is 1 if the minima differ.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from fewest.commands.compare import compare
from fewest.machine.resources import encoding_folder

FOLDER = Path(__file__).parent
INSTANCES: list[tuple[str, str, dict[str, int]]] = [
    ("fifteen-20", "fifteen-20", {}),
    ("machinarium-6", "machinarium", {"n": 6}),
]
CLINGO = str(encoding_folder() / "asp" / "run" / "with_python.py")


def by_hand(program: str, configuration: str) -> tuple[int, float]:
    """The minimum that clingo finds with a program from this folder, and the CPU seconds that clingo takes."""
    path = str(FOLDER / f"{program}.lp")
    before = os.times()
    done = subprocess.run(
        [sys.executable, CLINGO, path, f"--configuration={configuration}"],
        capture_output=True,
        text=True,
        check=False,
    )
    after = os.times()
    calls = re.search(r"^Calls\s*: (\d+)", done.stdout, re.M)
    if calls is None or "SATISFIABLE" not in done.stdout:
        raise SystemExit(f"clingo gave no answer to {program}: {done.stdout}{done.stderr}")
    seconds = after.children_user + after.children_system
    return int(calls[1]) - 1, seconds - before.children_user - before.children_system


def by_engines(
    puzzle: str, parameters: dict[str, int], engines: Sequence[str]
) -> list[tuple[int | None, float]]:
    """The minimum and the CPU seconds of each engine."""
    (found,) = compare([puzzle], list(engines), parameters=parameters, seconds=300).comparisons
    entries = {entry.engine: entry for entry in found.entries}
    return [(entries[name].cost, entries[name].cpu.engine or 0.0) for name in engines]


@click.command()
@click.option("--runs", default=3, show_default=True)
@click.option("--configuration", default="tweety", show_default=True, help="Of clingo, by hand.")
@click.option("--engines", default="asp,sat", show_default=True)
def main(runs: int, configuration: str, engines: str) -> None:
    """Print one row for each program."""
    names = engines.split(",")
    print("| question | minimum | by hand | " + " | ".join(names) + " |")
    print("| --- | ---: | ---: |" + " ---: |" * len(names))
    has_difference = False
    for program, puzzle, parameters in INSTANCES:
        best = [float("inf")] * (len(names) + 1)
        for _ in range(runs):
            minimum, seconds = by_hand(program, configuration)
            rows = [(minimum, seconds), *by_engines(puzzle, parameters, names)]
            has_difference |= any(cost != minimum for cost, _ in rows)
            best = [min(old, new) for old, (_, new) in zip(best, rows, strict=True)]
        cells = [f"{best[0]:.2f}", *(f"{one:.2f} ({one / best[0]:.1f})" for one in best[1:])]
        print(f"| {program} | {minimum} | {' | '.join(cells)} |", flush=True)
    if has_difference:
        sys.exit("the minima differ")


if __name__ == "__main__":
    main()
