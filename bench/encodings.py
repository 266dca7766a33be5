"""Measures every encoding on the same puzzles: `python -m bench.encodings [--time 60] [--solver
NAME] [--only TEXT]`.

The benchmark prints the CPU seconds until the minimum is proven. This is the total for all horizons from 0 on, and
includes the solver's process. If the limit `--time` comes first, the benchmark prints, in brackets, the greatest number
of moves that was proven insufficient. `encodings/README.md` quotes the table.
"""

from __future__ import annotations

import json
import resource
from pathlib import Path

import click

import fewest
from fewest.commands.result import Result
from fewest.planning.sat.profile import profiles

PUZZLES = [
    ("hanoi", {"disks": 5}, "moves"),
    ("machinarium", {"n": 5}, "moves"),
    ("guarini", {}, "moves"),
    ("bird", {}, "slides"),
    ("bird", {}, "steps"),
    ("hardest-6x6", {}, "slides"),
    ("eight-puzzle", {}, "moves"),
    ("microban-001", {}, "pushes"),
    ("microban-001", {}, "moves"),
    ("microban-004", {}, "pushes"),
    ("feng-huang-dao-ying", {}, "turns"),
    ("triangle-15", {}, "turns"),
    ("microban-008", {}, "moves"),
]
RESULTS = Path(__file__).parent / "results" / "encodings.json"


@click.command()
@click.option(
    "--time", "seconds", default=60.0, show_default=True, help="Wall seconds for each entry."
)
@click.option("--solver", help="The SAT solver. [default: that of `fewest solve`]")
@click.option("--only", default="", help="Encodings whose name contains this.")
def main(seconds: float, solver: str | None, only: str) -> None:
    """Print a table of profiles and puzzles, with a row for ASP."""
    names = [f"sat {name}" for name, _ in profiles()] + ["asp"]
    names = [name for name in names if only in name]
    rows: dict[str, dict[str, object]] = {name: {} for name in names}
    titles = [f"{name}{''.join(f' {v}' for v in p.values())} {m}" for name, p, m in PUZZLES]
    print("| encoding | " + " | ".join(titles) + " |")
    print("| --- |" + " ---: |" * len(titles))
    for name in names:
        cells: list[str] = []
        for title, (puzzle, parameters, metric) in zip(titles, PUZZLES, strict=True):
            compiled = fewest.load(puzzle, parameters)
            options: dict[str, object] = {}
            if name != "asp":
                options["encoding"] = name.removeprefix("sat ")
                if solver is not None:
                    options["solver"] = solver
            began = _cpu_seconds()
            result = compiled.solve(metric, engine=name.split()[0], seconds=seconds, **options)
            spent = _cpu_seconds() - began
            cells.append(_cell(result, spent))
            rows[name][title] = {**result.to_json(), "plan": None, "cpu_seconds": spent}
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(rows, indent=1), encoding="utf-8")


def _cpu_seconds() -> float:
    processes = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return sum(usage.ru_utime + usage.ru_stime for usage in map(resource.getrusage, processes))


def _cell(result: Result, spent: float) -> str:
    if result.status == "optimal":
        return f"{spent:.1f}"
    return f"({result.lower_bound})"


if __name__ == "__main__":
    main()
