"""A refuted formula as a section of a certificate."""

from __future__ import annotations

import errno
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path

from fewest.certificates.clauses import PROFILE, ClausesHead, encoding_of
from fewest.certificates.container import Budget, TooLargeError, encode_head
from fewest.certificates.native import has_native_checkers, native_checkers
from fewest.errors import InternalError
from fewest.model.answer import LimitReached, counted
from fewest.model.metric import Metric
from fewest.model.task import Task
from fewest.planning.sat.clauses import num_clauses, packed
from fewest.planning.sat.encoding import Encoding
from fewest.planning.sat.messages import Request
from fewest.planning.sat.profile import load_profile
from fewest.planning.sat.prover import literal_bytes, num_literal_bytes, refute_formula
from fewest.planning.sat.solver import open_solver


def clauses_section(
    task: Task, metric: Metric, bound: int, folder: Path, budget: Budget
) -> Iterator[bytes]:
    """The section that proves `bound`. The proof of the solver is stored in an anonymous temporary file in `folder`.

    If consequences apply one by one, the function doubles the number of encoded rounds until the formula has no model.
    Raises InternalError if there is a plan below the bound, TooLargeError at a limit, OSError, and UsageError in the
    same cases as `encoding_of`.
    """
    profile = load_profile(PROFILE)
    rounds: int | None = None
    while True:
        encoding, unit = encoding_of(task, metric, profile, rounds)
        horizon = (bound - 1) // unit
        formula = encoding.formula_for(horizon)
        try:
            proof = refute_formula(formula, profile, folder, budget.deadline, budget.memory)
            is_wrong = proof is None and _has_plan(encoding, horizon, budget)
        except LimitReached as error:
            raise TooLargeError(f"{error.reason} limit", reason=error.reason) from None
        if proof is not None:
            break
        if is_wrong:
            raise InternalError(
                f"there is a plan of at most {counted(horizon, 'moves')}, below {bound}"
            )
        # in the model, the consequences of a move may take more rounds than the encoding describes
        rounds = 2 * encoding.planning.rounds
    yield encode_head(
        ClausesHead(
            bound=(horizon + 1) * unit,
            horizon=horizon,
            profile=profile,
            variables=encoding.num_variables * (horizon + 1),
            clauses=num_clauses(formula),
            formula_bytes=num_literal_bytes(formula),
            rounds=encoding.planning.rounds,
        )
    )
    yield from _checked(literal_bytes(formula), proof.pieces(), folder)


def _has_plan(encoding: Encoding, horizon: int, budget: Budget) -> bool:
    """Whether there is a plan of at most `horizon` moves in which no move needs more rounds than the encoding has.

    Raises LimitReached.
    """
    clauses = [*encoding.formula_for(horizon), *encoding.finished(horizon)]
    with closing(open_solver(None, budget.memory)) as solver:
        return bool(solver.solve(Request(packed(clauses), True), budget.deadline).verdict)


def _checked(formula: Iterable[bytes], proof: Iterable[bytes], folder: Path) -> Iterator[bytes]:
    """The bytes of a formula, followed by the bytes of its proof. If the native checkers are installed, they verify the
    proof as it is read.

    A solver does not report a full disk, so its proof may be incomplete. Raises OSError if the checkers find that the
    proof is incomplete or wrong.
    """
    if not has_native_checkers():
        yield from formula
        yield from proof
        return
    native = native_checkers()
    checker = native.Lrat((1 << 64) - 1)
    for piece in formula:
        checker.add(piece)
        yield piece
    try:
        for piece in proof:
            checker.feed(piece)
            yield piece
        checker.finish()
    except native.WrongProofError as error:
        why = f"the solver's proof is incomplete; perhaps the disk is full: {error}"
        raise OSError(errno.EIO, why, str(folder)) from None
