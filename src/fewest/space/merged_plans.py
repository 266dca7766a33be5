"""The graph of optimal plans for metrics in which operators merge into moves, are free, or differ in cost."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct

from fewest.model.costs import RunRule, added, flips_of
from fewest.model.metric import Parts
from fewest.search.batches import StateSet, expand
from fewest.space.distances import Distances
from fewest.space.plan_graph import Change, Footprints, MoveTable, PlanEdge, PlanGraph
from fewest.space.state_graph import BATCH, StateSpace, Watch, never_stop

if TYPE_CHECKING:
    from fewest.model.costs import CostTable
    from fewest.model.problem import Problem
    from fewest.model.task import Task
    from fewest.space.state_graph import States


class _Way(Struct, gc=False):
    """The shortest paths to a partial move: the facts that they read, and the operators of one path."""

    inner: int
    reads: int
    operators: tuple[int, ...]


_Key = tuple[int, Parts, Parts, tuple[int, ...], int]
"""The state, the tokens, the cost so far, the ends of counted parts, the state after the last operator with a cost"""

_Step = tuple[int, int, Parts, Parts, bool, bool]
"""The operator, its target, its cost, the tokens after it, whether it is free, and whether it begins another move"""


def plan_graph(
    task: Task,
    space: StateSpace,
    table: CostTable,
    distances: Distances,
    watch: Watch = never_stop,
) -> PlanGraph | None:
    """The optimal plans in any metric, or None if there is no plan. The time is about 10 µs per operator on optimal
    plans.
    """
    start = distances.cost(0)
    if start is None:
        return None
    builder = _Builder(task, space, table, distances)
    found: dict[int, dict[int, tuple[int, tuple[int, ...]]]] = {}
    waiting = [0]
    while waiting:
        state = waiting.pop()
        if state in found:
            continue
        found[state] = builder.moves_from(state)
        waiting += (target for target, _ in found[state].values())
        watch(len(space), space.num_bytes)
    left = {state: distances.cost(state) or builder.rule.zero for state in found}
    order = sorted(found, key=lambda state: (tuple(-part for part in left[state]), state))
    numbers = {state: number for number, state in enumerate(order)}
    edges = tuple(
        tuple(
            PlanEdge(move, numbers[target], way)
            for move, (target, way) in sorted(found[state].items())
        )
        for state in order
    )
    ends = tuple(left[state] == builder.rule.zero for state in order)
    states = tuple(space.integer(state) for state in order)
    return PlanGraph(states, edges, ends, builder.moves.all(), tuple(left[s] for s in order))


def states_of_runs(
    problem: Problem, table: CostTable, ends: States, watch: Watch = never_stop
) -> States:
    """These states, and the states that merged moves from one of them to another pass through. The metric has one
    part.
    """
    run_in, run_out = table.arrays.run_in[0], table.arrays.run_out[0]
    found, nodes = StateSet(problem.words), StateSet(problem.words + 1)  # a node has a token
    found.insert(ends)
    links = [np.empty((2, 0), dtype=np.int64)]  # pairs of nodes
    num_links = 0
    # the node of each state; -1 before the first operator of a move
    before = np.full(len(ends), -1, dtype=np.int64)
    states, tokens = ends, before.astype(np.int32)
    while len(states):
        reached = [np.empty((0, nodes.words), dtype=np.uint64)]
        for begin in range(0, len(states), BATCH):
            successors, parents, operators = expand(problem, states[begin : begin + BATCH])
            parents = parents + begin
            goes_on = (before[parents] < 0) | (run_in[operators] == tokens[parents])
            goes_on &= run_out[operators] >= 0
            parents, token = parents[goes_on], run_out[operators[goes_on]]
            node = np.column_stack([successors[goes_on], token.astype(np.uint64)])
            reached.append(node[nodes.insert(node)])
            links.append(np.stack([before[parents], nodes.find(node)]))
            num_links += len(node)
            watch(len(found), (len(found) + len(nodes)) * 24 * nodes.words + 16 * num_links)
        frontier = np.concatenate(reached)
        states = np.ascontiguousarray(frontier[:, :-1])
        tokens = frontier[:, -1].astype(np.int32)
        before = np.arange(len(nodes) - len(frontier), len(nodes))
    through = np.ascontiguousarray(nodes.states()[:, :-1])
    arrives = found.contains(through)
    source, target = np.concatenate(links, axis=1)
    source, target = source[source >= 0], target[source >= 0]
    while (more := source[arrives[target] & ~arrives[source]]).size:
        arrives[more] = True
    found.insert(through[arrives])
    return found.states()


class _Builder:
    """The moves of optimal plans from a state, if operators merge or are free."""

    def __init__(
        self, task: Task, space: StateSpace, table: CostTable, distances: Distances
    ) -> None:
        self.space, self.distances = space, distances
        self.rule = RunRule(table, flips_of(task))
        self.footprints, self.moves = Footprints(task), MoveTable()
        self._onward: dict[tuple[int, Parts], list[_Step]] = {}
        self._free = frozenset(filter(self.rule.is_free, range(len(self.rule.weight))))
        by_token: dict[tuple[int, int], set[int]] = {}
        for part, row in enumerate(table.rows.run_in):
            for operator, token in enumerate(row):
                if token >= 0:
                    by_token.setdefault((part, token), set()).add(operator)
        self._by_token = {token: frozenset(some) for token, some in by_token.items()}
        self._stepped: dict[tuple[int, Parts], tuple[Parts, Parts, Parts]] = {}
        self._left: dict[int, Parts | None] = {}
        self._integers: dict[int, int] = {}

    def moves_from(self, state: int) -> dict[int, tuple[int, tuple[int, ...]]]:
        """For each move: the state that it leads to, and its operators."""
        total = self._left_at(state)
        assert total is not None
        found: dict[int, tuple[int, tuple[int, ...]]] = {}
        if total == self.rule.zero:
            return found
        seen: set[_Key] = set()
        level: dict[_Key, _Way] = {(state, self.rule.fresh, self.rule.zero, (), -1): _Way(0, 0, ())}
        emitted: set[tuple[int, ...]] = set()
        while level:
            seen.update(level)
            following: dict[_Key, _Way] = {}
            for key, way in level.items():
                if not self.space.is_goal[key[0]]:
                    self._extend(key, way, total, seen, following)
            ended: dict[tuple[int, ...], tuple[_Key, _Way]] = {}
            for key, way in following.items():
                current, _, paid, ends, last = key
                rest = self._left_at(current)
                if current != last or rest is None or added(rest, paid) != total:
                    continue
                stops = (*ends, last)
                if stops in emitted:  # by a shorter path
                    continue
                known = ended.get(stops)
                if known is not None:
                    way = _Way(0, way.reads | known[1].reads, way.operators)
                ended[stops] = key, way
            for stops, (_, way) in ended.items():
                emitted.add(stops)
                move = self.moves.id(self._changes(state, stops), way.reads)
                found[move] = stops[-1], way.operators
            level = following
        return found

    def _extend(
        self, key: _Key, way: _Way, total: Parts, seen: set[_Key], following: dict[_Key, _Way]
    ) -> None:
        """Add all partial moves that are one operator longer."""
        state, tokens, paid, ends, last = key
        steps = self._onward.get((state, tokens))
        if steps is None:
            steps = self._onward[state, tokens] = list(self._steps(state, tokens, paid, total))
        for operator, target, cost, after, is_free, begins in steps:
            stops, latest = ends, last
            if not is_free:
                if last >= 0 and begins:
                    continue  # another move begins
                if last >= 0 and cost != self.rule.zero:
                    stops = (*ends, last)
                latest = target
            reached: _Key = (target, after, added(paid, cost), stops, latest)
            if reached in seen:
                continue
            reads = way.inner | self.footprints.reads(operator)
            inner = reads | self.footprints.goal(operator)
            known = following.get(reached)
            if known is None:
                following[reached] = _Way(inner, reads, (*way.operators, operator))
            else:
                known.inner |= inner
                known.reads |= reads

    def _steps(self, state: int, tokens: Parts, paid: Parts, total: Parts) -> Iterator[_Step]:
        """The steps of optimal plans from a node that a partial move reaches at the cost `paid`."""
        is_fresh = tokens == self.rule.fresh
        # a token comes from an operator with a cost, so an operator that pays in full would begin another move
        allowed = None if is_fresh else self._free | self._continuing(tokens)
        at = slice(int(self.space.first[state]), int(self.space.first[state + 1]))
        pairs = zip(self.space.operator[at].tolist(), self.space.target[at].tolist(), strict=True)
        for operator, target in pairs:
            if allowed is not None and operator not in allowed:
                continue
            cost, after, shifted = self._step(operator, tokens)
            rest = self.distances.cost(target, shifted)
            if rest is not None and added(rest, added(paid, cost)) == total:
                is_free = operator in self._free
                yield operator, target, cost, after, is_free, is_fresh and not is_free

    def _step(self, operator: int, tokens: Parts) -> tuple[Parts, Parts, Parts]:
        """The cost of an operator, and the tokens after it, also as numbers of the nodes."""
        found = self._stepped.get((operator, tokens))
        if found is None:
            cost, after = self.rule.step(operator, tokens)
            shifted = self.distances.nodes.rules.shifted(after)
            found = self._stepped[operator, tokens] = cost, after, shifted
        return found

    def _continuing(self, tokens: Parts) -> frozenset[int]:
        """The operators that continue the run of one of the tokens."""
        found: frozenset[int] = frozenset()
        for part, token in enumerate(tokens):
            found |= self._by_token.get((part, token), found)
        return found

    def _left_at(self, state: int) -> Parts | None:
        """The cost from a state to the goal."""
        if state not in self._left:
            self._left[state] = self.distances.cost(state)
        return self._left[state]

    def _integer(self, state: int) -> int:
        found = self._integers.get(state)
        if found is None:
            found = self._integers[state] = self.space.integer(state)
        return found

    def _changes(self, state: int, stops: tuple[int, ...]) -> tuple[Change, ...]:
        changes = []
        before = self._integer(state)
        for stop in stops:
            after = self._integer(stop)
            changes.append((before ^ after, before & (before ^ after)))
            before = after
        return tuple(changes)
