"""A task as rows of numbers: the input of the search cores.

A state is a set of facts in W = max(1, ceil(num_facts / 64)) words: fact f is bit f % 64 of word f // 64. A buffer
contains the rows one after another. A buffer is an `array` of the standard library or a C-contiguous NumPy array of any
shape, with exactly the types and sizes below. The attribute `arrays` contains the buffers as NumPy arrays; nothing else
here imports NumPy.
"""

from __future__ import annotations

import sys
from array import array
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias, Union

from msgspec import Struct, field

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np
    from numpy.typing import NDArray

Buffer: TypeAlias = Union["array[int]", "NDArray[np.generic]"]
"""A buffer of numbers of one type."""


def words_of(sets: Iterable[int], words: int) -> array[int]:
    """Sets of facts as rows of `words` words."""
    size = words * 8
    rows = array("Q", b"".join(facts.to_bytes(size, "little") for facts in sets))
    if sys.byteorder == "big":
        rows.byteswap()
    return rows


def sets_in(rows: Buffer, words: int) -> list[int]:
    """The rows of a buffer as sets of facts."""
    raw, size = rows.tobytes(), words * 8
    return [int.from_bytes(raw[at : at + size], sys.byteorder) for at in range(0, len(raw), size)]


def _size(buffer: Buffer) -> int:
    """The number of elements in a buffer of any shape."""
    with memoryview(buffer) as view:  # type: ignore[arg-type]
        return view.nbytes // view.itemsize


class ConditionalEffects(Struct, frozen=True, eq=False):
    """The effects of consequences (`model.conditional_effects`) as rows of numbers, in the order of the sweeps."""

    mask: Buffer
    """uint64[m, W], as are the next five"""
    value: Buffer
    flip: Buffer
    clear: Buffer
    need_mask: Buffer
    need_value: Buffer
    place: Buffer
    """int32[m]: the number of the place of each effect, ascending; a place belongs to one stage"""
    stage: Buffer
    """int32[m]: the number of the stage of each effect, ascending"""
    everywhere: tuple[bool, ...]
    """for each stage, whether its effects apply everywhere simultaneously"""


class Problem(Struct, frozen=True, eq=False, dict=True, weakref=True):
    """A planning task without costs: an initial state, operators, permutations, effects, goal cubes, forbidden cubes
    and invariants.

    A *cube* (mask, value) holds in a state s iff `s & mask == value`. An operator applies iff its cube holds, and then
    leads to `s ^ flip`. `flip` is a subset of `mask`, so every operator has an exact inverse.
    """

    num_facts: int
    initial: Buffer
    """uint64[W]"""
    mask: Buffer
    """uint64[n, W]: the facts of each operator's cube"""
    value: Buffer
    """uint64[n, W]: those of these facts that must be true"""
    flip: Buffer
    """uint64[n, W]: those of these facts that change"""
    index_fact: Buffer
    """int32[n]: one positive fact of the cube, if possible the fact of the moved piece; -1 if there is no positive
    fact
    """
    goal_mask: Buffer
    """uint64[g, W]: the goal cubes"""
    goal_value: Buffer
    forbid_mask: Buffer
    """uint64[f, W]: the forbidden cubes; no move leads into any of them"""
    forbid_value: Buffer
    exactly_one: tuple[tuple[int, ...], ...]
    """disjoint groups of facts; in every reachable state, exactly one fact of each group is true"""
    at_most_one: tuple[tuple[int, ...], ...]
    """groups of facts that cover the same layer cell; groups may overlap, and at most one fact of each group is true"""
    permutations: Buffer = field(default_factory=lambda: array("i"))
    """int32[t, num_facts]: permutations of facts, which apply in every state; their ids are n, n + 1, …"""
    conditional_effects: ConditionalEffects | None = None
    """the consequences of operators, if operators lead to intermediate states"""
    goal_list: Buffer = field(default_factory=lambda: array("i"))
    """int32[g], ascending, or empty: for each goal cube, the number of its list. A goal state is in some cube of every
    list
    """
    pending: Buffer = field(default_factory=lambda: array("Q"))
    """uint64[W], or empty: facts that are true in no state of the search. The operator of a simultaneous assignment
    flips one of these facts and nothing else; then effects, which all require such a fact, perform the assignment
    """

    @property
    def words(self) -> int:
        """W, the number of 64-bit words of a state."""
        return max(1, -(-self.num_facts // 64))

    @property
    def num_permutations(self) -> int:
        """the number t of permutations"""
        return _size(self.permutations) // self.num_facts if self.num_facts else 0

    @property
    def num_operators(self) -> int:
        """the total number n + t of operators and permutations"""
        return _size(self.index_fact) + self.num_permutations

    @cached_property
    def arrays(self) -> ProblemArrays:
        """The problem as NumPy arrays with the shapes above."""
        import numpy as np

        def rows(buffer: Buffer) -> NDArray[np.uint64]:
            return np.asarray(buffer, dtype=np.uint64).reshape(-1, self.words)

        return ProblemArrays(
            initial=np.asarray(self.initial, dtype=np.uint64),
            mask=rows(self.mask),
            value=rows(self.value),
            flip=rows(self.flip),
            index_fact=np.asarray(self.index_fact, dtype=np.int32),
            goal_mask=rows(self.goal_mask),
            goal_value=rows(self.goal_value),
            forbid_mask=rows(self.forbid_mask),
            forbid_value=rows(self.forbid_value),
        )


class ProblemArrays(Struct, frozen=True, eq=False):
    """The rows of a problem as NumPy arrays."""

    initial: NDArray[np.uint64]
    mask: NDArray[np.uint64]
    value: NDArray[np.uint64]
    flip: NDArray[np.uint64]
    index_fact: NDArray[np.int32]
    goal_mask: NDArray[np.uint64]
    goal_value: NDArray[np.uint64]
    forbid_mask: NDArray[np.uint64]
    forbid_value: NDArray[np.uint64]


class Symmetry(Struct, frozen=True, eq=False):
    """A group of k permutations that leave a problem and its costs unchanged (found by `analysis.symmetry`).

    Row g maps fact f to `facts[g, f]`; row 0 is the identity. The permutations map operators to operators with the same
    weights and corresponding run keys; they map the sets of goal cubes, of forbidden cubes and of groups of facts to
    themselves.
    """

    facts: NDArray[np.int32]
    """int32[k, num_facts]"""
    keys: tuple[NDArray[np.int32], ...]
    """c times int32[k, number of keys]: the images of the run keys in each part"""
    fixes_initial: bool
    """whether all permutations map the initial state to itself"""

    @property
    def order(self) -> int:
        """The number of permutations, including the identity."""
        return len(self.facts)


class Numbering(Struct, frozen=True, eq=False):
    """A decision diagram that maps consistent states to the numbers 0..size-1, step by step.

    Exactly one fact of a *variable* is true; if `may_be_none` is true, there may also be no true fact. The options of a
    variable are numbered; the option "no fact" comes first. Step i reads `steps[i]` variables. The *code* of the step
    contains the options of these variables side by side. Each option has the number of bits that the largest option of
    its variable needs. The option of the first variable is in the lowest bits. An entry is (number of preceding
    states) << 24 | (node of the next step), or all ones if no state has the code. The number of a state is the sum of
    the numbers of preceding states along its path.
    """

    size: int
    variables: tuple[tuple[int, ...], ...]
    may_be_none: tuple[bool, ...]
    steps: tuple[int, ...]
    nodes: tuple[int, ...]
    """the number of nodes of each step"""
    entries: NDArray[np.uint64]
    """the entries, ordered by step, node and code"""
