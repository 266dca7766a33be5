"""The search from both ends; the native core runs it if it supports the problem, and pure Python otherwise."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from fewest.model.costs import CostTable
from fewest.model.problem import Problem
from fewest.search.backend import NATIVE
from fewest.search.interface import ALL, InverseProblem, Meeting, Progress, SearchLimits
from fewest.search.pure.bidirectional import PureMeetingSearch

if TYPE_CHECKING:
    from collections.abc import Callable

    from fewest.search.native_bidirectional import MeetingSearch


def make_bidirectional(
    problem: Problem,
    cost: CostTable,
    reversed_problem: InverseProblem,
    *,
    memory: int | None = None,
    file: str = "",
) -> MeetingSearch | PureMeetingSearch:
    """A new search for the cheapest plan from the initial state to any goal state.

    Limits and errors are the same as for `native.make_search`; also raises ValueError for problems with permutations or
    effects. `file`: the native core saves the states of both sides (in a search in layers, only complete layers) in
    this file at most once every `native.SAVE_EVERY` seconds and when the search ends, and resumes from it. The problem
    and the costs must be the same as in the saved search. The pure-Python core ignores `file`.
    """
    if NATIVE:
        from fewest.search.native import is_too_wide

        if not is_too_wide(problem):
            from fewest.search.native_bidirectional import MeetingSearch

            return MeetingSearch(problem, cost, reversed_problem, memory, file)
    return PureMeetingSearch(problem, cost, reversed_problem, memory)


def bidirectional(
    problem: Problem,
    cost: CostTable,
    reversed_problem: InverseProblem,
    *,
    seconds: float = inf,
    memory: int | None = None,
    progress: Callable[[Progress], None] | None = None,
    file: str = "",
) -> Meeting:
    """The result of a whole search. `seconds` is the time limit, and `progress` is called at most ten times a second;
    the other arguments are the same as for `make_bidirectional`.
    """
    made = make_bidirectional(problem, cost, reversed_problem, memory=memory, file=file)
    made.advance(ALL, SearchLimits(seconds), progress)
    return made.meeting()
