"""Makes and verifies certificates for all shipped answers:
`python -m bench.certificates [--clauses SECONDS] [--store FILE] [--doc]`.

For every puzzle and metric with at most `--states` positions, the benchmark makes the same certificate as
`fewest prove` and checks it against the task; it also checks small certificates against the rules. It prints the CPU
seconds as a row of a table. With `--clauses`, the benchmark also makes a refuted formula if the solver needs at most
that many CPU seconds (see `bench/refutations.py`). `--clock-factor` limits the wall-clock seconds, as a multiple of the
CPU seconds, for use on a busy machine. `--store` names a file with one row per line; a second run with the same file
skips saved measurements, but repeats those that ended at a lower limit. `--doc` writes all measurements into the CSV
files beside docs/certificate-benchmarks.md, and a summary into this page.
"""

from __future__ import annotations

import argparse
import csv
import json
import re
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import fewest
from bench.refutations import refuted, said
from fewest.certificates.container import Budget
from fewest.commands.verify import CheckOptions, Verification, verify_file
from fewest.errors import FewestError, InternalError
from fewest.machine.resources import puzzles

PAGE = Path(__file__).parent.parent / "docs" / "certificate-benchmarks.md"
BEGIN, END = "<!-- table: python -m bench.certificates --doc -->", "<!-- end of table -->"
LISTED = PAGE.with_name("certificates-listed.csv")
REFUTED = PAGE.with_name("certificates-refuted.csv")
LISTED_COLUMNS = (
    "puzzle,metric,minimum,positions,bytes,seconds,seconds_by_rules,seconds_by_task,missing"
)
REFUTED_COLUMNS = (
    "puzzle,metric,minimum,clauses,derived,bytes,built,solver,with_proof,proof_ratio,checked,proof_checked,check_ratio"
    ",missing"
)


@dataclass(frozen=True)
class Limits:
    """Limits on the numbers of listed positions, and of positions that the rules play, and on the seconds and bytes of
    a search, solver or check.

    `seconds` limits CPU seconds; the wall-clock time may be `clock_factor` times as long.
    """

    states: int
    played: int
    seconds: float
    memory: int
    clock_factor: float = 1.0

    @property
    def clock(self) -> float:
        """The limit in wall-clock seconds."""
        return self.seconds * self.clock_factor


