"""Compares `auto` with every single engine: `python -m bench.portfolio [NAME …] [--limit S] [--json FILE]`.

For each puzzle and metric, the benchmark prints the CPU seconds of `auto`, those of the fastest single engine with the
same minimum, and their ratio. At the end, it prints the median, the 90th percentile and the maximum of the ratios. A
NAME is the name of a puzzle or of a level; without names, the benchmark measures all shipped puzzles and the `--levels`
of Microban. CPU seconds are those of a separate process that already has the compiled task and all modules. Short runs
are repeated, and the fastest one counts. The time limit of a single engine is only slightly more than the time of all
runs of `auto`, because slower engines do not affect the result.
"""

from __future__ import annotations

import argparse
import json
import os
import pickle
import statistics
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import fewest
from fewest.commands.catalogue import catalogue
from fewest.engines import registry
from fewest.errors import FewestError
from fewest.model.answer import Limits

ENGINES: dict[str, tuple[str, dict[str, Any]]] = {
    "bfs": ("bfs", {}),
    "bidirectional": ("bidirectional", {}),
    "astar": ("astar", {}),
    "astar both ends": ("astar", {"ends": "both"}),
    "astar abstraction": ("astar", {"heuristic": "abstraction"}),
    "sat": ("sat", {}),
}
SHORT = 0.3  # seconds; shorter runs are repeated
RUNS = 3
SLACK = 0.005  # seconds; they are subtracted for the maximum ratio


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.portfolio", description=__doc__)
    parser.add_argument("names", nargs="*", help="puzzles, collections; default: all that ship")
    parser.add_argument(
        "--levels", default="1-155", help="of Microban, as FIRST-LAST or FIRST-LAST/STEP"
    )
    parser.add_argument("--limit", type=float, default=5.0, help="seconds for each run of auto")
    parser.add_argument("--engines", default=",".join(ENGINES), help="separated by commas")
    parser.add_argument("--metrics", help="only these, separated by commas")
    parser.add_argument("--json", type=Path, help="where all figures go")
    options = parser.parse_args()
    engines = {name: ENGINES[name] for name in options.engines.split(",")}
    metrics = None if options.metrics is None else set(options.metrics.split(","))
    _load_modules(engines)
    rows = []
    for name in options.names or _all(options.levels):
        for row in _rows(name, engines, options.limit, metrics):
            rows.append(row)
            print(_line(row), flush=True)
    if options.json is not None:
        options.json.write_text(json.dumps(rows, indent=1))
    print(summary(rows))


def _all(levels: str) -> list[str]:
    span, _, step = levels.partition("/")
    first, last = map(int, span.split("-"))
    numbers = range(first, last + 1, int(step or 1))
    return [entry.name for entry in catalogue()] + [f"microban.xsb:{number}" for number in numbers]


def _load_modules(engines: dict[str, tuple[str, dict[str, Any]]]) -> None:
    """Solve puzzles that make every engine load all its modules, so that child processes do not have to load them."""
    for name, metric in (
        ("microban-004", "moves"),
        ("tiles-2x4", "moves"),
        ("heng-dao-li-ma", "turns"),
    ):
        task = fewest.load(name).task
        for engine, extra in (("auto", {}), *engines.values()):
            with suppress(FewestError):
                limits = Limits(seconds=0.5)
                registry.solve(
                    engine, task, fewest.load(name).puzzle.metrics[metric], limits, **extra
                )


def _rows(
    name: str,
    engines: dict[str, tuple[str, dict[str, Any]]],
    limit: float,
    metrics: set[str] | None,
) -> Iterator[dict[str, Any]]:
    try:
        compiled = fewest.load(name)
        task = compiled.task
    except FewestError as error:
        print(f"{name}: {error}", file=sys.stderr)
        return
    for metric in compiled.puzzle.metrics.values():
        if metrics is not None and metric.name not in metrics:
            continue
        began = time.perf_counter()
        cost, seconds, figures = _measured("auto", {}, task, metric, limit)
        most = min(limit, time.perf_counter() - began + 0.05)
        row: dict[str, Any] = {"puzzle": name, "metric": metric.name, "auto": seconds}
        row["answer"] = None if cost is None else list(cost)
        row["engine"] = figures
        row["engines"] = {}
        for label, (engine, extra) in engines.items():
            found, used, _ = _measured(engine, extra, task, metric, most)
            if found is None:
                continue
            if cost is not None and found != cost:
                raise SystemExit(f"{name}, {metric.name}: {label} says {found}, auto {cost}")
            row["engines"][label] = used
        yield row


def _measured(
    engine: str, extra: dict[str, Any], task: Any, metric: Any, limit: float
) -> tuple[tuple[int, ...] | None, float, str]:
    """The proven cost (None after a limit or a refusal), CPU seconds, and the engine that answered."""
    runs = []
    for _ in range(RUNS):
        runs.append(_forked(engine, extra, task, metric, limit))
        if runs[-1][0] is None or runs[-1][1] > SHORT:
            break
    return min(runs, key=lambda run: run[1])


def _forked(
    engine: str, extra: dict[str, Any], task: Any, metric: Any, limit: float
) -> tuple[tuple[int, ...] | None, float, str]:
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        try:
            found = _solved(engine, extra, task, metric, limit)
        except BaseException:
            found = None, 0.0, "error"
        with os.fdopen(writer, "wb") as pipe:
            pickle.dump(found, pipe)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        data = pipe.read()
    os.waitpid(child, 0)
    return pickle.loads(data) if data else (None, limit, "killed")


def _solved(
    engine: str, extra: dict[str, Any], task: Any, metric: Any, limit: float
) -> tuple[tuple[int, ...] | None, float, str]:
    began, waited = time.process_time(), os.times()
    try:
        answer = registry.solve(engine, task, metric, Limits(seconds=limit), **extra)
    except FewestError as error:
        return None, time.process_time() - began, str(error)
    spent = time.process_time() - began
    now = os.times()
    spent += now.children_user + now.children_system - waited.children_user - waited.children_system
    if answer.status == "unsolvable":
        return (-1,), spent, answer.engine or engine
    return (None if answer.status != "optimal" else answer.cost), spent, answer.engine or engine


def _line(row: dict[str, Any]) -> str:
    best = min(row["engines"].items(), key=lambda one: one[1], default=None)
    ratio = "" if best is None else f"{row['auto'] / best[1]:8.2f}  {best[0]} {best[1]:.4f}"
    return f"{row['puzzle']:<28}{row['metric']:<20}{row['auto']:9.4f} {row['engine']:<14}{ratio}"


def summary(rows: list[dict[str, Any]]) -> str:
    """The median, the 90th percentile and the maximum of the ratios, and the maximum after SLACK is
    subtracted.
    """
    pairs = [(r["auto"], min(r["engines"].values())) for r in rows if r["engines"]]
    if not pairs:
        return "no puzzle was solved"
    ratios = sorted(auto / best for auto, best in pairs)
    slack = sorted((auto - SLACK) / best for auto, best in pairs)
    return (
        f"{len(ratios)} puzzles and metrics: median {statistics.median(ratios):.2f}, 90th percentile"
        f" {ratios[int(0.9 * (len(ratios) - 1))]:.2f}, worst {ratios[-1]:.2f},"
        f" worst beyond {SLACK * 1000:.0f} ms {slack[-1]:.2f}"
    )


if __name__ == "__main__":
    main()
