"""All reachable states and the edges between them, as NumPy arrays.

Two passes use the batch primitives of the core. The first pass collects the states layer by layer. The second pass
expands the states again in the order of their ids, and looks up the successors. A state takes its words plus 25 bytes,
and an edge takes 8 bytes.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import cached_property

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from fewest.machine.memory import left_of
from fewest.model.answer import LimitReached
from fewest.model.problem import Problem, words_of
from fewest.search.batches import StateSet, expand
from fewest.search.interface import Progress

# the number of states per batch, small enough for their successors to stay in the caches
BATCH = 1 << 16

States = NDArray[np.uint64]
Ids = NDArray[np.int64]


# A function that is called with the number of known states and the number of bytes in use. The function may raise
# LimitReached.
Watch = Callable[[int, int], None]


def never_stop(num_states: int, num_bytes: int) -> None:
    """The watch for callers that have no limits."""


def limit_watch(
    seconds: float | None,
    memory: int | None,
    began: float,
    progress: Callable[[Progress], None] | None,
) -> Watch:
    """A watch that reports progress, and raises LimitReached when a limit is exceeded. The time is measured from
    `began`.
    """
    last, memory = began, left_of(memory)

    def watch(num_states: int, num_bytes: int) -> None:
        nonlocal last
        now = time.perf_counter()
        if seconds is not None and now - began > seconds:
            raise LimitReached("time")
        if memory is not None and num_bytes > memory:
            raise LimitReached("memory")
        if progress is not None and now - last >= 0.1:
            last = now
            progress(Progress(0, num_states, num_states, now - began, num_bytes))

    return watch


def sums_over_facts(states: States, values: States) -> States:
    """For each state, the sum of the values of its true facts, modulo 2^64. `values: uint64[num_facts]`.

    Each word takes four table look-ups, or eight if there are few states, regardless of the number of facts.
    """
    chunk = 16 if len(states) > 1 << 17 else 8  # the number of bits that index one table
    found = np.zeros(len(states), dtype=np.uint64)
    for begin in range(0, len(values), chunk):
        table = np.zeros(1, dtype=np.uint64)
        for value in values[begin : begin + chunk]:
            table = np.concatenate([table, table + value])
        for row in range(0, len(states), BATCH):
            bits = states[row : row + BATCH, begin // 64] >> np.uint64(begin % 64)
            found[row : row + BATCH] += table[bits & np.uint64(len(table) - 1)]
    return found


class StateSpace(Struct, frozen=True, eq=False, dict=True):
    """The reachable states and the edges between them.

    `states: uint64[n, words]`, in the order of discovery: id 0 is the initial state. The edges of
    state i are `first[i]:first[i + 1]` of `target: int32[m]` and `operator: int32[m]`.
    `is_goal: bool[n]`.
    """

    problem: Problem
    states: States
    first: Ids
    target: NDArray[np.int32]
    operator: NDArray[np.int32]
    is_goal: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.states)

    @property
    def num_bytes(self) -> int:
        """The number of bytes of the arrays and the index."""
        return self.states.nbytes + self.target.nbytes * 2 + len(self) * 25

    @cached_property
    def index(self) -> StateIds:
        """The object that finds the ids of states."""
        return StateIds(self.states)

    def integer(self, state_id: int) -> int:
        """A state as one Python integer, which is its form in `Task`."""
        return int.from_bytes(self.states[state_id].astype("<u8").tobytes(), "little")

    def find(self, state: int) -> int:
        """The id of a state, given as one Python integer; -1 if it is unknown."""
        row = np.asarray(words_of([state], self.problem.words), dtype=np.uint64).reshape(1, -1)
        return int(self.index.find(row)[0])


class StateIds:
    """Finds the ids of states by a 64-bit key: the state itself if it has one word, and otherwise a collision-free
    hash.
    """

    def __init__(self, states: States) -> None:
        self.states = states
        self.factors = None
        keys = states[:, 0]
        seed = 0
        while states.shape[1] > 1:  # in practice, the first seed works
            random = np.random.default_rng(seed).integers(1, 1 << 63, states.shape[1], np.uint64)
            self.factors = random * np.uint64(2) + np.uint64(1)
            keys = self._keys(states)
            if len(np.unique(keys)) == len(keys):
                break
            seed += 1
        self.order = np.argsort(keys)
        self.keys = keys[self.order]

    def _keys(self, states: States) -> States:
        if self.factors is None:
            return states[:, 0]
        keys = np.zeros(len(states), dtype=np.uint64)
        for word, factor in enumerate(self.factors):
            keys = (keys ^ states[:, word]) * factor
            keys ^= keys >> np.uint64(29)
        return keys

    def find(self, states: States) -> Ids:
        """The id of each row; -1 for unknown states. This takes one binary search per row."""
        keys = self._keys(states)
        at = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        ids = self.order[at]
        is_there = self.keys[at] == keys
        if self.factors is not None:  # other states may have the same hash
            found = np.flatnonzero(is_there)
            is_there[found] = (self.states[ids[found]] == states[found]).all(axis=1)
        return np.where(is_there, ids, -1)


def build_state_graph(problem: Problem, watch: Watch = never_stop) -> StateSpace:
    """The reachable states and edges of a problem. Raises the exceptions of `watch`, and LimitReached if there are too
    many states for 32-bit ids.
    """
    words = problem.words
    known = StateSet(words)
    frontier = problem.arrays.initial.reshape(1, -1)
    known.insert(frontier)
    num_edges = 0
    while len(frontier):
        layer: list[States] = []
        for begin in range(0, len(frontier), BATCH):
            successors, _, _ = expand(problem, frontier[begin : begin + BATCH])
            num_edges += len(successors)
            layer.append(np.ascontiguousarray(successors[known.insert(successors)]))
            watch(len(known), len(known) * (24 * words + 32) + num_edges * 8)
        frontier = np.concatenate(layer)
    if len(known) >= 1 << 31:
        raise LimitReached("memory")  # ids are 32 bits wide
    states = known.states()
    del known
    return _with_edges(problem, states, num_edges, watch)


def _with_edges(problem: Problem, states: States, num_edges: int, watch: Watch) -> StateSpace:
    """The graph of all reachable states and their `num_edges` edges."""
    index = StateIds(states)
    first = np.zeros(len(states) + 1, dtype=np.int64)
    target = np.empty(num_edges, dtype=np.int32)
    operator = np.empty(num_edges, dtype=np.int32)
    at = 0
    for begin in range(0, len(states), BATCH):
        batch = states[begin : begin + BATCH]
        successors, parents, operators = expand(problem, batch)
        if len(parents) and np.any(parents[1:] < parents[:-1]):
            order = np.argsort(parents, kind="stable")
            successors, parents, operators = successors[order], parents[order], operators[order]
        end = at + len(parents)
        target[at:end] = index.find(successors)
        operator[at:end] = operators
        first[begin + 1 : begin + 1 + len(batch)] = np.bincount(parents, minlength=len(batch))
        at = end
        watch(len(states), len(states) * (16 * problem.words + 32) + num_edges * 8)
    np.cumsum(first, out=first)
    is_goal = in_goal(states, problem)
    space = StateSpace(problem, states, first, target, operator, is_goal)
    space.__dict__["index"] = index  # this sets the cached property without computing it
    return space


def in_goal(states: States, problem: Problem) -> NDArray[np.bool_]:
    """Whether each state is in some cube of each list of the goal."""
    mask, value = problem.arrays.goal_mask, problem.arrays.goal_value
    number = np.asarray(problem.goal_list, dtype=np.int32)
    if not len(number):
        return in_cubes(states, mask, value)
    rest = np.arange(len(states))  # the states that are in a cube of every list so far
    for one in np.unique(number):
        if not len(rest):
            break
        rest = rest[in_cubes(states[rest], mask[number == one], value[number == one])]
    found = np.zeros(len(states), dtype=np.bool_)
    found[rest] = True
    return found


def in_cubes(states: States, mask: States, value: States) -> NDArray[np.bool_]:
    """Whether each state is in any of the cubes. Cubes that have the same mask are looked up together."""
    found = np.zeros(len(states), dtype=np.bool_)
    groups = [
        (shared, values, _set_of(values) if len(values) > 1 else None)
        for shared, values in _by_mask(mask, value)
    ]
    for begin in range(0, len(states), BATCH):
        batch, hits = states[begin : begin + BATCH], found[begin : begin + BATCH]
        for shared, values, wanted in groups:
            if wanted is not None:
                rest = np.flatnonzero(~hits)
                hits[rest] = wanted.contains(batch[rest] & shared)
                continue
            is_in = np.ones(len(batch), dtype=np.bool_)
            for word in np.flatnonzero(shared):
                is_in &= batch[:, word] & shared[word] == values[0, word]
            hits |= is_in
    return found


def _set_of(states: States) -> StateSet:
    found = StateSet(states.shape[1])
    found.insert(states)
    return found


def _by_mask(mask: States, value: States) -> Iterator[tuple[States, States]]:
    groups: dict[bytes, list[int]] = {}
    for row in range(len(mask)):
        groups.setdefault(mask[row].tobytes(), []).append(row)
    for rows in groups.values():
        yield mask[rows[0]], np.ascontiguousarray(value[rows])
