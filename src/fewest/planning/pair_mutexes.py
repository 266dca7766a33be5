"""Pairs of facts that are not true together in any reachable state, or not before a certain layer of a plan.

A projection onto two groups of pieces has few reachable states, yet it excludes more than a projection onto one group.
For instance, in sliding-block puzzles, it excludes many pairs of places of two large pieces, even if the places do not
overlap. If no reachable state of a projection has both facts, no reachable state of the task has both. If the first
state of the projection that has both facts takes t moves, no layer before layer t has both. The pairs therefore hold
for every horizon. The pairs are sound in every single-part metric, because a layer is a unit of cost.

The idea of mutual exclusion by layers comes from planning graphs (Blum and Furst, Fast planning through planning graph
analysis, 1997). Planning graphs derive a pair of facts from other pairs of facts. Here, each pair is derived from the
states of a projection; this excludes more pairs.
"""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from fewest.analysis.invariants import num_empty_cells
from fewest.model.task import Group
from fewest.planning.projections import Projection, TooManyStatesError, facts_of_groups, is_permuted
from fewest.planning.task import PlanningTask

MAX_STATES = 40_000
"""the limit on the number of states of one projection"""

MAX_WORK = 60_000_000
"""the limit on the number of states times the number of moves, summed over all projections"""

OVERHEAD = 200
"""the work of preparing a projection, expressed as a number of states"""

MAX_FAILURES = 2
"""after this number of projections with more than MAX_STATES states, the remaining projections are omitted, because
they are probably larger
"""

NEVER = 1 << 30
"""the value of `first` for two facts that are never true together"""


class PairMutex(Struct, frozen=True, order=True):
    """No layer before layer `first` has both elements. If the two elements are equal, no layer before `first` has this
    element.

    An element is the number of a fact. The elements after the facts represent cells that are empty: number `len(facts)
    + cell`.
    """

    one: int
    other: int
    first: int


def pair_mutexes(planning: PlanningTask) -> list[PairMutex]:
    """The pairs that small projections exclude (see `_projections`), in ascending order.

    The list is empty if moves have consequences. Computing the list takes at most a few seconds.
    """
    first: dict[tuple[int, int], int] = {}
    for projection in _projections(planning):
        elements = [*projection.facts, *(len(planning.facts) + cell for cell in projection.cells)]
        together = first_layers_together(projection)
        alone = together.diagonal()
        # Before layer `alone`, the clauses for this element alone are sufficient, so a pair must exclude more layers.
        least = np.maximum.outer(alone, alone)
        np.fill_diagonal(least, 0)
        for i, j in np.argwhere(np.triu(together > least)).tolist():
            key = (elements[i], elements[j])
            first[key] = max(first.get(key, 0), int(together[i, j]))
    return sorted(PairMutex(*pair, layer) for pair, layer in first.items())


def first_layers_together(projection: Projection) -> NDArray[np.int64]:
    """For each pair of bits of a projection, the first layer in which some state has both, or NEVER; int64[bits,
    bits].
    """
    layers = projection.first_layers()
    bits = projection.bits().astype(np.float32)
    out = np.full((len(bits), len(bits)), NEVER, np.int64)
    for layer in range(int(layers.max(initial=-1)), -1, -1):
        new = bits[:, layers == layer]
        out[new @ new.T > 0] = layer
    return out


def _projections(planning: PlanningTask) -> list[Projection]:
    """Projections within the limits, each onto the empty cells and two groups. If there are two or three groups, each
    projection has one of them; if there are fewer, it has none. The projections with the smallest estimated sizes come
    first.

    There are no projections if moves have consequences, if the number of empty cells is not fixed, if no cell is empty,
    if permutations do not map cells to cells, or if the empty cells alone have more than MAX_STATES states.
    """
    num_empty = num_empty_cells(planning.exactly, planning.at_most_one)
    if planning.rounds or not num_empty:
        return []
    if comb(len(planning.at_most_one), num_empty) > MAX_STATES:
        return []
    groups = [
        group for group in planning.exactly if is_permuted(planning, [facts_of_groups([group])])
    ]
    cells = [Group(cell, 1) for cell in planning.at_most_one]
    if not is_permuted(planning, [facts_of_groups([cell]) for cell in cells]):
        return []
    # A projection onto most groups could be as large as the task itself, and SAT would then only repeat a
    # breadth-first search.
    chosen = combinations(groups, min(2, len(planning.exactly) // 2))
    num_moves = max(len(planning.moves) + len(planning.free), 1)
    left = MAX_WORK // num_moves
    failures = 0
    out: list[Projection] = []
    for each in sorted(chosen, key=_estimate):
        left -= OVERHEAD
        if left <= 0 or failures == MAX_FAILURES:
            break
        limit = min(MAX_STATES, left)
        try:
            out.append(Projection(planning, facts_of_groups(each), with_cells=True, limit=limit))
            left -= len(out[-1].rows)
        except TooManyStatesError:
            failures += 1
            left -= limit
    return out


def _estimate(groups: tuple[Group, ...]) -> int:
    out = 1
    for group in groups:
        out *= comb(len(group.facts), group.count)
    return out
