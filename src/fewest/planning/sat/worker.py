"""A process that holds a solver: it can be stopped at any moment, and given a memory limit.

The solvers of python-sat run in C and listen to nobody; a process of their own is what makes time
limits, Ctrl-C and memory limits work with every one of them. `serve` is all it runs; requests and
replies are pickles on stdin and stdout.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
from typing import Any

import numpy as np

from fewest.planning.sat.messages import Reply, Request


def serve(solver_name: str, memory: int | None, options: dict[str, int]) -> None:
    """Answer requests until stdin ends."""
    from pysat.solvers import Solver

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which stops us
    _end_with_parent()
    if memory is not None:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    replies = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # solvers that chatter do it elsewhere
    solver: Any = None
    while True:
        try:
            request: Request = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        try:
            if request.is_new:
                if solver is not None:
                    solver.delete()
                solver = Solver(name=solver_name)
                if options:
                    solver.solver.configure(options)
            for rows in request.clauses:
                solver.append_formula(rows.tolist())
            if request.assumptions is None:
                continue
            reply = _ask(solver, request)
        except NotImplementedError as error:
            reply = Reply(error=f"{solver_name} cannot do that: {error}")
        except MemoryError:
            reply = Reply(error="memory")
        pickle.dump(reply, replies)
        replies.flush()


def _end_with_parent() -> None:
    """Not to go on solving when the parent was killed. Linux alone can say so."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


def _ask(solver: Any, request: Request) -> Reply:
    if request.conflicts is None:
        verdict = solver.solve(assumptions=list(request.assumptions or ()))
    else:
        solver.conf_budget(request.conflicts)
        verdict = solver.solve_limited(assumptions=list(request.assumptions or ()))
    model = None
    if verdict:
        literals = np.array(solver.get_model(), dtype=np.int32)
        model = literals[literals > 0]
    try:
        conflicts = int(solver.accum_stats()["conflicts"])
    except (NotImplementedError, KeyError):
        conflicts = None
    return Reply(verdict, model, conflicts)
