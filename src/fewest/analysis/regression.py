"""The reversed task, in which every operator is inverted, and the goal states from which a backward search begins.

If an operator were inverted literally, the cube of the inverse would be too weak. In the forward direction, "the piece
is here" implies that no other piece is here. In the backward direction, the cube must state this; otherwise, the
inverse would put a piece on a cell that another piece occupies. Therefore, the cube of the inverse also requires that
all facts that the groups of the task exclude before the operator are false. This excludes only predecessors that
violate a group, and such states are unreachable. Furthermore, every inverse then preserves the groups: a fact that the
inverse adds was true in the operator's cube, so the other facts of its group are false.
"""

from __future__ import annotations

import time
from array import array
from collections.abc import Iterable, Iterator, Sequence
from math import comb, inf
from typing import TYPE_CHECKING

from fewest.model.answer import LimitReached
from fewest.model.problem import words_of
from fewest.model.task import Cube, Task, facts_in

if TYPE_CHECKING:
    from fewest.search.interface import InverseProblem

Pending = tuple[tuple[int, int], ...]  # Groups: their facts, and how many of these are true.

# The enumeration stops after `limit` times this number of partial states.
_NODES_PER_STATE = 20


class TooManyStatesError(Exception):
    """Raised if the goal cubes together contain more states than allowed, or if listing the states takes too many
    steps. `at_most` is an upper bound on the number of states; it ignores collisions of pieces.
    """

    def __init__(self, at_most: int) -> None:
        super().__init__(at_most)
        self.at_most = at_most


def reverse(task: Task, goals: Sequence[int]) -> InverseProblem:
    """The reversed problem for a search from the states `goals` (`search.bidirectional`, `search.goal_distances`).

    An operator is omitted if its cube violates a group, because it never applies. Permutations are replaced by their
    inverses. Raises UsageError if the task has separate consequences.
    """
    from msgspec.structs import replace

    from fewest.search.interface import InverseProblem

    task.require_whole_moves("a search backwards")
    excluded = exclusions(task)
    ids, masks, values, flips, index_facts = [], [], [], [], []
    for number, operator in enumerate(task.operators):
        false = operator.mask & ~operator.value
        for fact in facts_in(operator.value):
            false |= excluded[fact]
        if false & operator.value:
            continue
        value = operator.inverse_value
        fact = operator.to_fact
        if fact < 0 or not value >> fact & 1:
            fact = value.bit_length() - 1
        ids.append(number)
        masks.append(operator.mask | false)
        values.append(value)
        flips.append(operator.flip)
        index_facts.append(fact)
    words, permutations = task.words, array("i")
    for number, permutation in enumerate(task.permutations, len(task.operators)):
        ids.append(number)
        permutations.extend(_inverse(permutation.image))
    problem = replace(
        task.problem,
        mask=words_of(masks, words),
        value=words_of(values, words),
        flip=words_of(flips, words),
        index_fact=array("i", index_facts),
        permutations=permutations,
        goal_mask=words_of([], words),
        goal_value=words_of([], words),
        goal_list=array("i"),
    )
    return InverseProblem(problem, ids, tuple(goals))


def _inverse(image: Sequence[int]) -> list[int]:
    """The inverse of a permutation."""
    found = [0] * len(image)
    for fact, to in enumerate(image):
        found[to] = fact
    return found


def goal_states(task: Task, limit: int, deadline: float = inf) -> tuple[int, ...]:
    """All goal states that satisfy the groups of the task, whether or not they are reachable. There may be at most
    `limit` states.

    The states are sorted. Forbidden states are omitted, unless they are the initial state. Raises TooManyStatesError,
    and LimitReached when `time.perf_counter()` passes `deadline`. The time is a few microseconds per state, and up to a
    tenth of a millisecond if pieces exclude each other's places.
    """
    completer = _Completer(task, limit, deadline)
    found: set[int] = set()
    for cube in completer.cubes(((0, 0),), (task.goal, *task.further_goals)):
        for state in completer.states(cube):
            if state in found or (task.is_forbidden(state) and state != task.initial):
                continue
            found.add(state)
            if len(found) > limit:
                raise TooManyStatesError(sum(completer.at_most(cube) for cube in task.goal))
    return tuple(sorted(found))


