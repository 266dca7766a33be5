"""Bounded-horizon planning in answer set programming: clingo, multi-shot, horizons deepened.

The programs are data (`encodings/asp/*.lp`) and know no puzzle. One control object grows a layer at a
time; the goal is asked for under an external, so nothing learnt is lost. That there is no plan at all no horizon
proves: between them a SAT solver is asked, as by the engine `sat`, for the step of an induction.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import clingo

from fewest.machine.cancelling import check_cancelled
from fewest.machine.memory import peak_memory
from fewest.model.answer import Answer, Horizon, LimitReached, Limits
from fewest.model.metric import Metric
from fewest.model.task import Task
from fewest.planning.asp import facts, program_texts
from fewest.planning.bounds import Bounds
from fewest.planning.horizons import Found, ask_horizons, schedule
from fewest.planning.sat.encoding import Encoding
from fewest.planning.sat.induction import SHARE, Induction
from fewest.planning.sat.profile import DEFAULT_PROFILE, load_profile
from fewest.planning.sat.solver import open_solver
from fewest.planning.task import planning_task
from fewest.store.checkpoint import CheckpointPlace, kept_in

# SatELite-like preprocessing, part of that configuration, can run for ever on a program that grows.
OPTIONS = ["--warn=none", "--configuration=trendy", "--sat-prepro=no"]


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
    checkpoint: str | CheckpointPlace | None = None,
) -> Answer:
    """The minimum, or the best lower bound when a limit stops it.

    `first`, `last`, `stride` choose the horizons, `at_most` asks about a single one. `checkpoint`: a folder
    that keeps what is proved, and is gone on with. Raises UsageError for metrics that cannot be counted in
    layers (see `planning_task`).
    """
    plan = schedule(first, last, stride, at_most, is_exact=False)
    planning = planning_task(task, metric)
    statistics: dict[str, Any] = {
        "moves": len(planning.moves),
        "facts": len(planning.facts),
    }
    bounds = Bounds(planning)
    program = _Program(bounds, limits.memory, is_exact=plan.first == 0 and plan.stride == 1)
    solver = open_solver(None, limits.memory)
    induction = Induction(Encoding(bounds, load_profile(DEFAULT_PROFILE)), solver)
    spent = 0.0

    def ask(horizon: int, refuted: int, deadline: float) -> Found:
        """The horizon's question, and while there is no plan the induction step in between."""
        nonlocal spent
        began = time.perf_counter()
        found = program.ask(horizon, refuted, deadline)
        spent += time.perf_counter() - began
        if found.states is None and induction.closes(horizon, 0.5 + SHARE * spent, deadline):
            found.is_final = True
            statistics["argument"] = f"k-induction with k = {induction.length + 1} in a SAT solver"
        return found

    try:
        with kept_in(checkpoint, task, metric) as kept:
            return ask_horizons(bounds, ask, plan, limits, progress, statistics, kept)
    finally:
        solver.close()


class _Program:
    """One clingo control object and the layers that it has so far.

    `is_exact`: every horizon is asked for, so that a plan never has idle layers.
    """

    def __init__(self, bounds: Bounds, memory: int | None, is_exact: bool) -> None:
        self.memory = memory
        self.have = -1
        self.control = clingo.Control(OPTIONS)
        for text in program_texts(bounds.planning):
            self.control.add(text)
        self.control.add("\n".join([*facts(bounds), *(["exact."] if is_exact else [])]))

    def ask(self, horizon: int, refuted: int, deadline: float) -> Found:
        """The states of a plan of at most `horizon` moves, if there is one."""
        while self.have < horizon:
            self.have += 1
            number = clingo.Number(self.have)
            first = [("base", [])] if self.have == 0 else [("step", [number])]
            self.control.ground([*first, ("check", [number])])
            if self.have < horizon:  # not asked now; grounding has made it false
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
