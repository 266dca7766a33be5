"""The native A* behind checked arguments; there is no pure-Python one."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from msgspec import Struct

from fewest.model.costs import CostTable
from fewest.model.problem import Problem
from fewest.search import _native, native
from fewest.search.interface import Progress, SearchStatus
from fewest.search.native import (
    bound_costs,
    bound_limits,
    bound_problem,
    check_cost,
    threads_or_default,
)
from fewest.search.units import Units

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

Patterns: TypeAlias = Literal["auto", "on", "off"]

_USES = {
    "off": _native.UsePatterns.OFF,
    "auto": _native.UsePatterns.AUTO,
    "on": _native.UsePatterns.ON,
}


class InformedOutcome(Struct, frozen=True):
    """What an informed search found; costs have a number for each part. `facts` are counts and sizes."""

    status: SearchStatus
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
    has_both_ends: bool = False,
    has_zones: bool = False,
    at_least: int = 0,
    seconds: float = math.inf,
    memory: int | None = None,
    threads: int | None = None,
    progress: Callable[[Progress], None] | None = None,
    milestone: int | None = None,
    file: str = "",
) -> InformedOutcome:
    """The cheapest way to a goal state, by A* with distances of pieces as its lower bound.

    `patterns`: whether pattern databases are built: "on" (where any can be), "off", or "auto": where they pay.
    `has_zones`: unless patterns are off, tables of zones are filled where an agent is among the pieces, once the search
    is long, with "on" at once; `facts` has how many as `zones`.
    `has_both_ends`: it begins at the goals as well, where it can (`can_begin_at_goals`). Where the memory ends it goes
    on by iterative deepening, if `is_deepening` from the beginning; then `facts` has `iterations`: (limit, states
    expanded under it). `at_least`: no plan costs less, it is known, in the first component of a metric.

    `groups` are facts of which the same number is true in every reachable state; `numbers` says for each
    fact which cell it speaks of (of agents' facts only the differences matter, for speed); `images` are
    symmetries of the problem and its costs: for each fact its image. Of each pair of `dead`: no goal is
    reached while all of the first facts are true and none of the second. `seconds` and `memory` (bytes) are limits;
    `progress` is also called when the tables have `milestone` bytes, as of `native.search`. `threads`, as of
    `native.search`, change no minimum; which of several cheapest ways is found is the same for as many threads.
    `file`: where the states of A* are kept, once in KEEP_EVERY seconds at most and at the end of a search without
    an answer, and gone on with (`facts` has how many as `resumed`); of the same question, hints included.
    Raises ValueError for metrics that merge moves otherwise than along lines (`run_moves.hpp` says when) and for too
    many facts, OverflowError for costs that do not fit; DamageError, OSError of the file.
    """

    check_cost(problem, cost)
    units = Units(cost)
    found = _native.astar(
        bound_problem(problem),
        bound_costs(units.costs),
        _native.Hints(groups=groups, numbers=numbers, images=images, dead=dead),
        bound_limits(units, seconds, memory, progress, milestone),
        is_deepening=is_deepening,
        patterns=_USES[patterns],
        has_both_ends=has_both_ends,
        has_zones=has_zones,
        at_least=units.pack(at_least),
        threads=threads_or_default(threads),
        file=file,
        keep_every=native.KEEP_EVERY,
    )
    return _outcome(units, found, _facts(units, found))


def can_begin_at_goals(
    problem: Problem,
    cost: CostTable,
    *,
    groups: Sequence[Sequence[int]] = (),
    numbers: Sequence[int] = (),
) -> bool:
    """Whether A* has both ends: an agent walks for nothing, moves move one piece, goals say where every piece is.

    Arguments and errors as of `astar`.
    """
    hints = _native.Hints(groups=groups, numbers=numbers, images=(), dead=())
    costs = bound_costs(Units(cost).costs)
    return _native.can_begin_at_goals(bound_problem(problem), costs, hints)


def _facts(units: Units, found: _native.AStarOutcome) -> dict[str, Any]:
    """What is told of a search."""
    facts: dict[str, Any] = {
        "states": found.num_states,
        "expanded": found.num_expanded,
        "generated": found.num_generated,
        "dead": found.num_dead,
        "corrals": found.num_corrals,
        "lost_sets": found.num_lost_sets,
        "seconds": found.seconds,
        "bytes": found.bytes,
        "agent": found.has_agent,
        "regions": found.merges_regions,
        "symmetries": found.num_images,
        "algorithm": found.algorithm,
    }
    if found.num_resumed:
        facts["resumed"] = found.num_resumed
    if found.iterations:
        facts["iterations"] = [(units.split(i.limit), i.num_expanded) for i in found.iterations]
    if found.num_zones:
        facts["zones"] = {"count": found.num_zones, "bytes": found.zone_bytes}
    if found.patterns:
        facts["patterns"] = {
            "facts": found.patterns,
            "entries": found.pattern_entries,
            "bytes": found.pattern_bytes,
        }
    return facts


def _outcome(
    units: Units, found: _native.InformedOutcome, facts: Mapping[str, Any]
) -> InformedOutcome:
    return InformedOutcome(
        status=found.status,
        cost=None if found.cost is None else units.split(found.cost),
        lower_bound=units.split(found.lower_bound),
        initial_bound=units.split(found.initial_bound),
        plan=tuple(found.plan),
        facts=facts,
    )
