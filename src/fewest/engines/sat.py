"""Bounded-horizon planning as satisfiability, with a solver from python-sat or a program on the PATH."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from functools import cached_property
from math import inf
from typing import Any

from fewest.errors import UsageError
from fewest.model.answer import Answer, Horizon, LimitReached, Limits, counted
from fewest.model.metric import Metric
from fewest.model.task import Cube, Task
from fewest.planning.bounds import Bounds
from fewest.planning.horizons import (
    Finding,
    Found,
    SupersededError,
    at_cost,
    schedule,
    try_horizons,
)
from fewest.planning.round_bound import MOST_ENDLESS, checked_further
from fewest.planning.sat.backward import SOLVER, BackwardSearch, can_search_backward
from fewest.planning.sat.clauses import num_clauses, packed
from fewest.planning.sat.encoding import Encoding
from fewest.planning.sat.messages import Reply, Request
from fewest.planning.sat.profile import DEFAULT_PROFILE, load_profile
from fewest.planning.sat.round_bound import with_all_rounds
from fewest.planning.sat.solver import SatSolver, bundled_solvers, open_solver
from fewest.planning.sat.unsolvability import UnsolvabilityProof
from fewest.planning.task import PlanningTask, planning_task
from fewest.store.checkpoint import CheckpointLocation
from fewest.store.optional_checkpoint import open_if_wanted

QUICK_SOLVER = "glucose42"
QUICK_CONFLICTS = 100_000
"""If the user chooses no solver, a quick solver begins. After this number of conflicts, the newest CaDiCaL replaces it
and receives all layers again. Glucose is faster on easy horizons, and CaDiCaL is faster on long proofs
(`encodings/README.md`).
"""

MUTEX_CONFLICTS = 10_000
"""After this number of conflicts, the formula also receives the pairs of facts that are never true together. Computing
these pairs would take longer than solving all horizons of an easy puzzle.
"""

DEADLOCK_CONFLICTS = 500
"""After this number of conflicts, the formula also excludes deadlock sets. Most horizons of easy puzzles take less time
than finding these sets.
"""

LARGEST_DEADLOCK = 2
"""The maximum number of pieces in these deadlock sets. Sets of three pieces saved no more time."""

BACKWARD_START = 2.0
"""The number of CPU seconds for horizons before the backward search begins. Most easy puzzles are solved earlier."""

BACKWARD_RATIO = 1.0
"""The CPU time of the backward search, relative to the CPU time of the horizons. Neither method is faster on all
puzzles; if the times are equal, each puzzle takes about twice the time that the faster method needs alone.
"""

SINGLE_PROFILE = "leave-arrive"
SINGLE_SOLVER = "glucose42"
"""The default profile and the default solver for a single horizon. On long proofs, these defaults take half the time
that `incremental` with CaDiCaL takes.
"""


def solve(
    task: Task,
    metric: Metric,
    limits: Limits,
    progress: Callable[[Horizon], None] | None = None,
    *,
    encoding: str | None = None,
    solver: str | None = None,
    first: int | None = None,
    last: int | None = None,
    stride: int | None = None,
    at_most: int | None = None,
    seed: int | None = None,
    checkpoint: str | CheckpointLocation | None = None,
) -> Answer:
    """The minimum, the proof that there is no plan, or the bounds that are proved when a limit stops the search. With
    `at_most`, the answer is a plan of at most this cost, which is not proved minimal.

    `encoding` is the name of a profile (`encodings/sat`), and `solver` is the name of a solver; the constants above are
    the defaults. `first`, `last`, `stride` select the horizons; `at_most` selects a single horizon. `seed` affects only
    the bundled CaDiCaL solvers. `checkpoint`: a folder for the proved bounds, from which the search resumes. Raises
    UsageError if a name is unknown, if the profile needs an incremental solver and `solver` is not incremental, if the
    horizons contradict each other, or if the metric cannot be counted in layers (see `planning_task`). Raises
    StoreError if the folder does not belong to this search.
    """
    began, cpu_began = time.perf_counter(), time.process_time()
    if encoding is None and at_most is not None:
        encoding = SINGLE_PROFILE
        if solver is None and seed is None and SINGLE_SOLVER in bundled_solvers():
            solver = SINGLE_SOLVER
    encoding = encoding or DEFAULT_PROFILE
    profile = load_profile(encoding)
    plan = schedule(first, last, stride, at_most, profile.transition.idle == "none")
    planning = planning_task(task, metric)
    plan = at_cost(plan, at_most, planning.unit)
    chosen = open_solver(solver, limits.memory, profile.tuning, seed)
    if profile.solving == "incremental" and not chosen.is_incremental:
        raise UsageError(
            f"the profile `{encoding}` needs an incremental solver, and {solver} is not incremental",
            hint="use --encoding leave-arrive, which works with every solver",
        )
    is_deepening = profile.solving == "incremental" and (plan.first, plan.stride) == (0, 1)
    has_quick = solver is None and is_deepening and QUICK_SOLVER in bundled_solvers()
    other = open_solver(chosen.name if chosen.is_incremental else None, limits.memory)
    deadline = began + (inf if limits.seconds is None else limits.seconds)
    with ExitStack() as open_solvers:
        for one in (chosen, other):
            open_solvers.enter_context(closing(one))
        bounds = Bounds(with_all_rounds(planning, other, deadline))
        layers = Encoding(bounds, profile)
        solvers = [chosen]
        if has_quick:
            solvers.insert(0, open_solver(QUICK_SOLVER, limits.memory, profile.tuning))
            open_solvers.enter_context(closing(solvers[0]))
        statistics: dict[str, Any] = {
            "encoding": encoding,
            "solver": solvers[0].name,
            "solver_version": solvers[0].version,
            "configuration": solvers[0].configuration,
            "moves": len(planning.moves),
            "variables_a_layer": layers.num_variables,
            "encoding_seconds": time.perf_counter() - began,
        }
        asking = _Horizons(layers, solvers, other, statistics)
        is_complete = (plan.first, plan.stride, plan.last) == (0, 1, None)
        if profile.backward and solver is None and is_complete:
            asking.open_backward(bounds)
        open_solvers.enter_context(closing(asking))
        try:
            with open_if_wanted(checkpoint, task, metric) as saved:
                return try_horizons(
                    bounds,
                    asking.solve_horizon,
                    plan,
                    limits,
                    progress,
                    statistics,
                    saved,
                    asking.attempt,
                    asking.latest,
                )
        finally:
            # this process writes the formulas and searches backward; the solvers run in separate processes
            spent = asking.backward.cpu_seconds if asking.backward is not None else 0.0
            statistics["encoding_cpu"] = time.process_time() - cpu_began - spent


class _Horizons:
    """Decides each horizon with one solver at a time.

    `solvers`: each of them takes over when the previous solver has reached QUICK_CONFLICTS; the last solver has no such
    limit. `other`: the solver for proofs that there is no plan.
    """

    def __init__(
        self,
        encoding: Encoding,
        solvers: Sequence[SatSolver],
        other: SatSolver,
        statistics: dict[str, Any],
    ) -> None:
        self.encoding = encoding
        self.solver, *self.later_solvers = solvers
        self.other = other
        self.unsolvability = UnsolvabilityProof(encoding.bounds, encoding.profile, other)
        self.statistics = statistics
        self.have = self.refuted = -1
        self.num_clauses = self.conflicts = 0
        self.has_mutexes = False
        self.mutexes_until = self.dead_until = -1
        self.backward: BackwardSearch | None = None
        self._solver_names = [self.solver.name]
        self._reported = 0.0
        self._began, self._cpu_began = time.perf_counter(), time.thread_time()
        self._cpu_before = 0.0  # the CPU seconds of solvers that another solver has replaced

    def open_backward(self, bounds: Bounds) -> None:
        """Search backward between the horizons, if this search supports the task."""
        if can_search_backward(bounds.planning):
            self.backward = BackwardSearch(bounds)

    def _allowed_backward(self) -> float:
        """The CPU seconds that the backward search may use now. On systems that do not provide the CPU time of other
        processes, these are seconds of wall-clock time.
        """
        search = self.backward
        if search is None or search.is_over:
            return 0.0
        if sys.platform == "linux":
            spent = search.cpu_seconds
            horizons = time.thread_time() - self._cpu_began - spent
            horizons += self._cpu_before + self.solver.cpu_seconds
        else:
            spent = search.seconds
            horizons = time.perf_counter() - self._began - spent
        return BACKWARD_RATIO * horizons - spent if horizons >= BACKWARD_START else 0.0

    def solve_horizon(self, horizon: int, refuted: int, deadline: float) -> Found:
        """Decide whether there is a plan of at most `horizon` moves.

        If a model gives a move a wrong result, more rounds of consequences are encoded, and the horizon is decided
        again. Raises LimitReached at a limit, and if the consequences never end in more than MOST_ENDLESS intermediate
        states. Raises SupersededError if the backward search has the answer first.
        """
        is_incremental = self.encoding.profile.solving == "incremental"
        found = (self.incremental if is_incremental else self.fresh)(horizon, refuted, deadline)
        while found.states is not None:
            longer = checked_further(self.encoding.planning, found.states)
            if longer is None:
                break
            self._restart(longer)
            found = (self.incremental if is_incremental else self.fresh)(horizon, refuted, deadline)
        return found

    def attempt(self, refuted: int, deadline: float) -> Finding:
        """Try to prove that there is no plan at any horizon; otherwise, advance the backward search."""
        argument = self.unsolvability.attempt(refuted, deadline)
        search = self.backward
        if argument or search is None:
            return Finding(argument)
        if (allowed := self._allowed_backward()) > 0:
            search.advance(deadline, allowed)
        return self.latest()

    def latest(self) -> Finding:
        """What the backward search has proved so far."""
        search = self.backward
        if search is None or not (search.num_cubes or search.has_answer):
            return Finding()
        self._name_solvers()
        self.statistics["backward"] = {
            "solver": SOLVER,
            "cubes": search.num_cubes,
            "refuted": search.refuted,
            "seconds": search.seconds,
        }
        argument = f"a backward search over {counted(search.num_cubes, 'cubes')}"
        seconds, self._reported = search.seconds - self._reported, search.seconds
        return Finding(
            argument if search.has_answer else "",
            search.refuted,
            search.states,
            search.num_cubes,
            seconds,
        )

    def _meanwhile(self, until: float) -> bool:
        """Search backward while a solver works on a horizon. Raises SupersededError if the search has the answer."""
        search, allowed = self.backward, self._allowed_backward()
        if search is None or allowed <= 0:
            return False
        search.advance(until, allowed)
        if search.has_answer:
            raise SupersededError
        return True

    def _name_solvers(self) -> None:
        names = list(self._solver_names)
        if self.backward is not None and self.backward.num_cubes:
            names.append(f"{SOLVER} (backward)")
        self.statistics["solver"] = ", ".join(names)

    def close(self) -> None:
        """Free the memory that the proof attempts use."""
        self.unsolvability.close()
        if self.backward is not None:
            self.backward.close()

    def _restart(self, planning: PlanningTask) -> None:
        """Start again with an encoding that has more rounds of consequences. Raises LimitReached if the consequences
        never end in more than MOST_ENDLESS intermediate states.
        """
        if len(planning.endless) > MOST_ENDLESS:
            raise LimitReached("endless")
        self.encoding = Encoding(Bounds(planning), self.encoding.profile)
        self.unsolvability.close()
        profile = self.encoding.profile
        self.unsolvability = UnsolvabilityProof(self.encoding.bounds, profile, self.other)
        self._forget_layers()

    def _forget_layers(self) -> None:
        self.have = self.refuted = -1
        self.num_clauses = self.conflicts = 0
        self.mutexes_until = self.dead_until = -1

    @cached_property
    def dead(self) -> tuple[Cube, ...]:
        """The dead cubes of a task with an agent; no plan contains a state in them. There are none if the profile does
        not use them, or if the start is dead: the engine proves that there is no plan as it does for other tasks.
        """
        if not self.encoding.profile.pruning.dead:
            return ()
        from fewest.deadlocks.dead_cubes import dead_cubes_with_agent

        task = self.encoding.planning.task
        cubes = dead_cubes_with_agent(task, LARGEST_DEADLOCK, wherever_agent=True)
        is_dead = any(task.initial & mask == value for mask, value in cubes)
        return () if is_dead else cubes

    def fresh(self, horizon: int, refuted: int, deadline: float) -> Found:
        """Decide the horizon with all clauses, in a new solver."""
        clauses = self.encoding.formula_for(horizon, refuted)
        clauses += self.encoding.without(self.dead, range(horizon + 1))
        reply = self.solver.solve(Request(packed(clauses), True), deadline, self._meanwhile)
        return self._found(horizon, reply, reply.conflicts, num_clauses(clauses))

    def incremental(self, horizon: int, refuted: int, deadline: float) -> Found:
        """Decide the horizon in the same solver, which receives only the new clauses. The goal is an assumption."""
        if self.later_solvers and self.conflicts >= QUICK_CONFLICTS:
            self._change_solver()
        encoding = self.encoding
        is_new = self.have < 0
        clauses = encoding.addition(self.have, horizon, self.refuted, refuted)
        if self.conflicts >= DEADLOCK_CONFLICTS:
            clauses += encoding.without(self.dead, range(self.dead_until + 1, horizon + 1))
            self.dead_until = max(self.dead_until, horizon)
        if self.conflicts >= MUTEX_CONFLICTS:
            self.has_mutexes = encoding.profile.pruning.mutexes
        is_before_mutexes = encoding.profile.pruning.mutexes and not self.has_mutexes
        if self.has_mutexes:
            clauses += encoding.mutexes(range(self.mutexes_until + 1, horizon + 1))
            self.mutexes_until = max(self.mutexes_until, horizon)
        budget = None
        if self.later_solvers:
            most = min(MUTEX_CONFLICTS, QUICK_CONFLICTS) if is_before_mutexes else QUICK_CONFLICTS
            budget = most - self.conflicts
        self.have, self.refuted = max(self.have, horizon), max(self.refuted, refuted)
        self.num_clauses += num_clauses(clauses)
        reply = self.solver.solve(
            Request(packed(clauses), is_new, [encoding.goal(horizon)], budget),
            deadline,
            self._meanwhile,
        )
        if reply.verdict is None:  # the budget of conflicts is used up
            if is_before_mutexes and MUTEX_CONFLICTS < QUICK_CONFLICTS:
                self.has_mutexes = True
            else:
                self._change_solver()
            return self.incremental(horizon, refuted, deadline)
        conflicts = None if reply.conflicts is None else reply.conflicts - self.conflicts
        self.conflicts = reply.conflicts or 0
        return self._found(horizon, reply, conflicts, self.num_clauses)

    def _change_solver(self) -> None:
        """Continue with the next solver, which has not received any layers yet."""
        self._cpu_before += self.solver.cpu_seconds
        self.solver.close()
        self.solver, *self.later_solvers = self.later_solvers
        self._forget_layers()
        self._solver_names.append(self.solver.name)
        self._name_solvers()
        self.statistics["configuration"] = self.solver.configuration

    def _found(self, horizon: int, reply: Reply, conflicts: int | None, clauses: int) -> Found:
        states = None
        if reply.model is not None:
            states = self.encoding.states(reply.true_variables(), horizon)
        return Found(
            states,
            {
                "conflicts": conflicts,
                "variables": self.encoding.num_variables * (max(self.have, horizon) + 1),
                "clauses": clauses,
            },
        )
