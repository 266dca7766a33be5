"""Certificates of all shipped answers: `python -m bench.certificates [--states N] [--clauses SECONDS] [--doc]`.

For every puzzle and metric with at most so many positions: makes the certificate that `fewest prove` makes,
verifies it by the rules and by the task, and prints a row of a table. `--clauses`: also a refuted formula,
where solver and certificate need at most so long, with the processor time of the solver alone, of the same with its
proof written, and of the check. `--doc` writes the table into docs/certificates.md.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import fewest
from fewest.certificates.clauses import PROFILE, encoding_of
from fewest.certificates.container import Budget
from fewest.errors import FewestError
from fewest.machine.resources import puzzles
from fewest.planning.sat.profile import load_profile
from fewest.planning.sat.prover import PROVER
from fewest.planning.sat.solver import UNSAT_OPTIONS
from fewest.questions.verify import CheckManner, Verification, verify_file

PAGE = Path(__file__).parent.parent / "docs" / "certificates.md"
BEGIN, END = "<!-- table: python -m bench.certificates --doc -->", "<!-- end of table -->"
HEAD = [
    "| puzzle | metric | minimum | positions | bytes | made | by the rules | by the task |",
    "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |",
]
CLAUSES_HEAD = [
    "| refuted formula | clauses | derived | bytes | solver alone | with its proof | checked |",
    "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
]
MEMORY = 4 << 30  # bytes, of a search or a solver


def verified(path: Path, by: str) -> tuple[Verification, float]:
    """The verification of a file, and how long it took."""
    began = time.perf_counter()
    found = verify_file(path, manner=CheckManner(by), budget=Budget(began + 600, 4 << 30))
    if found.rejected is not None:
        raise SystemExit(f"{path}: {found.rejected}")
    return found, time.perf_counter() - began


def rows(most: int, seconds: float, folder: Path) -> Iterator[str]:
    """A row for every puzzle and metric that is small enough."""
    for _, name, file in puzzles():
        compiled = fewest.load(file)
        if compiled.puzzle.goal is None:
            continue
        for metric in compiled.metrics:
            path = folder / "it.proof"
            try:
                memory = (
                    16 << 20
                ) + 512 * most  # what is too large need not be searched to its end
                result = compiled.solve(metric, engine="bfs", seconds=seconds, memory=memory)
                if not result.is_proven or result.statistics["states"] > most:
                    continue
                began = time.perf_counter()
                proof = compiled.prove(path, metric, seconds=seconds, result=result)
                made = time.perf_counter() - began
            except FewestError:
                continue
            if proof.reason is not None:
                continue
            played, by_rules = verified(path, "rules")
            _, by_task = verified(path, "task")
            positions = sum(v.counts.get("positions", 0) for v in played.verdicts)
            answer = (
                "unsolvable"
                if result.cost is None
                else format(result.cost, "")
                if isinstance(result.cost, int)
                else " + ".join(map(str, result.cost))
            )
            yield (
                f"| {name} | {metric} | {answer} | {positions or 'invariant'} | {proof.num_bytes:,} "
                f"| {made:.1f} s | {by_rules:.1f} s | {by_task:.1f} s |"
            )


def clause_rows(seconds: float, folder: Path) -> Iterator[str]:
    """A row for every puzzle and metric of one part whose formula is refuted soon enough."""
    for _, name, file in puzzles():
        compiled = fewest.load(file)
        for metric in compiled.metrics:
            path = folder / "it.proof"
            try:
                result = compiled.solve(metric, seconds=seconds, memory=MEMORY)
                if not isinstance(result.cost, int) or not result.is_proven or not result.cost:
                    continue
                began = spent_by_children()
                proof = compiled.prove(
                    path, metric, kinds=["clauses"], seconds=seconds, memory=MEMORY, result=result
                )
                proving = spent_by_children() - began
            except FewestError:
                continue
            if proof.reason is not None:
                continue
            began = time.process_time()
            found, _ = verified(path, "rules")
            checking = time.process_time() - began
            counts = found.verdicts[0].counts
            solving = alone(compiled, metric, result.cost)
            yield (
                f"| {name}, {result.cost} {metric} | {counts['clauses']:,} | {counts['derived clauses']:,} "
                f"| {proof.num_bytes:,} | {solving:.1f} s | {proving:.1f} s | {checking:.1f} s |"
            )


def spent_by_children() -> float:
    """CPU seconds of the processes that have ended."""
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def alone(compiled: fewest.CompiledPuzzle, metric: str, bound: int) -> float:
    """CPU seconds of the same solver on the same formula, without a proof."""
    from pysat.solvers import Solver

    profile = load_profile(PROFILE)
    chosen = compiled.puzzle.metrics[metric]
    encoding, unit = encoding_of(compiled.task, chosen, profile)
    formula = list(encoding.question((bound - 1) // unit))
    began = time.process_time()
    with Solver(name=PROVER) as solver:
        solver.solver.configure(dict(UNSAT_OPTIONS) if profile.tuning == "unsat" else {})
        for rows in formula:
            solver.append_formula(rows.tolist())
        if solver.solve():
            raise SystemExit(f"{compiled.puzzle.name}: there is a plan below {bound} {metric}")
    return time.process_time() - began


def main() -> None:
    """Print the tables, or write them into the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--states", type=int, default=30_000)
    parser.add_argument("--time", type=float, default=60.0)
    parser.add_argument("--clauses", type=float, default=0.0)
    parser.add_argument("--doc", action="store_true")
    args = parser.parse_args()
    lines = list(HEAD)
    with tempfile.TemporaryDirectory() as folder:
        for row in rows(args.states, args.time, Path(folder)):
            lines.append(row)
            print(row, flush=True)
        if args.clauses:
            lines += ["", *CLAUSES_HEAD]
            for row in clause_rows(args.clauses, Path(folder)):
                lines.append(row)
                print(row, flush=True)
    if args.doc:
        text = PAGE.read_text(encoding="utf-8")
        before, _, rest = text.partition(BEGIN)
        _, _, after = rest.partition(END)
        PAGE.write_text("\n".join([before + BEGIN, "", *lines, "", END]) + after, encoding="utf-8")


if __name__ == "__main__":
    main()
