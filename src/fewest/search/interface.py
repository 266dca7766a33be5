"""What a search core is given and what it answers; the native and the pure-Python core share this.

A state is a set of facts, held as W = max(1, ceil(num_facts / 64)) words: fact f is bit f % 64 of
word f // 64. Arrays are C-contiguous NumPy arrays of exactly the types named here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    pass

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
