"""SAT solvers, keyed by name: the solvers that python-sat bundles, and the executables `kissat` and `cadical`."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
import time
from array import array
from collections.abc import Callable
from pathlib import Path
from typing import Literal, Protocol, TypeAlias

from fewest.errors import InternalError, UsageError, did_you_mean
from fewest.machine.cancellation import INTERVAL, check_cancelled
from fewest.machine.processes import Worker, ending_with_us
from fewest.machine.processor_time import processor_seconds_of
from fewest.model.answer import LimitReached
from fewest.planning.sat.clauses import unpacked
from fewest.planning.sat.dimacs import read_solution, write_dimacs
from fewest.planning.sat.idle import MOST_BYTES, MOST_SECONDS, idle_worker, keep
from fewest.planning.sat.messages import Reply, Request
from fewest.planning.sat.worker import Settings, serve

EXECUTABLES = ("kissat", "cadical")
CONFIGURABLE = ("cadical153", "cadical195", "cadical300")
# the options that CaDiCaL's configuration `--unsat` sets
UNSAT_OPTIONS = {"stabilize": 0, "walk": 0}

Tuning: TypeAlias = Literal["default", "unsat"]

Meanwhile: TypeAlias = Callable[[float], bool]
"""Other work, up to a time of perf_counter. Returns False if there is nothing to do at present."""


class SatSolver(Protocol):
    """The interface of a SAT solver, incremental or not."""

    name: str
    is_incremental: bool

    @property
    def version(self) -> str:
        """The version of the program or package that contains the solver."""

    @property
    def configuration(self) -> str:
        """The options of the solver that differ from its defaults; `default` if there are none."""

    @property
    def cpu_seconds(self) -> float:
        """The CPU seconds of a running bundled solver; 0 if the system does not provide this time."""

    def solve(self, request: Request, deadline: float, meanwhile: Meanwhile | None = None) -> Reply:
        """Add the clauses of the request, then answer it. `deadline` is a time of perf_counter. `meanwhile` runs in
        this process while a bundled solver works. Raises LimitReached, UsageError if the solver does not support the
        request, InternalError if it crashes, and whatever `meanwhile` raises.
        """

    def close(self) -> None:
        """Free the solver. Its process ends, or becomes idle (see `idle.py`)."""


def bundled_solvers() -> list[str]:
    """The names of the solvers that python-sat bundles."""
    from pysat.solvers import SolverNames

    return [name for name in vars(SolverNames) if not name.startswith("_")]


def newest_cadical() -> str:
    """The name of the newest CaDiCaL that python-sat bundles."""
    versions = [name for name in bundled_solvers() if re.fullmatch(r"cadical\d+", name)]
    return max(versions, key=lambda name: int(name.removeprefix("cadical")))


def open_solver(
    name: str | None, memory: int | None, tuning: Tuning = "default", seed: int | None = None
) -> SatSolver:
    """The solver with this name; if the name is None, the newest bundled CaDiCaL. An executable may be given by its
    path.

    `memory` (a number of bytes) limits only bundled solvers; `seed` affects only the bundled solvers in CONFIGURABLE.
    Raises UsageError if there is no such solver.
    """
    bundled = bundled_solvers()
    if name is None:
        return BundledSolver(newest_cadical(), memory, tuning, seed)
    if name in bundled:
        return BundledSolver(name, memory, tuning, seed)
    path = shutil.which(name) if Path(name).name in EXECUTABLES else None
    if path is not None:
        return ExternalSolver(path, tuning)
    known = [*bundled, *EXECUTABLES]
    if Path(name).name in EXECUTABLES:
        hint = f"the PATH contains no executable `{name}`"
    else:
        hint = did_you_mean(name, known, f"the solvers are {', '.join(known)}")
    raise UsageError(f"there is no SAT solver `{name}`", hint=hint)


class BundledSolver:
    """A solver from python-sat that runs in its own process until `close`; see `idle.py`."""

    def __init__(
        self,
        name: str,
        memory: int | None,
        tuning: Tuning = "default",
        seed: int | None = None,
    ) -> None:
        self.name = name
        self.memory = memory
        self.options: dict[str, int] = {}
        if name in CONFIGURABLE:
            self.options |= UNSAT_OPTIONS if tuning == "unsat" else {}
            self.options |= {} if seed is None else {"seed": seed}
        self.is_incremental = not name.startswith("kissat")
        self._worker: Worker | None = None
        self._seconds, self._bytes = 0.0, 0
        self._cpu_began = 0.0

    @property
    def cpu_seconds(self) -> float:
        if self._worker is None:
            return 0.0
        return processor_seconds_of(self._worker.pid) - self._cpu_began

    @property
    def version(self) -> str:
        import pysat

        return f"python-sat {pysat.__version__}"

    @property
    def configuration(self) -> str:
        return " ".join(f"{key}={value}" for key, value in self.options.items()) or "default"

    def solve(self, request: Request, deadline: float, meanwhile: Meanwhile | None = None) -> Reply:
        began = time.perf_counter()
        if self._worker is None:
            self._worker = self._started()
        try:
            reply = self._exchange(self._worker, request, deadline, meanwhile)
        except BaseException:
            self._end()
            raise
        self._seconds += time.perf_counter() - began
        self._bytes += sum(len(literals) for _, _, literals in request.clauses)
        return reply

    def _started(self) -> Worker:
        """A process that runs a solver with these settings. If there is no memory limit and an idle process exists,
        this process is used again; otherwise, a new one is started.
        """
        settings = Settings(self.name, self.memory, self.options)
        self._cpu_began = 0.0
        if self.memory is None and (idle := idle_worker()) is not None:
            try:
                idle.connection.send(settings)
                self._cpu_began = processor_seconds_of(idle.pid)
                return idle
            except OSError:  # the idle process has just ended
                idle.close()
        worker = Worker(serve, is_quiet=True)
        worker.connection.send(settings)
        return worker

    def _exchange(
        self, worker: Worker, request: Request, deadline: float, meanwhile: Meanwhile | None
    ) -> Reply:
        is_busy = False
        try:
            worker.connection.send(request)
            while not worker.connection.poll(0.0 if is_busy else _wait(deadline)):
                check_cancelled()
                if time.perf_counter() > deadline:
                    raise LimitReached("time")
                if meanwhile is not None:
                    is_busy = meanwhile(time.perf_counter() + _wait(deadline))
            reply: Reply = worker.connection.recv()
        except (EOFError, BrokenPipeError, ConnectionResetError):
            raise solver_failure(worker, self.name, self.memory) from None
        if reply.error == "memory":
            raise LimitReached("memory")
        if reply.error:
            raise UsageError(reply.error)
        return reply

    def close(self) -> None:
        is_small = self._seconds <= MOST_SECONDS and self._bytes <= MOST_BYTES
        if self._worker is not None and self.memory is None and is_small:
            worker, self._worker = self._worker, None
            keep(worker)
        self._end()

    def _end(self) -> None:
        """End the process, even if its solver is computing."""
        worker, self._worker = self._worker, None
        self._seconds, self._bytes = 0.0, 0
        if worker is not None:
            worker.close()


def solver_failure(worker: Worker, solver: str, memory: int | None) -> Exception:
    """An error that gives the reason why the process of a solver ended. If the process had a memory limit, this limit
    is assumed to be the reason.

    A Python error that does not concern memory is a bug in this package.
    """
    code, last_line = worker.exit_cause()
    is_bug = code > 0 and not any(word in last_line for word in ("Memory", "memory", "bad_alloc"))
    if not is_bug and (memory is not None or code == -9):
        return LimitReached("memory")
    return InternalError(f"the solver {solver} ended with code {code}: {last_line}")


def _wait(deadline: float) -> float:
    """The seconds to wait before the next check of the limits."""
    return max(0.0, min(deadline - time.perf_counter(), INTERVAL))


class ExternalSolver:
    """An executable that reads DIMACS and prints the answer in the format of the SAT competitions."""

    is_incremental = False
    cpu_seconds = 0.0

    def __init__(self, path: str, tuning: Tuning = "default") -> None:
        self.name = self.path = path
        self.options = ["--unsat"] if tuning == "unsat" else []
        self._process: subprocess.Popen[str] | None = None

    @property
    def version(self) -> str:
        try:
            done = subprocess.run(
                [self.path, "--version"], capture_output=True, text=True, timeout=10, check=False
            )
        except (OSError, subprocess.TimeoutExpired):
            return "unknown"
        return (done.stdout.strip().splitlines() or ["unknown"])[0]

    @property
    def configuration(self) -> str:
        return " ".join(self.options) or "default"

    def solve(self, request: Request, deadline: float, meanwhile: Meanwhile | None = None) -> Reply:
        if not request.is_new or request.assumptions:
            raise UsageError(
                f"the solver {self.path} is not incremental, so it can solve only one formula"
            )
        with tempfile.TemporaryDirectory(prefix="fewest-") as folder:
            path = Path(folder) / "formula.cnf"
            with path.open("wb") as file:
                write_dimacs(file, unpacked(request.clauses))
            return self._run(path, deadline)

    def _run(self, path: Path, deadline: float) -> Reply:
        self._process = subprocess.Popen(
            ending_with_us([self.path, *self.options, str(path)]),
            stdout=subprocess.PIPE,
            text=True,
            stderr=subprocess.STDOUT,
        )
        try:
            out = self._output(self._process, deadline)
        finally:
            self.close()
        verdict, model = read_solution(out)
        if verdict is None:
            raise UsageError(
                f"the solver {self.path} ended without an answer: {out[-200:].strip()}"
            )
        conflicts = re.search(r"^c conflicts:\s+(\d+)", out, re.M)
        found = array("i", [v for v in model if v > 0]).tobytes() if verdict else None
        return Reply(verdict, found, int(conflicts[1]) if conflicts else None)

    def _output(self, process: subprocess.Popen[str], deadline: float) -> str:
        while True:
            try:
                out, _ = process.communicate(timeout=_wait(deadline))
                return out
            except subprocess.TimeoutExpired:
                check_cancelled()
                if time.perf_counter() > deadline:
                    raise LimitReached("time") from None

    def close(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.communicate()
