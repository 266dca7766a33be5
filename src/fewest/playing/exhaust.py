"""Enumerates all reachable positions with the reference interpreter, which gives the reference answers for small
puzzles.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping

from msgspec import Struct

from fewest.model.metric import Metric
from fewest.model.position import Position, start
from fewest.model.puzzle import Puzzle
from fewest.playing.move import Move
from fewest.playing.price import MergedRun, price
from fewest.playing.rules import is_goal, legal_moves


class Exhausted(Struct, frozen=True):
    """The result of the reference search: the lowest cost at which each position was reached, the minimum (None if no
    goal position is reachable), and the number of reachable goal positions.
    """

    costs: Mapping[Position, tuple[int, ...]]
    minimum: tuple[int, ...] | None
    num_goal_states: int


class TooManyPositionsError(Exception):
    """Raised if the reference search reaches more positions than the limit allows."""


def exhaust(
    puzzle: Puzzle,
    metric: Metric,
    limit: int = 100_000,
    moves: dict[Position, list[Move]] | None = None,
) -> Exhausted:
    """The lowest cost of reaching each reachable position, by Dijkstra's algorithm (1959). Raises TooManyPositionsError
    if there are more than `limit` positions.

    `moves` caches the legal moves of every position for the next search of the same puzzle.
    """
    first = start(puzzle)
    runs: tuple[MergedRun | None, ...] = (None,) * len(metric.parts)
    zero = (0,) * len(metric.parts)
    best: dict[tuple[Position, tuple[MergedRun | None, ...]], tuple[int, ...]] = {
        (first, runs): zero
    }
    settled: dict[Position, tuple[int, ...]] = {}
    queue: list[tuple[tuple[int, ...], int, Position, tuple[MergedRun | None, ...]]] = [
        (zero, 0, first, runs)
    ]
    moves = {} if moves is None else moves
    ticket = 0
    while queue:
        cost, _, position, runs = heapq.heappop(queue)
        if best[position, runs] != cost:
            continue
        settled.setdefault(position, cost)
        if len(settled) > limit:
            raise TooManyPositionsError
        if position not in moves:
            moves[position] = list(legal_moves(position))
        for move in moves[position]:
            paid = [price(part, run, move) for part, run in zip(metric.parts, runs, strict=True)]
            total = tuple(c + p for c, (p, _) in zip(cost, paid, strict=True))
            node = (move.target, tuple(run for _, run in paid))
            if node not in best or total < best[node]:
                best[node] = total
                ticket += 1
                heapq.heappush(queue, (total, ticket, *node))
    goals = [cost for position, cost in settled.items() if is_goal(position)]
    return Exhausted(settled, min(goals, default=None), len(goals))
