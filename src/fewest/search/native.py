"""The native core behind the interface of `fewest.search`: checks arguments, makes Outcomes.

States are packed in C++; a task whose packed state is wider than `_native.MAX_WORDS` words goes to
the pure-Python core.
"""

from __future__ import annotations

import math
import os
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np

from fewest.model.costs import CostTable
from fewest.model.problem import Numbering, Problem, Symmetry
from fewest.search import _native
from fewest.search.interface import GoalDistances, Outcome, Progress, UnservedSymmetryError
from fewest.search.pull_back import pull_back
from fewest.search.twin import breadth_first as pure
from fewest.search.twin.breadth_first import check_states
from fewest.search.units import Units

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

_MOST_THREADS = 8  # if nobody says how many: each takes memory for blocks of its own

_PROBLEMS: WeakKeyDictionary[Problem, _native.Problem] = WeakKeyDictionary()
_EXPANDERS: WeakKeyDictionary[Problem, _native.Expander] = WeakKeyDictionary()


def search(
    problem: Problem,
    cost: CostTable,
    *,
    exhaust: bool = False,
    seconds: float = math.inf,
    memory: int | None = None,
    threads: int | None = None,
    progress: Callable[[Progress], None] | None = None,
    symmetry: Symmetry | None = None,
) -> Outcome:
    """The cheapest way to a goal state, or the whole reachable set; see `interface.Outcome`.

    Arguments: `seconds`, `memory` (bytes of the tables) are limits; reaching one is a status.
    `progress` is called at most ten times a second; what it raises propagates. `threads` may be used,
    by default one a processor but no more than 8, in breadth-first searches beyond half a million
    states and there in wide layers. With `exhaust` they change nothing that is found; without, how
    much of the last layer is seen, and which of several cheapest ways. With `symmetry`, which must be
    one (`analysis.group`), one state of every orbit is kept; UnservedSymmetryError if the metric is
    not searched breadth-first.
    Raises TypeError or ValueError for arrays of the wrong type or shape, OverflowError for costs
    that do not fit 64 bits (in a lexicographic pair: 32 bits each, after division by the greatest
    common divisor).
    """
    if math.isnan(seconds):
        raise ValueError("seconds must be a number")
    if threads is not None and threads < 1:
        raise ValueError("a search takes at least one thread")
    bound = bound_problem(problem)
    check_cost(problem, cost)
    if symmetry is not None:
        _check("symmetry", symmetry.facts, np.int32, (symmetry.order, problem.num_facts))
    if bound.packed_words > _native.MAX_WORDS:
        return pure.search(
            problem,
            cost,
            exhaust=exhaust,
            seconds=seconds,
            memory=memory,
            progress=progress,
            symmetry=symmetry,
        )
    units = Units(cost)
    found = _native.search(
        bound,
        bound_costs(units.costs),
        bound_limits(units, seconds, memory, progress),
        exhaust=exhaust,
        threads=_default_threads() if threads is None else threads,
        symmetry=None
        if symmetry is None
        else _native.Symmetry(_contiguous(symmetry.facts), symmetry.fixes_initial),
    )
    if found is None:
        raise UnservedSymmetryError("only what is searched breadth-first is searched by symmetry")
    outcome = outcome_of(found, units)
    if symmetry is None:
        return outcome
    plan = outcome.plan
    return replace(
        outcome,
        plan=plan
        if outcome.cost is None
        else tuple(pull_back(problem, cost, symmetry, list(plan))),
        algorithm=f"{outcome.algorithm}, one state of every orbit",
        canonical_states=found.canonical_states,
        orbit_states=found.orbit_states,
    )


