"""The graph of all optimal plans: the positions that they visit and the moves between these positions.

A plan is divided into *moves* of the metric. If all operators cost the same and do not merge, a move is one operator.
Otherwise, a move is a whole macro operator: free operators that prepare the move, the operator with a cost, and all
operators that continue the run of this operator. Every path from the first node to an end is an optimal plan.

A move is identified by its changes: the facts that it flips, and the values of these facts before the move. A move
*reads* all facts on which the operators of its shortest paths depend, in any optimal plan. Two moves are *independent*
if neither changes a fact that the other reads. Independence does not depend on the position. Consecutive independent
moves can therefore be exchanged in every plan, and the result is still an optimal plan, for these reasons:

- A move that may enter a forbidden cube reads all facts of the cube. Therefore, an exchange never makes a plan enter a
  forbidden cube.
- If an operator within a move changes a fact of the goal, the move reads the facts that determine whether the operator
  leads to a goal state. Therefore, an exchange never makes a plan reach a goal state within a move.
- An exchange cannot make a plan cheaper, because the plan is optimal. It cannot make a plan more expensive either,
  because the cost of a move does not depend on the move before it.

If moves have consequences (`Task.consequences`), every move reads every fact.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from fewest.model.metric import Parts
from fewest.model.problem import sets_in, words_of
from fewest.model.task import PermutationOperator, union
from fewest.search.batches import StateSet

if TYPE_CHECKING:
    from fewest.model.task import Task
    from fewest.space.state_graph import Ids, States

Change = tuple[int, int]  # the facts that flip, and those of them that are true before


class PlanMove(Struct, frozen=True):
    """A move of the metric, in any position. `changes` contains one change for each counted move (`space.plans`) within
    the move; the other fields are the facts that the move reads and the facts that it writes.
    """

    changes: tuple[Change, ...]
    reads: int
    writes: int

    def is_independent_of(self, other: PlanMove) -> bool:
        """Whether neither move changes a fact that the other reads."""
        return not (self.writes & other.reads or other.writes & self.reads)


class PlanEdge(Struct, frozen=True, gc=False):
    """A move from one node to another, and its operators at that node."""

    move: int
    target: int
    operators: tuple[int, ...]


class PlanGraph(Struct, frozen=True, eq=False, dict=True):
    """All optimal plans, or (from `layered_plans.plans_within`) all plans up to a given number of moves. Node 0 is the
    initial state. Each edge leads to a node with a higher number.

    `edges[node]` is sorted by move. `is_end[node]`: whether a plan ends at the node.
    """

    states: tuple[int, ...]
    edges: tuple[tuple[PlanEdge, ...], ...]
    is_end: tuple[bool, ...]
    moves: tuple[PlanMove, ...]
    left: tuple[Parts, ...]
    """the cost from each node to the goal; from `plans_within`, the negated cost up to each node"""

    def __len__(self) -> int:
        return len(self.states)

    @property
    def num_words(self) -> int:
        """The number of paths from the first node to an end."""
        return self.num_words_from[0]

    @cached_property
    def num_words_from(self) -> list[int]:
        """The number of paths from each node to an end."""
        paths = [0] * len(self)
        for node in range(len(self) - 1, -1, -1):
            number = int(self.is_end[node])
            for edge in self.edges[node]:
                number += paths[edge.target]
            paths[node] = number
        return paths

    @cached_property
    def left_at(self) -> dict[int, Parts]:
        """The cost to the goal, for the state of each node."""
        return dict(zip(self.states, self.left, strict=True))

    @cached_property
    def arrays(self) -> PlanEdges:
        """The edges as arrays."""
        sizes = np.fromiter(map(len, self.edges), dtype=np.int64, count=len(self))
        first = np.concatenate([[0], np.cumsum(sizes)])
        every = [edge for edges in self.edges for edge in edges]
        move = np.fromiter((edge.move for edge in every), dtype=np.int64, count=len(every))
        target = np.fromiter((edge.target for edge in every), dtype=np.int64, count=len(every))
        return PlanEdges(first, np.repeat(np.arange(len(self)), sizes), move, target)


class PlanEdges(Struct, frozen=True, eq=False):
    """The m edges of a graph, sorted by node and move; the edges of node i are `first[i]:first[i + 1]`."""

    first: Ids
    """int64[nodes + 1]"""
    source: Ids
    """int64[m], as are the next two"""
    move: Ids
    target: Ids


def assembled(
    states: States,
    source: Ids,
    target: Ids,
    reads: States,
    operators: Sequence[tuple[int, ...]],
    left: Sequence[Parts],
) -> PlanGraph:
    """The graph of the given nodes and m edges. Each move is a single counted move, and is identified by its change.

    `states: uint64[n, W]`; `source`, `target`: int64[m], in which an edge may occur several times; `reads: uint64[m,
    W]`, the facts that each edge reads; `left`: the cost from each of the n nodes to the goal.
    """
    words = states.shape[1]
    flip = states[source] ^ states[target]
    changes = np.hstack([flip, flip & states[source]])
    known = StateSet(2 * words)
    known.insert(changes)
    move = known.find(changes)
    halves = np.hsplit(known.states(), 2)
    flips, values = (sets_in(np.ascontiguousarray(half), words) for half in halves)
    all_reads = sets_in(unions(reads, move, len(known)), words)
    moves = tuple(
        PlanMove(((facts, value),), read, facts)
        for facts, value, read in zip(flips, values, all_reads, strict=True)
    )
    _, chosen = np.unique(source * max(1, len(known)) + move, return_index=True)
    every = [
        PlanEdge(number, to, operators[place])
        for number, to, place in zip(
            move[chosen].tolist(), target[chosen].tolist(), chosen.tolist(), strict=True
        )
    ]
    ends = np.searchsorted(source[chosen], np.arange(len(states) + 1)).tolist()
    return PlanGraph(
        tuple(sets_in(states, words)),
        tuple(tuple(every[begin:end]) for begin, end in pairwise(ends)),
        tuple(not any(rest) for rest in left),
        moves,
        tuple(left),
    )


def unions(rows: States, group: Ids, number: int) -> States:
    """For each group from 0 to `number` - 1, the union of its rows; no group may be empty."""
    if not number:
        return rows[:0]
    order = np.argsort(group, kind="stable")
    begins = np.searchsorted(group[order], np.arange(number))
    return np.bitwise_or.reduceat(rows[order], begins, axis=0)


class Footprints:
    """The facts that the operators of a task read, including those of forbidden cubes and of the goal."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.every = (1 << len(task.facts)) - 1
        # A plan may start inside a forbidden cube, but may never enter one. Therefore, moves depend on whether the plan
        # has left such a cube.
        self.of_start = union(mask for mask, value in task.forbid if task.initial & mask == value)
        self._reads: dict[int, int] = {}
        self._goals: dict[int, int] = {}

    def reads(self, operator: int) -> int:
        """The facts that determine whether an operator applies, together with the facts that it changes."""
        found = self._reads.get(operator)
        if found is None:
            found = self._reads[operator] = self._computed(operator)
        return found

    def goal(self, operator: int) -> int:
        """If an operator changes a fact of the goal, the facts that determine whether the operator leads to a goal
        state; otherwise, the empty set.
        """
        found = self._goals.get(operator)
        if found is None:
            lists = self.task.goal_lists
            cubes = [cube for some in lists for cube in some]
            found = self._touched(operator, cubes)
            if found and len(lists) > 1:
                found = union(mask for mask, _ in cubes)
            self._goals[operator] = found
        return found

    def reads_of(self, operators: NDArray[np.int32]) -> States:
        """The facts that each of these operators reads: uint64[len(operators), W]."""
        used, place = np.unique(operators, return_inverse=True)
        return self._rows([self.reads(operator) for operator in used.tolist()])[place]

    def goals_of(self, operators: NDArray[np.int32]) -> States:
        """The result of `goal` for each of these operators: uint64[len(operators), W]."""
        used, place = np.unique(operators, return_inverse=True)
        return self._rows([self.goal(operator) for operator in used.tolist()])[place]

    def _rows(self, sets: list[int]) -> States:
        words = self.task.words
        return np.asarray(words_of(sets, words), dtype=np.uint64).reshape(-1, words)

    def _computed(self, operator: int) -> int:
        move = self.task.moves[operator]
        if self.task.consequences:
            return self.every
        own = moved_facts(move) if isinstance(move, PermutationOperator) else move.mask
        return own | self.of_start | self._touched(operator, self.task.forbid)

    def _touched(self, operator: int, cubes: Iterable[Change]) -> int:
        """The facts of those cubes into which the operator's changes may lead."""
        move = self.task.moves[operator]
        if self.task.consequences:
            return self.every
        if isinstance(move, PermutationOperator):
            moved = moved_facts(move)
            return union(mask for mask, _ in cubes if mask & moved)
        after = move.inverse_value
        return union(
            mask
            for mask, value in cubes
            if mask & move.flip and not mask & move.mask & (value ^ after)
        )


def moved_facts(permutation: PermutationOperator) -> int:
    return sum(1 << fact for fact, to in enumerate(permutation.image) if fact != to)


class MoveTable:
    """Numbers the moves, and records the facts that each move reads in any plan."""

    def __init__(self) -> None:
        self.ids: dict[tuple[Change, ...], int] = {}
        self.reads: list[int] = []

    def id(self, changes: tuple[Change, ...], reads: int) -> int:
        """The number of a move. The facts in `reads` are added to those that the move reads."""
        found = self.ids.setdefault(changes, len(self.reads))
        if found == len(self.reads):
            self.reads.append(reads)
        else:
            self.reads[found] |= reads
        return found

    def all(self) -> tuple[PlanMove, ...]:
        """All moves, in the order of their numbers."""
        return tuple(
            PlanMove(changes, reads, _net(changes))
            for changes, reads in zip(self.ids, self.reads, strict=True)
        )


def _net(changes: Iterable[Change]) -> int:
    flip = 0
    for facts, _ in changes:
        flip ^= facts
    return flip
