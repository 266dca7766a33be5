"""The horizons are in the right order, and answers lead to the right conclusions. A fake solver knows all answers."""

from __future__ import annotations

from itertools import pairwise
from math import inf
from pathlib import Path
from typing import cast

import pytest
from msgspec.structs import replace

import fewest
from fewest.errors import InternalError, UsageError
from fewest.model.answer import Answer, LimitReached, Limits, Proved
from fewest.model.costs import plan_cost
from fewest.model.metric import metric_of
from fewest.planning.bounds import Bounds
from fewest.planning.horizons import (
    Finding,
    Found,
    Schedule,
    SupersededError,
    operators_of,
    schedule,
    try_horizons,
)
from fewest.planning.task import planning_task

TEXT = """
puzzle: corridor
board: "a....."
legend: {".": floor, a: a}
pieces: {a: {}}
moves: {go: {before: [a, empty], after: [empty, a], directions: horizontal}}
goal: {a: {at: [0, 5]}}
metrics: {double: {count: 2}}
"""
TASK = fewest.load("corridor.yaml", text=TEXT).task
PLACES = [next(i for i, f in enumerate(TASK.facts) if f.cell == cell) for cell in range(6)]


class Knowing:
    """Finds the longest plan within a horizon. This plan first goes back and forth, and then to the goal."""

    def __init__(self) -> None:
        self.planning = planning_task(TASK, metric_of(TASK, None))
        self.horizons: list[int] = []
        self.known: Proved | None = None
        self.saved: list[Proved] = []
        self.is_unsolvable = self.has_exact_horizons = False
        self.excluded, self.fails_at = 0, 0
        self.error: BaseException = MemoryError()
        self.deadlines: list[float] = []
        self.attempts: list[Finding] = []
        self.attempted: list[int] = []
        self.latest = Finding()

    def attempt(self, refuted: int, deadline: float) -> Finding:
        self.attempted.append(refuted)
        return self.attempts.pop(0) if self.attempts else Finding()

    def is_excluded(self, horizon: int, is_exact: bool) -> bool:
        return horizon <= self.excluded

    def keep(self, proved: Proved) -> None:
        self.saved.append(proved)

    def solve_horizon(self, horizon: int, refuted: int, deadline: float) -> Found:
        self.horizons.append(horizon)
        self.deadlines.append(deadline)
        if horizon == self.fails_at:
            raise self.error
        if horizon < 5 or (self.has_exact_horizons and horizon % 2 == 0):
            return Found(None)
        return Found(self.states(horizon))

    @staticmethod
    def states(horizon: int) -> list[int]:
        cells = [*[0, 1] * ((horizon - 5) // 2), 0, 1, 2, 3, 4, 5]
        return [1 << PLACES[cell] for cell in cells]

    def known_plan(self, horizon: int) -> tuple[int, ...]:
        return operators_of(self.planning, self.states(horizon))[1]

    def answer(self, plan: Schedule, limits: Limits | None = None) -> Answer:
        bounds = cast(Bounds, self)
        return try_horizons(
            bounds,
            self.solve_horizon,
            plan,
            limits or Limits(),
            None,
            {},
            self,
            self.attempt,
            lambda: self.latest,
        )


@pytest.mark.parametrize(
    ("plan", "horizons", "status", "length", "bound"),
    [
        (Schedule(), [1, 2, 3, 4, 5], "optimal", 5, 5),
        (Schedule(first=3), [3, 4, 5], "optimal", 5, 5),
        (Schedule(stride=3), [3, 6, 4], "optimal", 5, 5),
        (Schedule(stride=4), [4, 8, 5], "optimal", 5, 5),
        (Schedule(first=9), [9, 4, 6], "optimal", 5, 5),
        (Schedule(last=3), [1, 2, 3], "limit", None, 4),
        (Schedule(last=6, stride=4), [4, 6], "optimal", 5, 5),
        (schedule(None, None, None, 9, False), [9], "solved", 9, 1),
        (schedule(None, None, None, 4, False), [4], "limit", None, 5),
    ],
)
def test_horizons_rise_to_the_first_plan_and_go_halfway_below_it(
    plan: Schedule, horizons: list[int], status: str, length: int | None, bound: int
) -> None:
    knowing = Knowing()
    answer = knowing.answer(plan)
    assert knowing.horizons == horizons
    assert (answer.status, answer.lower_bound) == (status, (2 * bound,))
    assert answer.reason == ("horizon" if status == "limit" else None)
    assert answer.cost == (None if length is None else (2 * length,))
    if answer.plan is not None:
        assert plan_cost(TASK, metric_of(TASK, None), answer.plan) == answer.cost
    assert [h.horizon for h in answer.statistics["horizons"]] == horizons
    for before, then in pairwise([Proved(), *knowing.saved]):  # proofs are never withdrawn
        assert before.refuted <= then.refuted
        assert before.best is None or (then.best is not None and then.best[0] <= before.best[0])


def test_excluded_and_refuted_horizons_are_not_tried() -> None:
    knowing = Knowing()
    knowing.excluded = 3
    assert (knowing.answer(Schedule()).cost, knowing.horizons) == ((10,), [4, 5])
    whole = knowing.saved[-1]
    knowing = Knowing()
    knowing.known = Proved(3, None)
    assert (knowing.answer(Schedule()).cost, knowing.horizons) == ((10,), [4, 5])
    knowing = Knowing()
    knowing.known = whole
    answer = knowing.answer(Schedule())
    assert (answer.status, answer.cost, knowing.horizons) == ("optimal", (10,), [])


def test_a_longer_plan_of_an_earlier_search_is_no_answer_for_a_single_horizon() -> None:
    for at_most, horizons, status, cost, bound in (
        (7, [7], "solved", 14, 1),
        (4, [4], "limit", 18, 5),
        (9, [], "solved", 18, 1),
    ):
        knowing = Knowing()
        knowing.known = Proved(0, (9, knowing.known_plan(9)))
        answer = knowing.answer(schedule(None, None, None, at_most, False))
        assert (answer.status, answer.cost, answer.lower_bound) == (status, (cost,), (2 * bound,))
        assert knowing.horizons == horizons


def test_exact_horizons_are_not_skipped_below_a_plan_of_an_earlier_search() -> None:
    # corridor plans have odd lengths only, so horizon 6 has no plan although the minimum is 5
    knowing = Knowing()
    knowing.has_exact_horizons = True
    knowing.known = Proved(0, (9, knowing.known_plan(9)))
    answer = knowing.answer(Schedule(is_exact=True))
    assert (answer.status, answer.cost, answer.lower_bound) == ("optimal", (10,), (10,))
    assert knowing.horizons == [1, 2, 3, 4, 5]


def test_the_program_of_asp_skips_no_horizon_after_a_search_with_longer_horizons(
    tmp_path: Path,
) -> None:
    """Jugs have a plan of 6 moves, but no plan of exactly 7 moves that reaches the goal only at its end."""
    jugs = fewest.load("jugs")
    folder = tmp_path / "bounds"
    longer = jugs.solve(engine="sat", at_most=20, checkpoint=str(folder))
    assert longer.cost is not None and longer.cost > 6
    found = jugs.solve(engine="asp", checkpoint=str(folder))
    assert (found.status, found.cost) == ("optimal", 6)


def test_a_limit_leaves_the_bound_and_the_plan_that_are_known() -> None:
    knowing = Knowing()
    answer = knowing.answer(Schedule(), Limits(seconds=0.0))
    assert (answer.status, answer.reason, answer.lower_bound) == ("limit", "time", (2,))
    for error, reason in (
        (LimitReached("memory"), "memory"),
        (KeyboardInterrupt(), "interrupted"),
        (MemoryError(), "memory"),
    ):
        stopped = Knowing()
        stopped.fails_at, stopped.error = 4, error
        answer = stopped.answer(Schedule(first=9))
        assert (answer.status, answer.reason) == ("limit", reason)
        assert (answer.cost, answer.lower_bound) == ((18,), (2,))
        assert stopped.deadlines == [inf, inf]


def test_a_final_answer_needs_no_more_horizons() -> None:
    final = Knowing()
    final.attempts = [*[Finding()] * 3, Finding("because")]
    answer = final.answer(Schedule())
    assert (answer.status, final.horizons) == ("unsolvable", [1, 2, 3])
    assert answer.statistics["argument"] == "because" and final.attempted == [0, 1, 2, 3]
    spinning = Knowing()
    spinning.excluded, spinning.attempts = 10**9, [Finding(), Finding(), Finding("because")]
    assert (spinning.answer(Schedule()).status, spinning.horizons) == ("unsolvable", [])
    assert spinning.attempted == [0, 100, 200]
    unsolvable = Knowing()
    unsolvable.is_unsolvable = True
    answer = unsolvable.answer(Schedule())
    assert (answer.status, unsolvable.horizons) == ("unsolvable", [])
    assert answer.statistics["argument"] == "no goal can be reached in an abstraction"
    done = Knowing()
    done.planning = replace(done.planning, goal=((1 << PLACES[0], 1 << PLACES[0]),))
    answer = done.answer(Schedule())
    assert (answer.status, answer.cost, answer.plan, done.horizons) == ("optimal", (0,), (), [])


def test_an_attempt_raises_the_bound_or_finds_a_minimal_plan() -> None:
    knowing = Knowing()
    knowing.attempts = [Finding(), Finding(refuted=3, num_cubes=7), Finding(refuted=2)]
    answer = knowing.answer(Schedule())
    assert (answer.status, answer.cost, knowing.horizons) == ("optimal", (10,), [1, 4, 5])
    assert [(h.horizon, h.cubes) for h in answer.statistics["horizons"]] == [
        (1, None),
        (3, 7),
        (4, None),
        (5, None),
    ]
    assert [saved.refuted for saved in knowing.saved] == [1, 3, 4, 4]
    superseded = Knowing()
    superseded.fails_at, superseded.error = 2, SupersededError()
    superseded.attempts = [
        Finding(),
        Finding(),
        Finding("cubes", refuted=4, states=superseded.states(5)),
    ]
    answer = superseded.answer(Schedule())
    assert (answer.status, answer.cost, superseded.horizons) == ("optimal", (10,), [1, 2])
    assert answer.statistics["argument"] == "cubes"
    stopped = Knowing()
    stopped.fails_at, stopped.error = 2, LimitReached("time")
    stopped.latest = Finding(refuted=3, num_cubes=7)
    answer = stopped.answer(Schedule())
    assert (answer.status, answer.reason, answer.lower_bound) == ("limit", "time", (8,))
    assert [saved.refuted for saved in stopped.saved] == [1, 3]
    late = Knowing()
    late.fails_at, late.error = 2, KeyboardInterrupt()
    late.latest = Finding("cubes", states=late.states(5))
    answer = late.answer(Schedule())
    assert (answer.status, answer.reason, answer.cost) == ("optimal", None, (10,))
    assert answer.statistics["argument"] == "cubes"
    contradicting = Knowing()
    contradicting.known = Proved(5, None)
    contradicting.attempts = [Finding("cubes", states=contradicting.states(5))]
    with pytest.raises(InternalError, match="5 moves were refuted"):
        contradicting.answer(Schedule())


def test_a_plan_omits_idle_layers_and_layers_after_the_goal() -> None:
    planning = Knowing().planning
    at = [1 << place for place in PLACES]
    length, operators = operators_of(planning, [at[0], *at, at[5], at[4]])
    assert length == len(operators) == 5
    with pytest.raises(InternalError, match="no move leads from layer 1 to the next"):
        operators_of(planning, [at[0], at[1], at[3]])
    with pytest.raises(InternalError, match="the last layer is not a goal"):
        operators_of(planning, at[:3])


def test_options_that_contradict_each_other_are_refused() -> None:
    assert schedule(None, None, None, None, False) == Schedule(0, None, 1, False)
    assert schedule(2, 9, 3, None, False) == Schedule(2, 9, 3, False)
    assert schedule(None, None, None, 7, False) == Schedule(7, 7, 1, False)
    for options in ((-1, None, None, None), (None, None, 0, None), (5, 4, None, None)):
        with pytest.raises(UsageError, match=r"--from must be|horizon"):
            schedule(*options, False)
    with pytest.raises(UsageError, match="sets the only horizon"):
        schedule(1, None, None, 7, False)
    for options in ((1, None, None, None), (None, None, 2, None), (None, None, None, 7)):
        with pytest.raises(UsageError, match="its horizons are exact"):
            schedule(*options, True)
    assert schedule(None, 9, None, None, True) == Schedule(0, 9, 1, True)
