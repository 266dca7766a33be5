"""The graph of optimal plans for metrics in which operators merge into moves, are free, or differ in cost."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from fewest.errors import InternalError
from fewest.model.costs import RunRule, added, flips_of
from fewest.model.metric import Parts
from fewest.search.batches import StateSet, expand
from fewest.space.distances import Distances
from fewest.space.plan_graph import (
    Change,
    Footprints,
    MoveTable,
    PlanEdge,
    PlanGraph,
    assembled,
    unions,
)
from fewest.space.state_graph import StateSpace, Watch, in_goal, never_stop

if TYPE_CHECKING:
    from fewest.model.costs import CostTable
    from fewest.model.task import Task
    from fewest.space.state_graph import Ids, States

_SOURCES = 2048  # The number of states from which moves are computed together.


class _MovePath(Struct, gc=False):
    """The shortest paths to a partial move: the facts that they read, and the operators of one of them. `inner` also
    contains the facts that determine whether their last states are goal states; a longer move reads these facts, too.
    """

    inner: int
    reads: int
    operators: tuple[int, ...]


_Key = tuple[int, Parts, Parts, tuple[int, ...], int]
"""The state, the tokens, the cost so far, the ends of the counted moves before the last one, and the state at which the
last counted move currently ends (-1: no operator with a cost yet)
"""

_Step = tuple[int, int, Parts, Parts, bool, bool]
"""The operator, its target, its cost, the tokens after it, whether it is free, and whether it begins another move"""


def plan_graph(
    task: Task,
    space: StateSpace,
    table: CostTable,
    distances: Distances,
    watch: Watch = never_stop,
) -> PlanGraph | None:
    """The optimal plans in any metric; None if there is no plan. The function takes about 10 µs for each operator on
    optimal plans. Raises the exceptions of `watch`.
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
            PlanEdge(move, numbers[target], path)
            for move, (target, path) in sorted(found[state].items())
        )
        for state in order
    )
    ends = tuple(left[state] == builder.rule.zero for state in order)
    states = tuple(space.integer(state) for state in order)
    return PlanGraph(states, edges, ends, builder.moves.all(), tuple(left[s] for s in order))


def graph_of_runs(
    task: Task, table: CostTable, states: States, watch: Watch = never_stop
) -> PlanGraph:
    """The optimal plans if every merged move costs the same and no move is free or permutes facts.

    `states: uint64[n, W]` contains the states after each move of the optimal plans: first the start, then the states
    after one move, and so on, and no state occurs twice. The function takes about 2 µs for each operator that a move
    from one of these states may contain. Raises the exceptions of `watch`, and InternalError if states are missing.
    """
    runs = _Runs(task, table, states)
    parts = [
        runs.edges_from(np.arange(begin, min(begin + _SOURCES, len(states))), watch)
        for begin in range(0, len(states), _SOURCES)
    ]
    source, target = (np.concatenate([part[side] for part in parts]) for side in (0, 1))
    reads = np.concatenate([part[2] for part in parts])
    operators = [path for part in parts for path in part[3]]
    layer = _layers(source, target, len(states))
    chosen = np.flatnonzero(layer[target] == layer[source] + 1)
    weight = int(table.arrays.weight[0, 0]) if len(task.moves) else 1
    return assembled(
        states,
        source[chosen],
        target[chosen],
        reads[chosen],
        [operators[edge] for edge in chosen.tolist()],
        [(weight * number,) for number in (layer[-1] - layer).tolist()],
    )


def _layers(source: Ids, target: Ids, number: int) -> Ids:
    """The number of moves before each state. A move from a layer leads to the next layer, to the same layer, or to an
    earlier one; for every layer, some move leads to the last state of the next layer.
    """
    farthest = np.zeros(number, dtype=np.int64)
    np.maximum.at(farthest, source, target)
    ends = [0, 1]
    while ends[-1] < number:
        end = int(farthest[ends[-2] : ends[-1]].max()) + 1
        if end <= ends[-1]:
            raise InternalError("no move leads to some states of the optimal plans")
        ends.append(end)
    return np.repeat(np.arange(len(ends) - 1), np.diff(ends))


