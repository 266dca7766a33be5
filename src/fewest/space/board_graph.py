"""All boards as one graph, which consists of their positions and the moves between them; and the cost from each
position to a goal position.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from fewest.errors import UsageError
from fewest.model.problem import Problem
from fewest.search.batches import Components, StateSet, find_successors, measure_graph
from fewest.space.state_graph import BATCH, Ids, States, Watch, never_stop

DEAD = -1
MOST = np.iinfo(np.int16).max - 1
"""The largest distance that `measure_graph` can find."""


class BoardGraph(Struct, frozen=True, eq=False, dict=True):
    """Positions and the moves between them; the moves of position i are `first[i]:first[i + 1]`.

    `component: int32[n]` contains the component of each position, represented by the smallest number of a position in
    the component. No move, forward or backward, leads out of a component.
    """

    states: States
    index: StateSet
    first: Ids
    target: NDArray[np.int32]
    operator: NDArray[np.int32]
    component: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.states)

    @cached_property
    def backward(self) -> tuple[Ids, NDArray[np.int32], NDArray[np.int32]]:
        """The moves in the order of the positions where they end: `first`, and for each move the position where it
        begins, and its operator.
        """
        source = np.repeat(np.arange(len(self), dtype=np.int32), np.diff(self.first))
        order = np.argsort(self.target, kind="stable")
        first = np.zeros(len(self) + 1, dtype=np.int64)
        np.cumsum(np.bincount(self.target, minlength=len(self)), out=first[1:])
        return first, source[order], self.operator[order]


def board_graph(problem: Problem, states: States, watch: Watch = never_stop) -> BoardGraph:
    """The graph of these positions. Raises ValueError if a move leads to any other position; raises the exceptions of
    `watch`.
    """
    index = StateSet(problem.words)
    index.insert(states)
    components = Components(len(states))
    first = np.zeros(len(states) + 1, dtype=np.int64)
    targets, operators = _Column(), _Column()
    size = states.nbytes * 2
    for begin in range(0, len(states), BATCH):
        batch = states[begin : begin + BATCH]
        target, counts, numbers = find_successors(problem, index, batch)
        if len(target) and target.min() < 0:
            raise ValueError("a move leads to a position that is none of these")
        sources = np.arange(begin, begin + len(batch), dtype=np.int32)
        components.link(np.repeat(sources, counts), target)
        first[begin + 1 : begin + 1 + len(batch)] = counts
        targets.append(target)
        operators.append(numbers)
        watch(begin, size + targets.length * 8)
    np.cumsum(first, out=first)
    return BoardGraph(states, index, first, targets.whole(), operators.whole(), components.labels())


class _Column:
    """An array `int32[n]` to which numbers are appended in batches. The array grows in place, so it needs fewer new
    memory pages than a list of batches.
    """

    def __init__(self) -> None:
        self.length = 0
        self.numbers = np.empty(1 << 16, dtype=np.int32)

    def append(self, more: NDArray[np.int32]) -> None:
        end = self.length + len(more)
        if end > len(self.numbers):
            self.numbers.resize(end + end // 4, refcheck=False)
        self.numbers[self.length : end] = more
        self.length = end

    def whole(self) -> NDArray[np.int32]:
        """All numbers; after this call, no number can be appended."""
        self.numbers.resize(self.length, refcheck=False)
        return self.numbers


def distances_to(
    graph: BoardGraph,
    is_goal: NDArray[np.bool_],
    costs: Sequence[int],
    *,
    is_reversible: bool,
    watch: Watch = never_stop,
) -> NDArray[np.int16]:
    """The cost from each position to a goal position, int16[n]. The cost is DEAD if there is no path.

    For each operator, `costs` contains 0 or 1; -1 for an operator that is not part of the metric. Raises UsageError if
    a distance exceeds MOST.
    """
    forward = graph.first, graph.target, graph.operator
    first, target, operator = forward if is_reversible else graph.backward
    try:
        found = measure_graph(first, target, operator, np.asarray(costs, dtype=np.int8), is_goal)
    except OverflowError:
        raise UsageError(
            f"a search of boards supports minima of up to {MOST:,}, and a board needs more",
            hint="search smaller boards, or boards with fewer pieces",
        ) from None
    watch(len(graph), 0)
    return found