def search_index(
    problem: Problem,
    cost: CostTable,
    numbering: Numbering,
    *,
    exhaust: bool = False,
    plan: bool = True,
    to_goal: bool = False,
    seconds: float = math.inf,
    memory: int | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> tuple[Outcome, GoalDistances | None]:
    """As `search`, in two bits for each of the numbered states; all moves must cost the same.

    `numbering` must be of all states that keep the problem's invariants. `plan`: find one, if a goal is reached;
    `to_goal`: with `exhaust`, measure the distances of all reached states to the goal. Raises
    ValueError for what it cannot do: other costs, states that are too wide.
    """
    if math.isnan(seconds):
        raise ValueError("seconds must be a number")
    bound = bound_problem(problem)
    check_cost(problem, cost)
    units = Units(cost)
    diagram = _native.Numbering(
        size=numbering.size,
        variables=numbering.variables,
        may_be_none=numbering.may_be_none,
        steps=numbering.steps,
        nodes=numbering.nodes,
        entries=_contiguous(numbering.entries),
    )
    found = _native.search_index(
        bound,
        bound_costs(units.costs),
        diagram,
        bound_limits(units, seconds, memory, progress),
        exhaust=exhaust,
        plan=plan,
        to_goal=to_goal,
    )
    outcome = outcome_of(found, units)
    if not found.has_distances:
        return outcome, None
    layers = tuple((units.split(packed), count) for packed, count in found.to_goal)
    state = sum(word << 64 * number for number, word in enumerate(found.hardest))
    return outcome, GoalDistances(layers, found.num_dead, state if layers else None)


def outcome_of(found: _native.Outcome, units: Units) -> Outcome:
    """What a native search found, in costs."""
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
    )


def expand(
    problem: Problem, states: NDArray[np.uint64]
) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.int32]]:
    """All successors of `states: uint64[n, W]`, with the row and the operator each comes from.

    The states need not be reachable. Within a row the operators come in no particular order.
    Raises TypeError or ValueError for arrays of the wrong type or shape.
    """
    bound = bound_problem(problem)
    words = problem.initial.shape[0]
    check_states(states, words)
    if words > _native.MAX_WORDS:
        return pure.expand(problem, states)
    expander = _EXPANDERS.get(problem)
    if expander is None:
        expander = _EXPANDERS[problem] = _native.Expander(bound)
    successors, parents, operators = expander.expand(_contiguous(states))
    return successors.reshape(-1, words), parents, operators