class Store:
    """Saved measurements, one line of JSON each: {table, puzzle, metric, limits, row or why}."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.known: dict[tuple[str, str, str], dict[str, Any]] = {}
        if path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                self._take(json.loads(line))

    def _take(self, entry: dict[str, Any]) -> None:
        self.known[entry["table"], entry["puzzle"], entry["metric"]] = entry

    def needs(self, table: str, puzzle: str, metric: str, limits: Limits) -> bool:
        """Whether the measurement is missing, or was stopped by limits lower than the current ones."""
        entry = self.known.get((table, puzzle, metric))
        return entry is None or (
            "limit" in entry.get("why", "") and entry["limits"] < [limits.seconds, limits.states]
        )

    def add(
        self, table: str, puzzle: str, metric: str, limits: Limits, outcome: dict[str, str]
    ) -> None:
        """Save an outcome, {row} or {why}."""
        entry = {
            "table": table,
            "puzzle": puzzle,
            "metric": metric,
            "limits": [limits.seconds, limits.states],
            **outcome,
        }
        self._take(entry)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry, ensure_ascii=False) + "\n")

    def records(self, table: str, columns: str) -> list[dict[str, str]]:
        """The measurements of a table and the reasons for missing ones, in the order of the puzzles."""
        found = []
        for entry in self._entries(table):
            names = [entry["puzzle"], entry["metric"]]
            cells = entry["row"].strip("| ").split(" | ") if "row" in entry else []
            if table == "clauses" and cells:
                minimum = cells[0].rpartition(", ")[2].partition(" ")[0]
                cells = [*names, minimum, *cells[1:]]
            values = [plain(cell) for cell in cells] or names
            record = dict.fromkeys(columns.split(","), "") | dict(
                zip(columns.split(","), values, strict=False)
            )
            found.append(record | {"missing": entry.get("why", "")})
        return found

    def _entries(self, table: str) -> Iterator[dict[str, Any]]:
        order = {name: at for at, (_, name, _) in enumerate(puzzles())}
        mine = [entry for key, entry in self.known.items() if key[0] == table]
        yield from sorted(mine, key=lambda entry: order.get(entry["puzzle"], len(order)))


def verified(path: Path, by: str, memory: int) -> tuple[Verification, float]:
    """The result of verifying a file, and the CPU seconds that this took."""
    began = time.process_time()
    found = verify_file(path, manner=CheckOptions(by, audit="off"), budget=Budget(memory=memory))
    if found.rejected is not None:
        raise InternalError(f"{path}: {found.rejected}")
    return found, time.process_time() - began


def listed(
    compiled: fewest.CompiledPuzzle, metric: str, path: Path, limits: Limits
) -> dict[str, str]:
    """The row for the certificate that `fewest prove` makes, or the reason why it is missing."""
    result = compiled.solve(metric, seconds=limits.clock, memory=limits.memory)
    if not result.is_proven:
        return {"why": f"not solved: {result.reason} limit"}
    if result.statistics.get("states", 0) > limits.states:
        return {"why": f"over {limits.states:,} positions: above the limit of this table"}
    began = time.process_time()
    proof = compiled.prove(path, metric, seconds=limits.clock, memory=limits.memory, result=result)
    made = time.process_time() - began
    if proof.reason is not None:
        return {"why": f"not made: {proof.reason} limit"}
    found, by_task = verified(path, "task", limits.memory)
    positions = sum(v.counts.get("positions", 0) for v in found.verdicts)
    by_rules = ""
    if positions <= limits.played and "bound" not in proof.kinds:
        by_rules = said(verified(path, "rules", limits.memory)[1])
    cost = result.cost
    answer = (
        "unsolvable"
        if cost is None
        else str(cost)
        if isinstance(cost, int)
        else " + ".join(map(str, cost))
    )
    kind = "invariant" if not positions else f"{positions:,}"
    if "bound" in proof.kinds:
        kind += " (bound)"
    return {
        "row": f"| {compiled.puzzle.name} | {metric} | {answer} | {kind} | {proof.num_bytes:,} "
        f"| {said(made)} | {by_rules} | {said(by_task)} |"
    }


def refutation(
    compiled: fewest.CompiledPuzzle, metric: str, path: Path, limits: Limits
) -> dict[str, str]:
    """The row for the certificate with a refuted formula, or the reason why it is missing."""
    if len(compiled.puzzle.metrics[metric].parts) != 1:
        return {"why": "the metric has two numbers"}
    result = compiled.solve(metric, seconds=limits.clock, memory=limits.memory)
    if not result.is_proven:
        return {"why": f"not solved: {result.reason} limit"}
    if not isinstance(result.cost, int) or not result.cost:
        return {"why": "unsolvable, or solved from the start"}
    found = refuted(compiled, metric, result, path, limits.clock, limits.memory)
    if isinstance(found, str):
        return {"why": found}
    if found.alone > limits.seconds:
        return {"why": "time limit"}
    return {"row": found.row(f"{compiled.puzzle.name}, {result.cost} {metric}")}


Measure = Callable[[fewest.CompiledPuzzle, str, Path, Limits], dict[str, str]]


def run(
    table: str, measure: Measure, store: Store, limits: Limits, skipped: tuple[str, ...], only: str
) -> None:
    """Make all missing measurements of a table."""
    with tempfile.TemporaryDirectory() as folder:
        for family, name, file in puzzles():
            if name.startswith(skipped) or (only and family not in only.split(",")):
                continue
            compiled = fewest.load(file)
            for metric in compiled.metrics if compiled.puzzle.goal is not None else ():
                if not store.needs(table, name, metric, limits):
                    continue
                try:
                    outcome = measure(compiled, metric, Path(folder) / "it.proof", limits)
                except InternalError:
                    raise
                except (FewestError, MemoryError) as error:
                    outcome = {"why": str(error).splitlines()[0] or "memory limit"}
                store.add(table, name, metric, limits, outcome)
                print(outcome.get("row") or f"{name} {metric}: {outcome['why']}", flush=True)


def plain(cell: str) -> str:
    """A cell of a table as a number if it is one: without the unit and the commas."""
    bare = cell.strip().removesuffix(" s").replace(",", "")
    return bare if re.fullmatch(r"[\d.]+( \(bound\))?", bare) else cell.strip()


def write_table(path: Path, columns: str, records: list[dict[str, str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns.split(","), lineterminator="\n")
        writer.writeheader()
        writer.writerows(records)


def read_table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def missing(records: list[dict[str, str]]) -> list[str]:
    """The rows of a table of the reasons: each with the number of its answers and one example."""
    of: dict[str, list[str]] = {}
    for record in records:
        if record["missing"]:
            why = re.sub(r" in (?!layers)[a-z-]+ have", " have", record["missing"])
            of.setdefault(why, []).append(f"{record['puzzle']} ({record['metric']})")
    lines = ["| reason | answers | for example |", "| --- | ---: | --- |"]
    return lines + [f"| {why} | {len(names)} | {names[0]} |" for why, names in of.items()]


def summary(listed: list[dict[str, str]], refuted: list[dict[str, str]]) -> str:
    """The summary on the page, computed from the two CSV files."""
    made = [record for record in listed if not record["missing"]]
    kinds: dict[str, list[dict[str, str]]] = {"layers": [], "bound": [], "invariant": []}
    for record in made:
        positions = record["positions"]
        kind = (
            "invariant"
            if positions == "invariant"
            else "bound"
            if "bound" in positions
            else "layers"
        )
        kinds[kind].append(record)

    def of(records: list[dict[str, str]], column: str) -> list[float]:
        return [float(record[column]) for record in records if record[column]]

    lines = [
        "| kind | certificates | bytes: median, largest | seconds to make: median, longest | seconds to check: median,"
        " longest |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    for kind, records in kinds.items():
        sizes, making, checking = (of(records, c) for c in ("bytes", "seconds", "seconds_by_task"))
        lines.append(
            f"| {kind} | {len(records)} | {median(sizes):,.0f}, {max(sizes):,.0f} "
            f"| {median(making):.2f}, {max(making):.1f} | {median(checking):.2f}, {max(checking):.1f} |"
        )
    lines += ["", *missing(listed), "", "### Refuted formulas", ""]
    done = [record for record in refuted if not record["missing"]]
    long = [record for record in done if float(record["solver"]) >= 0.05]
    short = [record for record in done if float(record["solver"]) < 0.05]
    added = max(float(record["with_proof"]) - float(record["solver"]) for record in short)
    ratios, slowest = of(long, "proof_ratio"), max(of(done, "check_ratio"))
    slow_check = max(
        float(record["solver"])
        for record in done
        if float(record["checked"]) > float(record["solver"]) / 2
    )
    lines += [
        f"The solver refuted {len(done)} formulas. The largest proof derives {max(of(done, 'derived')):,.0f} clauses.",
        "",
        f"- If the solver needs 0.05 s or more, it takes at most {max(ratios):.2f} times as long if it writes a proof",
        f"  (median {median(ratios):.2f}). If it needs less, the proof adds at most {1000 * added:.0f} ms.",
        f"- The check of a proof takes at most {slowest:.2f} times as long as solving. The whole run of `verify`",
        f"  takes more than half as long as solving only if solving takes at most {slow_check:.2f} s. In that case,",
        "  most of the time goes into the formula, which the checker builds again.",
        "",
        *missing(refuted),
    ]
    return "\n".join(lines)


def write_page(store: Store) -> None:
    """Write the CSV files, and their summary into the page."""
    write_table(LISTED, LISTED_COLUMNS, store.records("layers", LISTED_COLUMNS))
    write_table(REFUTED, REFUTED_COLUMNS, store.records("clauses", REFUTED_COLUMNS))
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


def page(text: str) -> str:
    """The page with the current summary of the CSV files."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n\n{summary(read_table(LISTED), read_table(REFUTED))}\n\n{END}{after}"


