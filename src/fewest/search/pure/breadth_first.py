"""Blind search from the start in pure Python.

Every search is Dijkstra's algorithm (1959) over nodes (state, tokens), with states as Python integers. The code is
short and easy to read; the tests compare the native core with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from heapq import heappop, heappush
from math import inf
from mmap import mmap
from sys import getsizeof
from typing import Any

from fewest.machine.memory import left_of
from fewest.model.conditional_effects import (
    ConditionalEffect,
    ConditionalEffectStage,
    apply_effects,
    stages_in,
)
from fewest.model.costs import CostTable, RunRule, added
from fewest.model.metric import Parts
from fewest.model.problem import Buffer, Problem, Symmetry, sets_in
from fewest.search.interface import (
    ALL,
    NO_LIMITS,
    Budget,
    Outcome,
    Progress,
    SearchLimits,
    SearchStatus,
    Status,
)
from fewest.search.pure.effect_fixpoint import EffectFixpoint
from fewest.search.pure.quota import Quota

Tokens = tuple[int, ...]
Node = tuple[int, Tokens]

# the measured number of bytes of a state, its tokens, its cost and its predecessor, without the tables
_BYTES_PER_NODE = 350
_LARGE = 1 << 16  # a dictionary with more entries counts as large
_RESERVE = 4 << 20  # the number of bytes of reserved address space


def _reserve() -> mmap:
    """Address space for which the system provides no memory, because nothing is written to it. A `bytearray` would be
    filled with zeros, which takes longer than the search of a small puzzle.
    """
    try:
        return mmap(-1, _RESERVE)
    except OSError:
        raise MemoryError from None


def _table_bytes(table: Mapping[Any, Any]) -> int:
    """The number of bytes that a dictionary occupies. If the dictionary is nearly full, this includes the table of
    twice the size that will replace the current table.
    """
    # the number of slots of a dictionary is a power of two, and at most two thirds of the slots are in use
    room = 1 << (len(table) * 3 // 2).bit_length()
    is_full = len(table) > _LARGE and (len(table) + _LARGE // 16) * 3 // 2 >= room
    return getsizeof(table) * (3 if is_full else 1)


def make_search(
    problem: Problem,
    cost: CostTable,
    *,
    exhaust: bool = False,
    memory: int | None = None,
    threads: int | None = None,
    symmetry: Symmetry | None = None,
    file: str = "",
) -> PureSearch:
    """A new search for the cheapest plan to a goal state, or a search of the whole reachable set.

    `threads` and `file` are only for the native core; this search has one thread and saves no data. With `symmetry`,
    the search stores one node of every orbit, in every metric.
    """
    images = None if symmetry is None else _Images(symmetry)
    return PureSearch(problem, cost, exhaust, memory, images)


def search(
    problem: Problem,
    cost: CostTable,
    *,
    seconds: float = inf,
    progress: Callable[[Progress], None] | None = None,
    **options: Any,
) -> Outcome:
    """The outcome of a whole search; see `interface.Outcome`. The `options` are the same as for `make_search`."""
    made = make_search(problem, cost, **options)
    made.advance(ALL, SearchLimits(seconds), progress)
    return made.outcome()


class PureSearch:
    """Dijkstra's algorithm, as a generator that waits between calls of `advance`; see `interface.Search`."""

    def __init__(
        self,
        problem: Problem,
        cost: CostTable,
        exhaust: bool,
        memory: int | None,
        images: _Images | None,
    ) -> None:
        self.images = images
        self.canonical_states = self.orbit_states = 0
        self.tables = ProblemTables(problem)
        self.rule = RunRule(cost, self.tables.flip)
        self.exhaust = exhaust
        self.slice = Quota()
        self.memory = left_of(memory)
        self.num_expanded = self.generated = 0
        self.layers: dict[Parts, int] = {}
        self.closed: set[int] = set()
        self.goal: tuple[Parts, Node] | None = None
        self.num_goals = self.num_states = 0
        self.best: dict[Node, Parts] = {}
        self.parent: dict[Node, tuple[Node, int] | None] = {}
        self.frontier = self.rule.zero
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
        return self.frontier if self.goal is None else self.goal[0]

    def _work(self) -> Iterator[None]:
        """Yields when the budget of the call is used up."""
        zero = self.rule.zero
        first = self._canonical((self.tables.initial, self.rule.fresh))
        best = self.best
        best[first] = zero
        self.parent[first] = None
        queue: list[tuple[Parts, int, Node]] = [(zero, 0, first)]
        ticket = 0
        reserve = _reserve()  # memory for the final answer, in case memory runs out
        status: Status = "exhausted"
        try:
            while queue:
                cost, _, node = heappop(queue)
                if best[node] != cost:
                    continue
                self.frontier = cost
                self._close(node, cost)
                if self.goal is not None and not self.exhaust:
                    status = "goal"
                    break
                if self.num_expanded % 256 == 0:
                    if limit := self._limit(cost):
                        status = limit
                        break
                    if self.slice.is_used_up(self.num_expanded, self._bytes):
                        yield
                self.num_expanded += 1
                # a list, because Python could not close an unfinished generator after memory has run out
                for index, successor in [*self.tables.successors(node[0])]:
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
        except MemoryError:  # the system's own limit is lower than the given limit
            status = "memory"
        reserve.close()
        self.status = status

    def _close(self, node: Node, cost: Parts) -> None:
        state = node[0]
        if state in self.closed:
            return
        self.closed.add(state)
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
        """The number of states that a new state represents. In a search by symmetry, also counts the state and its
        orbit.
        """
        if self.images is None:
            return 1
        size = len(set(self.images.of_state(state)))
        self.canonical_states += 1
        self.orbit_states += size
        return size if self.images.fixes_initial else 1

    def _step(self, cost: Parts, node: Node, index: int, successor: int) -> tuple[Parts, Node]:
        paid, tokens = self.rule.step(index, node[1])
        return added(cost, paid), (successor, tokens)

    def _limit(self, cost: Parts) -> SearchStatus | None:
        used = self._bytes()
        self.slice.report(cost[0], self.num_states, self.num_expanded, used)
        if self.slice.is_over():
            return "time"
        if self.memory is not None and used > self.memory:
            return "memory"
        return None

    def _bytes(self) -> int:
        tables = _table_bytes(self.best) + _table_bytes(self.parent) + getsizeof(self.closed)
        return len(self.best) * _BYTES_PER_NODE + tables

    @property
    def bytes(self) -> int:
        return self._bytes()

    def outcome(self) -> Outcome:
        plan = [] if self.goal is None else self._plan(self.goal[1])
        return Outcome(
            status=self.status,
            cost=None if self.goal is None else self.goal[0],
            lower_bound=self.bound,
            plan=tuple(plan),
            layers=tuple(sorted(self.layers.items())),
            num_states=self.num_states,
            num_goal_states=self.num_goals,
            num_expanded=self.num_expanded,
            num_generated=self.generated,
            seconds=self.slice.spent,
            bytes=self._bytes(),
            algorithm="dijkstra (pure Python)",
            endless=self.tables.endless,
            canonical_states=None if self.images is None else self.canonical_states,
            orbit_states=None if self.images is None else self.orbit_states,
        )

    def _plan(self, goal: Node) -> list[int]:
        """The operators of the plan from the initial state. In a search by symmetry, they lead through the orbits of
        the nodes on the path of the search.
        """
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
        """The cheapest operators from the initial state through the orbits of these nodes."""
        node: Node = (self.tables.initial, self.rule.fresh)
        zero = self.rule.zero
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
    """The images of states and nodes under a group of symmetries."""

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


