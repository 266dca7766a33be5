"""The process that runs a solver which writes a proof.

The process runs only `serve` and imports little. Every formula needs a new process, and solving most formulas takes
less time than importing NumPy, so clauses are sent as bytes.
"""

from __future__ import annotations

import signal
import time
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any, TypeAlias

from fewest.machine.memory import limit_memory
from fewest.machine.processes import end_with_parent_at_once

PROVER = "cadical195"


@dataclass(frozen=True)
class ProofRequest:
    """The path of the proof, the memory limit in bytes, and the options of the solver."""

    path: str
    memory: int | None
    options: dict[str, int]


@dataclass(frozen=True)
class Verdict:
    """Whether there is a model (None before the solver runs, and after an error), the number of conflicts, the
    processor time in seconds since the first clause, and an error (empty: no error).
    """

    has_model: bool | None
    conflicts: int
    seconds: float
    error: str = ""


Rows: TypeAlias = tuple[int, int, bytes]
"""The number of clauses, their length, and their literals, 4 bytes per literal in the byte order of the machine."""


def serve(connection: Connection) -> None:
    """Receive a ProofRequest, open its file and send a Verdict without a result. Then receive clauses until None
    arrives, solve the formula, flush the proof, and send the verdict.
    """
    from pysat.solvers import Solver, pysolvers

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C and ends this process
    end_with_parent_at_once()
    request: ProofRequest = connection.recv()
    with open(request.path, "wb+") as file:
        connection.send(Verdict(None, 0, 0.0))
        if request.memory is not None:
            limit_memory(request.memory)
        try:
            solver = Solver(name=PROVER)
            inner = solver.solver
            # the options must be set before the tracer, which depends on them
            inner.configure({**request.options, "lrat": 1})
            inner.prfile = file
            inner.prfp = pysolvers.cadical195_tracepr(inner.cadical, file)
            began = time.process_time()
            while (rows := connection.recv()) is not None:
                solver.append_formula(_clauses(rows))
            has_model = solver.solve()
            pysolvers.flushpr(inner.prfp)
            conflicts = int(solver.accum_stats()["conflicts"])
            verdict = Verdict(has_model, conflicts, time.process_time() - began)
        except MemoryError:
            verdict = Verdict(None, 0, 0.0, "memory")
        connection.send(verdict)


def _clauses(rows: Rows) -> list[list[int]]:
    number, width, literals = rows
    if not literals:  # a memoryview with no elements cannot have this shape
        return [[] for _ in range(number)]
    table: Any = memoryview(literals).cast("i", (number, width))
    clauses: list[list[int]] = table.tolist()
    return clauses
