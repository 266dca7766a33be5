"""SAT solvers by name: those that python-sat bundles, and executables on the PATH."""

from __future__ import annotations

import pickle
import re
import select
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Literal, Protocol, TypeAlias

import numpy as np

from fewest.errors import InternalError, UsageError, suggest
from fewest.machine.processes import command
from fewest.model.answer import LimitReached
from fewest.planning.sat.dimacs import read_solution, write_dimacs
from fewest.planning.sat.messages import Reply, Request

EXECUTABLES = ("kissat", "cadical")
CONFIGURABLE = ("cadical153", "cadical195", "cadical300")
UNSAT_OPTIONS = {"stabilize": 0, "walk": 0}  # CaDiCaL's configuration `--unsat`

Tuning: TypeAlias = Literal["default", "unsat"]


class SatSolver(Protocol):
    """What the engine needs of a solver."""

    name: str
    is_incremental: bool

    def ask(self, request: Request, deadline: float) -> Reply:
        """Add the request's clauses and answer it. Raises LimitReached; `deadline` is of perf_counter."""

    def close(self) -> None:
        """Stop whatever runs."""


def bundled_solvers() -> list[str]:
    """The solvers that python-sat brings, by their usual names."""
    from pysat.solvers import SolverNames

    return [name for name in vars(SolverNames) if not name.startswith("_")]


def newest_cadical() -> str:
    """The newest CaDiCaL that python-sat brings."""
    versions = [name for name in bundled_solvers() if re.fullmatch(r"cadical\d+", name)]
    return max(versions, key=lambda name: int(name.removeprefix("cadical")))


def open_solver(name: str | None, memory: int | None, tuning: Tuning = "default") -> SatSolver:
    """The solver of that name, the newest bundled CaDiCaL for None. Raises UsageError."""
    bundled = bundled_solvers()
    if name is None:
        return BundledSolver(newest_cadical(), memory, tuning)
    if name in bundled:
        return BundledSolver(name, memory, tuning)
    path = shutil.which(name) if Path(name).name in EXECUTABLES else None
    if path is not None:
        return ExternalSolver(path, tuning)
    known = [*bundled, *EXECUTABLES]
    near = suggest(name, known)
    if Path(name).name in EXECUTABLES:
        hint = f"no executable `{name}` on the PATH"
    else:
        hint = f"did you mean `{near}`?" if near else f"there are {', '.join(known)}"
    raise UsageError(f"there is no SAT solver `{name}`", hint=hint)


class BundledSolver:
    """A solver of python-sat in a process of its own, which lives until `close`."""

    def __init__(self, name: str, memory: int | None, tuning: Tuning = "default") -> None:
        self.name = name
        self.memory = memory
        self.options = UNSAT_OPTIONS if tuning == "unsat" and name in CONFIGURABLE else {}
        self.is_incremental = not name.startswith("kissat")
        self._process: subprocess.Popen[bytes] | None = None

    def ask(self, request: Request, deadline: float) -> Reply:
        if self._process is None:
            arguments, environment = command(
                f"from fewest.planning.sat.worker import serve; "
                f"serve({self.name!r}, {self.memory}, {self.options})"
            )
            self._process = subprocess.Popen(
                arguments,
                env=environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                start_new_session=True,  # Ctrl-C is for us: some solvers would make a traceback of it
            )
        try:
            return self._exchange(self._process, request, deadline)
        except BaseException:
            self.close()
            raise

    def _exchange(
        self, process: subprocess.Popen[bytes], request: Request, deadline: float
    ) -> Reply:
        assert process.stdin is not None and process.stdout is not None
        try:
            pickle.dump(request, process.stdin)
            process.stdin.flush()
        except BrokenPipeError:
            raise self._death(process) from None
        left = deadline - time.perf_counter()
        ready, _, _ = select.select([process.stdout], [], [], max(0.0, min(left, 1e6)))
        if not ready:
            raise LimitReached("time")
        try:
            reply: Reply = pickle.load(process.stdout)
        except EOFError:
            raise self._death(process) from None
        if reply.error == "memory":
            raise LimitReached("memory")
        if reply.error:
            raise UsageError(reply.error)
        return reply

    def _death(self, process: subprocess.Popen[bytes]) -> Exception:
        """Why the process ended: with a memory limit, running out of it is what ends solvers."""
        code = process.wait()
        if self.memory is not None or code == -9:
            return LimitReached("memory")
        return InternalError(f"the solver {self.name} ended with code {code}")

    def close(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        for stream in (process.stdin, process.stdout):
            try:
                if stream is not None:
                    stream.close()
            except OSError:
                pass
        process.wait()


class ExternalSolver:
    """An executable that reads DIMACS and prints the answer as in the SAT competitions."""

    is_incremental = False

    def __init__(self, path: str, tuning: Tuning = "default") -> None:
        self.name = self.path = path
        self.options = ["--unsat"] if tuning == "unsat" else []
        self._process: subprocess.Popen[str] | None = None

    def ask(self, request: Request, deadline: float) -> Reply:
        if not request.is_new or request.assumptions:
            raise UsageError(f"{self.path} answers one question only, it is not incremental")
        with tempfile.TemporaryDirectory(prefix="fewest-") as folder:
            path = Path(folder) / "question.cnf"
            with path.open("wb") as file:
                write_dimacs(file, request.clauses)
            return self._run(path, deadline)

    def _run(self, path: Path, deadline: float) -> Reply:
        left = deadline - time.perf_counter()
        self._process = subprocess.Popen(
            [self.path, *self.options, str(path)],
            stdout=subprocess.PIPE,
            text=True,
            stderr=subprocess.STDOUT,
        )
        try:
            out, _ = self._process.communicate(timeout=max(0.0, min(left, 1e6)))
        except subprocess.TimeoutExpired:
            raise LimitReached("time") from None
        finally:
            self.close()
        verdict, model = read_solution(out)
        if verdict is None:
            raise UsageError(f"{self.path} gave no answer: {out[-200:].strip()}")
        conflicts = re.search(r"^c conflicts:\s+(\d+)", out, re.M)
        found = np.array([v for v in model if v > 0], dtype=np.int32) if verdict else None
        return Reply(verdict, found, int(conflicts[1]) if conflicts else None)

    def close(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.communicate()
