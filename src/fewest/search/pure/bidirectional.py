"""The search from both ends in pure Python, for problems that the native core does not support and for comparisons with
the native search.

Every metric uses the same algorithm: Dijkstra's algorithm (1959) from both ends over nodes (state, guessed tokens),
with the stopping rule of Nicholson (1966) and Pohl (1971). `backward_run_tokens.hpp` explains guessed tokens, and why
the distances between these nodes are the distances in the metric; `bidirectional_dijkstra.hpp` explains why the
stopping rule is sound.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from heapq import heappop, heappush
from itertools import chain

from fewest.machine.memory import left_of
from fewest.model.costs import CostTable
from fewest.model.metric import Parts
from fewest.model.problem import Problem
from fewest.search.interface import (
    ALL,
    NO_LIMITS,
    Budget,
    InverseProblem,
    Meeting,
    Outcome,
    Progress,
    SearchLimits,
    SearchStatus,
    Status,
)
from fewest.search.pure.breadth_first import Node, ProblemTables, Tokens
from fewest.search.pure.quota import Quota

# the measured number of bytes of a state, its tokens, its cost, and its entries in two dictionaries
_BYTES_PER_NODE = 500


def operators_along(problem: Problem, cost: CostTable, waypoints: list[int]) -> list[int]:
    """A plan that leads from the initial state through all of the given states, and from the last one at no cost to a
    goal state.

    The operators between two consecutive states have the lowest possible cost, and the cost of the result is the sum of
    these costs.
    """
    graph = _Graph(problem, cost, False)
    by_flip = graph.operators_by_flip()
    state, plan = graph.tables.initial, []
    for target in waypoints:
        single = next(
            (
                index
                for index, mask, value in by_flip.get(state ^ target, ())
                if state & mask == value
            ),
            None,
        )
        plan += graph.path(state, target.__eq__) if single is None else [single]
        state = target
    return plan + graph.path(state, graph.tables.is_goal)


class _Graph:
    """A problem and its costs for one direction of the search; `steps` generates the steps from a node."""

    def __init__(self, problem: Problem, cost: CostTable, is_backward: bool) -> None:
        self.tables = ProblemTables(problem)
        self.is_backward = is_backward
        self.parts = range(len(cost.run_fact))
        rows = cost.rows
        self.weight = list(zip(*rows.weight, strict=True))
        self.run_in = list(zip(*rows.run_in, strict=True))
        self.run_out = list(zip(*rows.run_out, strict=True))
        self.run_bit = [[0 if fact < 0 else 1 << fact for fact in facts] for facts in rows.run_fact]
        self.none: Tokens = (-1,) * len(cost.run_fact)
        self.zero: Parts = (0,) * len(cost.run_fact)

    def operators_by_flip(self) -> dict[int, list[tuple[int, int, int]]]:
        """The index, the mask and the value of all operators, keyed by the facts that they flip. The result is empty
        unless all moves of the problem are operators without consequences, have the same cost above zero, and never
        merge.
        """
        tables = self.tables
        has_only_flips = not (tables.stages or tables.places or tables.permutations)
        is_equal = len(set(self.weight)) == 1 and min(self.weight[0]) > 0
        has_runs = any(run >= 0 for row in self.run_in for run in row)
        found: dict[int, list[tuple[int, int, int]]] = {}
        if has_only_flips and is_equal and not has_runs:
            for index, mask, value, flip in (*tables.always, *chain(*tables.by_fact.values())):
                found.setdefault(flip, []).append((index, mask, value))
        return found

    def steps(self, cost: Parts, node: Node) -> Iterator[tuple[Parts, Node, int]]:
        """All steps from a node that has been reached at a cost. Each result is the cost after the step, the node to
        which the step leads, and its operator.
        """
        state, tokens = node
        for index, successor in self.tables.successors(state):
            found: list[tuple[Parts, Tokens]] = [((), ())]
            for part in self.parts:
                options = list(self._options(part, index, tokens[part]))
                found = [((*c, p), (*t, x)) for c, t in found for p, x in options]
            for paid, after in found:
                total = tuple(a + b for a, b in zip(cost, paid, strict=True))
                yield total, (successor, after), index

    def _options(self, part: int, index: int, token: int) -> Iterator[tuple[int, int]]:
        """The possible costs of an operator in one part of the metric, each with the token after the operator."""
        weight, run_in = self.weight[index][part], self.run_in[index][part]
        if weight == 0:
            if token < 0 or not self.tables.flip[index] & self.run_bit[part][token]:
                yield 0, token
            return
        if token >= 0 and token != run_in:
            return
        run_out = self.run_out[index][part]
        # in the backward direction, the operator where a merged move begins has the cost
        if self.is_backward:
            yield weight, -1
            if run_out >= 0:
                yield 0, run_out
        else:
            paid = weight if token < 0 else 0
            yield paid, -1
            if run_out >= 0:
                yield paid, run_out

    def path(self, state: int, is_target: Callable[[int], bool]) -> list[int]:
        """The cheapest sequence of operators from a state to the nearest target. The caller must ensure that a target
        can be reached.
        """
        best: dict[Node, Parts] = {(state, self.none): self.zero}
        parent: dict[Node, tuple[Node, int]] = {}
        queue = [(self.zero, 0, (state, self.none))]
        while True:
            cost, _, node = heappop(queue)
            if cost != best[node]:
                continue
            if is_target(node[0]):
                break
            for total, reached, index in self.steps(cost, node):
                if reached not in best or total < best[reached]:
                    best[reached] = total
                    parent[reached] = node, index
                    heappush(queue, (total, len(best), reached))
        plan = []
        while node in parent:
            node, index = parent[node]
            plan.append(index)
        return plan[::-1]


class _Side:
    """One side of the search: a graph, and the distances, predecessors and queue of Dijkstra's algorithm in it."""

    def __init__(self, graph: _Graph, seeds: list[int]) -> None:
        self.graph = graph
        self.best: dict[Node, Parts] = {}
        self.parent: dict[Node, tuple[Node, int]] = {}
        self.queue: list[tuple[Parts, int, Node]] = []
        self.top = graph.zero
        for state in seeds:
            self.best[state, graph.none] = graph.zero
            heappush(self.queue, (graph.zero, len(self.best), (state, graph.none)))

    def drop_stale(self) -> None:
        """Remove outdated entries from the top of the queue, so that `top` is the cost of the first open node."""
        while self.queue and self.best[self.queue[0][2]] != self.queue[0][0]:
            heappop(self.queue)
        if self.queue:
            self.top = self.queue[0][0]

    def label(self, total: Parts, reached: Node, node: Node, index: int) -> bool:
        """Record the distance of a node if it is less than every earlier distance of this node, and return whether it
        is.
        """
        known = self.best.get(reached)
        if known is not None and known <= total:
            return False
        self.best[reached] = total
        self.parent[reached] = node, index
        heappush(self.queue, (total, len(self.best), reached))
        return True

    def back(self, node: Node) -> list[int]:
        """The operators on the path from a node back to the start of this side, in this order."""
        operators = []
        while node in self.parent:
            node, index = self.parent[node]
            operators.append(index)
        return operators


