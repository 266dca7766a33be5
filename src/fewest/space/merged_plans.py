"""The graph of optimal plans for metrics in which operators merge into moves, are free, or differ in cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from fewest.model.costs import RunRule, added, flips_of
from fewest.model.metric import Parts
from fewest.space.distances import Distances
from fewest.space.plan_graph import Change, Footprints, MoveTable, PlanEdge, PlanGraph
from fewest.space.state_graph import StateSpace, Watch, never_stop

if TYPE_CHECKING:
    from fewest.model.costs import CostTable
    from fewest.model.task import Task


class _Way(Struct, gc=False):
    """The shortest paths to a partial move: the facts that they read, and the operators of one path."""

    inner: int
    reads: int
    operators: tuple[int, ...]


_Key = tuple[int, Parts, Parts, tuple[int, ...], int]
"""The state, the tokens, the cost so far, the ends of counted parts, the state after the last operator with a cost"""


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


class _Builder:
    """The moves of optimal plans from a state, if operators merge or are free."""

    def __init__(
        self, task: Task, space: StateSpace, table: CostTable, distances: Distances
    ) -> None:
        self.space, self.distances = space, distances
        self.rule = RunRule(table, flips_of(task))
        self.footprints, self.moves = Footprints(task), MoveTable()

    def moves_from(self, state: int) -> dict[int, tuple[int, tuple[int, ...]]]:
        """For each move: the state that it leads to, and its operators."""
        total = self.distances.cost(state)
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
                rest = self.distances.cost(current)
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
        begin, end = int(self.space.first[state]), int(self.space.first[state + 1])
        for place in range(begin, end):
            operator, target = int(self.space.operator[place]), int(self.space.target[place])
            cost, after = self.rule.step(operator, tokens)
            stops, latest = ends, last
            if not self.rule.is_free(operator):
                if last >= 0 and cost == self.rule.weight[operator]:
                    continue  # another move begins
                if last >= 0 and cost != self.rule.zero:
                    stops = (*ends, last)
                latest = target
            spent = added(paid, cost)
            rest = self.distances.cost(target, self.distances.nodes.rules.shifted(after))
            if rest is None or added(rest, spent) != total:
                continue
            reached: _Key = (target, after, spent, stops, latest)
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

    def _changes(self, state: int, stops: tuple[int, ...]) -> tuple[Change, ...]:
        changes = []
        before = self.space.integer(state)
        for stop in stops:
            after = self.space.integer(stop)
            changes.append((before ^ after, before & (before ^ after)))
            before = after
        return tuple(changes)