class ProblemTables:
    """The data of a problem, with sets of facts as Python integers and with the operators grouped by their index
    fact.
    """

    def __init__(self, problem: Problem) -> None:
        words = problem.words
        (self.initial,) = sets_in(problem.initial, words)
        mask, value = sets_in(problem.mask, words), sets_in(problem.value, words)
        self.flip = sets_in(problem.flip, words)
        self.num_operators = len(self.flip)
        self.permutations = permutations_in(problem)
        self.flip += [
            sum(1 << f for f, to in enumerate(row) if f != to) for row in self.permutations
        ]
        self.always: list[tuple[int, int, int, int]] = []
        self.by_fact: dict[int, list[tuple[int, int, int, int]]] = {}
        for index, fact in enumerate(problem.index_fact.tolist()):
            row = (index, mask[index], value[index], self.flip[index])
            (self.by_fact.setdefault(1 << fact, []) if fact >= 0 else self.always).append(row)
        self.endless: tuple[int, int] | None = None
        self.stages = (
            ()
            if problem.conditional_effects is None
            else stages_in(problem.conditional_effects, words)
        )
        self.pending = next(iter(sets_in(problem.pending, words)), 0)
        self.places: dict[int, tuple[ConditionalEffectStage, ...]] = {}
        if self.pending:
            self.places, self.stages = self._of_pending(), ()
        self.goals = _lists(problem, words)
        self.forbid = _cubes(problem.forbid_mask, problem.forbid_value, words)

    @cached_property
    def fixpoint(self) -> EffectFixpoint:
        return EffectFixpoint(self.stages)

    def _of_pending(self) -> dict[int, tuple[ConditionalEffectStage, ...]]:
        """For each pending fact, a single stage with its effects."""
        places: dict[int, list[tuple[ConditionalEffect, ...]]] = {}
        for place in (place for stage in self.stages for place in stage.places):
            places.setdefault(place[0].value & self.pending, []).append(place)
        return {
            fact: (ConditionalEffectStage(tuple(found), True),) for fact, found in places.items()
        }

    def is_goal(self, state: int) -> bool:
        return all(any(state & mask == value for mask, value in cubes) for cubes in self.goals)

    def successors(self, state: int) -> Iterator[tuple[int, int]]:
        """Every operator or permutation that a state allows, with its successor. If the consequences of an operator
        never end, it is not allowed; the first such operator is recorded in `endless`, with the state. A permutation
        that leaves the state unchanged is no move.
        """
        left = state
        groups = [self.always]
        while left:
            low = left & -left
            left ^= low
            if low in self.by_fact:
                groups.append(self.by_fact[low])
        for group in groups:
            for index, mask, value, flip in group:
                if state & mask == value:
                    successor = state ^ flip
                    if self.stages or successor & self.pending:
                        rest = self._rest(state, successor)
                        if rest is None:
                            self.endless = self.endless or (index, state)
                        if rest is None or rest == state:
                            continue
                        successor = rest
                    if not any(successor & m == v for m, v in self.forbid):
                        yield index, successor
        true = [f for f in range(state.bit_length()) if state >> f & 1] if self.permutations else []
        for index, image in enumerate(self.permutations, self.num_operators):
            successor = sum(1 << image[fact] for fact in true)
            if successor != state and not any(successor & m == v for m, v in self.forbid):
                yield index, successor

    def _rest(self, before: int, state: int) -> int | None:
        """The state after all effects that follow a move from the state `before`; None if the effects never end."""
        stages = self.places.get(state & self.pending)
        return (
            self.fixpoint.apply(before, state) if stages is None else apply_effects(stages, state)
        )


def permutations_in(problem: Problem) -> list[list[int]]:
    """For each permutation, the image of each fact."""
    flat: list[int] = memoryview(problem.permutations).cast("B").cast("i").tolist()  # type: ignore[arg-type]
    size = problem.num_facts
    return [flat[at : at + size] for at in range(0, len(flat), size or 1)]


def _lists(problem: Problem, words: int) -> list[list[tuple[int, int]]]:
    """The lists of goal cubes. If the problem does not divide its goal cubes into lists, they form a single list."""
    cubes = _cubes(problem.goal_mask, problem.goal_value, words)
    lists: dict[int, list[tuple[int, int]]] = {}
    for number, cube in zip(problem.goal_list.tolist(), cubes, strict=False):
        lists.setdefault(number, []).append(cube)
    return [*lists.values()] or [cubes]


def _cubes(mask: Buffer, value: Buffer, words: int) -> list[tuple[int, int]]:
    return list(zip(sets_in(mask, words), sets_in(value, words), strict=True))