class PureMeetingSearch:
    """Dijkstra's algorithm from both ends, as a generator that waits between calls; see `interface.Search`."""

    def __init__(
        self, problem: Problem, cost: CostTable, back: InverseProblem, memory: int | None
    ) -> None:
        self.slice = Quota()
        self.memory = left_of(memory)
        forward = _Graph(problem, cost, False)
        self.back = back
        self.forward = _Side(forward, [forward.tables.initial])
        self.backward = _Side(_Graph(back.problem, back.costs(cost), True), list(back.goals))
        self.num_expanded = self.num_generated = 0
        self.met: tuple[Parts, Node] | None = None
        self.status: Status = "running"
        self.work = self._work()

    def advance(
        self,
        budget: Budget = ALL,
        limits: SearchLimits = NO_LIMITS,
        progress: Callable[[Progress], None] | None = None,
    ) -> Status:
        self.slice.begin(budget, limits.seconds, progress, self.num_expanded)
        try:
            next(self.work, None)
        except BaseException:  # an exception from `progress` ends the generator
            self.status = "interrupted"
            raise
        finally:
            self.slice.end()
        return self.status

    @property
    def bound(self) -> Parts:
        tops = self._tops()
        return tops if self.met is None else min(tops, self.met[0])

    @property
    def bytes(self) -> int:
        return (len(self.forward.best) + len(self.backward.best)) * _BYTES_PER_NODE

    def _work(self) -> Iterator[None]:
        """Yields when the budget of the call is used up."""
        for node in self.forward.best.keys() & self.backward.best.keys():
            self.met = self.forward.graph.zero, node
        try:
            yield from self._search()
        except KeyboardInterrupt:
            self.status = "interrupted"
        except MemoryError:  # the system's own limit is lower than the given limit
            self.status = "memory"

    def _search(self) -> Iterator[None]:
        while self.status == "running":
            for side in (self.forward, self.backward):
                side.drop_stale()
            is_ended = not self.forward.queue or not self.backward.queue
            if is_ended or (self.met is not None and self.met[0] <= self._tops()):
                self.status = "exhausted" if self.met is None else "goal"
                return
            if self.num_expanded % 256 == 0:
                if limit := self._limit():
                    self.status = limit
                    return
                if self.slice.is_used_up(self.num_expanded, lambda: self.bytes):
                    yield
            # the initial state is expanded first, because no backward step leads to it if it is forbidden
            is_forward = self.num_expanded == 0 or len(self.forward.queue) <= len(
                self.backward.queue
            )
            side, other = self.forward, self.backward
            self._expand(*((side, other) if is_forward else (other, side)))

    def _expand(self, side: _Side, other: _Side) -> None:
        cost, _, node = heappop(side.queue)
        self.num_expanded += 1
        for total, reached, index in side.graph.steps(cost, node):
            self.num_generated += 1
            if not side.label(total, reached, node, index):
                continue
            rest = other.best.get(reached)
            if rest is None:
                continue
            whole = tuple(a + b for a, b in zip(total, rest, strict=True))
            if self.met is None or whole < self.met[0]:
                self.met = whole, reached

    def _tops(self) -> Parts:
        return tuple(a + b for a, b in zip(self.forward.top, self.backward.top, strict=True))

    def _limit(self) -> SearchStatus | None:
        labels = len(self.forward.best) + len(self.backward.best)
        self.slice.report(self._tops()[0], labels, self.num_expanded, self.bytes)
        if self.slice.is_over():
            return "time"
        if self.memory is not None and self.bytes > self.memory:
            return "memory"
        return None

    def outcome(self) -> Outcome:
        return self.meeting().outcome

    def meeting(self) -> Meeting:
        """The result, and the radius of each side."""
        states = len(self.forward.best), len(self.backward.best)
        cost, plan = None, []
        if self.status == "goal" and self.met is not None:
            cost = self.met[0]
            rest = self.backward.back(self.met[1])
            plan = self.forward.back(self.met[1])[::-1] + [
                self.back.operators[step] for step in rest
            ]
        outcome = Outcome(
            status=self.status,
            cost=cost,
            lower_bound=self.bound if cost is None else cost,
            plan=tuple(plan),
            layers=(),
            num_states=sum(states),
            num_goal_states=len(self.back.goals),
            num_expanded=self.num_expanded,
            num_generated=self.num_generated,
            seconds=self.slice.spent,
            bytes=self.bytes,
            algorithm="bidirectional dijkstra (pure Python)",
        )
        return Meeting(outcome, states, (self.forward.top, self.backward.top))