class _Level(Struct, frozen=True, eq=False):
    """The partial moves with the same number of operators. Each has a source, the state to which it leads, and a token.
    Links lead to them from partial moves that are one operator shorter.
    """

    end: Ids
    """if a partial move is a whole move, the number of the state to which it leads; otherwise -1"""
    source: Ids
    before: Ids
    """for each link, the shorter partial move"""
    node: Ids
    """for each link, the partial move"""
    operator: NDArray[np.int32]
    """for each link, the operator"""


class _Runs:
    """Computes the merged moves between given states, in arrays."""

    def __init__(self, task: Task, table: CostTable, states: States) -> None:
        self.problem, self.states = task.problem, states
        self.run_in, self.run_out = table.arrays.run_in[0], table.arrays.run_out[0]
        self.footprints = Footprints(task)
        self.is_goal = in_goal(states, self.problem)
        self.ends = StateSet(self.problem.words)
        self.ends.insert(states)

    def edges_from(
        self, sources: Ids, watch: Watch
    ) -> tuple[Ids, Ids, States, list[tuple[int, ...]]]:
        """All moves from these states to later states: the source, the target, the facts that the move reads, and the
        operators of one shortest path.
        """
        levels = self._levels(sources[~self.is_goal[sources]], watch)
        is_useful = self._useful(levels)
        found = [(sources[:0], sources[:0], self.states[:0])]
        operators: list[tuple[int, ...]] = []
        inner = np.zeros((len(sources), self.problem.words), dtype=np.uint64)
        # for each length and each partial move, one partial move that is one operator shorter, and the last operator
        levels_of_paths: list[tuple[Ids, Ids]] = []
        for level, useful in zip(levels, is_useful, strict=True):
            links = np.flatnonzero(useful[level.node])
            links = links[np.argsort(level.node[links], kind="stable")]
            nodes, begins = np.unique(level.node[links], return_index=True)
            operator = level.operator[links]
            reads = np.zeros((len(useful), self.problem.words), dtype=np.uint64)
            deeper = reads.copy()
            if len(links):
                through = inner[level.before[links]] | self.footprints.reads_of(operator)
                reads[nodes] = np.bitwise_or.reduceat(through, begins, axis=0)
                through |= self.footprints.goals_of(operator)
                deeper[nodes] = np.bitwise_or.reduceat(through, begins, axis=0)
            first, last = np.zeros((2, len(useful)), dtype=np.int64)
            first[nodes], last[nodes] = level.before[links][begins], operator[begins]
            levels_of_paths.append((first, last))
            inner = deeper
            whole = np.flatnonzero(level.end >= 0)
            keys = level.source[whole] * len(self.states) + level.end[whole]
            _, begins, group = np.unique(keys, return_index=True, return_inverse=True)
            moves = whole[begins]
            found.append(
                (level.source[moves], level.end[moves], unions(reads[whole], group, len(moves)))
            )
            operators += _paths(levels_of_paths, moves)
        source, target, read = (np.concatenate(column) for column in zip(*found, strict=True))
        return source, target, read, operators

    def _levels(self, sources: Ids, watch: Watch) -> list[_Level]:
        """The partial moves from these states, grouped by their number of operators."""
        states = self.states[sources]
        source, token = sources, np.full(len(sources), -1, dtype=np.int32)
        place = np.arange(len(sources))
        through = StateSet(self.problem.words)
        seen = known_ends = onward = sources[:0]
        levels: list[_Level] = []
        while len(states):
            successors, parents, operators = expand(self.problem, np.ascontiguousarray(states))
            if levels:
                goes_on = self.run_in[operators] == token[parents]
                successors = np.ascontiguousarray(successors[goes_on])
                parents, operators = parents[goes_on], operators[goes_on]
            through.insert(successors)
            tokens = self.run_out[operators]
            # the source, the state and the token as one number
            keys = (place[parents] << 51) + (through.find(successors) << 20) + tokens + 1
            _, firsts, node = np.unique(keys, return_index=True, return_inverse=True)
            is_new = ~np.isin(keys[firsts], seen)
            number = np.cumsum(is_new) - 1
            links = np.flatnonzero(is_new[node])
            firsts = firsts[is_new]
            seen = np.concatenate([seen, keys[firsts]])
            before, source, place = parents, source[parents[firsts]], place[parents[firsts]]
            states, token = successors[firsts], tokens[firsts]
            end = self.ends.find(states)
            end[end <= source] = -1
            arrivals = source * len(self.states) + end
            end[np.isin(arrivals, known_ends)] = -1  # a shorter path leads to the same end
            known_ends = np.concatenate([known_ends, arrivals[end >= 0]])
            if levels:
                before = onward[before]
            levels.append(_Level(end, source, before[links], number[node[links]], operators[links]))
            onward = np.flatnonzero((token >= 0) & ~in_goal(states, self.problem))
            states, source, place, token = (
                states[onward],
                source[onward],
                place[onward],
                token[onward],
            )
            watch(len(self.states), self.states.nbytes + len(seen) * 16 * (self.problem.words + 2))
        return levels

    def _useful(self, levels: list[_Level]) -> list[NDArray[np.bool_]]:
        """For each level, the partial moves that are part of a whole move."""
        found: list[NDArray[np.bool_]] = []
        needed = np.empty(0, dtype=np.int64)
        for level in reversed(levels):
            useful = level.end >= 0
            useful[needed] = True
            needed = level.before[useful[level.node]]
            found.append(useful)
        return found[::-1]


