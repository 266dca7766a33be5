"""Writes `docs/benchmarks.md` from the report of one suite: `python -m bench.suite DIR`.

`fewest compare --suite NAME -o DIR` writes DIR. The page has the table of engines, the CPU seconds of every engine for
each puzzle, and the total cost. DIR is its only source.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from fewest.questions.compare.statistics import middle

PAGE = Path(__file__).parent.parent / "docs" / "benchmarks.md"
_HEAD = """# Benchmarks

This page has the times of the engines on a suite of puzzles. `python -m bench.suite DIR` generates it from one run of
the suite ([compare](compare.md#suites)), so do not edit it. Compare the times only with each other.
"""


def page(summary: str, data: dict[str, Any]) -> str:
    """The page for a run, from its `summary.md` and its `results.json`."""
    comparisons = data["comparisons"]
    entries = [entry for found in comparisons for entry in found["entries"]]
    cpu = sum(
        entry[key] or 0.0 for entry in entries for key in ("cpu_grounding", "cpu", "cpu_validation")
    )
    wall = sum(entry["seconds"] or 0.0 for entry in entries)
    share = sum(entry["cpu"] or 0.0 for entry in entries) / wall if wall else 1.0
    title, _, rest = summary.partition("\n")
    lines = [_HEAD, f"## {title.removeprefix('# ')}", rest.rstrip(), ""]
    lines.append(
        f"The run had {len(comparisons):,} questions and {len(entries):,} runs of engines. It took {cpu / 60:,.1f} "
        f"minutes of CPU time, including grounding and validation. The engines alone took {wall / 60:,.1f} minutes of "
        f"wall clock time, with {share:.2f} CPU seconds per second. On a machine that also does other work, a limit of "
        "wall clock time allows fewer CPU seconds."
    )
    names = [one["engine"] for one in data["summary"]]
    lines += ["", "## Questions", "", f"| question | minimum | {' | '.join(names)} |"]
    lines.append(f"| --- | ---: |{' ---: |' * len(names)}")
    for found in sorted(comparisons, key=_name):
        cells = [_cell(found, name) for name in names]
        lines.append(f"| {_name(found)} | {_minimum(found)} | {' | '.join(cells)} |")
    lines += [
        "",
        "The times are CPU seconds. Brackets contain the proven lower bound of a run that a limit stopped.",
    ]
    return "\n".join(lines) + "\n"


def _name(found: dict[str, Any]) -> str:
    given = ", ".join(f"{name}={value}" for name, value in found["parameters"].items())
    return f"{found['puzzle']}{f' ({given})' if given else ''}, {found['metric']}"


def _minimum(found: dict[str, Any]) -> str:
    if any(entry["status"] == "unsolvable" for entry in found["entries"]):
        return "no plan"
    return "" if found["minimum"] is None else str(found["minimum"])


def _cell(found: dict[str, Any], engine: str) -> str:
    """The median of the runs of an engine."""
    runs = [entry for entry in found["entries"] if entry["engine"] == engine]
    if not runs:
        return ""
    proved = ("optimal", "unsolvable")
    median = middle([entry["cpu"] if entry["status"] in proved else None for entry in runs])
    if median is not None:
        return f"{median:,.2f}"
    entry = runs[0]
    if entry["status"] == "limit":
        return "" if entry["lower_bound"] is None else f"(≥ {entry['lower_bound']})"
    return str(entry["status"])


def main() -> None:
    """Write the page."""
    if len(sys.argv) != 2:
        sys.exit("python -m bench.suite DIR, which `fewest compare --suite NAME -o DIR` wrote")
    folder = Path(sys.argv[1])
    summary = (folder / "summary.md").read_text(encoding="utf-8").replace(str(folder), "DIR")
    data = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    PAGE.write_text(page(summary, data), encoding="utf-8")


if __name__ == "__main__":
    main()