def exclusions(task: Task) -> list[int]:
    """For each fact, the facts that must be false if it is true, according to the groups of the task."""
    excluded = [0] * len(task.facts)
    groups = [group.facts for group in task.exactly if group.count == 1]
    for facts in (*groups, *task.at_most_one):
        together = sum(1 << fact for fact in facts)
        for fact in facts:
            excluded[fact] |= together & ~(1 << fact)
    return excluded


class _Completer:
    """Enumerates the states of a cube, one group after another. The group with the fewest choices comes first."""

    def __init__(self, task: Task, limit: int, deadline: float) -> None:
        self.task = task
        self.deadline = deadline
        self.excluded = exclusions(task)
        self.groups: Pending = tuple(
            (sum(1 << fact for fact in group.facts), group.count) for group in task.exactly
        )
        grouped = sum(mask for mask, _ in self.groups)
        self.single = (1 << len(task.facts)) - 1 & ~grouped
        self.nodes_left = limit * _NODES_PER_STATE

    def at_most(self, cube: Cube) -> int:
        """The number of states that a cube would have if facts of different groups did not exclude each other."""
        start = self._start(cube)
        if start is None:
            return 0
        true, false = start
        product = 1 << (self.single & ~true & ~false).bit_count()
        for mask, count in self.groups:
            need = count - (true & mask).bit_count()
            free = (mask & ~true & ~false).bit_count()
            product *= comb(free, need) if need >= 0 else 0
        return product

    def cubes(self, begun: Iterable[Cube], lists: Sequence[Sequence[Cube]]) -> Iterator[Cube]:
        """The non-empty intersections of one cube of `begun` with one cube of each list."""
        if not lists:
            yield from begun
            return
        first, *rest = lists
        for mask, value in begun:
            for other_mask, other_value in first:
                if (value ^ other_value) & mask & other_mask:
                    continue
                cube = mask | other_mask, value | other_value
                if rest:
                    self._count_node()
                    if self._start(cube) is None:
                        continue
                yield from self.cubes((cube,), rest)

    def states(self, cube: Cube) -> Iterator[int]:
        start = self._start(cube)
        return iter(()) if start is None else self._complete(*start, self.groups)

    def _start(self, cube: Cube) -> tuple[int, int] | None:
        mask, value = cube
        false = mask & ~value
        for fact in facts_in(value):
            false |= self.excluded[fact]
        return None if value & false else (value, false)

    def _count_node(self) -> None:
        self.nodes_left -= 1
        if self.nodes_left < 0:
            raise TooManyStatesError(sum(self.at_most(cube) for cube in self.task.goal))
        if self.nodes_left % 256 == 0 and time.perf_counter() > self.deadline:
            raise LimitReached("time")

    def _complete(self, true: int, false: int, pending: Pending) -> Iterator[int]:
        self._count_node()
        open_groups: list[tuple[int, int]] = []
        # for the group with the fewest choices, its possible facts and the number of facts to choose
        fewest, chosen = 0, (0, 0)
        for mask, count in pending:
            need = count - (true & mask).bit_count()
            free = mask & ~true & ~false
            choices = comb(free.bit_count(), need) if need >= 0 else 0
            if not choices:
                return
            if need:
                open_groups.append((mask, count))
                if not fewest or choices < fewest:
                    fewest, chosen = choices, (free, need)
        if not fewest:
            yield from self._choose_single(true, self.single & ~true & ~false)
            return
        free, need = chosen
        if len(open_groups) == need == 1 and not self.single:
            for fact in facts_in(free):
                yield true | 1 << fact
            return
        rest = tuple(open_groups)
        for fact in facts_in(free):  # this fact is the smallest of the chosen facts
            bit = 1 << fact
            yield from self._complete(true | bit, false | self.excluded[fact], rest)
            false |= bit

    def _choose_single(self, true: int, free: int) -> Iterator[int]:
        """Choose the values of facts that are in no exactly-k group. Each of these facts may be true or false, unless
        other facts exclude this value.
        """
        self._count_node()
        if not free:
            yield true
            return
        bit = free & -free
        yield from self._choose_single(true, free ^ bit)
        excluded = self.excluded[bit.bit_length() - 1]
        yield from self._choose_single(true | bit, (free ^ bit) & ~excluded)
