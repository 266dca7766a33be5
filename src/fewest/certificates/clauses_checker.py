"""The checker of refuted formulas. The checker rebuilds the CNF from the puzzle and verifies the proof step by step.

The checker relies on the grounder and on the encoding (which must have a model for every plan), but not on the solver.
`cpp/lrat.hpp`, which includes only one other file of the project (`cpp/assert.hpp`), verifies the proof.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fewest.certificates.clauses import ClausesHead, encoding_of, is_complete
from fewest.certificates.container import Budget, RejectedError, Stream, TooLargeError
from fewest.certificates.grounded_task import grounded
from fewest.certificates.native import native_checkers
from fewest.certificates.rules_checker import Verdict
from fewest.errors import DocumentError, UsageError
from fewest.machine.files import write_whole
from fewest.model.answer import counted
from fewest.model.metric import Metric
from fewest.model.puzzle import Puzzle
from fewest.planning.sat.clauses import Formula
from fewest.planning.sat.encoding import Encoding
from fewest.planning.sat.prover import literal_bytes, num_literal_bytes

TRUSTS = "the language, the grounder, the encoding and the proof checker"
BY = "a formula built again from the puzzle, and a proof that it has no model"
# the number of copies of a formula that are in memory while its literals are computed and passed on
_COPIES = 4


def check_clauses(
    puzzle: Puzzle, metric: Metric, stream: Stream, budget: Budget, export: Path | None = None
) -> Verdict:
    """Check that no plan costs less than a bound. Raises RejectedError, TooLargeError at a limit, and UsageError if the
    native checkers are not installed.

    If a folder `export` is given, the formula and the proof are also written there as text, for other checkers; this
    may raise OSError.
    """
    native = native_checkers()
    head = stream.head(ClausesHead)
    formula = _formula(puzzle, metric, head, budget)
    checker = native.Lrat(min(budget.memory, (1 << 64) - 1))
    try:
        _compare(formula, stream, checker, budget)
        if export is None:
            for piece in stream.rest():
                budget.spend()
                checker.feed(piece)
        else:
            _export(export, head, formula, stream, checker, budget)
        checker.finish()
    except native.WrongProofError as error:
        raise RejectedError(str(error)) from None
    except (native.ProofTooLargeError, MemoryError):
        raise TooLargeError("the check stopped at the memory limit") from None
    counts = {"clauses": checker.num_clauses, "derived clauses": checker.num_derived}
    return Verdict("clauses", "bound", (head.bound,), counts, TRUSTS, BY, is_grounded=True)


def _formula(puzzle: Puzzle, metric: Metric, head: ClausesHead, budget: Budget) -> Formula:
    """The formula that the certificate must contain, built from the puzzle."""
    if not is_complete(head.profile):
        raise RejectedError(
            "the encoding of the certificate may exclude plans, because it contains pruning "
            "constraints or its horizons are exact"
        )
    budget.spend(_COPIES * head.formula_bytes)
    task = grounded(puzzle, budget)
    try:
        encoding, unit = encoding_of(task, metric, head.profile, head.rounds)
    except (DocumentError, UsageError) as error:
        raise RejectedError(f"the puzzle cannot be encoded:\n{error}") from None
    if head.bound != (head.horizon + 1) * unit:
        raise RejectedError(f"a horizon of {head.horizon} does not prove a bound of {head.bound}")
    variables = encoding.num_variables * (head.horizon + 1)
    if variables != head.variables:
        raise RejectedError(
            f"the formula of the puzzle has {counted(variables, 'variables')}, not {head.variables:,} as stated"
        )
    budget.spend(_COPIES * _expected_bytes(encoding, head.horizon) + 4 * variables)
    if variables >= 1 << 31:
        raise TooLargeError(
            "the formula has more than 2,147,483,647 variables, the limit of the proof checker"
        )
    formula = encoding.formula_for(head.horizon)
    if num_literal_bytes(formula) != head.formula_bytes:
        raise RejectedError(
            "the formula of the certificate is longer or shorter than the formula of the puzzle"
        )
    return formula


def _expected_bytes(encoding: Encoding, horizon: int) -> int:
    """The number of bytes of the literals for a horizon. This number is extrapolated from short horizons, because an
    untrusted file may contain a huge horizon.
    """
    short = [num_literal_bytes(encoding.formula_for(moves)) for moves in range(min(horizon, 2) + 1)]
    return short[-1] + max(0, horizon - 2) * (short[-1] - short[-2] if len(short) > 1 else 0)


def _compare(formula: Formula, stream: Stream, checker: Any, budget: Budget) -> None:
    """Compare the formula of the certificate with the formula of the puzzle, and give the second to the proof checker.
    Raises RejectedError if the formulas differ.
    """
    for ours in literal_bytes(formula):
        budget.spend()
        theirs = stream.read(len(ours))
        if theirs != ours:
            at = next(i for i in range(0, len(ours), 4) if ours[i : i + 4] != theirs[i : i + 4])
            number = checker.num_clauses + 1 + _num_ends(ours[:at])
            raise RejectedError(
                f"clause {number:,} of the certificate differs from clause {number:,} of the puzzle's formula"
            )
        checker.add(ours)


def _num_ends(clauses: bytes) -> int:
    return sum(clauses[at : at + 4] == bytes(4) for at in range(0, len(clauses), 4))


def _export(
    folder: Path, head: ClausesHead, formula: Formula, stream: Stream, checker: Any, budget: Budget
) -> None:
    from fewest.planning.sat.dimacs import dimacs

    def proof() -> Iterator[bytes]:
        for piece in stream.rest():
            budget.spend()
            yield checker.feed_and_write(piece)
        checker.finish()

    folder.mkdir(parents=True, exist_ok=True)
    write_whole(folder / "formula.cnf", dimacs(formula, head.variables))
    write_whole(folder / "proof.lrat", proof())
