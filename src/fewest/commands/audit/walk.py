"""Chooses the positions of an audit: in turn, positions of a breadth-first search, of a plan, and of random walks.

Breadth-first search finds faults that affect most positions. Random walks find faults that affect only rare positions.
The positions of the plan matter because the answer depends on them.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator, Sequence

from msgspec import Struct

from fewest.commands.audit.comparison import (
    Comparison,
    ComparisonStopped,
    Difference,
    DifferenceFound,
)
from fewest.model.position import start

_RESTART = 64  # the average number of moves of a random walk
_NEARER = 0.5  # the number of seconds to search for a difference nearer to the start
_LONGEST = 1.0  # the number of seconds beyond its limit that an audit may need to finish a position
# The number of bytes that a position occupies in the set of known positions and in the queue.
_BYTES = 250
# The maximum number of positions with cached successors. The cache saves time, because walks return to positions.
_MOST_CACHED = 20_000


class Audit(Struct, frozen=True):
    """The number of positions at which the audit compared the rules with the task; `is_whole`: whether these are all
    reachable positions.

    `seconds`: the CPU time of the audit.
    """

    positions: int
    is_whole: bool
    seconds: float

    def to_json(self) -> dict[str, object]:
        """The plain data for the statistics."""
        return {"positions": self.positions, "all": self.is_whole}


class AuditLimits(Struct, frozen=True):
    """The limits of an audit: the number of `positions`, the `seconds` of CPU time, and the bytes of `memory`; None: no
    limit.
    """

    positions: int | None = None
    seconds: float | None = None
    memory: int | None = None


class Walk:
    """Compares the rules with the task at positions of a puzzle, in the order that the module describes.

    `operators`: the operators of a plan. The object stores each known position as the number of its state, and the
    successors of up to 20,000 positions.
    """

    def __init__(
        self, comparison: Comparison, operators: Sequence[int] = (), seed: int = 0
    ) -> None:
        self.comparison = comparison
        self.num_compared = 0
        self._compared: set[int] = set()
        self._successors: dict[int, list[int]] = {}
        self._first = comparison.state_of(start(comparison.puzzle))
        self._known = {self._first}
        self._queue = deque([self._first])
        self._plan = _states(comparison, self._first, operators)
        self._random = seed % 2147483646 + 1

    def run(self, extent: AuditLimits) -> bool:
        """Compare at least one position, and at most `extent`; return whether all reachable positions were compared.

        A position that takes a second longer than `extent` allows is not compared. Ctrl-C ends the walk, just as a
        limit of the extent does. Raises DifferenceFound.
        """
        began = time.thread_time()
        sources: list[Iterator[None]] = [self._breadth_first()]
        is_bounded = extent.positions is not None or extent.seconds is not None
        if extent.seconds is not None:
            self.comparison.deadline = began + extent.seconds + _LONGEST
        if is_bounded:  # without limits, the breadth-first search alone compares every position
            sources += [self._along_plan(), self._at_random()]
        try:
            while True:
                for source in list(sources):
                    if next(source, self) is self:
                        sources.remove(source)
                        if not self._queue:
                            return True
                    if extent.positions is not None and self.num_compared >= extent.positions:
                        return not self._queue
                    if extent.seconds is not None and time.thread_time() - began > extent.seconds:
                        return not self._queue
                    if extent.memory is not None and len(self._known) * _BYTES > extent.memory:
                        return not self._queue
        except (KeyboardInterrupt, ComparisonStopped):
            return False

    def _compare(self, state: int) -> list[int]:
        """The successors of a state. Unless they are cached, compares the rules with the task at this state."""
        found = self._successors.get(state)
        if found is not None:
            return found
        found = self.comparison.successors(state)
        if state not in self._compared:
            self._compared.add(state)
            self.num_compared += 1
        if len(self._successors) < _MOST_CACHED:
            self._successors[state] = found
        return found

    def _breadth_first(self) -> Iterator[None]:
        """Compare all positions in the order of their distance from the start; each step of the iterator compares
        one.
        """
        while self._queue:
            state = self._queue.popleft()
            is_new = state not in self._compared
            for after in self._compare(state):
                if after not in self._known:
                    self._known.add(after)
                    self._queue.append(after)
            if is_new:
                yield

    def _along_plan(self) -> Iterator[None]:
        """Compare the positions of the plan, one in each step of the iterator: the last position first, then positions
        at ever smaller intervals.
        """
        step = len(self._plan)
        while step:
            for state in self._plan[step - 1 :: step]:
                if state not in self._compared:
                    self._compare(state)
                    yield
            step //= 2

    def _at_random(self) -> Iterator[None]:
        """Compare the positions of random walks, which begin at the start or on the plan; each step of the iterator
        visits one position.
        """
        state = self._first
        while True:
            successors = self._compare(state)
            yield
            if not successors or not self._number_below(_RESTART):
                state = self._plan[self._number_below(len(self._plan))]
            else:
                state = successors[self._number_below(len(successors))]

    def _number_below(self, bound: int) -> int:
        """A random number (Lehmer 1951). This avoids the module `random`, because importing it takes longer than many
        audits.
        """
        self._random = self._random * 48271 % 2147483647
        return self._random % bound


def nearest(comparison: Comparison, difference: Difference) -> Difference:
    """The difference nearest to the start, if a breadth-first search finds one in half a second; otherwise,
    `difference`.
    """
    try:
        walk = Walk(comparison)
        deadline = time.thread_time() + _NEARER
        comparison.deadline = deadline + _LONGEST
        for _ in walk._breadth_first():
            if time.thread_time() > deadline:
                break
    except DifferenceFound as nearer:
        return nearer.difference
    except ComparisonStopped:
        pass
    return difference


def _states(comparison: Comparison, first: int, operators: Sequence[int]) -> list[int]:
    """The states along a plan, beginning with the first state and ending at the first operator that the task cannot
    apply.
    """
    out = [first]
    for operator in operators:
        after = comparison.task.after(operator, out[-1])
        if after is None or not comparison.task.moves[operator].is_applicable(out[-1]):
            break
        out.append(after)
    return out
