"""Counts the optimal plans, from the layers around the goal states in a store.

A plan is identified by its positions (`space.plans`). Suppose that each operator is one move and that all moves cost
the same. Consider only the moves that lead to the next layer towards the goal. The positions of optimal plans are those
that can be reached from the start by such moves. The memory contains only these positions, with the number of plans to
each. The layers are needed only for looking up single states.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from fewest.machine.arrays import unique_rows
from fewest.search.batches import expand

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fewest.store.workers import Workers, WorkOrder

_CHUNK = 1 << 13  # the number of states per expansion
# the number of bytes that a position takes in addition to its words while plans are counted
_BYTES = 400


def count_plans(
    work: WorkOrder, workers: Workers, distance: int, look: Callable[[], None]
) -> int | None:
    """The number of optimal plans from the initial state, at this distance from the goal. The result is None if plans
    cannot be counted: the search used symmetry, moves merge or do not all cost the same, or the positions of optimal
    plans do not fit into memory.

    `workers` have the layers by distance to the goal. Raises the exceptions of `look`, OSError or DamageError.
    """
    from fewest.search.native import are_steps_equal

    if work.symmetry is not None or not are_steps_equal(work.cost):
        return None
    words = work.problem.words
    states = np.asarray(work.problem.initial, dtype=np.uint64).reshape(1, words)
    counts: NDArray[np.object_] = np.ones(1, dtype=object)
    for layer in reversed(range(distance)):
        found, sources, held = [], [], 0
        for begin in range(0, len(states), _CHUNK):
            look()
            nearer, source = _nearer(work, workers, layer, states[begin : begin + _CHUNK])
            found.append(nearer)
            sources.append(source + begin)
            held += len(nearer)
            if (held + len(states)) * (16 * words + _BYTES) > work.memory:
                return None
        states, place = unique_rows(np.concatenate(found))
        sums: NDArray[np.object_] = np.zeros(len(states), dtype=object)
        np.add.at(sums, place, counts[np.concatenate(sources)])
        counts = sums
    return int(counts.sum())


def _nearer(
    work: WorkOrder, workers: Workers, layer: int, states: NDArray[np.uint64]
) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """The successors that are in a layer, each with the row of its predecessor; each pair occurs once."""
    after, parents, _ = expand(work.problem, states)
    is_there = workers.among(layer, after)
    pairs = np.column_stack([after[is_there], parents[is_there].astype(np.uint64)])
    pairs, _ = unique_rows(pairs)
    return np.ascontiguousarray(pairs[:, :-1]), pairs[:, -1].astype(np.int64)
