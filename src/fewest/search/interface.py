"""What a search core is given and what it answers; the native and the pure-Python core share this.

A state is a set of facts, held as W = max(1, ceil(num_facts / 64)) words: fact f is bit f % 64 of
word f // 64. Arrays are C-contiguous NumPy arrays of exactly the types named here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from fewest.model.costs import CostTable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fewest.model.problem import Problem

Status: TypeAlias = Literal["goal", "exhausted", "time", "memory", "interrupted"]


class UnservedSymmetryError(ValueError):
    """Raised by a core that does not search this metric by symmetry."""


@dataclass(frozen=True)
class Progress:
    """What the progress callback is told, at most ten times a second."""

    cost: int
    """of the states being expanded, first component"""
    num_states: int
    num_expanded: int
    seconds: float
    bytes: int


@dataclass(frozen=True)
class Outcome:
    """What a search found; a limit is a status like any other."""

    status: Status
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


@dataclass(frozen=True)
class GoalDistances:
    """How far all reached states are from the goal."""

    layers: tuple[tuple[tuple[int, ...], int], ...]
    """(distance, number of states), ascending"""
    num_dead: int
    """states from which no goal can be reached"""
    hardest: int | None
    """the least of the farthest states, as a set of facts"""


@dataclass(frozen=True, eq=False)
class Reversed:
    """The problem whose operators are the inverses of another's, and where it starts."""

    problem: Problem
    """its own initial state and goal do not matter"""
    operators: NDArray[np.int32]
    """int32[n]: which operator each one inverts"""
    goals: NDArray[np.uint64]
    """uint64[g, W]: the goal states; they keep the groups, and are not forbidden"""

    def costs(self, cost: CostTable) -> CostTable:
        """The cost table of the operators inverted here: runs go the other way."""
        return CostTable(
            weight=np.ascontiguousarray(cost.weight[:, self.operators]),
            run_in=np.ascontiguousarray(cost.run_out[:, self.operators]),
            run_out=np.ascontiguousarray(cost.run_in[:, self.operators]),
            run_fact=cost.run_fact,
        )


@dataclass(frozen=True)
class Meeting:
    """What a search from both ends found; pairs are (forward, backward)."""

    outcome: Outcome
    """without layers; states are those of both sides"""
    num_states: tuple[int, int]
    radius: tuple[tuple[int, ...], tuple[int, ...]]
    """the cost up to which each side had come"""
