"""Batches of states in pure Python: successors, sets and graphs of states."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fewest.model.problem import Problem, sets_in, words_of
from fewest.search.pure.breadth_first import ProblemTables

States = NDArray[np.uint64]


def expand(problem: Problem, states: States) -> tuple[States, NDArray[np.int64], NDArray[np.int32]]:
    """All successors of `states: uint64[n, W]`, each with its row and its operator."""
    tables = ProblemTables(problem)
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


def find_successors(
    problem: Problem, known: StateSet, states: States
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int32]]:
    """Three arrays: the index in `known` of every successor (-1 if it is not in `known`), the number of successors of
    each row, and the operator of every successor. The successors are in the order of the rows.
    """
    successors, parents, operators = expand(problem, states)
    counts = np.bincount(parents, minlength=len(states)).astype(np.int64)
    return known.find(successors).astype(np.int32), counts, operators


def check_graph(
    first: NDArray[np.int64],
    target: NDArray[np.int32],
    label: NDArray[np.int32],
    cost: NDArray[np.int8],
    is_start: NDArray[np.bool_],
) -> None:
    """Raises TypeError or ValueError for arrays of the wrong type or shape. The elements of the arrays are not
    checked.
    """
    types = (np.int64, np.int32, np.int32, np.int8, np.bool_)
    for array, dtype in zip((first, target, label, cost, is_start), types, strict=True):
        if not isinstance(array, np.ndarray) or array.dtype != dtype:
            raise TypeError("a graph has arrays of int64, int32, int32, int8 and bool")
        if array.ndim != 1 or not array.flags.c_contiguous:
            raise ValueError("the arrays of a graph have the shape (n,)")
    if len(first) != len(is_start) + 1 or len(target) != len(label):
        raise ValueError("the arrays of a graph do not fit each other")


def _check_edges(
    first: NDArray[np.int64],
    target: NDArray[np.int32],
    label: NDArray[np.int32],
    cost: NDArray[np.int8],
    is_start: NDArray[np.bool_],
) -> None:
    is_right = first[0] == 0 and first[-1] == len(target) and bool((first[1:] >= first[:-1]).all())
    for numbers, size in ((target, len(is_start)), (label, len(cost))):
        is_right = is_right and bool(((numbers >= 0) & (numbers < size)).all())
    if not is_right:
        raise ValueError(
            "the graph is invalid: the offsets are wrong, or the number of a target or label is out of range"
        )


def measure_graph(
    first: NDArray[np.int64],
    target: NDArray[np.int32],
    label: NDArray[np.int32],
    cost: NDArray[np.int8],
    is_start: NDArray[np.bool_],
) -> NDArray[np.int16]:
    """The lowest cost of a path from a start to each node; -1 if there is no path. Arguments and errors are the same as
    for `native_batches.measure_graph`.
    """
    check_graph(first, target, label, cost, is_start)
    _check_edges(first, target, label, cost, is_start)
    found = [0 if start else -1 for start in is_start.tolist()]
    layer = np.flatnonzero(is_start).tolist()
    ends, targets, steps = first.tolist(), target.tolist(), cost[label].tolist()
    depth = 0
    while layer:
        if depth == np.iinfo(np.int16).max:
            raise OverflowError("a distance is too long")
        following: list[int] = []
        for node in layer:  # free edges append nodes to this list
            if found[node] != depth:
                continue
            for edge in range(ends[node], ends[node + 1]):
                step, other = steps[edge], targets[edge]
                if step < 0 or 0 <= found[other] <= depth + step:
                    continue
                found[other] = depth + step
                (following if step else layer).append(other)
        depth, layer = depth + 1, following
    return np.array(found, dtype=np.int16)


def check_states(states: States, words: int) -> States:
    """`states`, if it is uint64[n, W] with W = `words`. Raises TypeError or ValueError."""
    if not isinstance(states, np.ndarray) or states.dtype != np.uint64:
        raise TypeError("states must be a NumPy array of uint64")
    if states.ndim != 2 or states.shape[1] != words:
        raise ValueError(f"states must have shape (n, {words}), not {states.shape}")
    return states


def check_links(
    sources: NDArray[np.int32], targets: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Both arrays, if they are int32[n]. Raises TypeError or ValueError."""
    for numbers in (sources, targets):
        if not isinstance(numbers, np.ndarray) or numbers.dtype != np.int32:
            raise TypeError("sources and targets must be NumPy arrays of int32")
    if sources.ndim != 1 or sources.shape != targets.shape:
        raise ValueError("sources and targets must be of one shape (n,)")
    return np.ascontiguousarray(sources), np.ascontiguousarray(targets)


class Components:
    """A partition of the numbers 0 .. size - 1; linked numbers are in the same set."""

    def __init__(self, size: int) -> None:
        self._parents = list(range(size))

    def link(self, sources: NDArray[np.int32], targets: NDArray[np.int32]) -> None:
        """Join the sets of `sources[i]` and `targets[i]`. Raises TypeError or ValueError."""
        sources, targets = check_links(sources, targets)
        for one, other in zip(sources.tolist(), targets.tolist(), strict=True):
            if min(one, other) < 0 or max(one, other) >= len(self._parents):
                raise ValueError("a link contains a number that is not in range(size)")
            one, other = self._root(one), self._root(other)
            self._parents[max(one, other)] = min(one, other)

    def labels(self) -> NDArray[np.int32]:
        """For each number, the smallest member of its set."""
        return np.array(
            [self._root(number) for number in range(len(self._parents))], dtype=np.int32
        )

    def _root(self, number: int) -> int:
        while self._parents[number] != number:
            self._parents[number] = self._parents[self._parents[number]]
            number = self._parents[number]
        return number


class StateSet:
    """A set of states of `words` 64-bit words, in insertion order."""

    def __init__(self, words: int) -> None:
        if words < 1:
            raise ValueError("a state has at least one word")
        self.words = words
        self._states: dict[int, int] = {}

    def insert(self, states: States) -> NDArray[np.bool_]:
        """Add the rows to the set. Returns which of them were new."""
        new: list[bool] = []
        for state in sets_in(check_states(states, self.words), self.words):
            new.append(state not in self._states)
            self._states.setdefault(state, len(self._states))
        return np.array(new, dtype=np.bool_)

    def contains(self, states: States) -> NDArray[np.bool_]:
        """Whether each row is in the set."""
        rows = sets_in(check_states(states, self.words), self.words)
        return np.array([state in self._states for state in rows], dtype=np.bool_)

    def find(self, states: States) -> NDArray[np.int64]:
        """For each row, the number of states that were inserted before it; -1 for a state that is not in the set."""
        rows = sets_in(check_states(states, self.words), self.words)
        return np.array([self._states.get(state, -1) for state in rows], dtype=np.int64)

    def __len__(self) -> int:
        return len(self._states)

    def states(self) -> States:
        """All states, uint64[len, words], in insertion order."""
        return _rows(list(self._states), self.words)


def _rows(states: list[int], words: int) -> States:
    return np.asarray(words_of(states, words), dtype=np.uint64).reshape(-1, words)