def _paths(levels_of_paths: list[tuple[Ids, Ids]], nodes: Ids) -> list[tuple[int, ...]]:
    """The operators of each of these partial moves, which belong to the last level in `levels_of_paths`."""
    columns = []
    for first, last in reversed(levels_of_paths):
        columns.append(last[nodes].tolist())
        nodes = first[nodes]
    return list(zip(*columns[::-1], strict=True))


class _Builder:
    """Computes the moves of optimal plans from a state if operators merge, are free, or differ in cost."""

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
        """For each move, the state to which it leads, and its operators."""
        total = self._left_at(state)
        assert total is not None
        found: dict[int, tuple[int, tuple[int, ...]]] = {}
        if total == self.rule.zero:
            return found
        seen: set[_Key] = set()
        level: dict[_Key, _MovePath] = {
            (state, self.rule.fresh, self.rule.zero, (), -1): _MovePath(0, 0, ())
        }
        emitted: set[tuple[int, ...]] = set()
        while level:
            seen.update(level)
            following: dict[_Key, _MovePath] = {}
            for key, path in level.items():
                if not self.space.is_goal[key[0]]:
                    self._extend(key, path, total, seen, following)
            ended: dict[tuple[int, ...], tuple[_Key, _MovePath]] = {}
            for key, path in following.items():
                current, _, paid, ends, last = key
                rest = self._left_at(current)
                if current != last or rest is None or added(rest, paid) != total:
                    continue
                stops = (*ends, last)
                if stops in emitted:  # a shorter path has already reached this end
                    continue
                known = ended.get(stops)
                if known is not None:
                    path = _MovePath(0, path.reads | known[1].reads, path.operators)
                ended[stops] = key, path
            for stops, (_, path) in ended.items():
                emitted.add(stops)
                move = self.moves.id(self._changes(state, stops), path.reads)
                found[move] = stops[-1], path.operators
            level = following
        return found

    def _extend(
        self,
        key: _Key,
        path: _MovePath,
        total: Parts,
        seen: set[_Key],
        following: dict[_Key, _MovePath],
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
                    continue  # this operator begins another move
                if last >= 0 and cost != self.rule.zero:
                    stops = (*ends, last)
                latest = target
            reached: _Key = (target, after, added(paid, cost), stops, latest)
            if reached in seen:
                continue
            reads = path.inner | self.footprints.reads(operator)
            inner = reads | self.footprints.goal(operator)
            known = following.get(reached)
            if known is None:
                following[reached] = _MovePath(inner, reads, (*path.operators, operator))
            else:
                known.inner |= inner
                known.reads |= reads

    def _steps(self, state: int, tokens: Parts, paid: Parts, total: Parts) -> Iterator[_Step]:
        """The steps of optimal plans from a node that a partial move reaches at the cost `paid`."""
        is_fresh = tokens == self.rule.fresh
        # If there is a token, the partial move already contains an operator with a cost. Then only free operators and
        # operators that continue a run are allowed, because any other operator would begin another move.
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
        """The cost of an operator, the tokens after it, and these tokens in the numbering of `TokenRules`."""
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
        """The cost from a state to the goal; None if the state is dead."""
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
