"""Computes distances and plans with the reference interpreter alone, from every position without a merged move in
progress."""

from __future__ import annotations

import heapq
from collections.abc import Iterator

from hypothesis import assume

from fewest.model.metric import Metric
from fewest.model.position import Position
from fewest.playing.move import Move
from fewest.playing.price import MergedRun, price
from fewest.playing.rules import is_goal, legal_moves

LIMIT = 150  # positions
Runs = tuple[MergedRun | None, ...]
Node = tuple[Position, Runs]
Cost = tuple[int, ...]


def add(a: Cost, b: Cost) -> Cost:
    return tuple(x + y for x, y in zip(a, b, strict=True))


class BruteForce:
    """All nodes (a position with its merged moves) that the given positions lead to, and their distances to the
    goal."""

    def __init__(self, positions: list[Position], metric: Metric) -> None:
        self.metric = metric
        self.fresh: Runs = (None,) * len(metric.parts)
        self.moves: dict[Position, list[Move]] = {p: list(legal_moves(p)) for p in positions}
        self.after: dict[Node, list[tuple[Cost, bool, Node]]] = {}
        waiting: list[Node] = [(position, self.fresh) for position in positions]
        while waiting:
            node = waiting.pop()
            if node in self.after:
                continue
            self.after[node] = list(self.steps(node))
            waiting += [reached for _, _, reached in self.after[node]]
        self.distance = self.backward()

    def steps(self, node: Node) -> Iterator[tuple[Cost, bool, Node]]:
        for move in self.moves[node[0]]:
            paid = [price(p, r, move) for p, r in zip(self.metric.parts, node[1], strict=True)]
            is_free = not any(part.weight(move.rule, move.binding) for part in self.metric.parts)
            yield tuple(c for c, _ in paid), is_free, (move.target, tuple(r for _, r in paid))

    def backward(self) -> dict[Node, Cost]:
        before: dict[Node, list[tuple[Cost, Node]]] = {}
        for node, steps in self.after.items():
            for cost, _, reached in steps:
                before.setdefault(reached, []).append((cost, node))
        zero = (0,) * len(self.metric.parts)
        queue = [(zero, number, node) for number, node in enumerate(self.after) if is_goal(node[0])]
        done: dict[Node, Cost] = {}
        ticket = len(self.after)
        while queue:
            cost, _, node = heapq.heappop(queue)
            if node in done:
                continue
            done[node] = cost
            for step, source in before.get(node, []):
                ticket += 1
                heapq.heappush(queue, (add(cost, step), ticket, source))
        return done

    def plans(self, first: Position) -> set[tuple[Position, ...]]:
        """The positions after each counted move of every optimal plan, found by a search of all sequences."""
        return set(self.plans_within(first, self.distance[first, self.fresh]))

    def plans_within(
        self, first: Position, most: Cost, budget: int = 20_000
    ) -> dict[tuple[Position, ...], Cost]:
        """For every plan that costs at most `most`, the positions after each counted move, and the least cost of all
        sequences of moves with these positions."""
        found: dict[tuple[Position, ...], Cost] = {}
        zero = (0,) * len(most)
        # node, cost, ends of counted moves, end of the current move, nodes seen since its beginning
        stack: list[tuple[Node, Cost, tuple[Position, ...], Position | None, frozenset[object]]] = [
            ((first, self.fresh), zero, (), None, frozenset())
        ]
        while stack:
            budget -= 1
            assume(budget > 0)
            node, cost, ends, pending, seen = stack.pop()
            if is_goal(node[0]):
                plan = ends if pending is None else (*ends, pending)
                found[plan] = min(cost, found.get(plan, cost))
                continue
            for step, is_free, reached in self.after[node]:
                total = add(cost, step)
                rest = self.distance.get(reached)
                if rest is None or add(total, rest) > most:
                    continue
                if step != zero:
                    done = ends if pending is None else (*ends, pending)
                    stack.append((reached, total, done, reached[0], frozenset()))
                    continue
                now = pending if is_free else reached[0]
                mark = (reached, now)
                if mark not in seen:
                    stack.append((reached, total, ends, now, seen | {mark}))
        return found