class StateSet:
    """A set of states of `words` 64-bit words, in insertion order; threads may share one."""

    def __new__(cls, words: int) -> Any:
        """The pure-Python set for states wider than the native core is compiled for."""
        return pure.StateSet(words) if words > _native.MAX_WORDS else super().__new__(cls)

    def __init__(self, words: int) -> None:
        if words < 1:
            raise ValueError("a state has at least one word")
        self.words = words
        self._set = _native.StateSet(words)

    def insert(self, states: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Which rows of `states: uint64[n, words]` were new; they are in the set afterwards.

        Of equal rows the first is new. Raises TypeError, ValueError, MemoryError.
        """
        return self._set.insert(_contiguous(check_states(states, self.words)))

    def contains(self, states: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Which rows of `states: uint64[n, words]` are in the set."""
        return self._set.contains(_contiguous(check_states(states, self.words)))

    def __len__(self) -> int:
        return len(self._set)

    def states(self) -> NDArray[np.uint64]:
        """All states, uint64[len, words], in insertion order, as a copy."""
        return self._set.states().reshape(-1, self.words)


def _default_threads() -> int:
    """One a processor; one in all in a process that `multiprocessing` started to work beside others."""
    processes = sys.modules.get("multiprocessing.process")
    if processes is not None and processes.parent_process() is not None:
        return 1
    try:
        available = len(os.sched_getaffinity(0))
    except AttributeError:  # not on this system
        available = os.cpu_count() or 1
    return min(available, _MOST_THREADS)


def _contiguous(array: NDArray[Any]) -> NDArray[Any]:
    return np.ascontiguousarray(array)


def _check(name: str, array: object, dtype: type[np.generic], shape: tuple[int, ...]) -> None:
    if not isinstance(array, np.ndarray) or array.dtype != dtype:
        found = getattr(array, "dtype", type(array).__name__)
        raise TypeError(f"{name} must be an array of {np.dtype(dtype)}, not {found}")
    if array.shape != shape:
        raise ValueError(f"{name} must have shape {shape}, not {array.shape}")


def bound_problem(problem: Problem) -> _native.Problem:
    """The problem as the native core sees it, checked once."""
    bound = _PROBLEMS.get(problem)
    if bound is not None:
        return bound
    if problem.num_facts < 0:
        raise ValueError("num_facts must not be negative")
    words = max(1, -(-problem.num_facts // 64))
    _check("initial", problem.initial, np.uint64, (words,))
    for first, names in (
        ("mask", ("mask", "value", "flip")),
        ("goal_mask", ("goal_mask", "goal_value")),
        ("forbid_mask", ("forbid_mask", "forbid_value")),
    ):
        rows = np.shape(getattr(problem, first))[:1]
        for name in names:
            _check(name, getattr(problem, name), np.uint64, (*rows, words))
    size = problem.mask.shape[0]
    _check("index_fact", problem.index_fact, np.int32, (size,))
    _check_bits(problem, words)
    for name in ("exactly_one", "at_most_one"):
        for group in getattr(problem, name):
            if any(not 0 <= fact < problem.num_facts for fact in group):
                raise ValueError(f"{name} names a fact that does not exist")
    bound = _native.Problem(
        problem.num_facts,
        _contiguous(problem.initial),
        _contiguous(problem.mask),
        _contiguous(problem.value),
        _contiguous(problem.flip),
        _contiguous(problem.index_fact),
        _contiguous(problem.goal_mask),
        _contiguous(problem.goal_value),
        _contiguous(problem.forbid_mask),
        _contiguous(problem.forbid_value),
        problem.exactly_one,
        problem.at_most_one,
    )
    _PROBLEMS[problem] = bound
    return bound


def bound_costs(cost: CostTable) -> _native.CostTable:
    """Checked costs as the native core sees them."""
    return _native.CostTable(
        weight=_contiguous(cost.weight),
        run_in=_contiguous(cost.run_in),
        run_out=_contiguous(cost.run_out),
        run_fact=[facts.tolist() for facts in cost.run_fact],
    )


def bound_limits(
    units: Units,
    seconds: float,
    memory: int | None,
    progress: Callable[[Progress], None] | None,
) -> _native.Limits:
    """When a native search is to stop (None: no limit), and whom it tells how far it is."""
    return _native.Limits(
        seconds=seconds,
        memory=sys.maxsize if memory is None else max(0, memory),
        progress=units.reporter(progress),
    )


def _check_bits(problem: Problem, words: int) -> None:
    """Raises ValueError for bits that stand for no fact, and for operators that break the rules."""
    unused = np.zeros(words, dtype=np.uint64)
    if problem.num_facts < words * 64:
        unused[-1] = np.uint64(2**64 - 2 ** (problem.num_facts - 64 * (words - 1)))
    for name in ("initial", "mask", "goal_mask", "forbid_mask"):
        if np.any(getattr(problem, name) & unused):
            raise ValueError(f"{name} has bits beyond the {problem.num_facts} facts")
    for value, mask in (("value", "mask"), ("flip", "mask")):
        if np.any(getattr(problem, value) & ~getattr(problem, mask)):
            raise ValueError(f"{value} must be a subset of {mask}")
    index = problem.index_fact
    if index.size and (index.min() < -1 or index.max() >= problem.num_facts):
        raise ValueError("index_fact names a fact that does not exist")
    rows = np.flatnonzero(index >= 0)
    facts = index[rows]
    bits = problem.value[rows, facts // 64] >> (facts % 64).astype(np.uint64) & np.uint64(1)
    if not bits.all():
        raise ValueError("index_fact must be a positive fact of the operator's cube")


def check_cost(problem: Problem, cost: CostTable) -> None:
    """Raises TypeError or ValueError for a table that is none of the problem's."""
    components = len(cost.run_fact)
    if components not in (1, 2):
        raise ValueError(f"a metric has 1 or 2 components, not {components}")
    shape = (components, problem.mask.shape[0])
    _check("weight", cost.weight, np.int64, shape)
    _check("run_in", cost.run_in, np.int32, shape)
    _check("run_out", cost.run_out, np.int32, shape)
    if np.any(cost.weight < 0):
        raise ValueError("weights must not be negative")
    for component, facts in enumerate(cost.run_fact):
        _check("run_fact", facts, np.int32, facts.shape[:1] if np.ndim(facts) else (0,))
        if facts.size and (facts.min() < -1 or facts.max() >= problem.num_facts):
            raise ValueError("run_fact names a fact that does not exist")
        for name in ("run_in", "run_out"):
            keys = getattr(cost, name)[component]
            if keys.size and (keys.min() < -1 or keys.max() >= facts.size):
                raise ValueError(f"{name} names a key that does not exist")
        run_in = cost.run_in[component]
        tied = np.flatnonzero(run_in >= 0)
        fact = facts[run_in[tied]]
        if np.any((fact >= 0) & (fact != problem.index_fact[tied])):
            raise ValueError("run_fact of run_in must be the operator's index_fact")
