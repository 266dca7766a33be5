"""The input and output of a search core. The native core and the pure-Python core share this interface.

A state is a set of facts in W = max(1, ceil(num_facts / 64)) words of 64 bits: fact f is bit f % 64 of word f // 64.
"""

from __future__ import annotations

from array import array
from math import inf
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

from msgspec import Struct

from fewest.model.costs import CostTable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from fewest.model.problem import Problem

SearchStatus: TypeAlias = Literal[
    "goal", "exhausted", "time", "memory", "interrupted", "depth", "disk"
]


Status: TypeAlias = SearchStatus | Literal["running"]
"""The result of `Search.advance`: "running" if the budget is used up, and otherwise the reason why the search ended."""


class Budget(Struct, frozen=True):
    """The work that one call of `Search.advance` may do, independent of the speed of the machine. None means any
    amount.

    A search may exceed a budget slightly, because it checks the budget only once in several hundred or several thousand
    expansions.
    """

    expansions: int | None = None
    """the number of expansions during the call"""
    bytes: int | None = None
    """the search pauses when its tables have at least this number of bytes"""
    entries: int | None = None
    """Only breadth-first searches from the start use this number. They pause before they expand a layer if their tables
    have at least this number of entries and the layer contains at least 1/64 of it.
    """


class SearchLimits(Struct, frozen=True):
    """The limits of a search. Unlike a budget, a limit ends the search."""

    seconds: float = inf
    """the wall-clock time from the beginning of the call of `advance`"""
    memory: int | None = None
    """The maximum size of the tables of an informed search, in bytes. None: there is no limit except that of the
    system. The limit of the first call applies to all calls. A blind search ignores this value, because its memory
    limit is an argument of the function that creates it.
    """


ALL = Budget()
"""The budget for all of the work that the limits allow."""
NO_LIMITS = SearchLimits()


class Search(Protocol):
    """A search that advances by budgets and has a bound at any time.

    The search pauses when a budget is used up, and the next call continues where it paused. `engines/portfolio.py`
    determines which search runs next, and for how long.
    """

    def advance(
        self,
        budget: Budget,
        limits: SearchLimits,
        progress: Callable[[Progress], None] | None = None,
    ) -> Status:
        """Search until the budget is used up ("running"), an answer is found ("goal", "exhausted"), or a limit ends the
        search.

        After Ctrl-C, the status is "interrupted". After any status except "running", the search has ended, and further
        calls return the same status. `progress` is called at most ten times a second. Exceptions of `progress`
        propagate and end the search.
        """
        ...

    @property
    def bound(self) -> tuple[int, ...]:
        """The lower bound that has been proved. No plan costs less."""
        ...

    @property
    def num_expanded(self) -> int:
        """The work that has been done, in expansions."""
        ...

    @property
    def bytes(self) -> int:
        """The current number of bytes of the search's tables."""
        ...

    def outcome(self) -> Outcome:
        """The results that have been found, including the statistics. An informed search returns an
        `InformedOutcome`.
        """
        ...


class UnusedSymmetryError(ValueError):
    """Raised by a core that cannot search by symmetry in this metric."""


class Progress(Struct, frozen=True):
    """A report of a search to its progress callback. A search reports at most ten times a second."""

    cost: int
    """the first part of the cost that the search has reached: the cost of the states that a blind search in one
    direction is expanding, or the lower bound that another search has proved
    """
    num_states: int
    num_expanded: int
    seconds: float
    bytes: int
    most_states: int | None = None
    """an upper bound on the number of states that the search will visit; None if unknown"""
    messages_per_layer: int | None = None
    """on a cluster, the mean number of requests per layer that its processes sent"""


