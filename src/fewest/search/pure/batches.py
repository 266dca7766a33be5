"""Batches of states in pure Python: their successors, and a set of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fewest.model.problem import Problem, sets_in, words_of
from fewest.search.pure.breadth_first import Tables

States = NDArray[np.uint64]


def expand(problem: Problem, states: States) -> tuple[States, NDArray[np.int64], NDArray[np.int32]]:
    """All successors of `states: uint64[n, W]`, with the row and the operator of each."""
    tables = Tables(problem)
    found: list[int] = []
    parents: list[int] = []
    operators: list[int] = []
    for row, state in enumerate(sets_in(check_states(states, problem.words), problem.words)):
        for index, successor in tables.successors(state):
            found.append(successor)
            parents.append(row)
            operators.append(index)
    return (
        _rows(found, problem.words),
        np.array(parents, dtype=np.int64),
        np.array(operators, dtype=np.int32),
    )


def check_states(states: States, words: int) -> States:
    """`states` if it is uint64[n, words]. Raises TypeError or ValueError."""
    if not isinstance(states, np.ndarray) or states.dtype != np.uint64:
        raise TypeError("states must be a NumPy array of uint64")
    if states.ndim != 2 or states.shape[1] != words:
        raise ValueError(f"states must have shape (n, {words}), not {states.shape}")
    return states


class StateSet:
    """A set of states of `words` 64-bit words, in insertion order."""

    def __init__(self, words: int) -> None:
        if words < 1:
            raise ValueError("a state has at least one word")
        self.words = words
        self._states: dict[int, None] = {}

    def insert(self, states: States) -> NDArray[np.bool_]:
        """Which rows were new; they are in the set afterwards."""
        new: list[bool] = []
        for state in sets_in(check_states(states, self.words), self.words):
            new.append(state not in self._states)
            self._states[state] = None
        return np.array(new, dtype=np.bool_)

    def contains(self, states: States) -> NDArray[np.bool_]:
        """Which rows are in the set."""
        rows = sets_in(check_states(states, self.words), self.words)
        return np.array([state in self._states for state in rows], dtype=np.bool_)

    def __len__(self) -> int:
        return len(self._states)

    def states(self) -> States:
        """All states, uint64[len, words], in insertion order."""
        return _rows(list(self._states), self.words)


def _rows(states: list[int], words: int) -> States:
    return np.asarray(words_of(states, words), dtype=np.uint64).reshape(-1, words)
