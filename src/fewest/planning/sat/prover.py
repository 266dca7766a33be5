"""A SAT solver that writes down why there is no model: binary LRAT, from the CaDiCaL of python-sat."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from fewest.errors import InternalError, UsageError
from fewest.machine.files import scratch_file
from fewest.machine.memory import limit_memory
from fewest.machine.processes import Worker, end_with_parent_at_once
from fewest.model.answer import LimitReached
from fewest.planning.sat.clauses import Formula
from fewest.planning.sat.profile import Profile
from fewest.planning.sat.solver import UNSAT_OPTIONS

PIECE = 1 << 20  # bytes
PROVER = "cadical195"


@dataclass(frozen=True)
class Refutation:
    """A proof on disk, which nobody else sees; `pieces` reads it once and leaves nothing behind."""

    _file: Any
    num_bytes: int
    conflicts: int
    seconds: float

    def pieces(self) -> Iterator[bytes]:
        """The proof, piece by piece."""
        with self._file as file:
            file.seek(0)
            while piece := file.read(PIECE):
                yield piece


@dataclass(frozen=True)
class _Question:
    path: str
    memory: int | None
    options: dict[str, int]


@dataclass(frozen=True)
class _Verdict:
    has_model: bool | None
    conflicts: int
    seconds: float
    error: str = ""


def refute_formula(
    formula: Formula, profile: Profile, folder: Path, deadline: float, memory: int | None
) -> Refutation | None:
    """The proof that a formula has no model, written in `folder` while it is found; None if it has one.

    The solver runs in a process of its own, and its file has no name, so that nothing is left over when it is
    stopped. Raises LimitReached for `deadline` (of `perf_counter`) and `memory` (bytes), OSError.
    """
    handle, path, is_named = scratch_file(folder)
    file = os.fdopen(handle, "rb")

    def remove() -> None:
        if is_named:
            with suppress(OSError):
                os.unlink(path)

    with Worker(_serve) as worker:
        try:
            options = UNSAT_OPTIONS if profile.tuning == "unsat" else {}
            worker.connection.send(_Question(path, memory, dict(options)))
            _answer(worker, deadline, memory)  # it has opened the file
            remove()
            for rows in formula:
                worker.connection.send(rows)
            worker.connection.send(None)
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


def _answer(worker: Worker, deadline: float, memory: int | None) -> _Verdict:
    try:
        left = min(deadline - time.perf_counter(), 1e6)
        if not worker.connection.poll(max(0.0, left)):
            raise LimitReached("time")
        verdict: _Verdict = worker.connection.recv()
    except (EOFError, ConnectionResetError):
        code, _ = worker.death()
        if memory is not None or code == -9:
            raise LimitReached("memory") from None
        raise InternalError(f"the solver ended with code {code}") from None
    if verdict.error == "memory":
        raise LimitReached("memory")
    if verdict.error:
        raise UsageError(verdict.error)
    return verdict


def _serve(connection: Connection) -> None:
    """In the process: open the file, say so; take the clauses; solve; flush the proof; say what it was."""
    from pysat.solvers import Solver, pysolvers

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which stops us
    end_with_parent_at_once()
    question: _Question = connection.recv()
    with open(question.path, "wb+") as file:
        connection.send(_Verdict(None, 0, 0.0))
        if question.memory is not None:
            limit_memory(question.memory)
        try:
            solver = Solver(name=PROVER)
            inner = solver.solver
            inner.configure(
                {**question.options, "lrat": 1}
            )  # before the trace, which it decides about
            inner.prfile = file
            inner.prfp = pysolvers.cadical195_tracepr(inner.cadical, file)
            began = time.process_time()
            while (rows := connection.recv()) is not None:
                solver.append_formula(rows.tolist())
            has_model = solver.solve()
            pysolvers.flushpr(inner.prfp)
            conflicts = int(solver.accum_stats()["conflicts"])
            verdict = _Verdict(has_model, conflicts, time.process_time() - began)
        except MemoryError:
            verdict = _Verdict(None, 0, 0.0, "memory")
        connection.send(verdict)


def literal_bytes(formula: Formula) -> Iterator[bytes]:
    """A formula as bytes: 4 for each literal, little-endian, and 0 behind each clause."""
    import numpy as np

    for rows in formula:
        for begin in range(0, len(rows), 1 << 16):
            part = rows[begin : begin + (1 << 16)]
            ended = np.zeros((len(part), part.shape[1] + 1), dtype="<i4")
            ended[:, :-1] = part
            yield ended.tobytes()


def num_literal_bytes(formula: Formula) -> int:
    """How many bytes that takes."""
    return sum(4 * len(rows) * (rows.shape[1] + 1) for rows in formula)
