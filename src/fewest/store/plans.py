"""The number of cheapest plans, from the layers around the goals in a store.

A plan is identified by its positions (`space.plans`). If every operator is a move of its own and all cost the same,
the positions of cheapest plans are those that the start reaches by moves into layers that are each one nearer to the
goal. They are held in memory, numbered; the layers only answer whether they contain a state.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from fewest.search.batches import expand

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fewest.store.workers import Workers, WorkOrder

_CHUNK = 1 << 13  # states expanded at a time
_BYTES = 400  # of a position beside its words, while it is counted


def count_plans(
    work: WorkOrder, crew: Workers, distance: int, look: Callable[[], None]
) -> int | None:
    """How many there are from the initial state, which is so many moves from the goal; None where that is not counted:
    by symmetry, where moves merge or are free, where positions of cheapest plans are too many for the memory.

    `crew` has the layers of distances to the goal. Raises what `look` raises, OSError, DamageError.
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
            nearer, source = _nearer(work, crew, layer, states[begin : begin + _CHUNK])
            found.append(nearer)
            sources.append(source + begin)
            held += len(nearer)
            if (held + len(states)) * (16 * words + _BYTES) > work.memory:
                return None
        states, place = np.unique(np.concatenate(found), axis=0, return_inverse=True)
        sums: NDArray[np.object_] = np.zeros(len(states), dtype=object)
        np.add.at(sums, place.reshape(-1), counts[np.concatenate(sources)])
        counts = sums
    return int(counts.sum())


def _nearer(
    work: WorkOrder, crew: Workers, layer: int, states: NDArray[np.uint64]
) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Successors in a layer, and of which row each is, each pair once."""
    after, parents, _ = expand(work.problem, states)
    is_there = crew.among(layer, after)
    pairs = np.column_stack([after[is_there], parents[is_there].astype(np.uint64)])
    pairs = np.unique(pairs, axis=0)
    return np.ascontiguousarray(pairs[:, :-1]), pairs[:, -1].astype(np.int64)
