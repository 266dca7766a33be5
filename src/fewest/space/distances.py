"""The exact distance from every state to the goal, in every metric.

A *node* is a state together with the tokens of a metric that merges moves (see `model.costs.CostTable`). A node without
a token is *fresh*, and the distance of a state is the distance of its fresh node. A token never makes the rest of a
plan more expensive, so it may always be dropped at no cost. If a token does not make an operator cheaper, the operator
needs no edge at the node with this token: the edge at the node without the token suffices. This keeps the graph small:
each operator has one edge at a fresh node, and one edge at each node where it continues a move.

Dijkstra's algorithm (1959) computes the distances backward from the goal states. Layers of equal cost are arrays. Costs
are tuples of Python integers, so weights cannot cause an overflow.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator
from heapq import heappop, heappush
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from fewest.model.costs import steps
from fewest.model.metric import Parts
from fewest.search.batches import StateSet, measure_graph
from fewest.space.state_graph import Ids, StateSpace, Watch, never_stop

if TYPE_CHECKING:
    from fewest.model.costs import CostTable

# the sources and the targets of the edges, by cost
Edges = dict[Parts, tuple[NDArray[np.int32], NDArray[np.int32]]]
_ROWS = 1 << 20  # the approximate number of edges in a batch
# the core processes a graph with at most this number of edges in about a second, without checking any limits
_FEW_EDGES = 10_000_000
_EDGE_BYTES = 36  # the measured number of bytes of an edge while the edges are sorted


class Nodes(Struct, frozen=True, eq=False):
    """States with tokens: `state: int32[N]`, `token: int32[N, parts]`. Token 0 means no token, and token k + 1 means
    key k.

    The fresh nodes come first, in the order of the states.
    """

    state: NDArray[np.int32]
    token: NDArray[np.int32]
    rules: TokenRules
    num_states: int
    keys: Ids
    """the keys (`TokenRules.key`) of the nodes that are not fresh, ascending"""
    key_ids: Ids
    """the node of each key"""

    def find(self, state: int, token: Parts) -> int:
        """The node of a state with tokens that can occur in it."""
        if not any(token):
            return state
        # for a single key, a memory view is much faster than NumPy
        at = bisect_left(self.keys.data, self.rules.key(state, token))
        return int(self.key_ids.data[at])


class Distances(Struct, frozen=True, eq=False):
    """The distance from every node to the goal (or from the start to every node; see `start_distances`). The distance
    of a node is `costs[level[node]]`; the level is -1 if there is no path.

    `costs` is ascending. The first `num_states` nodes are the states themselves.
    """

    nodes: Nodes
    level: NDArray[np.int32]
    costs: tuple[Parts, ...]
    num_states: int

    @property
    def of_states(self) -> NDArray[np.int32]:
        """The level of every state, int32[n]; -1 for dead states."""
        return self.level[: self.num_states]

    def cost(self, state: int, token: Parts | None = None) -> Parts | None:
        """The cost to the goal from a state with these tokens (by default, without tokens); None if the state is
        dead.
        """
        node = state if token is None else self.nodes.find(state, token)
        level = self.level.data[node]
        return None if level < 0 else self.costs[level]

    def histogram(self) -> tuple[tuple[Parts, int], ...]:
        """The pairs (distance, number of states) in ascending order, for the states that are not dead."""
        counts = np.bincount(self.of_states + 1, minlength=len(self.costs) + 1)[1:]
        return tuple((c, int(k)) for c, k in zip(self.costs, counts, strict=True) if k)

    @property
    def farthest(self) -> Ids:
        """The ids of the states that are farthest from the goal; empty if all states are dead."""
        levels = self.of_states
        return np.flatnonzero((levels == levels.max(initial=-1)) & (levels >= 0))


def goal_distances(space: StateSpace, table: CostTable, watch: Watch = never_stop) -> Distances:
    """The distance from every reachable state to the goal. Raises the exceptions of `watch`.

    The computation takes 36 bytes and 0.2 µs per edge. In merging metrics, every piece that can arrive in a state adds
    a node, and there are three times as many edges.
    """
    nodes, edges = build_nodes(space, table, watch)
    num_nodes = len(nodes.state)
    seeds = np.flatnonzero(space.is_goal[nodes.state]).astype(np.int32)
    size = space.num_bytes + sum(len(source) for source, _ in edges.values()) * _EDGE_BYTES
    counted = _counted(num_nodes, edges, seeds) if table.parts == 1 else None
    if counted is not None:
        watch(len(space), size)
        return Distances(nodes, *counted, len(space))
    reverse = {cost: _by_target(*edges.pop(cost), num_nodes) for cost in list(edges)}
    zero = (0,) * table.parts
    level, costs = _relax(num_nodes, reverse, seeds, zero, lambda: watch(len(space), size))
    return Distances(nodes, level, costs, len(space))


def start_distances(space: StateSpace, table: CostTable, watch: Watch = never_stop) -> Distances:
    """The distance from the start to every reachable state. Time, memory and errors are the same as for
    `goal_distances`.
    """
    nodes, edges = build_nodes(space, table, watch)
    num_nodes = len(nodes.state)
    size = space.num_bytes + sum(len(source) for source, _ in edges.values()) * _EDGE_BYTES
    following = {cost: _by_target(*edges.pop(cost)[::-1], num_nodes) for cost in list(edges)}
    seeds, zero = np.zeros(1, dtype=np.int32), (0,) * table.parts
    level, costs = _relax(num_nodes, following, seeds, zero, lambda: watch(len(space), size))
    return Distances(nodes, level, costs, len(space))


def _by_target(
    source: NDArray[np.int32], target: NDArray[np.int32], num_nodes: int
) -> tuple[Ids, NDArray[np.int32]]:
    first, order = _order_by(target, num_nodes)
    return first, source[order]


def _order_by(target: NDArray[np.int32], num_nodes: int) -> tuple[Ids, Ids]:
    """Two arrays: for each node, the index of the first edge that leads to it if edges are sorted by their targets; and
    the edges in this order.
    """
    first = np.zeros(num_nodes + 1, dtype=np.int64)
    np.cumsum(np.bincount(target, minlength=num_nodes), out=first[1:])
    return first, np.argsort(target)


def _counted(
    num_nodes: int, edges: Edges, seeds: NDArray[np.int32]
) -> tuple[NDArray[np.int32], tuple[Parts, ...]] | None:
    """The result of `_relax`, computed by the core, if costs have one part, every edge costs the same or nothing, and
    there are few edges.
    """
    unit = max(edges, default=(1,))
    number = sum(len(source) for source, _ in edges.values())
    if set(edges) - {unit, (0,)} or unit == (0,) or number > _FEW_EDGES:
        return None
    sources = [source for source, _ in edges.values()] or [seeds[:0]]
    targets = [target for _, target in edges.values()] or [seeds[:0]]
    labels = [np.full(len(source), cost != (0,)) for cost, (source, _) in edges.items()]
    first, order = _order_by(np.concatenate(targets), num_nodes)
    label = np.concatenate(labels or [np.empty(0, dtype=np.bool_)])[order].astype(np.int32)
    is_seed = np.zeros(num_nodes, dtype=np.bool_)
    is_seed[seeds] = True
    free_or_paid = np.array([0, 1], dtype=np.int8)
    try:
        found = measure_graph(first, np.concatenate(sources)[order], label, free_or_paid, is_seed)
    except OverflowError:
        return None
    most = int(found.max(initial=-1))
    return found.astype(np.int32), tuple((number * unit[0],) for number in range(most + 1))


def _relax(
    num_nodes: int,
    reverse: dict[Parts, tuple[Ids, NDArray[np.int32]]],
    seeds: NDArray[np.int32],
    zero: Parts,
    watch: Callable[[], None],
) -> tuple[NDArray[np.int32], tuple[Parts, ...]]:
    """The level of every node, and the costs of the levels. They are computed from the seeds along the edges in
    `reverse`.
    """
    level = np.full(num_nodes, -1, dtype=np.int32)
    is_open = np.ones(num_nodes, dtype=np.bool_)  # whether the distance is not yet final
    scratch = np.empty(num_nodes, dtype=np.int32)
    costs: list[Parts] = []
    buckets: dict[Parts, list[NDArray[np.int32]]] = {zero: [seeds]}
    queue = [zero]
    while queue:
        cost = heappop(queue)
        waiting = buckets.pop(cost)
        number = len(costs)
        while waiting:
            found = np.concatenate(waiting)
            waiting = []
            found = found[is_open[found]]
            places = np.arange(len(found), dtype=np.int32)
            scratch[found] = places
            found = found[scratch[found] == places]  # this removes duplicates
            if not len(found):
                break
            if number == len(costs):
                costs.append(cost)
            level[found] = number
            is_open[found] = False
            for step, (first, source) in reverse.items():
                before = source[ranges(first, found)]
                before = before[is_open[before]]
                if not len(before):
                    continue
                total = tuple(a + b for a, b in zip(cost, step, strict=True))
                if total == cost:
                    waiting.append(before)
                else:
                    if total not in buckets:
                        buckets[total] = []
                        heappush(queue, total)
                    buckets[total].append(before)
        watch()
    return level, tuple(costs)


def ranges(first: Ids, rows: NDArray[np.integer]) -> Ids:
    """The indices `first[r]:first[r + 1]` of all rows r, concatenated."""
    begin = first[rows]
    count = first[rows + 1] - begin
    return np.repeat(begin - np.cumsum(count) + count, count) + np.arange(count.sum())


# -- nodes ----------------------------------------------------------------------------------------


def build_nodes(
    space: StateSpace, table: CostTable, watch: Watch = never_stop
) -> tuple[Nodes, Edges]:
    """The nodes that are reachable from any fresh node, and the edges between them."""
    rules = TokenRules(table)
    num_states = len(space)
    parts = table.parts
    pieces: dict[Parts, list[tuple[NDArray[np.int32], Ids]]] = {}
    known = StateSet(1)  # the keys of the nodes that are not fresh, by id
    frontier = np.arange(num_states, dtype=np.int64) * rules.num_tokens
    ids = np.arange(num_states, dtype=np.int64)
    size = space.num_bytes
    while len(frontier):
        reached: list[Ids] = [frontier[:0]]
        for chunk in _chunks(space, frontier // rules.num_tokens):
            for cost, source, target in rules.edges(space, frontier[chunk], ids[chunk]):
                pieces.setdefault(cost, []).append((source, target))
                size += len(source) * _EDGE_BYTES
                if rules.num_tokens > 1:
                    held = target[target % rules.num_tokens != 0]
                    reached.append(held[known.insert(held.astype(np.uint64).reshape(-1, 1))])
            watch(num_states, size)
        frontier = np.concatenate(reached)
        ids = np.arange(len(known) - len(frontier), len(known)) + num_states
    keys = known.states()[:, 0].astype(np.int64)
    order = np.argsort(keys)
    ordered = keys[order]
    edges: Edges = {}
    for cost in sorted(pieces):
        source = np.concatenate([source for source, _ in pieces[cost]])
        found = [
            _resolve(target, rules.num_tokens, ordered, order, num_states)
            for _, target in pieces.pop(cost)
        ]
        edges[cost] = source, np.concatenate(found)
        watch(num_states, size)
    state = np.concatenate([np.arange(num_states), keys // rules.num_tokens]).astype(np.int32)
    token = np.zeros((len(state), parts), dtype=np.int32)
    token[num_states:] = rules.split(keys % rules.num_tokens)
    return Nodes(state, token, rules, num_states, ordered, order + num_states), edges


def _chunks(space: StateSpace, states: Ids) -> Iterator[slice]:
    """Slices of the states with about `_ROWS` edges each."""
    ends = np.cumsum(space.first[states + 1] - space.first[states] + 1)
    begin = 0
    while begin < len(states):
        done = ends[begin - 1] if begin else 0
        end = max(begin + 1, int(np.searchsorted(ends, done + _ROWS)))
        yield slice(begin, end)
        begin = end


def _resolve(
    keys: Ids, num_tokens: int, ordered: Ids, order: Ids, num_states: int
) -> NDArray[np.int32]:
    """Converts keys (a state and its tokens as one number) to ids of nodes."""
    if not len(ordered):
        return (keys // num_tokens).astype(np.int32)
    at = np.minimum(np.searchsorted(ordered, keys), len(ordered) - 1)
    fresh = keys % num_tokens == 0
    return np.where(fresh, keys // num_tokens, order[at] + num_states).astype(np.int32)


class TokenRules:
    """Tokens as numbers (0 is no token, k + 1 is key k), and the edges of nodes that have tokens."""

    def __init__(self, table: CostTable) -> None:
        self.table, self.weight = table, table.arrays.weight
        # If no operator continues a merged move in a part of the metric, the tokens of this part do not matter.
        self.sizes = [
            len(facts) + 1 if used.any() else 1
            for facts, used in zip(table.arrays.run_fact, table.arrays.run_in >= 0, strict=True)
        ]
        self.num_tokens = int(np.prod(self.sizes))
        weights = [tuple(row) for row in self.weight.T.tolist()]
        self.weights = list(dict.fromkeys(weights))
        kinds = {weight: kind for kind, weight in enumerate(self.weights)}
        self.kind = np.array([kinds[weight] for weight in weights], dtype=np.int64)

    def key(self, state: int, token: Parts) -> int:
        """A state and its tokens as one number."""
        if len(token) == 1:
            return state * self.sizes[0] + token[0]
        for size, part in zip(self.sizes, token, strict=True):
            state = state * size + part
        return state

    def shifted(self, tokens: Parts) -> Parts:
        """The tokens of a `RunRule`, in the numbering of this class."""
        return tuple(t + 1 if size > 1 else 0 for t, size in zip(tokens, self.sizes, strict=True))

    def split(self, codes: Ids) -> NDArray[np.int32]:
        """The tokens of each part, int32[n, parts]."""
        columns: list[Ids] = []
        for size in reversed(self.sizes):
            columns.append(codes % size)
            codes = codes // size
        return np.stack(columns[::-1], axis=1).astype(np.int32)

    def join(self, tokens: list[Ids]) -> Ids:
        """The tokens of all parts as one number."""
        code = tokens[0]
        for size, token in zip(self.sizes[1:], tokens[1:], strict=True):
            code = code * size + token
        return code

    def edges(
        self, space: StateSpace, keys: Ids, ids: Ids
    ) -> Iterator[tuple[Parts, NDArray[np.int32], Ids]]:
        """The triples (cost, sources as ids, targets as keys) for all necessary edges of the nodes."""
        state = keys // self.num_tokens
        places = ranges(space.first, state)
        row = np.repeat(np.arange(len(keys)), space.first[state + 1] - space.first[state])
        operator, target = space.operator[places], space.target[places].astype(np.int64)
        tokens = self.split(keys % self.num_tokens)
        # a bit set of the parts in which the edge has a cost
        paid = np.zeros(len(operator), dtype=np.int64)
        after: list[Ids] = []
        is_needed = np.ones(len(operator), dtype=np.bool_)
        for part in range(len(self.sizes)):
            token = tokens[row, part].astype(np.int64) - 1
            pays, left = steps(self.table, part, operator, token, space.problem.arrays.flip)
            # A token that saves nothing needs no edge: the edge of the fresh node costs the same.
            is_needed &= (self.weight[part][operator] == 0) | (token < 0) | (pays == 0)
            paid |= np.where(pays > 0, 1 << part, 0)
            after.append(left + 1 if self.sizes[part] > 1 else np.zeros_like(left))
        code = self.kind[operator] << len(self.sizes) | paid
        reached = target * self.num_tokens + self.join(after)
        for found in np.flatnonzero(np.bincount(code[is_needed])).tolist():
            rows = np.flatnonzero(is_needed & (code == found))
            weights = self.weights[found >> len(self.sizes)]
            cost = tuple(w if found >> part & 1 else 0 for part, w in enumerate(weights))
            yield cost, ids[row[rows]].astype(np.int32), reached[rows]
        zero = (0,) * len(self.sizes)
        for part in range(len(self.sizes)):
            rows = np.flatnonzero(tokens[:, part])
            if len(rows):
                dropped = [tokens[rows, other].astype(np.int64) for other in range(len(self.sizes))]
                dropped[part] = np.zeros(len(rows), dtype=np.int64)
                target_keys = state[rows] * self.num_tokens + self.join(dropped)
                yield zero, ids[rows].astype(np.int32), target_keys
