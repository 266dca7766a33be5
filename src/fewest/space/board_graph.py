"""All boards as one graph: which positions moves lead to from each, and how far each is from a goal."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from fewest.model.problem import Problem
from fewest.search.batches import Components, StateSet, expand
from fewest.space.distances import ranges
from fewest.space.state_graph import BATCH, Ids, States, Watch, never_stop

DEAD = -1


class BoardGraph(Struct, frozen=True, eq=False):
    """Positions and the moves between them; those of position i are `first[i]:first[i + 1]`.

    `component: int32[n]` names each component by its least position: moves, either way, lead between
    the positions of one component and never out of it.
    """

    states: States
    index: StateSet
    first: Ids
    target: NDArray[np.int32]
    operator: NDArray[np.int32]
    component: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.states)


def board_graph(problem: Problem, states: States, watch: Watch = never_stop) -> BoardGraph:
    """The graph of these positions. Raises ValueError if a move leads out of them, and what `watch` raises."""
    index = StateSet(problem.words)
    index.insert(states)
    components = Components(len(states))
    first = np.zeros(len(states) + 1, dtype=np.int64)
    targets: list[NDArray[np.int32]] = []
    operators: list[NDArray[np.int32]] = []
    size = states.nbytes * 2
    for begin in range(0, len(states), BATCH):
        batch = states[begin : begin + BATCH]
        successors, parents, numbers = expand(problem, batch)
        if len(parents) and np.any(parents[1:] < parents[:-1]):
            order = np.argsort(parents, kind="stable")
            successors, parents, numbers = successors[order], parents[order], numbers[order]
        places = index.find(successors)
        if len(places) and places.min() < 0:
            raise ValueError("a move leads to a position that is none of these")
        target = places.astype(np.int32)
        components.link((parents + begin).astype(np.int32), target)
        first[begin + 1 : begin + 1 + len(batch)] = np.bincount(parents, minlength=len(batch))
        targets.append(target)
        operators.append(numbers)
        size += target.nbytes * 2
        watch(begin, size)
    np.cumsum(first, out=first)
    none = np.zeros(0, dtype=np.int32)
    return BoardGraph(
        states,
        index,
        first,
        np.concatenate(targets) if targets else none,
        np.concatenate(operators) if operators else none,
        components.labels(),
    )


def distances_to(
    graph: BoardGraph,
    is_goal: NDArray[np.bool_],
    counts: Sequence[bool],
    *,
    is_reversible: bool,
    watch: Watch = never_stop,
) -> NDArray[np.int16]:
    """How many of the operators that count each position is from a goal, int16[n]; DEAD if there is no way."""
    used = np.asarray(counts, dtype=np.bool_)[graph.operator] if len(graph.operator) else None
    before: Ids
    if used is None or used.all():
        before, near = graph.first, graph.target
    else:
        sums = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(used)])
        before, near = sums[graph.first], graph.target[used]
    if not is_reversible:
        source = np.repeat(np.arange(len(graph), dtype=np.int32), before[1:] - before[:-1])
        first = np.zeros(len(graph) + 1, dtype=np.int64)
        np.cumsum(np.bincount(near, minlength=len(graph)), out=first[1:])
        near = source[np.argsort(near, kind="stable")]
        before = first
    found = np.full(len(graph), DEAD, dtype=np.int16)
    frontier = np.flatnonzero(is_goal)
    found[frontier] = 0
    distance = 0
    scratch = np.empty(len(graph), dtype=np.int32)
    while len(frontier):
        distance += 1
        reached = near[ranges(before, frontier)]
        reached = reached[found[reached] < 0]
        places = np.arange(len(reached), dtype=np.int32)
        scratch[reached] = places
        frontier = reached[scratch[reached] == places]  # each once
        found[frontier] = distance
        watch(len(graph), 0)
    return found
