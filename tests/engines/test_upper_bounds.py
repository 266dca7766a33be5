"""A search from both ends that is stopped after the ends have met gives its plan as an upper bound."""

from __future__ import annotations

import pytest

import fewest
from fewest import search
from fewest.analysis.regression import goal_states, reverse
from fewest.engines.answers import answer_of
from fewest.model.answer import Answer
from fewest.model.costs import cost_table
from fewest.playing.validate import validate
from fewest.questions.result import Result
from fewest.questions.sweep.batch import Member
from fewest.questions.sweep.text import described_member
from fewest.search.bidirectional import make_bidirectional
from fewest.search.informed import InformedProblem, InformedSearch
from fewest.search.interface import Budget, SearchLimits
from fewest.engines.answers import pieces_of

STOP = SearchLimits(seconds=0)


def stopped(make, budget: int) -> Answer:  # type: ignore[no-untyped-def]
    """The answer of a search that did so much work, and was then stopped by its limit of time."""
    made = make()
    status = made.advance(Budget(expansions=budget), SearchLimits())
    if status == "running":
        made.advance(Budget(), STOP)
    return answer_of(made.outcome(), {})


def check_upper_bounds(compiled: fewest.CompiledPuzzle, name: str, make) -> int:  # type: ignore[no-untyped-def]
    """How many open answers have a plan; all bounds are right, and every plan is one of its cost."""
    metric = compiled.puzzle.metrics[name]
    minimum = (compiled.solve(name, engine="bfs").cost,)
    num_open = 0
    for budget in (1, 2, 4, 8, *range(16, 4000, 24)):
        answer = stopped(make, budget)
        if answer.status == "optimal":
            assert answer.cost == minimum
            break
        assert answer.status == "limit" and answer.reason == "time"
        assert answer.lower_bound <= minimum
        if answer.cost is not None:
            assert answer.plan is not None and minimum <= answer.cost > answer.lower_bound
            validate(compiled.puzzle, compiled.task, metric, answer.plan, answer.cost)
            num_open += 1
    return num_open
