"""The exact number of optimal plans in every metric, and of longer plans in every single-part metric.

A plan is identified by the positions after each of its counted moves. A *counted move* consists of free steps that
prepare it, one operator that has a cost, and operators that cost nothing because they continue the same merged move
(with free steps between them, if any). A counted move ends with the last of these operators. A plan ends at the first
goal state. Two plans are therefore different if and only if they have different sequences of positions. Two operators
that lead to the same position are one move. Likewise, two paths of one piece to the same place in one merged move are
one move, and so are all free walks that lead to the same push.
"""

from __future__ import annotations

from collections.abc import Iterable
from heapq import heappop, heappush
from typing import TYPE_CHECKING

import numpy as np

from fewest.model.costs import RunRule
from fewest.model.metric import Parts
from fewest.model.problem import sets_in
from fewest.space.distances import Distances, ranges
from fewest.space.state_graph import StateSpace, Watch, never_stop

if TYPE_CHECKING:
    from fewest.model.costs import CostTable

Node = tuple[int, Parts]  # a state and its tokens, which are shifted by one as in `TokenRules`


def count_plans(
    space: StateSpace, table: CostTable, distances: Distances, watch: Watch = never_stop
) -> int:
    """The number of optimal plans from the initial state; 0 if there is no plan.

    The time is proportional to the number of states on optimal plans. Raises the exceptions of `watch`.
    """
    if distances.cost(0) is None:
        return 0
    if distances.nodes.rules.num_tokens == 1 and table.arrays.weight.any(axis=0).all():
        return _count_steps(space, table, distances, watch)
    return _Counter(space, table, distances, watch).count()


def count_plans_within(
    space: StateSpace,
    table: CostTable,
    distances: Distances,
    most: int,
    watch: Watch = never_stop,
) -> dict[int, int]:
    """The number of plans of each cost up to `most`, for a metric with one part.

    The cost of a plan is the lowest cost of any operator sequence that visits the same positions. Plans may return to a
    position. Raises the exceptions of `watch`.
    """
    return _Counter(space, table, distances, watch).count_within(most)


def _count_steps(space: StateSpace, table: CostTable, distances: Distances, watch: Watch) -> int:
    """Counts the plans if every operator is a counted move, level by level, with arrays of Python integers."""
    levels = distances.of_states
    values = np.array(distances.costs, dtype=np.int64)
    counts = np.zeros(len(space), dtype=object)
    counts[0] = 1
    by_level: dict[int, list[np.ndarray]] = {int(levels[0]): [np.zeros(1, dtype=np.int64)]}
    for level in range(int(levels[0]), 0, -1):
        waiting = by_level.pop(level, None)
        if waiting is None:
            continue
        states = np.unique(np.concatenate(waiting))
        places = ranges(space.first, states)
        source = np.repeat(states, space.first[states + 1] - space.first[states])
        target = space.target[places].astype(np.int64)
        weight = table.arrays.weight[:, space.operator[places]].T
        is_best = (values[levels[target]] + weight == values[level]).all(axis=1)
        is_best &= levels[target] >= 0
        pairs = np.unique(source[is_best] * len(space) + target[is_best])
        source, target = pairs // len(space), pairs % len(space)
        np.add.at(counts, target, counts[source])
        for below in np.unique(levels[target]).tolist():
            by_level.setdefault(below, []).append(target[levels[target] == below])
        watch(len(space), 0)
    return int(sum(counts[space.is_goal]))


