"""Bounded-horizon planning by answer set programming: multi-shot clingo with growing horizons.

The programs are data (`encodings/asp/*.lp`), the same for all puzzles. One control object adds one layer at a time. The
goal of each horizon depends on an external atom, so clingo keeps all learnt nogoods for the next horizon. No single
horizon can prove that there is no plan at all, so a SAT solver tries to prove this between the horizons, as in the
engine `sat`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from math import inf
from typing import Any

import clingo

from fewest.machine.cancellation import check_cancelled
from fewest.machine.memory import peak_memory
from fewest.model.answer import Answer, Horizon, LimitReached, Limits
from fewest.model.metric import Metric
from fewest.model.task import Task
from fewest.planning.asp import facts, program_names, program_texts
from fewest.planning.bounds import Bounds
from fewest.planning.horizons import Finding, Found, at_cost, schedule, try_horizons
from fewest.planning.round_bound import MOST_ENDLESS, checked_further
from fewest.planning.sat.profile import DEFAULT_PROFILE, load_profile
from fewest.planning.sat.round_bound import with_all_rounds
from fewest.planning.sat.solver import SatSolver, open_solver
from fewest.planning.sat.unsolvability import UnsolvabilityProof
from fewest.planning.task import planning_task
from fewest.store.checkpoint import CheckpointLocation
from fewest.store.optional_checkpoint import open_if_wanted

# Some configurations of clingo use preprocessing as in SatELite, which may never end if the program grows.
OPTIONS = ("--warn=none", "--sat-prepro=no")
DEFAULT_CONFIGURATION = "tweety"
MOST_AT_ONCE = 2_000
"""the maximum number of moves, in all layers together, that one call of clingo grounds: a call takes at least 3 ms, but
the limits are checked only between calls
"""


def solve(
    task: Task,
    metric: Metric,
    limits: Limits,
    progress: Callable[[Horizon], None] | None = None,
    *,
    first: int | None = None,
    last: int | None = None,
    stride: int | None = None,
    at_most: int | None = None,
    configuration: str | None = None,
    seed: int | None = None,
    checkpoint: str | CheckpointLocation | None = None,
) -> Answer:
    """The minimum, the proof that there is no plan, or the bounds that are proved when a limit stops the search. With
    `at_most`, the answer is a plan of at most this cost, which is not proved minimal.

    `first`, `last` and `stride` select the horizons; `at_most` selects a single horizon. `configuration` and `seed` are
    options of clingo. `checkpoint`: a folder for the proved bounds, from which the search resumes. Raises UsageError if
    the horizons contradict each other, or if the metric cannot be counted in layers (see `planning_task`). Raises
    StoreError if the folder does not belong to this search.
    """
    began = time.perf_counter()
    plan = schedule(first, last, stride, at_most, is_exact=False)
    # If no horizon is skipped, the program describes exact horizons, which is faster.
    plan = replace(plan, is_exact=(plan.first, plan.stride) == (0, 1))
    planning = planning_task(task, metric)
    plan = at_cost(plan, at_most, planning.unit)
    solver = open_solver(None, limits.memory)
    deadline = began + (inf if limits.seconds is None else limits.seconds)
    try:
        bounds = Bounds(with_all_rounds(planning, solver, deadline))
        options = [f"--configuration={configuration or DEFAULT_CONFIGURATION}"]
        options += [] if seed is None else [f"--seed={seed}"]
        asking = _Horizons(bounds, plan.is_exact, limits.memory, solver, options)
    except BaseException:
        solver.close()
        raise
    statistics: dict[str, Any] = {
        "encoding": "+".join(program_names(bounds.planning)),
        "solver": "clingo",
        "solver_version": f"clingo {clingo.__version__}",
        "configuration": " ".join(options),
        "moves": len(planning.moves),
        "facts": len(planning.facts),
    }
    asking.statistics = statistics
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
            )
    finally:
        statistics["encoding_cpu"] = asking.encoding.seconds
        asking.close()
        solver.close()


class _Stopwatch:
    """Measures the CPU seconds that this process spends in `with` blocks, in which programs are written and
    grounded.
    """

    def __init__(self) -> None:
        self.seconds = 0.0
        self._began = 0.0

    def __enter__(self) -> None:
        self._began = time.process_time()

    def __exit__(self, *_: object) -> None:
        self.seconds += time.process_time() - self._began


class _Horizons:
    """Decides each horizon with clingo, and tries to prove with a SAT solver that there is no plan."""

    def __init__(
        self,
        bounds: Bounds,
        is_exact: bool,
        memory: int | None,
        solver: SatSolver,
        options: Sequence[str],
    ) -> None:
        self.is_exact, self.memory, self.solver, self.options = is_exact, memory, solver, options
        self.statistics: dict[str, Any] = {}
        self.encoding = _Stopwatch()
        self._begin(bounds)

    def _begin(self, bounds: Bounds) -> None:
        self.planning = bounds.planning
        self.program = _Program(bounds, self.memory, self.is_exact, self.options, self.encoding)
        self.bounds = bounds
        self.unsolvability = UnsolvabilityProof(bounds, load_profile(DEFAULT_PROFILE), self.solver)

    def solve_horizon(self, horizon: int, refuted: int, deadline: float) -> Found:
        """Decide whether there is a plan of at most `horizon` moves.

        If a model gives a move a wrong result, more rounds of consequences are encoded, and the horizon is decided
        again. Raises LimitReached at a limit, and if the consequences never end in more than MOST_ENDLESS intermediate
        states.
        """
        found = self.program.solve_horizon(horizon, refuted, deadline)
        while found.states is not None:
            longer = checked_further(self.planning, found.states)
            if longer is None:
                break
            if len(longer.endless) > MOST_ENDLESS:
                raise LimitReached("endless")
            self.unsolvability.close()
            self._begin(Bounds(longer))
            found = self.program.solve_horizon(horizon, refuted, deadline)
        return found

    def attempt(self, refuted: int, deadline: float) -> Finding:
        """Try to prove that there is no plan at any horizon."""
        argument = self.unsolvability.attempt(refuted, deadline)
        return Finding(f"{argument}, by a SAT solver" if argument else "")

    def close(self) -> None:
        """Free the memory that the proof attempts use."""
        self.unsolvability.close()


class _Program:
    """One clingo control object, and the number of the last layer that it has grounded.

    `is_exact`: whether the horizons increase one by one, so that the program can exclude plans with idle layers.
    """

    def __init__(
        self,
        bounds: Bounds,
        memory: int | None,
        is_exact: bool,
        options: Sequence[str],
        encoding: _Stopwatch,
    ) -> None:
        self.memory = memory
        self.have = -1
        self.at_once = max(1, MOST_AT_ONCE // max(1, len(bounds.planning.moves)))  # layers
        self.encoding = encoding
        self.control = clingo.Control([*OPTIONS, *options])
        with encoding:
            for text in program_texts(bounds.planning):
                self.control.add(text)
            self.control.add("\n".join([*facts(bounds), *(["exact."] if is_exact else [])]))

    def solve_horizon(self, horizon: int, refuted: int, deadline: float) -> Found:
        """Decide whether there is a plan at the horizon, with the current number of rounds of consequences. Returns the
        states of a plan, if there is one, and statistics. Raises LimitReached.
        """
        while self.have < horizon:
            parts: list[tuple[str, list[clingo.Symbol]]] = []
            for layer in range(self.have + 1, min(self.have + self.at_once, horizon) + 1):
                number = clingo.Number(layer)
                parts.append(("base", []) if layer == 0 else ("step", [number]))
                parts.append(("check", [number]))
                self.have = layer
            with self.encoding:
                self.control.ground(parts)
            # the external atoms of the lower horizons stay false, so the goals of these horizons are inactive
            if self.have < horizon:
                self._check_limits(deadline)
        query = clingo.Function("query", [clingo.Number(horizon)])
        self.control.assign_external(query, True)
        states = self._solve(horizon, deadline)
        if states is None:
            self.control.release_external(query)
        else:
            self.control.assign_external(query, False)
        solved = self.control.statistics
        generator = solved["problem"]["generator"]
        return Found(
            states,
            {
                "conflicts": int(solved["solving"]["solvers"]["conflicts"]),
                "variables": int(generator["vars"]),
                "clauses": int(generator["constraints"])
                + int(generator["constraints_binary"])
                + int(generator["constraints_ternary"]),
            },
        )

    def _solve(self, horizon: int, deadline: float) -> list[int] | None:
        with self.control.solve(yield_=True, async_=True) as handle:
            try:
                while not handle.wait(0.05):
                    self._check_limits(deadline)
            except BaseException:
                handle.cancel()
                raise
            model = handle.model()
            if model is None:
                return None
            states = [0] * (horizon + 1)
            for symbol in model.symbols(atoms=True):
                if symbol.name == "holds":
                    fact, layer = (argument.number for argument in symbol.arguments)
                    if layer <= horizon:
                        states[layer] |= 1 << fact
            return states

    def _check_limits(self, deadline: float) -> None:
        check_cancelled()
        if time.perf_counter() > deadline:
            raise LimitReached("time")
        if self.memory is not None and peak_memory() > self.memory:
            raise LimitReached("memory")
