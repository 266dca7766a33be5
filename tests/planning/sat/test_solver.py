"""A solver process can end without an answer, out of memory, or after a bug; the tests need no real process."""

from __future__ import annotations

import os
from itertools import combinations
from math import inf
from pathlib import Path
from time import perf_counter
from typing import Any, cast

import pytest

from fewest.errors import FewestError, InternalError, UsageError
from fewest.model.answer import LimitReached
from fewest.planning.sat.clauses import formula, packed
from fewest.planning.sat.messages import Request
from fewest.planning.sat.proof_worker import Verdict
from fewest.planning.sat.prover import _answer
from fewest.planning.sat.solver import BundledSolver, ExternalSolver

ONE = Request(packed(formula([[1]])), True, ())


class Dead:
    """A worker that has ended with this exit code and this last output."""

    def __init__(self, code: int, output: str = "") -> None:
        self.end = code, output
        self.connection = self

    def send(self, message: object) -> None:
        pass

    def poll(self, seconds: float) -> bool:
        raise EOFError

    def exit_cause(self) -> tuple[int, str]:
        return self.end

    def close(self) -> None:
        pass


@pytest.mark.parametrize("message", ["MemoryError", "cannot allocate memory", "std::bad_alloc"])
def test_a_solver_reports_that_memory_ran_out(message: str) -> None:
    assert end_of_solver(Dead(1, message), 1 << 30) == "memory"


@pytest.mark.parametrize("memory", [None, 1 << 30])
def test_a_killed_solver_counts_as_out_of_memory(memory: int | None) -> None:
    assert end_of_solver(Dead(-9), memory) == "memory"
    assert end_of_prover(Dead(-9), memory) == "memory"


def test_a_crashed_solver_with_a_memory_limit_counts_as_out_of_memory() -> None:
    assert end_of_solver(Dead(-11), 1 << 30) == end_of_prover(Dead(-11), 1 << 30) == "memory"
    assert end_of_solver(Dead(-11), None) == "the solver minisat22 ended with code -11: "
    assert end_of_prover(Dead(-11), None) == "the solver cadical195 ended with code -11: "


class Saying:
    """The process of a solver that runs and gives this verdict."""

    def __init__(self, verdict: Verdict) -> None:
        self.connection, self.verdict = self, verdict

    def poll(self, seconds: float) -> bool:
        return True

    def recv(self) -> Verdict:
        return self.verdict


def test_a_prover_reports_memory_exhaustion_and_other_failures() -> None:
    assert end_of_prover(Saying(Verdict(None, 0, 0.0, "memory")), None) == "memory"
    with pytest.raises(UsageError, match="no such option"):
        _answer(cast(Any, Saying(Verdict(None, 0, 0.0, "no such option"))), 1e9, None)
    done = Verdict(False, 3, 0.5)
    assert _answer(cast(Any, Saying(done)), 1e9, None) is done


def test_an_error_that_has_not_to_do_with_memory_is_a_bug_of_ours() -> None:
    message = "the solver minisat22 ended with code 1: TypeError: nobody"
    assert end_of_solver(Dead(1, "TypeError: nobody"), 1 << 30) == message


def end_of_solver(worker: Any, memory: int | None) -> str:
    solver = BundledSolver("minisat22", memory)
    solver._worker = worker
    return reason_of(lambda: solver.solve(ONE, 1e9))


def end_of_prover(worker: Any, memory: int | None) -> str:
    return reason_of(lambda: _answer(worker, 1e9, memory))


def reason_of(call: Any) -> str:
    with pytest.raises((LimitReached, FewestError)) as stopped:
        call()
    error = stopped.value
    assert isinstance(error, LimitReached | InternalError)
    return error.reason if isinstance(error, LimitReached) else str(error)


def test_a_request_without_assumptions_gets_a_reply() -> None:
    solver = BundledSolver("minisat22", None)
    try:
        assert solver.solve(Request(packed(formula([[1]])), True), perf_counter() + 30).verdict
    finally:
        solver.close()


@pytest.mark.skipif(os.name == "nt", reason="a script that begins with #!")
def test_an_executable_may_keep_its_conflicts_to_itself_but_not_its_answer(tmp_path: Path) -> None:
    script = tmp_path / "kissat"
    script.write_text("#!/bin/sh\necho 's SATISFIABLE'\necho 'v 1 0'\n")
    script.chmod(0o755)
    reply = ExternalSolver(str(script)).solve(ONE, 1e9)
    assert (reply.verdict, reply.true_variables(), reply.conflicts) == (True, {1}, None)
    script.write_text("#!/bin/sh\necho 'out of luck'\n")
    with pytest.raises(UsageError, match=r"kissat ended without an answer: out of luck$"):
        ExternalSolver(str(script)).solve(ONE, 1e9)


def test_other_work_is_done_while_a_solver_works_and_its_error_ends_the_solver() -> None:
    holes = 11
    at = [[1 + pigeon * holes + hole for hole in range(holes)] for pigeon in range(holes + 1)]
    apart = [[-a[h], -b[h]] for a, b in combinations(at, 2) for h in range(holes)]
    solver = BundledSolver("minisat22", None)
    left = [False, True, True]

    def meanwhile(until: float) -> bool:
        assert until > perf_counter() - 1.0
        if not left:
            raise ZeroDivisionError
        return left.pop(0)

    with pytest.raises(ZeroDivisionError):
        solver.solve(Request(packed(formula([*at, *apart])), True), inf, meanwhile)
    assert not left and solver._worker is None
    assert solver.solve(ONE, inf).verdict is True
    solver.close()
