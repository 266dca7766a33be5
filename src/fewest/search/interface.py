"""The input and output of a search core; the native and the pure-Python core share this interface.

A state is a set of facts, held as W = max(1, ceil(num_facts / 64)) words: fact f is bit f % 64 of word f // 64.
"""

from __future__ import annotations

from array import array
from math import inf
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

from msgspec import Struct

from fewest.model.costs import CostTable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from fewest.model.problem import Problem

SearchStatus: TypeAlias = Literal[
    "goal", "exhausted", "time", "memory", "interrupted", "depth", "disk"
]


Status: TypeAlias = SearchStatus | Literal["running"]
"""The result of `Search.advance`: "running" if the budget is used up, else why the search ended."""


class Budget(Struct, frozen=True):
    """The work that one call of `Search.advance` may do, the same on fast and slow machines; None: any amount.

    A search may exceed a budget slightly, since it checks the budget only once in about a thousand expansions.
    """

    expansions: int | None = None
    """more than before the call"""
    bytes: int | None = None
    """that the tables of the search have when it pauses"""
    entries: int | None = None
    """that a breadth-first search has when it pauses between two layers; other searches ignore it"""


class SearchLimits(Struct, frozen=True):
    """The limits of a search; unlike a budget, a limit is final."""

    seconds: float = inf
    """from the beginning of the call of `advance`, wall clock"""
    memory: int | None = None
    """Bytes of the tables of the search; None: no limit except the system's. If the search was created without a
    memory limit, the limit of the first call counts for all calls.
    """


ALL = Budget()
"""As much as the limits allow."""
NO_LIMITS = SearchLimits()


class Search(Protocol):
    """A search that can be advanced by a budget and asked for its bound.

    It pauses when a budget is used up, and continues where it paused. It decides nothing about other searches:
    `engines/portfolio.py` says which search runs next, and for how long.
    """

    def advance(
        self,
        budget: Budget,
        limits: SearchLimits,
        progress: Callable[[Progress], None] | None = None,
    ) -> Status:
        """Search until the budget is used up ("running"), there is an answer ("goal", "exhausted"), or a limit ends it.

        Ctrl-C is "interrupted". After any status but "running" the search has ended, and another call returns the
        same status. `progress` is called at most ten times a second; what it raises propagates and ends the search.
        """
        ...

    @property
    def bound(self) -> tuple[int, ...]:
        """No plan costs less: what the search has proved so far."""
        ...

    @property
    def num_expanded(self) -> int:
        """The work so far, in expansions."""
        ...

    @property
    def bytes(self) -> int:
        """The current size of the tables of the search."""
        ...

    def outcome(self) -> Outcome:
        """The results so far, with the statistics; an informed search returns an `InformedOutcome`."""
        ...


class UnusedSymmetryError(ValueError):
    """Raised by a core that does not search this metric by symmetry."""


class Progress(Struct, frozen=True):
    """A report of the search to the progress callback, at most ten times a second."""

    cost: int
    """of the states being expanded, first component"""
    num_states: int
    num_expanded: int
    seconds: float
    bytes: int
    most_states: int | None = None
    """the search visits no more states than this; None if unknown"""


class Outcome(Struct, frozen=True):
    """The result of a search; a limit is a status like any other."""

    status: Status
    """ "running" of a search that was paused"""
    cost: tuple[int, ...] | None
    """of the cheapest goal state, proven minimal; None if none was reached"""
    lower_bound: tuple[int, ...]
    """no goal is cheaper than this"""
    plan: tuple[int, ...]
    """operator ids from the initial state to that goal state"""
    layers: tuple[tuple[tuple[int, ...], int], ...]
    """(cost, number of states first reached at that cost), ascending; the last may be incomplete
    unless the status is "exhausted" """
    num_states: int
    """distinct states reached"""
    num_goal_states: int
    """goal states among them"""
    num_expanded: int
    num_generated: int
    seconds: float
    bytes: int
    """the most that the tables of the search took at any time"""
    algorithm: str
    canonical_states: int | None = None
    """of a search by symmetry: the states that stand for their orbits. If the symmetries fix the initial
    state, all other counts are exact, of whole orbits; if not, they count these states only"""
    orbit_states: int | None = None
    """all states of the orbits, reachable or not"""
    endless: tuple[int, int] | None = None
    """an operator that is no move in some state, since its consequences would never end; and that state"""
    num_resumed: int = 0
    """how many of the states an earlier search saved"""


class GoalDistances(Struct, frozen=True):
    """The goal distances of all reached states."""

    layers: tuple[tuple[tuple[int, ...], int], ...]
    """(distance, number of states), ascending"""
    num_dead: int
    """states from which no goal can be reached"""
    hardest: int | None
    """the least of the farthest states, as a set of facts"""


class GoalSearch:
    """A search for all distances to the goal that continues another search: its result, or what stopped it, or
    why there is none.
    """

    def __init__(self, *, counts_plans: bool = False) -> None:
        self.counts_plans = counts_plans
        self.num_plans: int | None = None
        self.back: Callable[[], Reversed] | None = None
        """The reversed problem, for tasks with irreversible moves."""
        self.distances: GoalDistances | None = None
        self.stopped: Status | None = None
        self.unserved: str | None = None


class GoalDistanceResult(Struct, frozen=True):
    """The goal distances of all reachable states, and the number of cheapest plans."""

    status: str
    """"exhausted", or what stopped it: "time", "memory", "interrupted" """
    distances: GoalDistances | None
    """None if it was stopped before they were known"""
    num_states: int
    num_goal_states: int
    minimum: tuple[int, ...] | None
    """the cost of the goal from the initial state; None if it cannot be reached"""
    num_plans: int | None
    """None if they were not counted"""


class Reversed(Struct, frozen=True, eq=False):
    """The problem whose operators are the inverses of another's, and where it starts."""

    problem: Problem
    """its own initial state and goal do not matter"""
    operators: Sequence[int]
    """the operator that each one inverts"""
    goals: tuple[int, ...]
    """the goal states, as sets of facts; they keep the groups, and are not forbidden"""

    def costs(self, cost: CostTable) -> CostTable:
        """The cost table of the operators inverted here: merged moves are reversed."""
        return CostTable(
            weight=self._of_ours("q", cost.rows.weight),
            run_in=self._of_ours("i", cost.rows.run_out),
            run_out=self._of_ours("i", cost.rows.run_in),
            run_fact=cost.run_fact,
        )

    def _of_ours(self, kind: str, rows: Iterable[Sequence[int]]) -> array[int]:
        return array(kind, [row[operator] for row in rows for operator in self.operators])


class Meeting(Struct, frozen=True):
    """The result of a search from both ends; pairs are (forward, backward)."""

    outcome: Outcome
    """without layers; states are those of both sides"""
    num_states: tuple[int, int]
    radius: tuple[tuple[int, ...], tuple[int, ...]]
    """the cost that each side has reached"""
