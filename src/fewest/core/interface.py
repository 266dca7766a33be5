"""What a search core is given and what it answers; the native and the pure-Python core share this.

A state is a set of facts, held as W = max(1, ceil(num_facts / 64)) words: fact f is bit f % 64 of
word f // 64. Arrays are C-contiguous NumPy arrays of exactly the types named here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Status: TypeAlias = Literal["goal", "exhausted", "time", "memory", "interrupted"]


@dataclass(frozen=True, eq=False)
class Problem:
    """A planning task without costs: an initial state, operators, goal cubes, invariants.

    A *cube* (mask, value) holds in a state s iff `s & mask == value`. An operator applies iff its
    cube holds and leads to `s ^ flip`; `flip` is a subset of `mask`, so it has an exact inverse.
    """

    num_facts: int
    initial: NDArray[np.uint64]
    """uint64[W]"""
    mask: NDArray[np.uint64]
    """uint64[n, W]: the facts that an operator's cube speaks of"""
    value: NDArray[np.uint64]
    """uint64[n, W]: those of them that must be true"""
    flip: NDArray[np.uint64]
    """uint64[n, W]: those of them that change"""
    index_fact: NDArray[np.int32]
    """int32[n]: one positive fact of the cube (the moved piece's, where there is one), or -1"""
    goal_mask: NDArray[np.uint64]
    """uint64[g, W]: any of these cubes is a goal"""
    goal_value: NDArray[np.uint64]
    forbid_mask: NDArray[np.uint64]
    """uint64[f, W]: successors inside any of these cubes do not exist"""
    forbid_value: NDArray[np.uint64]
    exactly_one: tuple[tuple[int, ...], ...]
    """disjoint groups of facts; in every reachable state exactly one of each is true"""
    at_most_one: tuple[tuple[int, ...], ...]
    """groups of facts (those that cover one cell), which may overlap; at most one of each is true"""


@dataclass(frozen=True, eq=False)
class CostTable:
    """One compiled metric of c components: c = 1, or 2 for a lexicographic pair.

    Per component a *token* (a run key or none) goes along with an operator sequence, none at first.
    An operator of weight w == 0 is free; the token stays, unless the operator flips the token's
    `run_fact`: then it is none. An operator of weight w > 0 costs nothing if the token is its
    `run_in`, else w; the token becomes its `run_out`.
    """

    weight: NDArray[np.int64]
    """int64[c, n], >= 0"""
    run_in: NDArray[np.int32]
    """int32[c, n]: the run key that the operator continues, or -1"""
    run_out: NDArray[np.int32]
    """int32[c, n]: the run key that it leaves, or -1"""
    run_fact: tuple[NDArray[np.int32], ...]
    """c times int32[number of keys]: the fact at which the run's piece stands, or -1.
    Where it is not -1, it is the `index_fact` of every operator that continues the key."""


@dataclass(frozen=True, eq=False)
class Symmetry:
    """A group of k permutations that a problem and its costs do not notice (`analysis.group` finds them).

    Row g maps fact f to `facts[g, f]`; row 0 is the identity. Operators go to operators of the same
    weights and of corresponding run keys; goals, forbidden cubes and groups of facts to themselves.
    """

    facts: NDArray[np.int32]
    """int32[k, num_facts]"""
    keys: tuple[NDArray[np.int32], ...]
    """c times int32[k, number of keys]: what becomes of the run keys of each component"""
    fixes_initial: bool
    """whether all of them map the initial state to itself"""

    @property
    def order(self) -> int:
        """The number of permutations, the identity included."""
        return len(self.facts)


class UnservedSymmetryError(ValueError):
    """Raised by a core that does not search this metric by symmetry."""


@dataclass(frozen=True, eq=False)
class Numbering:
    """Consistent states as numbers 0..size-1: a diagram that is read step by step.

    Of the facts of a *variable* one is true, or none where `may_be_none`; its options are numbered, none
    being the first. A step reads so many variables at once as `steps` says; their options stand side
    by side in its *code*, each in the bits that its greatest option needs, the first in the lowest.
    An entry holds the number of states before << 24 | the node of the next step, all ones where no
    state has the code; a state's number is the sum over its path.
    """

    size: int
    variables: tuple[tuple[int, ...], ...]
    may_be_none: tuple[bool, ...]
    steps: tuple[int, ...]
    nodes: tuple[int, ...]
    """the number of nodes of each step"""
    entries: NDArray[np.uint64]
    """step by step, node by node, by code"""


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
