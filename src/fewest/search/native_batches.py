"""The native core on batches of states, as NumPy arrays: their successors, and a set of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from fewest.search import _native
from fewest.search.native import bound_problem
from fewest.search.pure import batches as twin
from fewest.search.pure.batches import check_states

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from fewest.model.problem import Problem

_EXPANDERS: WeakKeyDictionary[Problem, _native.Expander] = WeakKeyDictionary()


def expand(
    problem: Problem, states: NDArray[np.uint64]
) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.int32]]:
    """All successors of `states: uint64[n, W]`, with the row and the operator of each.

    The states need not be reachable. Within a row the operators come in no particular order. Raises TypeError
    or ValueError for arrays of the wrong type or shape.
    """
    bound = bound_problem(problem)
    words = problem.words
    states = check_states(states, words)
    if words > _native.MAX_WORDS:
        return twin.expand(problem, states)
    expander = _EXPANDERS.get(problem)
    if expander is None:
        expander = _EXPANDERS[problem] = _native.Expander(bound)
    successors, parents, operators = expander.expand(states)
    return successors.reshape(-1, words), parents, operators


class StateSet:
    """A set of states of `words` 64-bit words, in insertion order; threads may share one."""

    def __new__(cls, words: int) -> Any:
        """The pure-Python set, for states wider than the compiled widths."""
        return twin.StateSet(words) if words > _native.MAX_WORDS else super().__new__(cls)

    def __init__(self, words: int) -> None:
        if words < 1:
            raise ValueError("a state has at least one word")
        self.words = words
        self._set = _native.StateSet(words)

    def insert(self, states: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Which rows of `states: uint64[n, words]` were new; they are in the set afterwards.

        Of equal rows the first is new. Raises TypeError, ValueError, MemoryError.
        """
        return self._set.insert(check_states(states, self.words))

    def contains(self, states: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Which rows of `states: uint64[n, words]` are in the set."""
        return self._set.contains(check_states(states, self.words))

    def __len__(self) -> int:
        return len(self._set)

    def states(self) -> NDArray[np.uint64]:
        """All states, uint64[len, words], in insertion order, as a copy."""
        return self._set.states().reshape(-1, self.words)
