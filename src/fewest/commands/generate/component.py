"""One board of a spec: its positions, and measures such as its minimum, its detours and its dead positions.

If no move creates or removes pieces, a board is closed under moves in both directions. Its hardest position can
therefore be its start. Otherwise, a board is a start together with the positions that can be reached from it; these
positions may contain different pieces.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct

from fewest.analysis.regression import reverse
from fewest.model.problem import Problem, sets_in
from fewest.search.batches import StateSet, expand
from fewest.space.board_graph import DEAD, BoardGraph, board_graph, distances_to
from fewest.space.merged_operators import MergedOperators, merged_operators
from fewest.space.state_graph import in_goal

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fewest.commands.generate.universe import Universe
    from fewest.model.metric import Metric
    from fewest.space.state_graph import States


class MeasuredBoard(Struct, frozen=True, eq=False):
    """The positions of a board, its hardest positions, and the measures that need no further search.

    `hardest` contains the hardest positions, or the first few of them, as sets of facts in increasing order; if moves
    create or remove pieces, it contains only the start. It is empty if these positions cannot be solved. `detours`
    computes the number of detours from one of the hardest positions, because this number differs between them.
    """

    states: States
    hardest: tuple[int, ...]
    measures: Mapping[str, Fraction]
    detours: Callable[[int], int]


class BoardExplorer:
    """Explores boards in one metric; several threads may use one explorer.

    `most` limits the number of positions of a board, and `starts` limits the number of hardest positions in a result;
    None means no limit.
    """

    def __init__(
        self, universe: Universe, metric: Metric, most: int | None, starts: int | None
    ) -> None:
        self.universe = universe
        self.metric = metric
        self.most = most
        self.starts = starts
        task = universe.task
        self.merged: MergedOperators = merged_operators(task, [metric])
        self._moves: list[Problem] = [task.problem]
        if universe.is_conserving and not self.merged.is_reversible:
            self._moves.append(reverse(task, ()).problem)
        self._costs = self.merged.in_metric[metric.name]
        costs = np.array(self._costs)
        moved = self.merged.problem.arrays.flip[costs == 0]
        free_flips = np.bitwise_or.reduce(moved, axis=0, initial=np.uint64(0))
        self._moved_freely = {
            placed.class_id
            for placed in universe.facts
            if int(free_flips[placed.fact // 64]) >> placed.fact % 64 & 1
        }

    def positions(self, state: int) -> States | None:
        """All positions of the board that contains the position `state`, with `state` first; None if there are more
        than `most` positions.
        """
        words = self.universe.task.words
        frontier = self.as_row(state)
        known = StateSet(words)
        known.insert(frontier)
        while len(frontier):
            reached = np.concatenate([expand(moves, frontier)[0] for moves in self._moves])
            frontier = np.ascontiguousarray(reached[known.insert(reached)])
            if self.most is not None and len(known) > self.most:
                return None
        return known.states()

    def as_row(self, state: int) -> States:
        """A set of facts as an array with a single state."""
        words = self.universe.task.words
        data = state.to_bytes(8 * words, "little")
        return np.frombuffer(data, dtype="<u8").astype(np.uint64).reshape(1, words)

    def measured(self, states: States) -> MeasuredBoard:
        """Measure a board; `states` contains all its positions, and the start must be the first of them if moves create
        or remove pieces.
        """
        graph = board_graph(self.merged.problem, states)
        distances = distances_to(
            graph,
            in_goal(states, self.merged.problem),
            self._costs,
            is_reversible=self.merged.is_reversible,
        )
        minimum = int(distances.max() if self.universe.is_conserving else distances[0])
        (pieces,) = (bin(number).count("1") for number in sets_in(states[:1], states.shape[1]))
        is_move = np.asarray(self._costs, dtype=np.int8) >= 0
        measures = {
            "minimum": Fraction(max(minimum, 0)),
            "dead_positions": Fraction(int((distances == DEAD).sum())),
            "branching": Fraction(int(is_move[graph.operator].sum()), len(states)),
            "pieces": Fraction(pieces),
            "positions": Fraction(len(states)),
        }
        if minimum == DEAD:
            return MeasuredBoard(states, (), measures, lambda _: 0)
        places = np.flatnonzero(distances == minimum)
        if not self.universe.is_conserving:
            places = places[:1]  # the start only
        order = np.lexsort(tuple(states[places].T))
        chosen = places[order[: self.starts]]
        hardest = tuple(sets_in(states[chosen], states.shape[1]))
        place_of = dict(zip(hardest, chosen.tolist(), strict=True))
        return MeasuredBoard(
            states,
            hardest,
            measures,
            lambda state: self._detours(graph, distances, place_of[state]),
        )

    def _detours(self, graph: BoardGraph, distances: NDArray[np.int16], at: int) -> int:
        """In one optimal plan from position `at`, the number of moves that take a piece to a place that a piece of the
        same class has left. Pieces of classes that free moves can move are not counted.
        """
        facts = self.universe.facts
        count, left = 0, 0
        words = graph.states.shape[1]
        while distances[at] > 0:
            before, at = self._next_move(graph, distances, at)
            old, new = sets_in(np.ascontiguousarray(graph.states[[before, at]]), words)
            arrived, left = new & ~old, left | old & ~new
            count += any(
                arrived & left & 1 << placed.fact and placed.class_id not in self._moved_freely
                for placed in facts
            )
        return count

    def _next_move(
        self, graph: BoardGraph, distances: NDArray[np.int16], at: int
    ) -> tuple[int, int]:
        """The positions before and after the next counted move of an optimal plan; free moves may precede it."""
        waiting, seen = [at], {at}
        for place in waiting:
            for edge in range(int(graph.first[place]), int(graph.first[place + 1])):
                target, cost = int(graph.target[edge]), self._costs[graph.operator[edge]]
                if cost == 1 and distances[target] == distances[at] - 1:
                    return place, target
                if cost == 0 and distances[target] == distances[at] and target not in seen:
                    seen.add(target)
                    waiting.append(target)
        raise AssertionError("a position at this distance has a move that leads closer")
