"""The search core in pure Python: for machines without a compiler, and the twin of the native one.

One algorithm for everything: Dijkstra (1959) over nodes (state, tokens), states as Python integers.
It is short so that it can be read, and it is what the native core is compared with.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from heapq import heappop, heappush
from math import inf

import numpy as np
from numpy.typing import NDArray

from fewest.model.costs import CostTable
from fewest.model.problem import Problem, Symmetry
from fewest.search.interface import Outcome, Progress

States = NDArray[np.uint64]
Tokens = tuple[int, ...]
Node = tuple[int, Tokens]
Cost = tuple[int, ...]

_BYTES_PER_NODE = 400  # a state, its tokens, its cost and its place in two dictionaries, measured


def search(
    problem: Problem,
    cost: CostTable,
    *,
    exhaust: bool = False,
    seconds: float = inf,
    memory: int | None = None,
    threads: int | None = None,
    progress: Callable[[Progress], None] | None = None,
    symmetry: Symmetry | None = None,
) -> Outcome:
    """The cheapest way to a goal state, or the whole reachable set; see `interface.Outcome`.

    `threads` is there for the native core; here there is one. With `symmetry`, one node of every
    orbit; in every metric.
    """
    images = None if symmetry is None else _Images(symmetry)
    return _Search(problem, cost, exhaust, seconds, memory, progress, images).run()


class _Search:
    def __init__(
        self,
        problem: Problem,
        cost: CostTable,
        exhaust: bool,
        seconds: float,
        memory: int | None,
        progress: Callable[[Progress], None] | None,
        images: _Images | None,
    ) -> None:
        self.images = images
        self.canonical_states = self.orbit_states = 0
        self.tables = Tables(problem)
        self.weight = [tuple(row) for row in cost.weight.T.tolist()]
        self.run_in = [tuple(row) for row in cost.run_in.T.tolist()]
        self.run_out = [tuple(row) for row in cost.run_out.T.tolist()]
        self.run_bit = [
            [0 if fact < 0 else 1 << fact for fact in facts.tolist()] for facts in cost.run_fact
        ]
        self.num_parts = len(cost.run_fact)
        self.exhaust, self.seconds, self.memory, self.progress = exhaust, seconds, memory, progress
        self.began = time.perf_counter()
        self.last_report = self.began
        self.expanded = self.generated = 0
        self.layers: dict[Cost, int] = {}
        self.settled: set[int] = set()
        self.goal: tuple[Cost, Node] | None = None
        self.num_goals = self.num_states = 0
        self.parent: dict[Node, tuple[Node, int] | None] = {}

    def run(self) -> Outcome:
        zero: Cost = (0,) * self.num_parts
        first = self._canonical((self.tables.initial, (-1,) * self.num_parts))
        best: dict[Node, Cost] = {first: zero}
        self.parent[first] = None
        queue: list[tuple[Cost, int, Node]] = [(zero, 0, first)]
        ticket, status, frontier = 0, "exhausted", zero
        try:
            while queue:
                cost, _, node = heappop(queue)
                if best[node] != cost:
                    continue
                frontier = cost
                self._settle(node, cost)
                if self.goal is not None and not self.exhaust:
                    status = "goal"
                    break
                if self.expanded % 256 == 0 and (limit := self._limit(cost, len(best))):
                    status = limit
                    break
                self.expanded += 1
                for index, successor in self.tables.successors(node[0]):
                    self.generated += 1
                    total, reached = self._step(cost, node, index, successor)
                    reached = self._canonical(reached)
                    known = best.get(reached)
                    if known is None or total < known:
                        best[reached] = total
                        self.parent[reached] = (node, index)
                        ticket += 1
                        heappush(queue, (total, ticket, reached))
        except KeyboardInterrupt:
            status = "interrupted"
        return self._outcome(status, frontier, len(best))

    def _settle(self, node: Node, cost: Cost) -> None:
        state = node[0]
        if state in self.settled:
            return
        self.settled.add(state)
        counted = self._count(state)
        self.num_states += counted
        self.layers[cost] = self.layers.get(cost, 0) + counted
        if self.tables.is_goal(state):
            self.num_goals += counted
            if self.goal is None:
                self.goal = (cost, node)

    def _canonical(self, node: Node) -> Node:
        return node if self.images is None else min(self.images.of_node(node))

    def _count(self, state: int) -> int:
        """How many states a new one stands for."""
        if self.images is None:
            return 1
        size = len(set(self.images.of_state(state)))
        self.canonical_states += 1
        self.orbit_states += size
        return size if self.images.fixes_initial else 1

    def _step(self, cost: Cost, node: Node, index: int, successor: int) -> tuple[Cost, Node]:
        total: list[int] = []
        tokens: list[int] = []
        for part in range(self.num_parts):
            weight, token = self.weight[index][part], node[1][part]
            if weight == 0:
                bit = self.run_bit[part][token] if token >= 0 else 0
                total.append(cost[part])
                tokens.append(-1 if self.tables.flip[index] & bit else token)
            else:
                continues = token >= 0 and token == self.run_in[index][part]
                total.append(cost[part] + (0 if continues else weight))
                tokens.append(self.run_out[index][part])
        return tuple(total), (successor, tuple(tokens))

    def _limit(self, cost: Cost, nodes: int) -> str | None:
        now = time.perf_counter()
        used = nodes * _BYTES_PER_NODE
        if self.progress is not None and now - self.last_report >= 0.1:
            self.last_report = now
            self.progress(Progress(cost[0], self.num_states, self.expanded, now - self.began, used))
        if now - self.began > self.seconds:
            return "time"
        if self.memory is not None and used > self.memory:
            return "memory"
        return None

    def _outcome(self, status: str, frontier: Cost, nodes: int) -> Outcome:
        plan = [] if self.goal is None else self._plan(self.goal[1])
        return Outcome(
            status=status,  # type: ignore[arg-type]
            cost=None if self.goal is None else self.goal[0],
            lower_bound=frontier if self.goal is None else self.goal[0],
            plan=tuple(plan),
            layers=tuple(sorted(self.layers.items())),
            num_states=self.num_states,
            num_goal_states=self.num_goals,
            num_expanded=self.expanded,
            num_generated=self.generated,
            seconds=time.perf_counter() - self.began,
            bytes=nodes * _BYTES_PER_NODE,
            algorithm="dijkstra (pure Python)",
            canonical_states=None if self.images is None else self.canonical_states,
            orbit_states=None if self.images is None else self.orbit_states,
        )

    def _plan(self, goal: Node) -> list[int]:
        """The operators from the true start: those that the parents give, from image to image."""
        steps: list[tuple[int, Node]] = []
        at = goal
        while (step := self.parent[at]) is not None:
            steps.append((step[1], at))
            at = step[0]
        steps.reverse()
        if self.images is None:
            return [index for index, _ in steps]
        return self._follow([node for _, node in steps])

    def _follow(self, canonical: list[Node]) -> list[int]:
        """Operators from the true start through the orbits of these nodes, each as cheap as it can be."""
        node: Node = (self.tables.initial, (-1,) * self.num_parts)
        zero: Cost = (0,) * self.num_parts
        plan: list[int] = []
        for wanted in canonical:
            reached = [
                (*self._step(zero, node, index, successor), index)
                for index, successor in self.tables.successors(node[0])
            ]
            _, node, index = min(r for r in reached if self._canonical(r[1]) == wanted)
            plan.append(index)
        return plan


class _Images:
    """What a group of symmetries makes of states and nodes."""

    def __init__(self, symmetry: Symmetry) -> None:
        self.fixes_initial = symmetry.fixes_initial
        self.facts = [[1 << fact for fact in row] for row in symmetry.facts.tolist()]
        self.keys = [[*rows] for rows in zip(*(k.tolist() for k in symmetry.keys), strict=True)]

    def of_state(self, state: int) -> list[int]:
        true = [fact for fact in range(state.bit_length()) if state >> fact & 1]
        return [sum(row[fact] for fact in true) for row in self.facts]

    def of_node(self, node: Node) -> Iterator[Node]:
        for state, keys in zip(self.of_state(node[0]), self.keys, strict=True):
            yield (
                state,
                tuple(
                    token if token < 0 else to[token]
                    for to, token in zip(keys, node[1], strict=True)
                ),
            )


class Tables:
    """Operators by index fact, goal and forbidden cubes, over integers."""

    def __init__(self, problem: Problem) -> None:
        self.initial = _integer(problem.initial)
        mask, value = integers(problem.mask), integers(problem.value)
        self.flip = integers(problem.flip)
        self.always: list[tuple[int, int, int, int]] = []
        self.by_fact: dict[int, list[tuple[int, int, int, int]]] = {}
        for index, fact in enumerate(problem.index_fact.tolist()):
            row = (index, mask[index], value[index], self.flip[index])
            (self.by_fact.setdefault(1 << fact, []) if fact >= 0 else self.always).append(row)
        self.goal = _cubes(problem.goal_mask, problem.goal_value)
        self.forbid = _cubes(problem.forbid_mask, problem.forbid_value)

    def is_goal(self, state: int) -> bool:
        return any(state & mask == value for mask, value in self.goal)

    def successors(self, state: int) -> Iterator[tuple[int, int]]:
        """Operator and successor of every applicable operator."""
        rest = state
        groups = [self.always]
        while rest:
            low = rest & -rest
            rest ^= low
            if low in self.by_fact:
                groups.append(self.by_fact[low])
        for group in groups:
            for index, mask, value, flip in group:
                if state & mask == value:
                    successor = state ^ flip
                    if not any(successor & m == v for m, v in self.forbid):
                        yield index, successor


def _integer(row: States) -> int:
    return int.from_bytes(np.ascontiguousarray(row, dtype="<u8").tobytes(), "little")


def integers(rows: States) -> list[int]:
    """Each row of `uint64[n, W]` as one Python integer."""
    return [_integer(row) for row in rows]


def _cubes(mask: States, value: States) -> list[tuple[int, int]]:
    return list(zip(integers(mask), integers(value), strict=True))


def rows(states: list[int], words: int) -> States:
    """The states as `uint64[n, words]`."""
    raw = b"".join(state.to_bytes(words * 8, "little") for state in states)
    return np.frombuffer(raw, dtype="<u8").astype(np.uint64).reshape(-1, words)


def expand(problem: Problem, states: States) -> tuple[States, NDArray[np.int64], NDArray[np.int32]]:
    """All successors of `states: uint64[n, W]`, with the row and the operator each comes from."""
    tables = Tables(problem)
    found: list[int] = []
    parents: list[int] = []
    operators: list[int] = []
    for row, state in enumerate(integers(check_states(states, problem.mask.shape[1]))):
        for index, successor in tables.successors(state):
            found.append(successor)
            parents.append(row)
            operators.append(index)
    return (
        rows(found, problem.mask.shape[1]),
        np.array(parents, dtype=np.int64),
        np.array(operators, dtype=np.int32),
    )


def check_states(states: States, words: int) -> States:
    """`states` if it is uint64[n, words]. Raises TypeError or ValueError."""
    if not isinstance(states, np.ndarray) or states.dtype != np.uint64:
        raise TypeError("states must be a NumPy array of uint64")
    if states.ndim != 2 or states.shape[1] != words:
        raise ValueError(f"states must have shape (n, {words}), not {states.shape}")
    return states


class StateSet:
    """A set of states of `words` 64-bit words, in insertion order."""

    def __init__(self, words: int) -> None:
        if words < 1:
            raise ValueError("a state has at least one word")
        self.words = words
        self._states: dict[int, None] = {}

    def insert(self, states: States) -> NDArray[np.bool_]:
        """Which rows were new; they are in the set afterwards."""
        new: list[bool] = []
        for state in integers(check_states(states, self.words)):
            new.append(state not in self._states)
            self._states[state] = None
        return np.array(new, dtype=np.bool_)

    def contains(self, states: States) -> NDArray[np.bool_]:
        """Which rows are in the set."""
        rows = integers(check_states(states, self.words))
        return np.array([state in self._states for state in rows], dtype=np.bool_)

    def __len__(self) -> int:
        return len(self._states)

    def states(self) -> States:
        """All states, uint64[len, words], in insertion order."""
        return rows(list(self._states), self.words)
