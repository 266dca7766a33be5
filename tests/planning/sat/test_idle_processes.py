"""The process of a closed solver serves the next solver of its thread, unless it might use much memory."""

from __future__ import annotations

import itertools
import os
import signal
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from threading import Thread

import pytest

import fewest
from fewest.model.answer import LimitReached
from fewest.planning.sat import idle as idle_processes
from fewest.planning.sat.clauses import formula, packed
from fewest.planning.sat.messages import Request
from fewest.planning.sat.solver import BundledSolver
from tests.helpers.forks import in_forks

TRUE = Request(packed(formula([[1]])), True, ())
FALSE = Request(packed(formula([[1], [-1]])), True, ())


@pytest.fixture(autouse=True)
def _no_idle_worker() -> Iterator[None]:
    idle_processes.end_idle_workers()
    yield
    idle_processes.end_idle_workers()


def process_of_an_answer(
    request: Request = TRUE, memory: int | None = None, deadline: float = 1e9
) -> int:
    """The id of the process that answers a request."""
    with closing(BundledSolver("cadical195", memory)) as solver:
        assert solver.solve(request, deadline).verdict is (request is TRUE)
        assert solver._worker is not None
        return solver._worker.pid


def idle() -> list[int]:
    return [worker.pid for worker in idle_processes._idle().workers]


def has_ended(pid: int) -> bool:
    """Whether the process has ended, or ends within ten seconds."""
    until = time.monotonic() + 10
    while time.monotonic() < until:
        with suppress(ChildProcessError):
            os.waitpid(pid, os.WNOHANG)
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.01)
    return False


def test_one_process_runs_many_independent_solvers() -> None:
    served = {process_of_an_answer(request) for request in (TRUE, FALSE, TRUE, FALSE, TRUE)}
    assert len(served) == 1 and idle() == [*served]
    with closing(BundledSolver("minisat22", None)) as other:
        assert other.solve(TRUE, 1e9).true_variables() == {1}
        assert idle() == []  # the process is in use
    assert idle() == [*served]


def test_simultaneous_solvers_have_a_process_each_and_few_stay_idle() -> None:
    solvers = [BundledSolver("cadical195", None) for _ in range(idle_processes.MOST_IDLE + 2)]
    for solver in solvers:
        assert solver.solve(TRUE, 1e9).verdict
    used = [solver._worker.pid for solver in solvers if solver._worker is not None]
    assert len({*used}) == len(solvers)
    for solver in solvers:
        solver.close()
    assert idle() == used[: idle_processes.MOST_IDLE]
    assert all(map(has_ended, used[idle_processes.MOST_IDLE :]))


def test_solve_leaves_its_process_to_the_next() -> None:
    jugs = fewest.load("jugs")
    assert jugs.solve(engine="sat").cost == 6
    earlier = idle()
    assert earlier and jugs.solve(engine="sat", encoding="operators").cost == 6
    assert {*earlier} == {*idle()}


def test_a_process_with_a_memory_limit_serves_no_other_solver() -> None:
    before = process_of_an_answer()
    limited = process_of_an_answer(memory=1 << 30)
    assert limited != before and has_ended(limited)
    assert idle() == [before]


def test_a_solver_that_is_stopped_at_work_is_ended() -> None:
    holes = range(12)
    pigeons = [[p * 12 + h + 1 for h in holes] for p in range(13)]
    for h, (p, q) in itertools.product(holes, itertools.combinations(range(13), 2)):
        pigeons.append([-(p * 12 + h + 1), -(q * 12 + h + 1)])
    solver = BundledSolver("cadical195", None)
    assert solver.solve(TRUE, 1e9).verdict and solver._worker is not None
    pid = solver._worker.pid
    with pytest.raises(LimitReached):
        solver.solve(Request(packed(formula(pigeons)), True, ()), 0.0)
    solver.close()
    assert has_ended(pid) and idle() == []


@pytest.mark.parametrize("what", ["MOST_SECONDS", "MOST_BYTES"])
def test_a_process_that_did_much_is_ended(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"fewest.planning.sat.solver.{what}", 0)
    assert has_ended(process_of_an_answer())
    assert idle() == []


def test_an_idle_process_that_was_killed_is_replaced() -> None:
    pid = process_of_an_answer()
    os.kill(pid, signal.SIGKILL)
    time.sleep(0.05)
    assert process_of_an_answer() != pid


def test_threads_do_not_share_and_a_process_ends_with_its_thread() -> None:
    mine, theirs = process_of_an_answer(), list[int]()

    def other() -> None:
        theirs.extend(process_of_an_answer() for _ in range(2))

    thread = Thread(target=other)
    thread.start()
    thread.join()
    assert len({mine, *theirs}) == 2 and has_ended(theirs[0])
    assert process_of_an_answer() == mine


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_fork_leaves_idle_processes_to_its_parent() -> None:
    mine = process_of_an_answer()
    ((_, theirs),) = in_forks(lambda _, say: say(process_of_an_answer()), [0], 1, 60)
    assert len(theirs) == 1 and theirs != [mine]
    assert process_of_an_answer() == mine
