"""What goes into a search core and what comes out; the native and the pure-Python core share it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Problem:
    """A task as arrays. W words a state; fact f is bit f % 64 of word f // 64.

    Operator i is applicable iff `(s & mask[i]) == value[i]`; then `s' = s ^ flip[i]`; flips lie inside
    masks. Successors inside any of the forbid cubes do not exist; any of the goal cubes is a goal.
    """

    num_facts: int
    initial: NDArray[np.uint64]  # [W]
    mask: NDArray[np.uint64]  # [n, W]
    value: NDArray[np.uint64]  # [n, W]
    flip: NDArray[np.uint64]  # [n, W]
    index_fact: NDArray[np.int32]  # [n], a positive fact of the cube (the moved piece's), or -1
    goal_mask: NDArray[np.uint64]  # [g, W]
    goal_value: NDArray[np.uint64]  # [g, W]
    forbid_mask: NDArray[np.uint64]  # [f, W]
    forbid_value: NDArray[np.uint64]  # [f, W]
    exactly_one: tuple[tuple[int, ...], ...]  # disjoint groups of facts, one of each always true
    at_most_one: tuple[tuple[int, ...], ...]  # groups of facts, at most one of each ever true


@dataclass(frozen=True, eq=False)
class CostTable:
    """A metric of one or two parts (c): weights, and the keys of the runs that merge.

    An operator with weight 0 is free and keeps the token, unless it flips the token's fact. Another
    costs 0 if its `run_in` is the token, else its weight; the token becomes its `run_out`.
    """

    weight: NDArray[np.int64]  # [c, n], >= 0
    run_in: NDArray[np.int32]  # [c, n], -1: never continues a run
    run_out: NDArray[np.int32]  # [c, n], -1: leaves no run
    run_fact: tuple[NDArray[np.int32], ...]  # for each part: the fact of each key, or -1


@dataclass(frozen=True)
class Progress:
    """How far a search is: `cost` of the layer being expanded, seconds and bytes so far."""

    cost: int
    num_states: int
    num_expanded: int
    seconds: float
    bytes: int


@dataclass(frozen=True)
class Outcome:
    """What a search found; costs have one number for each part of the metric.

    `cost` is proven minimal whenever it is there; no goal is cheaper than `lower_bound`. `layers`
    are (cost, states first reached at that cost).
    """

    status: Literal["goal", "exhausted", "time", "memory", "interrupted"]
    cost: tuple[int, ...] | None
    lower_bound: tuple[int, ...]
    plan: tuple[int, ...]
    layers: tuple[tuple[tuple[int, ...], int], ...]
    num_states: int
    num_goal_states: int
    num_expanded: int
    num_generated: int
    seconds: float
    bytes: int
    algorithm: str
