"""Counts the optimal plans up to the order of independent moves, and lists one plan of each trace.

Plans that differ only in the order of independent neighbours form a *trace* (Mazurkiewicz, Concurrent program schemes
and their interpretations, 1977). Exactly one plan of every trace is in lexicographic normal form (Anisimov and Knuth,
Inhomogeneous sorting, 1979): a move m never follows a greater move n if m is independent of n and of all moves between
n and m. The plans in this form are counted on the graph of all optimal plans. Each node is paired with a *sleep set*
(Godefroid, Partial-order methods for the verification of concurrent systems, 1996): the moves that would break the
normal form.

The second method, `count_fixed`, reads plans in Foata normal form (Cartier and Foata, 1969), which is a sequence of
steps. The moves of a step are independent of each other. This method can also count the traces that a symmetry maps to
themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import islice

import numpy as np
from msgspec import Struct
from msgspec.structs import astuple

from fewest.errors import InternalError
from fewest.model.metric import Parts
from fewest.model.problem import words_of
from fewest.model.task import union
from fewest.space.distances import ranges
from fewest.space.plan_graph import Change, PlanEdge, PlanGraph
from fewest.space.state_graph import Ids, States, Watch, never_stop

# the number of edges per batch, small enough for the pairs of edges to need little memory
_EDGES = 1 << 16

Plan = tuple[PlanEdge, ...]
MoveImage = Callable[[int], int]


class TraceGraph:
    """The graph of optimal plans, with the independence of its edges.

    Raises InternalError if independent moves cannot be exchanged.
    """

    def __init__(self, graph: PlanGraph) -> None:
        self.graph = graph
        self._independent: dict[tuple[int, int], bool] = {}
        self._first: list[int] = graph.arrays.first.tolist()
        self._awake = self._all_sleepers()

    @cached_property
    def place(self) -> list[dict[int, int]]:
        """For each node, the place of each move among the edges."""
        return [
            {edge.move: place for place, edge in enumerate(edges)} for edges in self.graph.edges
        ]

    def is_independent(self, one: int, other: int) -> bool:
        """Whether two moves are independent."""
        if one > other:
            one, other = other, one
        found = self._independent.get((one, other))
        if found is None:
            moves = self.graph.moves
            found = self._independent[one, other] = moves[one].is_independent_of(moves[other])
        return found

    def _all_sleepers(self) -> dict[int, list[tuple[int, int]]]:
        """For each edge, the moves that are independent of its move and have edges both at its source and at its
        target. Two bit masks represent each of these moves: its place among the edges of the source, and its place
        among the edges of the target.

        Edges without such moves are omitted. Edges are numbered as in `PlanGraph.arrays`.
        """
        first, source, move, target = astuple(self.graph.arrays)
        number = len(self.graph.moves)
        keys = source * number + move  # in ascending order
        reads, writes = self._rows()
        found: dict[int, list[tuple[int, int]]] = {}

        def places(nodes: Ids, moves: Ids) -> Ids:
            """The edges of these moves at these nodes."""
            wanted = nodes * number + moves
            at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
            if not (keys[at] == wanted).all():
                raise InternalError("independent moves of optimal plans cannot be exchanged")
            return at

        for begin in range(0, len(keys), _EDGES):
            edges = np.arange(begin, min(begin + _EDGES, len(keys)))
            after = ranges(first, target[edges])
            edges = np.repeat(edges, np.diff(first)[target[edges]])
            one, other = move[edges], move[after]
            meet = writes[one] & reads[other] | writes[other] & reads[one]
            chosen = np.flatnonzero(~meet.any(axis=1))
            if not len(chosen):
                continue
            edges, after = edges[chosen], after[chosen]
            beside = places(source[edges], move[after])
            across = places(target[beside], move[edges])
            if (target[across] != target[after]).any():
                raise InternalError("independent moves of optimal plans cannot be exchanged")
            here = (beside - first[source[edges]]).tolist()
            there = (after - first[target[edges]]).tolist()
            pairs = [(1 << one, 1 << other) for one, other in zip(here, there, strict=True)]
            each, begins = np.unique(edges, return_index=True)  # `edges` is sorted
            ends = [*begins[1:].tolist(), len(pairs)]
            for edge, begin_of, end in zip(each.tolist(), begins.tolist(), ends, strict=True):
                found[edge] = pairs[begin_of:end]
        return found

    def _rows(self) -> tuple[States, States]:
        """The facts that each move reads, and the facts that it writes: uint64[moves, words]."""
        moves = self.graph.moves
        most = max((max(move.reads, move.writes).bit_length() for move in moves), default=0)
        words = max(1, -(-most // 64))

        def rows(sets: Iterator[int]) -> States:
            return np.asarray(words_of(sets, words), dtype=np.uint64).reshape(-1, words)

        return rows(move.reads for move in moves), rows(move.writes for move in moves)

    def sleep_after(self, node: int, sleep: int, place: int) -> int:
        """The sleep set after the edge at `place`, provided that the edges before it have already been explored."""
        asleep = sleep | ((1 << place) - 1)
        out = 0
        if asleep:
            for before, after in self._awake.get(self._first[node] + place, ()):
                if asleep & before:
                    out |= after
        return out


def count_traces(traces: TraceGraph, watch: Watch = never_stop) -> int:
    """The number of optimal plans up to the order of independent moves. Raises the exceptions of `watch`."""
    return sum(number for _, number in _normal_forms_by_end(traces, watch))


def words_by_cost(
    traces: TraceGraph, watch: Watch = never_stop
) -> tuple[dict[Parts, int], dict[Parts, int]]:
    """The number of plans of each cost, and the number of plans up to order of each cost, for `plans_within`. Raises
    the exceptions of `watch`.
    """
    graph = traces.graph
    paths = [0] * len(graph)
    paths[0] = 1
    plans: dict[Parts, int] = {}
    for node in range(len(graph)):
        for edge in graph.edges[node]:
            paths[edge.target] += paths[node]
        if graph.is_end[node]:
            cost = tuple(-part for part in graph.left[node])
            plans[cost] = plans.get(cost, 0) + paths[node]
    forms: dict[Parts, int] = {}
    for node, number in _normal_forms_by_end(traces, watch):
        cost = tuple(-part for part in graph.left[node])
        forms[cost] = forms.get(cost, 0) + number
    return plans, forms


def _normal_forms_by_end(traces: TraceGraph, watch: Watch) -> Iterator[tuple[int, int]]:
    """For every end, the number of plans in normal form that lead to it."""
    graph = traces.graph
    counts: list[dict[int, int]] = [{} for _ in range(len(graph))]
    counts[0][0] = 1
    for node in range(len(graph)):
        here, counts[node] = counts[node], {}
        if graph.is_end[node]:
            yield node, sum(here.values())
        for sleep, number in here.items():
            for place, edge in enumerate(graph.edges[node]):
                if sleep >> place & 1:
                    continue
                after = traces.sleep_after(node, sleep, place)
                there = counts[edge.target]
                there[after] = there.get(after, 0) + number
        watch(len(graph), 0)


def list_traces(traces: TraceGraph, most: int) -> list[Plan]:
    """The first plans in lexicographic normal form, at most `most` of them: one plan of each trace."""
    return list(islice(_normal_forms(traces), most))


def _normal_forms(traces: TraceGraph) -> Iterator[Plan]:
    """All plans in normal form. If a pair of a node and a sleep set leads to no plan, it is visited only once."""
    graph = traces.graph
    barren: set[tuple[int, int]] = set()
    plan: list[PlanEdge] = []
    found = [0]  # the number of plans found so far, at each level of the stack
    stack: list[tuple[int, int, int]] = [(0, 0, 0)]
    while stack:
        node, sleep, place = stack.pop()
        if place == 0 and graph.is_end[node]:
            yield tuple(plan)
            found[-1] += 1
        edges = graph.edges[node]
        while place < len(edges) and (
            sleep >> place & 1
            or (edges[place].target, traces.sleep_after(node, sleep, place)) in barren
        ):
            place += 1
        if place == len(edges):
            number = found.pop()
            if not number:
                barren.add((node, sleep))
            if found:
                found[-1] += number
                plan.pop()
            continue
        stack.append((node, sleep, place + 1))
        stack.append((edges[place].target, traces.sleep_after(node, sleep, place), 0))
        plan.append(edges[place])
        found.append(0)


def count_fixed(
    traces: TraceGraph, image: MoveImage | None = None, watch: Watch = never_stop
) -> int:
    """The number of traces that a symmetry maps to themselves. If no symmetry is given, this is the number of all
    traces.

    The function counts Foata normal forms, in which every move of a step depends on some move of the previous step.
    `image` maps moves of the graph to moves of the graph.
    """
    graph = traces.graph
    counts: list[dict[tuple[int, ...], int]] = [{} for _ in range(len(graph))]
    counts[0][()] = 1
    total = 0
    for node in range(len(graph)):
        here, counts[node] = counts[node], {}
        if graph.is_end[node]:
            total += sum(here.values())
        for before, number in here.items():
            for step, target in _steps(traces, node, before, image):
                there = counts[target]
                there[step] = there.get(step, 0) + number
            watch(len(graph), 0)
    return total


def _steps(
    traces: TraceGraph, node: int, before: Sequence[int], image: MoveImage | None
) -> Iterator[tuple[tuple[int, ...], int]]:
    """Sets of moves that are independent of each other, each with the node after these moves. Each of these moves
    depends on some move of the previous step.
    """
    allowed = [
        edge.move
        for edge in traces.graph.edges[node]
        if not before or any(not traces.is_independent(edge.move, other) for other in before)
    ]
    blocks = _blocks(traces, allowed, image)
    waiting: list[tuple[int, tuple[int, ...], int]] = [(0, (), node)]
    while waiting:
        at, chosen, reached = waiting.pop()
        if at == len(blocks):
            if chosen:
                yield tuple(sorted(chosen)), reached
            continue
        waiting.append((at + 1, chosen, reached))
        if all(traces.is_independent(move, other) for move in blocks[at] for other in chosen):
            behind = _behind(traces, reached, blocks[at])
            if behind is not None:
                waiting.append((at + 1, (*chosen, *blocks[at]), behind))


def _blocks(
    traces: TraceGraph, allowed: list[int], image: MoveImage | None
) -> list[tuple[int, ...]]:
    """The smallest sets of independent allowed moves that the symmetry maps to themselves. Without a symmetry, these
    are the single moves.
    """
    if image is None:
        return [(move,) for move in allowed]
    blocks: list[tuple[int, ...]] = []
    rest = set(allowed)
    for move in allowed:
        if move not in rest:
            continue
        block = [move]
        while (following := image(block[-1])) != move:
            block.append(following)
        is_whole = rest.issuperset(block)
        rest.difference_update(block)
        if is_whole and all(
            traces.is_independent(one, other) for one in block for other in block if one != other
        ):
            blocks.append(tuple(block))
    return blocks


def _behind(traces: TraceGraph, node: int, moves: Sequence[int]) -> int | None:
    """The node after these moves; None if no optimal plan has these moves at `node`."""
    for move in moves:
        place = traces.place[node].get(move)
        if place is None:
            return None
        node = traces.graph.edges[node][place].target
    return node


class SharedParts(Struct, frozen=True):
    """What all optimal plans have in common: the states after their counted moves, including the initial state, and the
    changes that these moves make. Both are in the order of one plan.
    """

    states: tuple[int, ...]
    changes: tuple[Change, ...]


def shared_parts(graph: PlanGraph) -> SharedParts:
    """The states and changes that occur in every optimal plan. A state within a move of a pair of metrics also counts,
    if a counted move ends there.
    """
    word = first_word(graph)
    changes = tuple(
        dict.fromkeys(change for edge in word for change in graph.moves[edge.move].changes)
    )
    states = [graph.states[0]]
    for edge in word:
        for flip, _ in graph.moves[edge.move].changes:
            states.append(states[-1] ^ flip)
    # Only the parts of one plan can be shared by all plans. Each of them has a bit.
    state_bit = {state: 1 << place for place, state in enumerate(dict.fromkeys(states))}
    change_bit = {change: 1 << place for place, change in enumerate(changes, len(state_bit))}
    bits_of_move = [union(change_bit.get(c, 0) for c in move.changes) for move in graph.moves]
    inner = [[flip for flip, _ in move.changes[:-1]] for move in graph.moves]
    shared = [0] * len(graph)
    for node in range(len(graph) - 1, -1, -1):
        state = graph.states[node]
        common = 0 if graph.is_end[node] else -1
        for edge in graph.edges[node]:
            bits = shared[edge.target] | bits_of_move[edge.move]
            within = state
            for flip in inner[edge.move]:
                within ^= flip
                bits |= state_bit.get(within, 0)
            common &= bits
        shared[node] = common | state_bit.get(state, 0)
    return SharedParts(
        tuple(state for state, bit in state_bit.items() if shared[0] & bit),
        tuple(change for change, bit in change_bit.items() if shared[0] & bit),
    )


def first_word(graph: PlanGraph) -> Plan:
    """One optimal plan."""
    node, word = 0, []
    while not graph.is_end[node]:
        word.append(graph.edges[node][0])
        node = word[-1].target
    return tuple(word)
