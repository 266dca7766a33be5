"""Measures what a refuted formula costs: the solver alone, the solver while it writes a proof, and the check.
`bench/certificates.py` prints the results."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import fewest
from fewest.certificates import make_clauses
from fewest.certificates.clauses import PROFILE, ClausesHead, encoding_of
from fewest.certificates.container import Budget, open_certificate
from fewest.certificates.native import native_checkers
from fewest.commands.verify import CheckOptions, verify_file
from fewest.errors import InternalError
from fewest.grounding.ground import ground
from fewest.planning.sat.clauses import Formula
from fewest.planning.sat.profile import load_profile
from fewest.planning.sat.proof_worker import PROVER
from fewest.planning.sat.prover import Refutation
from fewest.planning.sat.solver import UNSAT_OPTIONS


@dataclass(frozen=True)
class Refuted:
    """CPU seconds for the encoding (with grounding), the solver without and with a proof, the whole check, and the
    check of the proof.
    """

    built: float
    alone: float
    proving: float
    checking: float
    following: float
    clauses: int
    derived: int
    num_bytes: int

    def row(self, name: str) -> str:
        """The figures, formatted as a row of the table."""
        return (
            f"| {name} | {self.clauses:,} | {self.derived:,} | {self.num_bytes:,} | {said(self.built)} "
            f"| {said(self.alone)} | {said(self.proving)} | {self.proving / self.alone:.2f} "
            f"| {said(self.checking)} | {said(self.following)} | {self.following / self.alone:.2f} |"
        )


def said(seconds: float) -> str:
    """A number of seconds, as the tables show it."""
    return f"{seconds:.1f} s" if seconds >= 10 else f"{seconds:.3f} s"


def refuted(
    compiled: fewest.CompiledPuzzle,
    metric: str,
    result: Any,
    path: Path,
    seconds: float,
    memory: int,
) -> Refuted | str:
    """The measurements for the certificate of a minimum, or the reason why it is missing."""
    with overheard() as made:
        proof = compiled.prove(
            path, metric, kinds=["clauses"], seconds=seconds, memory=memory, result=result
        )
    if proof.reason is not None:
        return f"{proof.reason} limit"
    began = time.process_time()
    found = verify_file(path, budget=Budget(memory=memory), manner=CheckOptions(audit="off"))
    checking = time.process_time() - began
    if found.rejected is not None:
        raise InternalError(f"{path}: {found.rejected}")
    counts = found.verdicts[0].counts
    following = followed(path)
    began = time.process_time()
    formula = formula_of(compiled, metric, result.cost)
    built = time.process_time() - began
    return Refuted(
        built=built,
        alone=alone(formula),
        proving=made[0].seconds,
        checking=checking,
        following=following,
        clauses=counts["clauses"],
        derived=counts["derived clauses"],
        num_bytes=proof.num_bytes,
    )


@contextmanager
def overheard() -> Iterator[list[Refutation]]:
    """Collect the refutations made in this context, which contain the solver's times."""
    made: list[Refutation] = []
    real = make_clauses.refute_formula

    def listening(*arguments: Any) -> Refutation | None:
        refutation = real(*arguments)
        if refutation is not None:
            made.append(refutation)
        return refutation

    with patch.object(make_clauses, "refute_formula", listening):
        yield made


def followed(path: Path) -> float:
    """CPU seconds for unpacking and checking the proof of a certificate; its formula is assumed to be correct."""
    with path.open("rb") as file:
        stream = open_certificate(str(path), file).section(0)
        left = stream.head(ClausesHead).formula_bytes
        checker = native_checkers().Lrat((1 << 64) - 1)
        while left:
            piece = stream.read(min(left, 1 << 20))
            checker.add(piece)
            left -= len(piece)
        began = time.process_time()
        for piece in stream.rest():
            checker.feed(piece)
        checker.finish()
        return time.process_time() - began


def formula_of(compiled: fewest.CompiledPuzzle, metric: str, bound: int) -> Formula:
    """The formula for "there is a plan below the bound", built from the puzzle as the checker builds it."""
    profile = load_profile(PROFILE)
    task = ground(compiled.puzzle)
    encoding, unit = encoding_of(task, compiled.puzzle.metrics[metric], profile)
    return list(encoding.formula_for((bound - 1) // unit))


def alone(formula: Formula) -> float:
    """CPU seconds of the same solver on the same formula, without a proof."""
    from pysat.solvers import Solver

    options = UNSAT_OPTIONS if load_profile(PROFILE).tuning == "unsat" else {}
    with Solver(name=PROVER) as solver:
        solver.solver.configure(dict(options))
        began = time.process_time()
        for rows in formula:
            solver.append_formula(rows.tolist())
        if solver.solve():
            raise InternalError("the formula has a model")
        return time.process_time() - began
