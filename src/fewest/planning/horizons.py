"""Bounded-horizon planning, horizon by horizon. The SAT engine and the ASP engine share this module.

The engine decides whether one horizon has a plan. This module chooses the horizons, records the proved bounds, and
converts the states of a plan to operators.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from math import inf
from typing import Any, Protocol

from msgspec import Struct

from fewest.errors import InternalError, UsageError, conflict
from fewest.model.answer import Answer, Horizon, LimitReached, Limits, Proved, Status
from fewest.planning.bounds import Bounds
from fewest.planning.task import PlanningTask


@dataclass(frozen=True)
class Schedule:
    """The horizons to check: from `first` (if it is 0, from `stride`) in steps of `stride`, up to `last` (None: no
    limit).

    `is_exact`: whether the encoding describes exact horizons ("a plan of h moves") instead of upper bounds. Raises
    UsageError if these values contradict each other.
    """

    first: int = 0
    last: int | None = None
    stride: int = 1
    is_exact: bool = False

    def __post_init__(self) -> None:
        if self.first < 0 or self.stride < 1:
            raise UsageError("--from must be at least 0, and --stride at least 1")
        if self.last is not None and self.last < self.first:
            raise UsageError(
                f"the last horizon ({self.last}) is less than the first ({self.first})"
            )
        if self.is_exact and (self.first > 0 or self.stride > 1):
            raise UsageError(
                "this encoding does not support --from, --stride and --at-most, because its horizons are exact",
                hint="leave out these options, or choose another --encoding",
            )


def schedule(
    first: int | None, last: int | None, stride: int | None, at_most: int | None, is_exact: bool
) -> Schedule:
    """The schedule that the options describe. Raises UsageError if a value is too small, or if options contradict each
    other or the encoding.
    """
    if at_most is None:
        return Schedule(first or 0, last, 1 if stride is None else stride, is_exact)
    for flag, value in (("--from", first), ("--to", last), ("--stride", stride)):
        if value is not None:
            hint = f"--at-most sets the only horizon; leave out {flag}"
            raise conflict("--at-most", flag, hint=hint)
    return Schedule(at_most, at_most, 1, is_exact)


def at_cost(plan: Schedule, at_most: int | None, unit: int) -> Schedule:
    """The schedule for plans that cost at most `at_most`, if every layer costs `unit`."""
    if at_most is None:
        return plan
    horizon = at_most // unit
    return replace(plan, first=horizon, last=horizon)


class Found(Struct):
    """What an engine finds at one horizon: the state at the beginning of every layer of a plan, or None if there is no
    plan.
    """

    states: Sequence[int] | None
    statistics: dict[str, Any] = {}


class ProofStore(Protocol):
    """A store for the proved bounds and the best plan, which remain available after the process ends."""

    known: Proved | None

    def keep(self, proved: Proved) -> None:
        """Save the current bounds and plan. Raises OSError; raises LimitReached if the disk is full."""


class Finding(Struct):
    """What an attempt proves.

    `refuted`: no plan has at most this number of moves. `states`: the state at the beginning of every layer of a
    minimal plan, or None. `argument`: the proof that the plan is minimal or, without `states`, that no horizon has a
    plan; empty if there is neither. `num_cubes`: the number of cubes in the proof.
    """

    argument: str = ""
    refuted: int = -1
    states: Sequence[int] | None = None
    num_cubes: int | None = None
    seconds: float = 0.0


Attempt = Callable[[int, float], Finding]
"""(refuted, deadline) -> Finding. No plan has at most `refuted` moves. Raises LimitReached."""


class SupersededError(Exception):
    """The answer is known before the horizon is decided; the next attempt returns it."""


ATTEMPT_AFTER = 100
"""an attempt is made after this number of consecutive horizons that are excluded without a solver"""

SolveHorizon = Callable[[int, int, float], Found]
"""(horizon, refuted, deadline) -> Found. The horizons up to `refuted` are known to have no plan; the solver must stop
at `deadline`, in seconds of `time.perf_counter`. Raises LimitReached and SupersededError.
"""


def try_horizons(
    bounds: Bounds,
    solve: SolveHorizon,
    plan: Schedule,
    limits: Limits,
    progress: Callable[[Horizon], None] | None,
    statistics: dict[str, Any],
    saved_proofs: ProofStore | None = None,
    attempt: Attempt | None = None,
    latest: Callable[[], Finding] = Finding,
) -> Answer:
    """Check horizon after horizon until the minimum is proved or a limit stops the search.

    No solver is needed for a plan without moves, or for horizons that `bounds` excludes (see `planning/projections.py`,
    `planning/potential.py`).

    If a plan is found at a horizon above the lowest unrefuted one, bisection searches for shorter plans. If the
    schedule has only one horizon, however, the search ends with the first plan, even if it may not be minimal. After
    every horizon, `saved_proofs` saves the bounds and the best plan; horizons that are already refuted in
    `saved_proofs` are not checked again. `attempt` runs before the first horizon and after horizons without a plan: if
    the puzzle is unsolvable, checking horizons alone never ends. An attempt may also prove bounds or find a plan.
    When a limit stops the search, `latest` returns what other methods have proved by then. Raises OSError if
    `saved_proofs` cannot save the results, and the errors of `solve` and `attempt` other than LimitReached.
    """
    planning = bounds.planning
    began = time.perf_counter()
    deadline = began + (inf if limits.seconds is None else limits.seconds)
    results = _HorizonResults(bounds, plan)
    statistics |= {"horizons": results.horizons, "unit": planning.unit}
    for state, path in free_paths(planning, planning.initial).items():
        if planning.is_goal(state):
            return Answer("optimal", (0,), (0,), path, None, statistics)
    if bounds.is_unsolvable:
        statistics["argument"] = "no goal can be reached in an abstraction"
        return Answer("unsolvable", None, (0,), None, None, statistics)
    status, reason = None, None
    if saved_proofs is not None and saved_proofs.known is not None:
        results.go_on(saved_proofs.known)
        statistics["resumed_behind"] = results.refuted
        status = results.verdict() if results.best is not None else None
    try:
        while status is None:
            horizon = None
            if attempt is not None and results.is_attempt_due:
                finding = attempt(results.refuted, deadline)
                if finding.argument:
                    statistics["argument"] = finding.argument
                    if finding.states is None:
                        status = "unsolvable"
                        break
                horizon = results.learn(finding)
            if horizon is None:
                try:
                    horizon = results.try_next(solve, deadline)
                except SupersededError:
                    continue
            if progress is not None:
                progress(horizon)
            status = results.verdict()
            if saved_proofs is not None:
                saved_proofs.keep(Proved(results.refuted, results.best))
    except LimitReached as stop:
        if status is None:  # a final answer is valid even if it cannot be saved
            reason = stop.reason
    except KeyboardInterrupt:
        reason = "interrupted"
    except MemoryError:  # the memory limit of the system is lower than the given limit
        reason = "memory"
    if status is None and results.learn(finding := latest()) is not None:
        status = results.verdict()
        if status is not None:
            reason, statistics["argument"] = None, finding.argument
        if saved_proofs is not None:
            with suppress(LimitReached):  # the disk is full, which does not affect the answer
                saved_proofs.keep(Proved(results.refuted, results.best))
    statistics["seconds"] = time.perf_counter() - began
    return results.answer(status, reason, statistics)


class _HorizonResults:
    """The results so far. Horizons up to `refuted` have no plan; `best` contains the length and the operators of the
    best plan (None: no plan is known).
    """

    def __init__(self, bounds: Bounds, plan: Schedule) -> None:
        self.bounds, self.plan = bounds, plan
        self.num_excluded = 0  # the number of consecutive horizons that `bounds` excludes
        self.horizons: list[Horizon] = []
        self.refuted, self.horizon = 0, plan.first or plan.stride
        self.best: tuple[int, tuple[int, ...]] | None = None

    def go_on(self, known: Proved) -> None:
        """Continue from earlier results."""
        self.refuted, self.best = max(self.refuted, known.refuted), known.best
        if self.refuted > 0:
            self.horizon = max(self.horizon, self.refuted + self.plan.stride)

    def try_next(self, solve: SolveHorizon, deadline: float) -> Horizon:
        """Check the next horizon and record the answer. Raises LimitReached and SupersededError."""
        last = self.plan.last
        if last is not None:
            self.horizon = min(self.horizon, last)
            if self.refuted >= last:
                raise LimitReached("horizon")
        started = time.perf_counter()
        if started > deadline:
            raise LimitReached("time")
        is_exact = self.refuted == self.horizon - 1
        if self.bounds.is_excluded(self.horizon, is_exact=is_exact):
            found = Found(None)
            self.num_excluded += 1
        else:
            self.num_excluded = 0
            found = solve(self.horizon, self.refuted, deadline)
        verdict = "no plan" if found.states is None else "plan"
        seconds = time.perf_counter() - started
        self.horizons.append(Horizon(self.horizon, verdict, seconds, **found.statistics))
        if found.states is None:
            self.refuted = max(self.refuted, self.horizon)
        else:
            shorter = operators_of(self.bounds.planning, found.states)
            if self.best is None or shorter[0] < self.best[0]:
                self.best = shorter
        return self.horizons[-1]

    def learn(self, finding: Finding) -> Horizon | None:
        """Record what an attempt proves. Returns None if all of it was known."""
        if finding.states is not None:
            self.best = operators_of(self.bounds.planning, finding.states)
            if self.best[0] <= self.refuted:
                raise InternalError(
                    f"an attempt found a plan of {self.best[0]} moves, but {self.refuted} moves were refuted"
                )
            self.refuted = self.best[0] - 1
            result = Horizon(self.best[0], "plan", finding.seconds, cubes=finding.num_cubes)
        elif finding.refuted > self.refuted:
            self.refuted = finding.refuted
            result = Horizon(self.refuted, "no plan", finding.seconds, cubes=finding.num_cubes)
        else:
            return None
        self.horizons.append(result)
        return result

    @property
    def is_attempt_due(self) -> bool:
        """Whether the planner should now attempt to prove that there is no plan.

        While no plan is known, an attempt is due before the first horizon and after each horizon that a solver checked.
        After consecutive horizons that `bounds` excludes, an attempt is due once per ATTEMPT_AFTER horizons.
        """
        return self.best is None and self.num_excluded % ATTEMPT_AFTER == 0

    def verdict(self) -> Status | None:
        """The status of a final answer. If the answer is not final, the function chooses the next horizon and returns
        None.
        """
        if self.best is None:
            self.horizon = self.refuted + self.plan.stride
            return None
        if self.best[0] == self.refuted + 1:
            return "optimal"
        last = self.plan.last
        if self.plan.first == last:
            if self.best[0] <= last:
                return "solved"
            self.horizon = last  # an earlier search found a plan that is longer than this horizon
        elif self.plan.is_exact:
            # The minimum may be less than a horizon that has no plan of exactly this length, so no horizon is skipped.
            self.horizon = self.refuted + 1
        else:
            self.horizon = (self.refuted + self.best[0]) // 2
        return None

    def answer(
        self, status: Status | None, reason: str | None, statistics: dict[str, Any]
    ) -> Answer:
        """The answer with the results so far. If `status` is None, a limit stopped the search, and `reason` names the
        limit.
        """
        unit = self.bounds.planning.unit
        bound = ((self.refuted + 1) * unit,)
        if status == "unsolvable":
            return Answer("unsolvable", None, bound, None, None, statistics)
        if self.best is None:
            return Answer("limit", None, bound, None, reason, statistics)
        length, operators = self.best
        return Answer(status or "limit", (length * unit,), bound, operators, reason, statistics)


def operators_of(planning: PlanningTask, states: Sequence[int]) -> tuple[int, tuple[int, ...]]:
    """The length and the operators of a plan, given the state at the beginning of each layer.

    Idle layers and layers after the first goal state are omitted, so the length may be less than the number of layers.
    Raises InternalError if no move leads from a state to the next, or if free moves from the last state reach no goal
    state.
    """
    length = 0
    operators: list[int] = []
    state = states[0]
    for target in (*states[1:], None):
        paths = free_paths(planning, state)
        goals = [path for at, path in paths.items() if planning.is_goal(at)]
        if goals:
            return length, (*operators, *goals[0])
        if target is None:
            break
        if target == state:
            continue
        step = step_between(planning, paths, target)
        if step is None:
            if target in paths:  # an idle layer after free moves
                operators += paths[target]
                state = target
                continue
            raise InternalError(f"no move leads from layer {length} to the next")
        operators += step
        state = target
        length += 1
    raise InternalError("the last layer is not a goal")


def free_paths(planning: PlanningTask, state: int) -> dict[int, tuple[int, ...]]:
    """The state itself and the states that free moves reach from it, nearest first, each with the operators of a
    shortest path to it. No path enters a forbidden state.
    """
    paths: dict[int, tuple[int, ...]] = {state: ()}
    frontier = [state]
    for at in frontier:
        for move in planning.free:
            if at & move.mask == move.value:
                target = move.apply(at)
                if target not in paths and not planning.is_forbidden(target):
                    paths[target] = (*paths[at], *move.operators)
                    frontier.append(target)
    return paths


def step_between(
    planning: PlanningTask, paths: dict[int, tuple[int, ...]], target: int
) -> tuple[int, ...] | None:
    """The operators of a path in `paths` followed by one move that leads to the target. The result is None if no such
    move leads to the target.
    """
    for at, path in paths.items():
        for move in planning.moves:
            if move.is_applicable(at) and planning.after(move, at) == target:
                return (*path, *move.operators)
    return None
