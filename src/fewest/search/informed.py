"""The native A* and iterative deepening behind checked arguments; there are no pure-Python ones."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from fewest.model.costs import CostTable
from fewest.model.problem import Problem
from fewest.search import _native
from fewest.search.interface import Progress, Status
from fewest.search.native import bound_problem, check_cost
from fewest.search.units import Report, Units

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    _Described = tuple[
        _native.Problem, NDArray[np.int64], NDArray[np.int32], NDArray[np.int32], list[list[int]]
    ]
    """A problem and its costs, as every native search takes them."""
    _Answer = tuple[Status, int | None, int, int, list[int], dict[str, Any]]

Patterns: TypeAlias = Literal["auto", "on", "off"]


@dataclass(frozen=True)
class InformedOutcome:
    """What an informed search found; costs have a number for each part. `facts` are counts and sizes."""

    status: Status
    cost: tuple[int, ...] | None
    lower_bound: tuple[int, ...]
    initial_bound: tuple[int, ...]
    plan: tuple[int, ...]
    facts: Mapping[str, Any]


def astar(
    problem: Problem,
    cost: CostTable,
    *,
    groups: Sequence[Sequence[int]] = (),
    numbers: Sequence[int] = (),
    images: Sequence[Sequence[int]] = (),
    dead: Sequence[tuple[Sequence[int], Sequence[int]]] = (),
    is_deepening: bool = False,
    patterns: Patterns = "auto",
    seconds: float = math.inf,
    memory: int | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> InformedOutcome:
    """The cheapest way to a goal state, by A* with distances of pieces as its lower bound.

    `patterns`: whether pattern databases are built: "on" (where any can be), "off", or "auto": where they pay.
    Where the memory ends it goes on by iterative deepening, if `is_deepening` from the beginning; then
    `facts` has `iterations`: (limit, states expanded under it).

    `groups` are facts of which the same number is true in every reachable state; `numbers` says for each
    fact which cell it speaks of (of agents' facts only the differences matter, for speed); `images` are
    symmetries of the problem and its costs: for each fact its image. Of each pair of `dead`: no goal is
    reached while all of the first facts are true and none of the second. `seconds` and `memory` (bytes) are limits.
    Raises ValueError for metrics that merge moves and for too many facts, OverflowError for costs that do
    not fit.
    """

    def run(described: _Described, report: Report | None) -> _Answer:
        return _native.astar(
            *described,
            groups,
            list(numbers),
            images,
            [pieces for pieces, _ in dead],
            [places for _, places in dead],
            seconds,
            sys.maxsize if memory is None else max(0, memory),
            is_deepening,
            {"off": -1, "auto": 0, "on": 1}[patterns],
            report,
        )

    found = _outcome(problem, cost, run, progress)
    if "iterations" not in found.facts:
        return found
    units = Units(cost)
    iterations = [(units.split(limit), expanded) for limit, expanded in found.facts["iterations"]]
    return replace(found, facts={**found.facts, "iterations": iterations})


def iterative_deepening(
    problem: Problem,
    cost: CostTable,
    *,
    groups: Sequence[Sequence[int]] = (),
    numbers: Sequence[int] = (),
    seconds: float = math.inf,
    memory: int | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> InformedOutcome:
    """The cheapest way to a goal state, by iterative deepening over a stored tree.

    Arguments and errors as of `astar`. In `facts`, `iterations` are (limit, states, expanded), counted
    from the start to the iteration's end; the last one may be unfinished.
    """

    def run(described: _Described, report: Report | None) -> _Answer:
        return _native.iterative_deepening(
            *described,
            groups,
            list(numbers),
            seconds,
            sys.maxsize if memory is None else max(0, memory),
            report,
        )

    found = _outcome(problem, cost, run, progress)
    units = Units(cost)
    iterations = [(units.split(limit), *counts) for limit, *counts in found.facts["iterations"]]
    return replace(found, facts={**found.facts, "iterations": iterations})


def _outcome(
    problem: Problem,
    cost: CostTable,
    run: Callable[[_Described, Report | None], _Answer],
    progress: Callable[[Progress], None] | None,
) -> InformedOutcome:
    """What `run` answers for the weights in their units, in costs again."""
    check_cost(problem, cost)
    units = Units(cost)
    described = (
        bound_problem(problem),
        units.weight,
        np.ascontiguousarray(cost.run_in),
        np.ascontiguousarray(cost.run_out),
        [part.tolist() for part in cost.run_fact],
    )
    status, least, lower_bound, initial_bound, plan, facts = run(
        described, units.reporter(progress)
    )
    return InformedOutcome(
        status=status,
        cost=None if least is None else units.split(least),
        lower_bound=units.split(lower_bound),
        initial_bound=units.split(initial_bound),
        plan=tuple(plan),
        facts=facts,
    )
