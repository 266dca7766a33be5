"""Every encoding on the same puzzles: `python -m bench.encodings [--time 60] [--solver NAME] [--only TEXT]`.

Seconds until the minimum is proven, all horizons from 0 on together, solver and process included; or
the horizon that was reached in that time. Prints the table that `encodings/README.md` quotes.
"""

from __future__ import annotations

import json
import time
from pathlib import Path

import click

import fewest
from fewest.results import Result
from fewest.sat.profile import profiles

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
]
RESULTS = Path(__file__).parent / "results" / "encodings.json"


@click.command()
@click.option("--time", "seconds", default=60.0, show_default=True, help="Seconds for each entry.")
@click.option("--solver", help="The SAT solver. [default: the newest CaDiCaL]")
@click.option("--only", default="", help="Encodings whose name contains this.")
def main(seconds: float, solver: str | None, only: str) -> None:
    """Profiles × puzzles, and ASP."""
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
            began = time.perf_counter()
            result = compiled.solve(metric, engine=name.split()[0], seconds=seconds, **options)
            spent = time.perf_counter() - began
            cells.append(_cell(result, spent))
            rows[name][title] = {**result.to_json(), "plan": None, "whole_seconds": spent}
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(rows, indent=1), encoding="utf-8")


def _cell(result: Result, spent: float) -> str:
    if result.status == "optimal":
        return f"{spent:.1f}"
    return f"({result.lower_bound})"


if __name__ == "__main__":
    main()
