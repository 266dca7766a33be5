"""Measures the search: `python -m bench [--large] [--only NAME] [--runs N] [--json FILE]`.

Each figure is the best of several runs in one process. Machines are shared and noisy, so compare ratios within one run.
"core" is the search itself; "process" is a whole `fewest solve`.
"""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import fewest
from fewest import search


@dataclass(frozen=True)
class Case:
    """One measurement, which is an exhaustive search of a puzzle in one metric."""

    puzzle: str
    metric: str | None
    is_large: bool = False
    why: str = ""


CASES = [
    Case("heng-dao-li-ma", "turns", why="goal: at most 5 ms in the core"),
    Case("heng-dao-li-ma", "steps"),
    Case("hardest-6x6", "steps", why="goal: at most 5 ms in the core"),
    Case("hardest-6x6", "slides"),
    Case("eight-puzzle", "moves"),
    Case("tiles-2x5", "moves", why="packed: 90 facts in one word"),
    Case("microban-001", "pushes", why="regions"),
    Case("microban-002", "pushes", why="regions"),
    Case("microban-002", "moves"),
    Case("large-7x7", "steps"),
    Case("large-8x8", "steps", why="two words"),
    Case("super-century", "turns"),
    Case("tiles-3x4", "moves", True, "goal: 239,500,800 states in 4 GB, over 4 million a second"),
    Case("english", "jumps", True, "goal: 187,636,299 states in 4 GB"),
]


@dataclass(frozen=True)
class Figures:
    """The measured figures; the seconds come from the best run."""

    puzzle: str
    metric: str
    words: int
    algorithm: str
    states: int
    generated: int
    last_layer: int
    core_seconds: float
    states_per_second: float
    generated_per_second: float
    bytes_per_state: float
    ground_seconds: float
    process_seconds: float | None


def measure(case: Case, runs: int) -> Figures:
    """Search a puzzle exhaustively in the core, and solve it once in a separate process."""
    compiled = fewest.load(case.puzzle)
    began = time.perf_counter()
    task = compiled.task
    ground_seconds = time.perf_counter() - began
    metric = case.metric or compiled.puzzle.default_metric
    best: dict[str, object] | None = None
    for _ in range(1 if case.is_large else runs):
        found = dict(compiled.solve(metric, exhaust=True).statistics)
        if best is None or float(str(found["seconds"])) < float(str(best["seconds"])):
            best = found
    assert best is not None
    if not best["exhausted"]:
        raise SystemExit(f"{case.puzzle}: a limit stopped the search")
    seconds, states = float(str(best["seconds"])), int(str(best["states"]))
    generated = int(str(best["generated"]))
    layers = best["layers"]
    assert isinstance(layers, list)
    process = None
    if not case.is_large:
        process = min(
            process_seconds("solve", case.puzzle, "--metric", metric) for _ in range(runs)
        )
    return Figures(
        case.puzzle,
        metric,
        task.words,
        str(best["algorithm"]),
        states,
        generated,
        layers[-1][0][0],
        seconds,
        states / seconds,
        generated / seconds,
        int(str(best["bytes"])) / states,
        ground_seconds,
        process,
    )


def process_seconds(*args: str) -> float:
    """The wall-clock seconds that a whole `fewest` process takes."""
    began = time.perf_counter()
    subprocess.run([sys.executable, "-m", "fewest", *args], stdout=subprocess.DEVNULL, check=False)
    return time.perf_counter() - began


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument(
        "--large", action="store_true", help="also what takes minutes and gigabytes"
    )
    parser.add_argument("--only", help="puzzles whose name contains this")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--json", type=Path, default=Path("bench/results/latest.json"))
    options = parser.parse_args()
    start_up = min(process_seconds("--help") for _ in range(options.runs))
    print(f"native core: {search.NATIVE}; start-up without solving: {start_up:.3f} s\n")
    print(
        f"{'puzzle':<16}{'metric':<8}{'W':>2} {'states':>12}{'last':>5}{'core s':>10}"
        f"{'states/s':>12}{'succ./s':>12}{'B/state':>8}{'ground':>8}{'process':>8}"
    )
    rows: list[Figures] = []
    for case in CASES:
        if (case.is_large and not options.large) or (
            options.only and options.only not in case.puzzle
        ):
            continue
        row = measure(case, options.runs)
        rows.append(row)
        process = "" if row.process_seconds is None else f"{row.process_seconds:.3f}"
        print(
            f"{row.puzzle:<16}{row.metric:<8}{row.words:>2} {row.states:>12,}{row.last_layer:>5}"
            f"{row.core_seconds:>10.4f}{row.states_per_second:>12,.0f}"
            f"{row.generated_per_second:>12,.0f}{row.bytes_per_state:>8.1f}"
            f"{row.ground_seconds:>8.3f}{process:>8}",
            flush=True,
        )
    options.json.parent.mkdir(parents=True, exist_ok=True)
    machine = {"machine": platform.machine(), "python": platform.python_version()}
    data = {**machine, "native": search.NATIVE, "start_up_seconds": start_up}
    options.json.write_text(json.dumps({**data, "rows": [asdict(row) for row in rows]}, indent=2))
    print(f"\nwritten to {options.json}")


if __name__ == "__main__":
    main()