def main() -> None:
    """Print the tables, or write them into the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--states", type=int, default=2_000_000, help="0: no layers")
    parser.add_argument("--played", type=int, default=6_000, help="positions checked by the rules")
    parser.add_argument("--time", type=float, default=60.0)
    parser.add_argument("--memory", type=float, default=2.0, help="GB of a search, solver or check")
    parser.add_argument("--clauses", type=float, default=0.0, metavar="SECONDS")
    parser.add_argument(
        "--clock-factor", type=float, default=1.0, help="seconds on the clock a CPU second"
    )
    parser.add_argument("--skip", action="append", default=[], help="puzzles whose names begin so")
    parser.add_argument("--only", default="", metavar="FAMILIES", help="these alone, with commas")
    parser.add_argument("--store", type=Path, help="the file that keeps what is measured")
    parser.add_argument("--doc", action="store_true")
    args = parser.parse_args()
    memory = int(args.memory * 1e9)
    with tempfile.TemporaryDirectory() as folder:
        store = Store(args.store or Path(folder) / "rows.jsonl")
        skipped = tuple(args.skip)
        if args.states:
            limits = Limits(args.states, args.played, args.time, memory, args.clock_factor)
            run("layers", listed, store, limits, skipped, args.only)
        if args.clauses:
            limits = Limits(0, 0, args.clauses, memory, args.clock_factor)
            run("clauses", refutation, store, limits, skipped, args.only)
        if args.doc:
            write_page(store)


if __name__ == "__main__":
    main()
