"""A task as arrays: what the search cores are given.

A state is a set of facts, held as W = max(1, ceil(num_facts / 64)) words: fact f is bit f % 64 of
word f // 64. Arrays are C-contiguous NumPy arrays of exactly the types named here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


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
