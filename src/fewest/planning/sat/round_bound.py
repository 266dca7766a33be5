"""Proves, by a SAT query about one move, that no move from any position takes more rounds than an encoding describes.

If a move from some state that satisfies the invariants takes more rounds than the encoding has, the encoding grows to
the number of rounds of that move. This process may never end, because such states need not be reachable. In that case,
the encoding keeps its original number of rounds, and the results of consequences that take more rounds stay
undetermined.
"""

from __future__ import annotations

import time
from contextlib import closing
from math import inf

from msgspec.structs import replace

from fewest.errors import InternalError, UsageError
from fewest.model.answer import LimitReached
from fewest.planning.bounds import Bounds
from fewest.planning.round_bound import more_rounds
from fewest.planning.sat.clauses import packed
from fewest.planning.sat.encoding import Encoding
from fewest.planning.sat.messages import Request
from fewest.planning.sat.profile import load_profile
from fewest.planning.sat.solver import SatSolver, open_solver
from fewest.planning.task import PlanningTask

PROFILE = "proved"
SECONDS = 5.0
MOST_TIMES = 3
"""the maximum factor by which the initial number of rounds may grow"""


def with_all_rounds(planning: PlanningTask, solver: SatSolver, deadline: float) -> PlanningTask:
    """The task with enough rounds for the consequences of all moves; the unchanged task if no quick proof finds such a
    number.

    The proof takes at most SECONDS, and ends at `deadline` (in seconds of `time.perf_counter`) at the latest.
    """
    if planning.has_all_rounds:
        return planning
    until = min(deadline, time.perf_counter() + SECONDS)
    tried = planning
    try:
        while tried.rounds <= MOST_TIMES * planning.rounds and not tried.endless:
            encoding = Encoding(Bounds(tried), load_profile(PROFILE))
            clauses = encoding.layers(-1, 1, is_open=True)
            reply = solver.solve(Request(packed(clauses), True, [encoding.unfinished]), until)
            if not reply.verdict:
                return replace(tried, has_all_rounds=True)
            state, _ = encoding.states(reply.true_variables(), 1)
            longer = more_rounds(tried, state)
            if longer is None:
                raise InternalError("a move in a model has a wrong result")
            tried = longer
    except (LimitReached, UsageError):  # the time is up, or the circuit has too many gates
        pass
    return planning


def bounded(planning: PlanningTask, engine: str) -> PlanningTask:
    """The task with enough rounds for all moves. Exports need this function because they cannot add rounds later.

    Raises UsageError if no number of rounds can be proved sufficient within SECONDS.
    """
    if planning.has_all_rounds:
        return planning
    with closing(open_solver(None, None)) as solver:
        found = with_all_rounds(planning, solver, inf)
    if not found.has_all_rounds:
        raise UsageError(
            f"{engine} needs a proven bound on the number of rounds of consequences after a move, but no bound for "
            f"{planning.task.name} was proven within {SECONDS:.0f} seconds",
            hint="--engine bfs, sat and asp of `fewest solve` need no such bound",
        )
    return found
