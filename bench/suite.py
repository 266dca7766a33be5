"""Writes `docs/benchmarks.md` from the reports of suites: `python -m bench.suite DIR ...`.

`fewest compare --suite NAME -o DIR` writes a report to the folder DIR. For each suite, the page has the table of
engines, the total cost, and the CPU seconds of every engine for each instance, or for each family if there are many
instances. The page is generated from these folders alone.
"""

from __future__ import annotations

import json
import re
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

from fewest.commands.compare.statistics import middle

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "benchmarks.md"
PROVED = ("optimal", "unsolvable")
UNPROVED, MOST_UNPROVED = "- no proof:", 5
MOST_ROWS = 100
"""if a suite has more instances, its table has a row for each family instead of each instance"""
HEAD = """# Benchmarks

This page gives the engines' running times on several suites of puzzles. `python -m bench.suite DIR ...` generates it
from one run of each suite ([suites](suites.md)), so do not edit it. Compare only times of the same run.
"""


def section(summary: str, data: dict[str, Any]) -> str:
    """The part of the page about one run, generated from its `summary.md` and `results.json`."""
    comparisons = data["comparisons"]
    entries = [entry for found in comparisons for entry in found["entries"]]
    cpu = sum(
        entry[key] or 0.0 for entry in entries for key in ("cpu_grounding", "cpu", "cpu_validation")
    )
    wall = sum(entry["seconds"] or 0.0 for entry in entries)
    share = sum(entry["cpu"] or 0.0 for entry in entries) / wall if wall else 1.0
    title, _, rest = summary.partition("\n")
    lines = [f"## {title.removeprefix('# ')}", _without_long_lists(rest).rstrip(), ""]
    lines.append(
        f"The run had {len(comparisons):,} instances and {len(entries):,} runs of engines. It took {cpu / 60:,.1f} "
        f"minutes of CPU time, including grounding and validation. The engines alone took {wall / 60:,.1f} minutes of "
        f"wall clock time, with {share:.2f} CPU seconds per second. On a machine that is also doing other work, a "
        "wall-clock limit leaves fewer CPU seconds for the engines."
    )
    names = [one["engine"] for one in data["summary"]]
    few = len(comparisons) <= MOST_ROWS
    lines += ["", *(_rows(comparisons, names) if few else _families(comparisons, names))]
    return "\n".join(lines) + "\n"


def _without_long_lists(summary: str) -> str:
    """The summary; if many instances have no proof, the result states only their number."""
    lines = summary.split("\n")
    unproved = [line for line in lines if line.startswith(UNPROVED)]
    more = [re.fullmatch(r"… and (\d+) more in .*", line) for line in lines]
    number = len(unproved) + sum(int(found[1]) for found in more if found)
    if number <= MOST_UNPROVED:
        return summary
    rest = [
        line for line, found in zip(lines, more, strict=True) if line not in unproved and not found
    ]
    shown = "\n".join(rest).strip()
    return f"\nNo engine answered {number} instances within the limit.\n\n{shown}"


def _rows(comparisons: list[dict[str, Any]], names: list[str]) -> list[str]:
    """A table with one row per instance."""
    lines = [f"| instance | minimum | {' | '.join(names)} |"]
    lines.append(f"| --- | ---: |{' ---: |' * len(names)}")
    for found in sorted(comparisons, key=_name):
        cells = [_cell(found, name) for name in names]
        lines.append(f"| {_name(found)} | {_minimum(found)} | {' | '.join(cells)} |")
    return [
        *lines,
        "",
        "The times are CPU seconds. Brackets contain the proven lower bound of a run that a limit stopped.",
    ]


def _families(comparisons: list[dict[str, Any]], names: list[str]) -> list[str]:
    """A table with one row for each folder of puzzles and for each collection."""
    folders = {path.stem: path.parent.name for path in (ROOT / "puzzles").rglob("*.yaml")}
    families: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for found in comparisons:
        puzzle = found["puzzle"]
        families[folders.get(puzzle) or re.sub(r"[- ]?\d+$", "", puzzle)].append(found)
    lines = [f"| family | instances | {' | '.join(names)} |"]
    lines.append(f"| --- | ---: |{' ---: |' * len(names)}")
    for family, members in sorted(families.items()):
        cells = [_solved(members, name) for name in names]
        lines.append(f"| {family} | {len(members)} | {' | '.join(cells)} |")
    return [
        *lines,
        "",
        "The cells contain the number of solved instances and, in brackets, the CPU seconds of all runs.",
    ]


def _solved(members: list[dict[str, Any]], engine: str) -> str:
    entries = [one for found in members for one in found["entries"] if one["engine"] == engine]
    solved = sum(one["status"] in PROVED for one in entries)
    return f"{solved} ({sum(one['cpu'] or 0.0 for one in entries):,.1f})"


def _name(found: dict[str, Any]) -> str:
    given = ", ".join(f"{name}={value}" for name, value in found["parameters"].items())
    return f"{found['puzzle']}{f' ({given})' if given else ''}, {found['metric']}"


def _minimum(found: dict[str, Any]) -> str:
    if any(entry["status"] == "unsolvable" for entry in found["entries"]):
        return "no plan"
    return "" if found["minimum"] is None else str(found["minimum"])


def _cell(found: dict[str, Any], engine: str) -> str:
    """A cell of the table: the median CPU time of an engine's runs or else a lower bound or the status."""
    runs = [entry for entry in found["entries"] if entry["engine"] == engine]
    if not runs:
        return ""
    median = middle([entry["cpu"] if entry["status"] in PROVED else None for entry in runs])
    if median is not None:
        return f"{median:,.2f}"
    entry = runs[0]
    if entry["status"] == "limit":
        return "" if entry["lower_bound"] is None else f"(≥ {entry['lower_bound']})"
    return str(entry["status"])


def main() -> None:
    """Write the page."""
    if len(sys.argv) < 2:
        sys.exit("python -m bench.suite DIR ..., which `fewest compare --suite NAME -o DIR` wrote")
    parts = [HEAD]
    for folder in map(Path, sys.argv[1:]):
        summary = (folder / "summary.md").read_text(encoding="utf-8").replace(str(folder), "DIR")
        parts.append(section(summary, json.loads((folder / "results.json").read_text("utf-8"))))
    PAGE.write_text("\n".join(parts), encoding="utf-8")


if __name__ == "__main__":
    main()
