"""Runs a SAT solver (a CaDiCaL that comes with python-sat). If the formula has no model, the solver writes a proof in
binary LRAT.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fewest.errors import UsageError
from fewest.machine.files import scratch_file
from fewest.machine.processes import Worker
from fewest.model.answer import LimitReached
from fewest.planning.sat.clauses import Formula
from fewest.planning.sat.profile import Profile
from fewest.planning.sat.proof_worker import PROVER, ProofRequest, Verdict, serve
from fewest.planning.sat.solver import UNSAT_OPTIONS, solver_failure

PIECE = 1 << 20  # the number of bytes of a chunk


@dataclass(frozen=True)
class Refutation:
    """A proof on disk, in a file without a name. The proof can be read only once: `pieces` closes the file at the
    end.
    """

    _file: Any
    num_bytes: int
    conflicts: int
    seconds: float
    """the processor time of the solver, from the first clause to the last byte of the proof"""

    def pieces(self) -> Iterator[bytes]:
        """The proof, in chunks."""
        with self._file as file:
            file.seek(0)
            while piece := file.read(PIECE):
                yield piece


def refute_formula(
    formula: Formula, profile: Profile, folder: Path, deadline: float, memory: int | None
) -> Refutation | None:
    """The proof that a formula has no model; None if it has one. The solver writes the proof in `folder` while it
    searches.

    The solver runs in its own process, and the file has no name, so neither remains after an interruption. Raises
    OSError, InternalError if the process ends unexpectedly, and LimitReached at the limits `deadline` (of
    `perf_counter`) and `memory` (bytes).
    """
    handle, path, is_named = scratch_file(folder)
    file = os.fdopen(handle, "rb")

    def remove() -> None:
        if is_named:
            with suppress(OSError):
                os.unlink(path)

    # the C++ library prints a message if memory runs out
    with Worker(serve, is_quiet=True) as worker:
        try:
            options = UNSAT_OPTIONS if profile.tuning == "unsat" else {}
            worker.connection.send(ProofRequest(path, memory, dict(options)))
            # the answer means that the process has opened the file
            _answer(worker, deadline, memory)
            remove()
            _send(worker, formula, memory)
            verdict = _answer(worker, deadline, memory)
        except BaseException:
            file.close()
            remove()
            raise
    if verdict.has_model:
        file.close()
        return None
    size = file.seek(0, os.SEEK_END)
    return Refutation(file, size, verdict.conflicts, verdict.seconds)


def _send(worker: Worker, formula: Formula, memory: int | None) -> None:
    """Send all clauses, then the end mark."""
    try:
        for rows in formula:
            worker.connection.send((*rows.shape, rows.tobytes()))
        worker.connection.send(None)
    except (BrokenPipeError, ConnectionResetError):
        raise solver_failure(worker, PROVER, memory) from None


def _answer(worker: Worker, deadline: float, memory: int | None) -> Verdict:
    try:
        left = min(deadline - time.perf_counter(), 1e6)
        if not worker.connection.poll(max(0.0, left)):
            raise LimitReached("time")
        verdict: Verdict = worker.connection.recv()
    except (EOFError, ConnectionResetError):
        raise solver_failure(worker, PROVER, memory) from None
    if verdict.error == "memory":
        raise LimitReached("memory")
    if verdict.error:
        raise UsageError(verdict.error)
    return verdict


def literal_bytes(formula: Formula) -> Iterator[bytes]:
    """The formula as bytes: every literal has 4 bytes, little-endian, and a literal 0 ends each clause."""
    import numpy as np

    for rows in formula:
        for begin in range(0, len(rows), 1 << 16):
            part = rows[begin : begin + (1 << 16)]
            ended = np.zeros((len(part), part.shape[1] + 1), dtype="<i4")
            ended[:, :-1] = part
            yield ended.tobytes()


def num_literal_bytes(formula: Formula) -> int:
    """The number of bytes that `literal_bytes` yields."""
    return sum(4 * len(rows) * (rows.shape[1] + 1) for rows in formula)