class _Counter:
    """Counts plans in the general case. For each sequence of positions, it computes the set of tokens that are possible
    after the sequence.

    Different operators may lead through the same positions but leave different tokens behind. A *belief* is a pair of a
    position and the set of all possible tokens. Each sequence of positions corresponds to exactly one path of beliefs.
    """

    def __init__(
        self, space: StateSpace, table: CostTable, distances: Distances, watch: Watch
    ) -> None:
        self.space, self.distances, self.watch = space, distances, watch
        self.rule = RunRule(table, sets_in(space.problem.flip, space.problem.words))
        self.zero = self.rule.zero
        self.known: dict[int, list[tuple[int, int]]] = {}

    def count(self) -> int:
        """The number of distinct sequences of positions."""
        start = self.distances.cost(0)
        assert start is not None
        Belief = tuple[int, frozenset[Parts]]  # noqa: N806
        first: Belief = (0, frozenset([self.zero]))
        counts: dict[Belief, int] = {first: 1}
        queue: list[tuple[Parts, int, Belief]] = [(_negative(start), 0, first)]
        total = ticket = 0
        while queue:
            left, _, belief = heappop(queue)
            left = _negative(left)
            number = counts.pop(belief)
            state, tokens = belief
            prepared = self._prepared((state, token) for token in tokens)
            if left == self.zero:
                total += number * any(self.space.is_goal[s] for s, _ in prepared)
            if self.space.is_goal[state]:
                continue
            for cost, ends in self._ends(prepared, left).items():
                by_state: dict[int, set[Parts]] = {}
                for target, token in ends:
                    by_state.setdefault(target, set()).add(token)
                for target, found in by_state.items():
                    reached = (target, frozenset(found))
                    if reached not in counts:
                        counts[reached] = 0
                        ticket += 1
                        heappush(queue, (_negative(cost), ticket, reached))
                    counts[reached] += number
            if ticket % 256 == 0:
                self.watch(len(self.space), 0)
        return total

    def count_within(self, most: int) -> dict[int, int]:
        """The number of distinct sequences of positions of each cost up to `most`.

        Here, a belief also has an additional cost for each token: the lowest cost of an operator sequence that leaves
        this token, minus the lowest cost of any operator sequence that visits the same positions.
        """
        Belief = tuple[int, frozenset[tuple[Parts, int]]]  # noqa: N806
        first: Belief = (0, frozenset([(self.zero, 0)]))
        counts: dict[tuple[int, Belief], int] = {(0, first): 1}
        queue: list[tuple[int, int, Belief]] = [(0, 0, first)]
        found: dict[int, int] = {}
        ticket = 0
        while queue:
            cost, _, belief = heappop(queue)
            number = counts.pop((cost, belief))
            state, tokens = belief
            prepared = [(more, self._prepared([(state, token)])) for token, more in tokens]
            if any(self.space.is_goal[s] for _, nodes in prepared for s, _ in nodes):
                found[cost] = found.get(cost, 0) + number
            if self.space.is_goal[state]:
                continue
            ends: dict[Node, int] = {}
            for more, nodes in prepared:
                self._ends_within(nodes, cost + more, most, ends)
            by_state: dict[int, list[tuple[Parts, int]]] = {}
            for (target, token), paid in ends.items():
                by_state.setdefault(target, []).append((token, paid))
            for target, reached in by_state.items():
                least = min(paid for _, paid in reached)
                after = least, (target, frozenset((token, paid - least) for token, paid in reached))
                if after not in counts:
                    counts[after] = 0
                    ticket += 1
                    heappush(queue, (least, ticket, after[1]))
                counts[after] += number
            if ticket % 256 == 0:
                self.watch(len(self.space), 0)
        return found

    def _ends_within(
        self, prepared: set[Node], before: int, most: int, ends: dict[Node, int]
    ) -> None:
        """Add the ends of counted moves to `ends`, each with the lowest cost of a plan up to this end.

        `before` is the cost of the plan before the move. An end is omitted if no plan that costs at most `most`
        continues from it.
        """
        passed: dict[Node, int] = {}

        def is_cheaper(node: Node, paid: int) -> bool:
            return paid < passed.get(node, most + 1) and self._is_open(node, paid, most)

        waiting: list[Node] = []
        for node in prepared:
            if self.space.is_goal[node[0]]:
                continue
            for (cost,), _, reached in self._steps(node):
                if cost and is_cheaper(reached, before + cost):
                    passed[reached] = before + cost
                    ends[reached] = min(ends.get(reached, most), before + cost)
                    waiting.append(reached)
        while waiting:  # continue the merged move
            node = waiting.pop()
            if self.space.is_goal[node[0]]:
                continue
            for (cost,), is_free, reached in self._steps(node):
                paid = passed[node]
                if cost:
                    continue
                if not is_free and self._is_open(reached, paid, most):
                    ends[reached] = min(ends.get(reached, most), paid)
                if is_cheaper(reached, paid):
                    passed[reached] = paid
                    waiting.append(reached)

    def _is_open(self, node: Node, paid: int, most: int) -> bool:
        """Whether some plan that costs at most `most` passes through this node at this cost."""
        rest = self.distances.cost(*node)
        return rest is not None and paid + rest[0] <= most

    def _prepared(self, nodes: Iterable[Node]) -> set[Node]:
        """These nodes, and all nodes that free operators reach from them. No plan continues after a goal state."""
        found = set(nodes)
        waiting = list(found)
        while waiting:
            node = waiting.pop()
            if self.space.is_goal[node[0]]:
                continue
            for cost, is_free, reached in self._steps(node):
                if is_free and cost == self.zero and reached not in found:
                    found.add(reached)
                    waiting.append(reached)
        return found

    def _ends(self, prepared: set[Node], left: Parts) -> dict[Parts, set[Node]]:
        """The ends of counted moves in optimal plans, by their remaining cost."""
        ends: dict[Parts, set[Node]] = {}
        for node in prepared:
            if self.space.is_goal[node[0]]:
                continue
            for cost, _, reached in self._steps(node):
                if cost == self.zero:
                    continue
                rest = tuple(a - b for a, b in zip(left, cost, strict=True))
                if self.distances.cost(*reached) == rest:
                    ends.setdefault(rest, set()).add(reached)
        for rest, found in ends.items():
            waiting = list(found)
            seen = set(found)
            while waiting:  # continue the merged move
                node = waiting.pop()
                if self.space.is_goal[node[0]]:
                    continue
                for cost, is_free, reached in self._steps(node):
                    if cost != self.zero or self.distances.cost(*reached) != rest:
                        continue
                    if not is_free:
                        found.add(reached)
                    if reached not in seen:
                        seen.add(reached)
                        waiting.append(reached)
        return ends

    def _steps(self, node: Node) -> list[tuple[Parts, bool, Node]]:
        """For every operator at a node: its cost, whether it is free, and the node that it reaches."""
        state, tokens = node
        if state not in self.known:
            begin, end = self.space.first[state], self.space.first[state + 1]
            operators = self.space.operator[begin:end].tolist()
            self.known[state] = list(
                zip(operators, self.space.target[begin:end].tolist(), strict=True)
            )
        out: list[tuple[Parts, bool, Node]] = []
        unshifted = tuple(token - 1 for token in tokens)
        for operator, target in self.known[state]:
            paid, after = self.rule.step(operator, unshifted)
            reached = (target, self.distances.nodes.rules.shifted(after))
            out.append((paid, self.rule.is_free(operator), reached))
        return out


def _negative(cost: Parts) -> Parts:
    return tuple(-part for part in cost)


def optimal_steps(
    space: StateSpace, table: CostTable, distances: Distances, watch: Watch = never_stop
) -> set[tuple[int, int]]:
    """The steps (from state, to state) of all optimal plans. The result is empty if the start is dead.

    The time is proportional to the number of states on optimal plans. Raises the exceptions of `watch`.
    """
    first = distances.cost(0)
    if first is None:
        return set()
    walker = _Counter(space, table, distances, watch)
    found: set[tuple[int, int]] = set()
    left: dict[Node, Parts] = {(0, walker.zero): first}
    waiting = list(left)
    while waiting:
        node = waiting.pop()
        if space.is_goal[node[0]]:
            continue
        for cost, _, reached in walker._steps(node):
            rest = tuple(a - b for a, b in zip(left[node], cost, strict=True))
            if distances.cost(*reached) != rest:
                continue
            found.add((node[0], reached[0]))
            if reached not in left:
                left[reached] = rest
                waiting.append(reached)
        watch(len(space), 0)
    return found
