"""The compiled module; `fewest.search.native` checks arguments and makes Outcomes of what it says."""

from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

MAX_WORDS: int

_Groups: TypeAlias = Sequence[Sequence[int]]
Found: TypeAlias = tuple[
    Literal["goal", "exhausted", "time", "memory", "interrupted"],
    int | None,
    int,
    list[int],
    list[tuple[int, int]],
    int,
    int,
    int,
    int,
    float,
    int,
    str,
    int,
    int,
]

class Problem:
    def __init__(
        self,
        num_facts: int,
        initial: NDArray[np.uint64],
        mask: NDArray[np.uint64],
        value: NDArray[np.uint64],
        flip: NDArray[np.uint64],
        index_fact: NDArray[np.int32],
        goal_mask: NDArray[np.uint64],
        goal_value: NDArray[np.uint64],
        forbid_mask: NDArray[np.uint64],
        forbid_value: NDArray[np.uint64],
        exactly_one: _Groups,
        at_most_one: _Groups,
        /,
    ) -> None: ...
    @property
    def packed_words(self) -> int: ...

class Expander:
    def __init__(self, problem: Problem, /) -> None: ...
    def expand(
        self, states: NDArray[np.uint64], /
    ) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.int32]]: ...

class StateSet:
    def __init__(self, words: int, /) -> None: ...
    def insert(self, states: NDArray[np.uint64], /) -> NDArray[np.bool_]: ...
    def contains(self, states: NDArray[np.uint64], /) -> NDArray[np.bool_]: ...
    def __len__(self) -> int: ...
    def states(self) -> NDArray[np.uint64]: ...

def search(
    problem: Problem,
    weight: NDArray[np.int64],
    run_in: NDArray[np.int32],
    run_out: NDArray[np.int32],
    run_fact: _Groups,
    exhaust: bool,
    seconds: float,
    memory: int,
    threads: int,
    progress: Callable[[int, int, int, float, int], None] | None,
    symmetry: NDArray[np.int32] | None,
    fixes_initial: bool,
) -> Found | None: ...
def search_index(
    problem: Problem,
    weight: NDArray[np.int64],
    run_in: NDArray[np.int32],
    run_out: NDArray[np.int32],
    run_fact: _Groups,
    size: int,
    variables: _Groups,
    may_be_none: Sequence[int],
    steps: Sequence[int],
    nodes: Sequence[int],
    entries: NDArray[np.uint64],
    exhaust: bool,
    seconds: float,
    memory: int,
    plan: bool,
    to_goal: bool,
    progress: Callable[[int, int, int, float, int], None] | None,
) -> tuple[Found, list[tuple[int, int]] | None, int | None, list[int] | None]: ...
def bidirectional(
    problem: Problem,
    weight: NDArray[np.int64],
    run_in: NDArray[np.int32],
    run_out: NDArray[np.int32],
    run_fact: _Groups,
    reversed: Problem,
    reversed_weight: NDArray[np.int64],
    reversed_in: NDArray[np.int32],
    reversed_out: NDArray[np.int32],
    goals: NDArray[np.uint64],
    seconds: float,
    memory: int,
    progress: Callable[[int, int, int, float, int], None] | None,
) -> tuple[
    Literal["goal", "exhausted", "time", "memory", "interrupted"],
    int | None,
    int,
    list[int],
    list[int],
    NDArray[np.uint64],
    tuple[int, int],
    tuple[int, int],
    int,
    int,
    float,
    int,
    str,
]: ...
def astar(
    problem: Problem,
    weight: NDArray[np.int64],
    run_in: NDArray[np.int32],
    run_out: NDArray[np.int32],
    run_fact: _Groups,
    groups: _Groups,
    numbers: Sequence[int],
    images: _Groups,
    dead_pieces: _Groups,
    dead_places: _Groups,
    seconds: float,
    memory: int,
    is_deepening: bool,
    patterns: int,
    progress: Callable[[int, int, int, float, int], None] | None,
) -> tuple[
    Literal["goal", "exhausted", "time", "memory", "interrupted"],
    int | None,
    int,
    int,
    list[int],
    dict[str, Any],
]: ...
def iterative_deepening(
    problem: Problem,
    weight: NDArray[np.int64],
    run_in: NDArray[np.int32],
    run_out: NDArray[np.int32],
    run_fact: _Groups,
    groups: _Groups,
    numbers: Sequence[int],
    seconds: float,
    memory: int,
    progress: Callable[[int, int, int, float, int], None] | None,
) -> tuple[
    Literal["goal", "exhausted", "time", "memory", "interrupted"],
    int | None,
    int,
    int,
    list[int],
    dict[str, Any],
]: ...
