"""The process in which a solver runs.

The solvers of python-sat run in C and cannot be interrupted. A process, however, can be ended at any moment and can
have a memory limit. Running the solver in a separate process makes time limits, memory limits and Ctrl-C work with
every solver. The process runs only `serve`.
"""

from __future__ import annotations

from array import array
from itertools import islice
from multiprocessing.connection import Connection
from typing import Any

from msgspec import Struct, field

from fewest.machine.memory import limit_memory
from fewest.machine.signals import ignore_termination
from fewest.planning.sat.messages import Reply, Request


class Settings(Struct, frozen=True):
    """The name of a solver, its memory limit in bytes, and its options."""

    solver: str
    memory: int | None = None
    options: dict[str, int] = field(default_factory=dict)


def serve(connection: Connection) -> None:
    """Receive the settings of a solver, and answer its requests. The message None deletes the solver; the settings of
    the next solver follow it. Raises EOFError when the other process closes the connection.
    """
    from pysat.solvers import Solver

    ignore_termination()
    solver: Any = None
    while True:
        message: Settings | Request | None = connection.recv()
        if not isinstance(message, Request):
            if solver is not None:
                solver.delete()
                solver = None
            if message is not None:
                settings = message
                if settings.memory is not None:
                    limit_memory(settings.memory)
            continue
        request = message
        try:
            if request.is_new:
                if solver is not None:
                    solver.delete()
                solver = Solver(name=settings.solver)
                if settings.options:
                    solver.solver.configure(settings.options)
            for count, length, literals in request.clauses:
                each = iter(array("i", literals))
                solver.append_formula(list(islice(each, length)) for _ in range(count))
            reply = _solve(solver, request)
        except NotImplementedError as error:
            reply = Reply(
                error=f"the solver {settings.solver} does not support this request: {error}"
            )
        except MemoryError:
            reply = Reply(error="memory")
        connection.send(reply)


def _solve(solver: Any, request: Request) -> Reply:
    if request.conflicts is None:
        verdict = solver.solve(assumptions=list(request.assumptions))
    else:
        solver.conf_budget(request.conflicts)
        verdict = solver.solve_limited(assumptions=list(request.assumptions))
    model = None
    if verdict:
        model = array("i", [v for v in solver.get_model() if v > 0]).tobytes()
    try:
        conflicts = int(solver.accum_stats()["conflicts"])
    except (NotImplementedError, KeyError):
        conflicts = None
    return Reply(verdict, model, conflicts)
