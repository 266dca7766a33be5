"""Applies the native core to batches of states in NumPy arrays: successors, sets and graphs of states."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast
from weakref import WeakKeyDictionary

from fewest.search import _native
from fewest.search.native import bound_problem
from fewest.search.pure import batches as pure
from fewest.search.pure.batches import check_graph, check_links, check_states

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from fewest.model.problem import Problem

_EXPANDERS: WeakKeyDictionary[Problem, _native.Expander] = WeakKeyDictionary()


def expand(
    problem: Problem, states: NDArray[np.uint64]
) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.int32]]:
    """All successors of `states: uint64[n, W]`, each with its row and its operator.

    The states need not be reachable. The operators of one row are in no particular order. Raises TypeError or
    ValueError for arrays of the wrong type or shape.
    """
    words = problem.words
    states = check_states(states, words)
    if words > _native.MAX_WORDS:
        bound_problem(problem)  # this checks the problem
        return pure.expand(problem, states)
    successors, parents, operators = _expander(problem).expand(states)
    return successors.reshape(-1, words), parents, operators


def find_successors(
    problem: Problem, known: StateSet, states: NDArray[np.uint64]
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int32]]:
    """Three arrays: the index in `known` of every successor of `states: uint64[n, W]` (-1 if it is not in `known`), the
    number of successors of each row, and the operator of every successor.

    The successors of a row are consecutive, and the rows are in ascending order. Raises TypeError or ValueError for
    arrays of the wrong type or shape.
    """
    states = check_states(states, problem.words)
    if problem.words > _native.MAX_WORDS:
        return pure.find_successors(problem, cast(pure.StateSet, known), states)
    return _expander(problem).find_successors(known._set, states)


def measure_graph(
    first: NDArray[np.int64],
    target: NDArray[np.int32],
    label: NDArray[np.int32],
    cost: NDArray[np.int8],
    is_start: NDArray[np.bool_],
) -> NDArray[np.int16]:
    """The lowest cost of a path from a start to each node, int16[n]; -1 if there is no path.

    The edges of node i are `first[i]:first[i + 1]` of `target` and `label`. Each label costs 0 or 1; -1 marks edges
    that no path may use. Raises TypeError or ValueError for invalid arrays, and OverflowError for distances above
    32,766.
    """
    check_graph(first, target, label, cost, is_start)
    return _native.measure_graph(first, target, label, cost, is_start)


def _expander(problem: Problem) -> _native.Expander:
    expander = _EXPANDERS.get(problem)
    if expander is None:
        expander = _EXPANDERS[problem] = _native.Expander(bound_problem(problem))
    return expander


class Components:
    """A partition of the numbers 0 .. size - 1; linked numbers are in the same set."""

    def __init__(self, size: int) -> None:
        self._sets = _native.Components(size)

    def link(self, sources: NDArray[np.int32], targets: NDArray[np.int32]) -> None:
        """Join the sets of `sources[i]` and `targets[i]`. Raises TypeError or ValueError."""
        self._sets.link(*check_links(sources, targets))

    def labels(self) -> NDArray[np.int32]:
        """For each number, the smallest member of its set."""
        return self._sets.labels()


class StateSet:
    """A set of states of `words` 64-bit words, in insertion order. Several threads may use the same set at the same
    time.
    """

    def __new__(cls, words: int) -> Any:
        """The pure-Python set, if states are wider than every compiled width."""
        return pure.StateSet(words) if words > _native.MAX_WORDS else super().__new__(cls)

    def __init__(self, words: int) -> None:
        if words < 1:
            raise ValueError("a state has at least one word")
        self.words = words
        self._set = _native.StateSet(words)

    def insert(self, states: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Add the rows of `states: uint64[n, words]` to the set. Returns which of the rows were new.

        If several rows are equal, only the first is new. Raises TypeError, ValueError or MemoryError.
        """
        return self._set.insert(check_states(states, self.words))

    def contains(self, states: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Whether each row of `states: uint64[n, words]` is in the set."""
        return self._set.contains(check_states(states, self.words))

    def find(self, states: NDArray[np.uint64]) -> NDArray[np.int64]:
        """For each row of `states: uint64[n, words]`, the number of states that were inserted before it; -1 for a state
        that is not in the set.
        """
        return self._set.find(check_states(states, self.words))

    def __len__(self) -> int:
        return len(self._set)

    def states(self) -> NDArray[np.uint64]:
        """A copy of all states, uint64[len, words], in insertion order."""
        return self._set.states().reshape(-1, self.words)