class Outcome(Struct, frozen=True):
    """The result of a search. If a limit ended the search, the status is that limit."""

    status: Status
    """ "running" if the search has paused"""
    cost: tuple[int, ...] | None
    """the cost of the cheapest goal state, proved minimal; None if the search has not proved the minimum, or has proved
    that no goal state can be reached
    """
    lower_bound: tuple[int, ...]
    """no goal state has a lower cost"""
    plan: tuple[int, ...]
    """the ids of the operators from the initial state to that goal state"""
    layers: tuple[tuple[tuple[int, ...], int], ...]
    """pairs (cost, number of states first reached at that cost), ascending; the last pair may be incomplete unless the
    status is "exhausted"
    """
    num_states: int
    """the number of different states that were reached"""
    num_goal_states: int
    """the number of goal states among them"""
    num_expanded: int
    num_generated: int
    seconds: float
    bytes: int
    """the peak number of bytes of the search's tables"""
    algorithm: str
    canonical_states: int | None = None
    """for a search by symmetry, the number of states that represent their orbits. If the symmetries map the initial
    state to itself, the other counts are exact and count whole orbits; otherwise, they include only these states
    """
    orbit_states: int | None = None
    """the number of states in all of these orbits, reachable or not"""
    endless: tuple[int, int] | None = None
    """an operator and a state in which it is not allowed, because its consequences would never end"""
    num_resumed: int = 0
    """the number of states that an earlier search saved"""
    is_only_plan: bool | None = None
    """whether all cheapest plans differ only in the order of independent moves; None if this is unknown"""


class GoalDistances(Struct, frozen=True):
    """The number of reached states at each goal distance, and one of the states that are farthest from the goal."""

    layers: tuple[tuple[tuple[int, ...], int], ...]
    """pairs (distance, number of states), ascending"""
    num_dead: int
    """the number of states from which no goal state can be reached"""
    hardest: int | None
    """the smallest of the states that are farthest from the goal, as a set of facts; None if no goal state was
    reached
    """


class GoalSearch:
    """A request to compute the goal distances of all states after a search in a store, and the result of this
    computation: `distances`, the limit that `stopped` it, or a text in `unserved` that states why the store has no
    distances.

    If `counts_plans` is true, the computation also sets `num_plans`, the number of cheapest plans, if it can count
    them.
    """

    def __init__(self, *, counts_plans: bool = False) -> None:
        self.counts_plans = counts_plans
        self.num_plans: int | None = None
        self.back: Callable[[], InverseProblem] | None = None
        """A function that creates the reversed problem, for tasks with irreversible moves."""
        self.distances: GoalDistances | None = None
        self.stopped: Status | None = None
        self.unserved: str | None = None


class GoalDistanceResult(Struct, frozen=True):
    """The numbers of reachable states at each goal distance, and the number of cheapest plans."""

    status: str
    """"exhausted", or the limit that stopped the search: "time", "memory", "interrupted" """
    distances: GoalDistances | None
    """None if a limit stopped the search before all distances had been computed"""
    num_states: int
    num_goal_states: int
    minimum: tuple[int, ...] | None
    """the cost from the initial state to the goal; None if no goal state can be reached, or if `distances` is None"""
    num_plans: int | None
    """the number of cheapest plans; None if the plans were not counted"""
    plan_states: NDArray[np.uint64] | None = None
    """the initial state and the states after each move of the cheapest plans, uint64[n, words], ordered by their
    distance from the initial state; None if they were not requested, or if the plans were not counted
    """


class InverseProblem(Struct, frozen=True, eq=False):
    """A problem with the inverses of another problem's operators, and the states from which a search of this problem
    starts.
    """

    problem: Problem
    """its initial state and its goal are not used"""
    operators: Sequence[int]
    """for each operator, the operator that it inverts"""
    goals: tuple[int, ...]
    """the goal states, as sets of facts; they satisfy the mutex groups, and of the forbidden states only the initial
    state may be among them
    """

    def costs(self, cost: CostTable) -> CostTable:
        """The cost table of the inverse operators; merged moves are reversed."""
        return CostTable(
            weight=self._of_ours("q", cost.rows.weight),
            run_in=self._of_ours("i", cost.rows.run_out),
            run_out=self._of_ours("i", cost.rows.run_in),
            run_fact=cost.run_fact,
        )

    def _of_ours(self, kind: str, rows: Iterable[Sequence[int]]) -> array[int]:
        return array(kind, [row[operator] for row in rows for operator in self.operators])


class Meeting(Struct, frozen=True):
    """The result of a search from both ends. Each pair is (forward, backward)."""

    outcome: Outcome
    """the outcome, which contains no layers and counts the states of both sides"""
    num_states: tuple[int, int]
    radius: tuple[tuple[int, ...], tuple[int, ...]]
    """for each side, the cost that the search has reached"""
