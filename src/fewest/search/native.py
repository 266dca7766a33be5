"""The native core behind the interface of `fewest.search`: this module checks arguments and creates Outcomes.

States are packed in C++. If a packed state has more than `_native.MAX_WORDS` words, the pure-Python core searches the
problem instead.
"""

from __future__ import annotations

import math
import os
import sys
from typing import TYPE_CHECKING, Any, Generic, TypeVar
from weakref import WeakKeyDictionary

from msgspec.structs import replace

from fewest.machine.memory import left_of
from fewest.model.costs import CostTable
from fewest.model.problem import ConditionalEffects, Problem, Symmetry
from fewest.search import _native
from fewest.search._native import DamageError as DamageError
from fewest.search.cost_packing import CostPacking
from fewest.search.interface import (
    ALL,
    NO_LIMITS,
    Budget,
    InverseProblem,
    Outcome,
    Progress,
    SearchLimits,
    Status,
    UnusedSymmetryError,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from fewest.search.pure.breadth_first import PureSearch

_BoundT = TypeVar("_BoundT", _native.ExhaustiveSearch, _native.BidirectionalSearch)

_FORMATS = {"uint64": ("Q", "L"), "int64": ("q", "l"), "int32": ("i",)}
"""For each type, the format codes of buffers."""

_EFFECT_ROWS = ("mask", "value", "flip", "clear", "need_mask", "need_value")

SAVE_EVERY = 60.0  # the minimum number of seconds between two times at which a search is saved

_MOST_THREADS = 8  # the maximum number by default; each thread needs memory for blocks of its own

_PROBLEMS: WeakKeyDictionary[Problem, _native.Problem] = WeakKeyDictionary()


def make_search(
    problem: Problem,
    cost: CostTable,
    *,
    exhaust: bool = False,
    memory: int | None = None,
    threads: int | None = None,
    symmetry: Symmetry | None = None,
    file: str = "",
) -> ExhaustiveSearch | PureSearch:
    """A new search for the cheapest plan to a goal state, or a search of the whole reachable set.

    `memory`: a limit on the size of the tables, in bytes. `threads`: the maximum number of threads; the default is one
    per processor, but at most 8. Breadth-first searches of more than half a million states use several threads in wide
    layers. With `exhaust`, the number of threads does not affect the result. Without `exhaust`, it affects how much of
    the last layer the search generates, and which of several optimal plans the search finds. With `symmetry` (a group
    of symmetries from `analysis.symmetry`), the search stores one state of each orbit. `file`: a search that is not in
    layers (`is_layered`) saves all of its data in this file at most once every SAVE_EVERY seconds, and when it ends;
    the search resumes from this file. The problem and the costs must then be the same. The native core runs the search
    if it supports the problem; otherwise, the Python core runs it. Raises TypeError or ValueError for arrays of the
    wrong type or shape, and ValueError if `threads` is below 1. Raises OverflowError for costs that do not fit into 64
    bits (in a lexicographic pair, 32 bits each, after division by the greatest common divisor). Raises
    UnusedSymmetryError if `symmetry` is given, the native core runs the search, and the search is not in layers. The
    method `advance` raises DamageError or OSError if the file cannot be used.
    """
    num_threads = threads_or_default(threads)
    bound = bound_problem(problem)
    check_cost(problem, cost)
    own_symmetry = _bound_symmetry(symmetry, problem)
    is_too_odd = problem.num_permutations > 0 and not (symmetry is None and are_steps_equal(cost))
    if is_too_odd or is_too_wide(problem):
        from fewest.search.pure import breadth_first as pure

        return pure.make_search(problem, cost, exhaust=exhaust, memory=memory, symmetry=symmetry)
    units = CostPacking(cost)
    left = left_of(memory)
    made = _native.make_search(
        bound,
        bound_costs(units.costs),
        symmetry=own_symmetry,
        exhaust=exhaust,
        memory=bytes_of(left),
        threads=num_threads,
        file=file,
        save_every=SAVE_EVERY,
    )
    if made is None:
        raise UnusedSymmetryError("only a breadth-first search can use symmetry")
    return ExhaustiveSearch(made, units, problem, cost, symmetry, left)


def search(
    problem: Problem,
    cost: CostTable,
    *,
    seconds: float = math.inf,
    progress: Callable[[Progress], None] | None = None,
    **options: Any,
) -> Outcome:
    """The outcome of a whole search; see `interface.Outcome`. `options` and errors are the same as for `make_search`.

    `progress` is called at most ten times a second; its exceptions propagate.
    """
    made = make_search(problem, cost, **options)
    made.advance(ALL, SearchLimits(seconds), progress)
    return made.outcome()


class NativeSearch(Generic[_BoundT]):
    """The methods that all blind searches of the native core share; see `interface.Search`."""

    def __init__(self, bound: _BoundT, units: CostPacking) -> None:
        self.native: _BoundT = bound
        self.units = units

    def advance(
        self,
        budget: Budget = ALL,
        limits: SearchLimits = NO_LIMITS,
        progress: Callable[[Progress], None] | None = None,
    ) -> Status:
        if math.isnan(limits.seconds):
            raise ValueError("seconds must be a number")
        return self.native.advance(
            seconds=limits.seconds,
            progress=self.units.reporter(progress),
            expansions=sys.maxsize if budget.expansions is None else budget.expansions,
            bytes=sys.maxsize if budget.bytes is None else budget.bytes,
            entries=sys.maxsize if budget.entries is None else budget.entries,
        )

    @property
    def bound(self) -> tuple[int, ...]:
        return self.units.split(self.native.bound)

    @property
    def num_expanded(self) -> int:
        return self.native.num_expanded

    @property
    def bytes(self) -> int:
        return self.native.bytes


class ExhaustiveSearch(NativeSearch[_native.ExhaustiveSearch]):
    """A search from the start. If it is breadth-first, its layers can be passed to shards."""

    def __init__(
        self,
        bound: _native.ExhaustiveSearch,
        units: CostPacking,
        problem: Problem,
        cost: CostTable,
        symmetry: Symmetry | None,
        memory: int | None,
    ) -> None:
        super().__init__(bound, units)
        self.problem, self.cost, self.symmetry, self.memory = problem, cost, symmetry, memory
        self.handed: list[_native.SpilledLayer] = []
        """The layers that were passed to shards."""
        self.is_open = True

    def release_slots(self) -> int:
        """Free all memory except that of the layers, and return the number of bytes of the memory limit that are free
        afterward. After this call, the search cannot advance; the layers can be passed to shards with `hand_over`.
        """
        return self.native.release_slots()

    def hand_over(self, shards: _native.Shards) -> None:
        """Pass the complete layers to shards of the same problem, costs and symmetry. Raises MemoryError or OSError."""
        self.handed = self.native.hand_over(shards)

    def close(self) -> None:
        """Free all memory; after this call, only `close` may be called."""
        if self.is_open:
            self.is_open = False
            del self.native

    @property
    def num_layers(self) -> int:
        """The number of complete layers; 0 for a search that is not breadth-first."""
        return self.native.num_layers

    def outcome(self) -> Outcome:
        """The result. Even if the search uses symmetry, the plan begins at the start itself, not at an image of it."""
        found = self.native.outcome()
        outcome = outcome_of(found, self.units)
        if self.symmetry is None:
            return outcome
        counted = {"canonical_states": found.canonical_states, "orbit_states": found.orbit_states}
        return of_orbits(self.problem, self.cost, self.symmetry, replace(outcome, **counted))


def bytes_of(memory: int | None) -> int:
    """The memory limit for the native core, in bytes: the part of the given limit that is still free, or `sys.maxsize`
    if there is no limit.
    """
    left = left_of(memory)
    return sys.maxsize if left is None else max(0, left)


def is_too_wide(problem: Problem) -> bool:
    """Whether packed states are wider than every width for which the core was compiled."""
    return bound_problem(problem).packed_words > _native.MAX_WORDS


def is_layered(problem: Problem, cost: CostTable) -> bool:
    """Whether `search` searches layer by layer. This is true if all operators have the same cost in a metric with one
    part, or if an agent walks at no cost and all other operators have the same cost.

    Raises TypeError, ValueError or OverflowError in the same cases as `make_search`.
    """
    check_cost(problem, cost)
    return _native.is_layered(bound_problem(problem), bound_costs(CostPacking(cost).costs))


def _bound_symmetry(symmetry: Symmetry | None, problem: Problem) -> _native.Symmetry | None:
    if symmetry is None:
        return None
    _check("symmetry", symmetry.facts, "int32", (symmetry.order, problem.num_facts))
    return _native.Symmetry(symmetry.order, symmetry.facts, symmetry.fixes_initial)


def are_steps_equal(cost: CostTable) -> bool:
    """Whether the metric has one part in which all operators have the same positive cost and no moves merge. Only in
    this case, and only without symmetry, does the native core search problems with permutations.
    """
    rows = cost.rows
    same = len(rows.weight) == 1 and len(set(rows.weight[0])) == 1 and rows.weight[0][0] > 0
    return same and all(key < 0 for key in rows.run_in[0])


def of_orbits(problem: Problem, cost: CostTable, symmetry: Symmetry, outcome: Outcome) -> Outcome:
    """The outcome of a search by symmetry, with a plan from the start; in the argument `outcome`, the plan begins at an
    image of the start.
    """
    from fewest.search.orbit_plan import pull_back

    plan = outcome.plan
    return replace(
        outcome,
        plan=plan if outcome.cost is None else pull_back(problem, cost, symmetry, list(plan)),
        algorithm=f"{outcome.algorithm}, one state of every orbit",
    )


def shards(
    problem: Problem,
    units: CostPacking,
    symmetry: Symmetry | None,
    *,
    folder: str,
    num_shards: int,
    workers: int,
    memory: int,
    is_reversible: bool,
    back: InverseProblem | None = None,
    owner: int = 0,
    num_owners: int = 1,
    ends: Sequence[int] = (),
) -> _native.Shards | None:
    """The shards of a search in layers (`cpp/store/shards.hpp`). The result is None if the search is not breadth-first.

    `folder`: the folder of the shards; if it is "", the shards stay in memory and have one owner. `units`: the units of
    the costs; the caller must have checked the costs. `memory`: the number of bytes for all buffers, and for layers in
    memory. If there are several owners, each has a range of the shards; `ends` contains the shard after the last one of
    each range, or nothing if the ranges are equal. With `back`, the search goes backward,
    restricted to the states that another search reached. The result is also None if such a backward search might not
    find all paths. `is_reversible`: whether every move is reversible at the same cost; if so, successors are compared
    only with the last two layers. Raises OSError, TypeError or ValueError for arrays of the wrong type or shape, and
    ValueError for states that are too wide.
    """
    if symmetry is not None:
        _check("symmetry", symmetry.facts, "int32", (symmetry.order, problem.num_facts))
    return _native.make_shards(
        bound_problem(problem),
        bound_costs(units.costs),
        None
        if symmetry is None
        else _native.Symmetry(symmetry.order, symmetry.facts, symmetry.fixes_initial),
        folder=folder,
        num_shards=num_shards,
        owner=owner,
        num_owners=num_owners,
        ends=ends,
        workers=workers,
        memory=memory,
        is_reversible=is_reversible,
        back=None if back is None else bound_problem(back.problem),
        back_costs=None if back is None else bound_costs(back.costs(units.costs)),
    )


def outcome_of(found: _native.Outcome, units: CostPacking) -> Outcome:
    """The result of a native search, with its costs in the units of the metric."""
    return Outcome(
        status=found.status,
        cost=None if found.cost is None else units.split(found.cost),
        lower_bound=units.split(found.lower_bound),
        plan=tuple(found.plan),
        layers=tuple((units.split(packed), count) for packed, count in found.layers),
        num_states=found.num_states,
        num_goal_states=found.num_goal_states,
        num_expanded=found.num_expanded,
        num_generated=found.num_generated,
        seconds=found.seconds,
        bytes=found.bytes,
        algorithm=found.algorithm,
        endless=None if found.endless is None else _endless(*found.endless),
        num_resumed=found.num_resumed,
        is_only_plan=found.is_only_plan,
    )


def _endless(operator: int, state: list[int]) -> tuple[int, int]:
    return operator, sum(word << 64 * number for number, word in enumerate(state))


def threads_or_default(threads: int | None) -> int:
    """The given number of threads, or the default. Raises ValueError for a number below one."""
    if threads is not None and threads < 1:
        raise ValueError("a search needs at least one thread")
    return default_threads() if threads is None else threads


def default_threads() -> int:
    """One thread per processor, at most 8; one thread in a child process of `multiprocessing`."""
    processes = sys.modules.get("multiprocessing.process")
    if processes is not None and processes.parent_process() is not None:
        return 1
    try:
        available = len(os.sched_getaffinity(0))
    except AttributeError:  # this system does not have the function
        available = os.cpu_count() or 1
    return min(available, _MOST_THREADS)


def _check(name: str, buffer: object, formats: str, sizes: tuple[int, ...]) -> None:
    """Raises TypeError or ValueError unless `buffer` contains numbers of this type, either in this shape or flat."""
    try:
        with memoryview(buffer) as view:  # type: ignore[arg-type]
            found, shape, is_contiguous = view.format, view.shape, view.c_contiguous
    except TypeError:
        found, shape, is_contiguous = type(buffer).__name__, None, False
    if found not in _FORMATS[formats] or shape is None:
        raise TypeError(f"{name} must be a buffer of {formats}, not {found}")
    if shape not in (sizes, (math.prod(sizes),)) or not is_contiguous:
        raise ValueError(f"{name} must have shape {sizes} and be contiguous, not {shape}")


def bound_problem(problem: Problem) -> _native.Problem:
    """The problem in the native form. A problem is checked only once. Raises TypeError or ValueError for arrays of the
    wrong type or shape.
    """
    bound = _PROBLEMS.get(problem)
    if bound is not None:
        return bound
    if problem.num_facts < 0:
        raise ValueError("num_facts must not be negative")
    words = problem.words
    _check("initial", problem.initial, "uint64", (words,))
    _check("pending", problem.pending, "uint64", (words if len(problem.pending) else 0,))
    size = len(problem.index_fact)
    _check("index_fact", problem.index_fact, "int32", (size,))
    num_goals = _rows_of(problem.goal_mask, words)
    _check("goal_list", problem.goal_list, "int32", (num_goals if len(problem.goal_list) else 0,))
    _check(
        "permutations", problem.permutations, "int32", (problem.num_permutations, problem.num_facts)
    )
    for count, names in (
        (size, ("mask", "value", "flip")),
        (num_goals, ("goal_mask", "goal_value")),
        (_rows_of(problem.forbid_mask, words), ("forbid_mask", "forbid_value")),
    ):
        for name in names:
            _check(name, getattr(problem, name), "uint64", (count, words))
    bound = _native.Problem(
        problem.num_facts,
        problem.initial,
        problem.mask,
        problem.value,
        problem.flip,
        problem.index_fact,
        problem.goal_mask,
        problem.goal_value,
        problem.forbid_mask,
        problem.forbid_value,
        problem.exactly_one,
        problem.at_most_one,
        problem.permutations,
        None
        if problem.conditional_effects is None
        else _bound_effects(problem.conditional_effects, words),
        problem.pending,
        problem.goal_list,
    )
    _PROBLEMS[problem] = bound
    return bound


def _bound_effects(
    conditional_effects: ConditionalEffects, words: int
) -> _native.ConditionalEffects:
    size = len(conditional_effects.place)
    for name in _EFFECT_ROWS:
        _check(
            f"conditional_effects.{name}",
            getattr(conditional_effects, name),
            "uint64",
            (size, words),
        )
    _check("conditional_effects.place", conditional_effects.place, "int32", (size,))
    _check("conditional_effects.stage", conditional_effects.stage, "int32", (size,))
    return _native.ConditionalEffects(
        mask=conditional_effects.mask,
        value=conditional_effects.value,
        flip=conditional_effects.flip,
        clear=conditional_effects.clear,
        need_mask=conditional_effects.need_mask,
        need_value=conditional_effects.need_value,
        place=conditional_effects.place,
        stage=conditional_effects.stage,
        everywhere=conditional_effects.everywhere,
    )


def _rows_of(buffer: object, words: int) -> int:
    """The number of rows of a buffer. The type of the buffer is checked later."""
    try:
        with memoryview(buffer) as view:  # type: ignore[arg-type]
            return view.nbytes // 8 // words
    except TypeError:
        return 0


def bound_costs(cost: CostTable) -> _native.CostTable:
    """The costs, which have already been checked, in the native form."""
    return _native.CostTable(
        parts=cost.parts,
        weight=cost.weight,
        run_in=cost.run_in,
        run_out=cost.run_out,
        run_fact=[facts.tolist() for facts in cost.run_fact],
    )


def bound_limits(
    units: CostPacking,
    seconds: float,
    memory: int | None,
    progress: Callable[[Progress], None] | None,
) -> _native.Limits:
    """The limits of a native search (None: no limit), with its progress callback."""
    return _native.Limits(
        seconds=seconds,
        memory=bytes_of(memory),
        progress=units.reporter(progress),
    )


def check_cost(problem: Problem, cost: CostTable) -> None:
    """Raises TypeError or ValueError for a table that does not belong to the problem."""
    if cost.parts not in (1, 2):
        raise ValueError(f"a metric has 1 or 2 parts, not {cost.parts}")
    shape = (cost.parts, problem.num_operators)
    _check("weight", cost.weight, "int64", shape)
    _check("run_in", cost.run_in, "int32", shape)
    _check("run_out", cost.run_out, "int32", shape)
    for facts in cost.run_fact:
        _check("run_fact", facts, "int32", (len(facts),))
    _native.check_costs(bound_problem(problem), bound_costs(cost))
