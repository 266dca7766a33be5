"""Computes the minima, counts and goal distances of a small puzzle with the reference interpreter."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property

from msgspec import Struct

from fewest.model.metric import Metric
from fewest.model.position import Position, start
from fewest.model.puzzle import Puzzle
from fewest.playing.move import Move
from fewest.playing.price import MergedRun, price
from fewest.playing.rules import is_goal, legal_moves

MOST = 400  # positions of a puzzle

Parts = tuple[int, ...]
Node = tuple[Position, tuple[MergedRun | None, ...]]


class Truth(Struct, frozen=True, dict=True):
    """The correct results in a metric.

    `layers` counts the positions by their distance from the start. `goal_distances` counts the positions that are not
    dead by their goal distance; this list is computed by a search from every position when a call first needs it.
    """

    minimum: Parts | None
    num_states: int
    num_goals: int
    layers: Mapping[Parts, int]
    measure: Callable[[], Mapping[Parts, int]]

    @cached_property
    def goal_distances(self) -> Mapping[Parts, int]:
        return self.measure()

    @property
    def num_dead(self) -> int:
        return self.num_states - sum(self.goal_distances.values())


class Reference:
    """The moves of a puzzle; the interpreter plays each of them only once."""

    def __init__(self, puzzle: Puzzle) -> None:
        self.puzzle = puzzle
        self.moves: dict[Position, list[Move]] = {}
        self._truths: dict[str, Truth] = {}

    def truth(self, metric: Metric) -> Truth:
        known = self._truths.get(metric.name)
        if known is None:
            known = self._truths[metric.name] = self._found(metric)
        return known

    def _found(self, metric: Metric) -> Truth:
        edges: dict[Node, list[tuple[Parts, Node]]] = {}
        costs = self._costs(start(self.puzzle), metric, edges)
        goals = {position for position in costs if is_goal(position)} if self.puzzle.goal else set()

        def measure() -> Mapping[Parts, int]:
            distances = [
                min((cost for place, cost in reached.items() if place in goals), default=None)
                for reached in (
                    self._costs(position, metric, edges) for position in (costs if goals else ())
                )
            ]
            return _counted(cost for cost in distances if cost is not None)

        return Truth(
            min((costs[goal] for goal in goals), default=None),
            len(costs),
            len(goals),
            _counted(costs.values()),
            measure,
        )

    def _costs(
        self, first: Position, metric: Metric, edges: dict[Node, list[tuple[Parts, Node]]]
    ) -> dict[Position, Parts]:
        """The least cost of every reachable position, by the algorithm of Dijkstra (1959)."""
        node: Node = (first, (None,) * len(metric.parts))
        best: dict[Node, Parts] = {node: (0,) * len(metric.parts)}
        settled: dict[Position, Parts] = {}
        queue = [(best[node], 0, node)]
        ticket = 0
        while queue:
            cost, _, node = heapq.heappop(queue)
            if best[node] != cost:
                continue
            settled.setdefault(node[0], cost)
            assert len(settled) <= MOST, f"{self.puzzle.name} is no small puzzle"
            if node not in edges:
                edges[node] = list(self._edges(node, metric))
            for paid, after in edges[node]:
                total = tuple(c + p for c, p in zip(cost, paid, strict=True))
                if after not in best or total < best[after]:
                    best[after] = total
                    ticket += 1
                    heapq.heappush(queue, (total, ticket, after))
        return settled

    def _edges(self, node: Node, metric: Metric) -> Iterable[tuple[Parts, Node]]:
        position, runs = node
        if position not in self.moves:
            self.moves[position] = list(legal_moves(position))
        for move in self.moves[position]:
            paid = [price(part, run, move) for part, run in zip(metric.parts, runs, strict=True)]
            yield tuple(p for p, _ in paid), (move.target, tuple(run for _, run in paid))


def _counted(costs: Iterable[Parts]) -> dict[Parts, int]:
    return dict(sorted(Counter(costs).items()))
