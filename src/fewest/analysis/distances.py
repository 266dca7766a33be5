"""Cheap lower bounds on when a fact can first be true or false, and on how far it is from the goal.

A relaxation: a fact once reached stays reached, true and false alike (h^max; Bonet and Geffner,
Planning as heuristic search, 2001). It never takes longer than the real thing, and it contains the
projection onto each piece alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import inf

from fewest.analysis.composites import Composite
from fewest.analysis.planning import PlanningTask
from fewest.task import Cube


@dataclass(frozen=True)
class Distances:
    """For each fact the least number of moves after which (or before which) it is false, true.

    `value[f]` is a pair (false, true); infinite if it never is. `goal` is a lower bound on the
    length of any plan.
    """

    value: tuple[tuple[float, float], ...]
    goal: float


def from_start(planning: PlanningTask) -> Distances:
    """How many moves from the start each fact's value is at least. Cost: moves times layers."""
    everything = (1 << len(planning.facts)) - 1
    steps = [(m.mask, m.value, m.flip) for m in planning.moves]
    free = [(m.mask, m.value, m.flip) for m in planning.free]
    start = (everything & ~planning.initial, planning.initial)
    return _relax(len(planning.facts), start, steps, free, planning.goal)


def to_goal(planning: PlanningTask) -> Distances:
    """How many moves from each fact's value to a goal state at least, over inverse moves."""
    everything = (1 << len(planning.facts)) - 1
    false = true = 0
    for mask, value in planning.goal:
        false |= everything & ~value
        true |= everything & ~mask | value
    start = (everything & ~planning.initial, planning.initial)
    initial = ((everything, start[1]),)
    return _relax(
        len(planning.facts),
        (false, true),
        _inverse(planning.moves),
        _inverse(planning.free),
        initial,
    )


def _inverse(moves: Iterable[Composite]) -> list[tuple[int, int, int]]:
    return [(move.mask, move.value ^ move.flip, move.flip) for move in moves]


def _relax(
    num_facts: int,
    start: tuple[int, int],
    steps: Sequence[tuple[int, int, int]],
    free: Sequence[tuple[int, int, int]],
    goal: Sequence[Cube],
) -> Distances:
    false, true = start
    distance = [[inf, inf] for _ in range(num_facts)]
    reached = inf
    layer = 0
    while True:
        false, true = _closure(false, true, free)
        for fact in range(num_facts):
            for side, known in enumerate((false, true)):
                if known >> fact & 1 and distance[fact][side] == inf:
                    distance[fact][side] = layer
        if reached == inf and any(_allows(false, true, *cube) for cube in goal):
            reached = layer
        longer = _step(false, true, steps)
        if longer == (false, true):
            return Distances(tuple((row[0], row[1]) for row in distance), reached)
        false, true = longer
        layer += 1


def _allows(false: int, true: int, mask: int, value: int) -> bool:
    return value & ~true == 0 and mask & ~value & ~false == 0


def _step(false: int, true: int, steps: Sequence[tuple[int, int, int]]) -> tuple[int, int]:
    more_false, more_true = false, true
    for mask, value, flip in steps:
        if _allows(false, true, mask, value):
            more_false |= flip & value
            more_true |= flip & ~value
    return more_false, more_true


def _closure(false: int, true: int, free: Sequence[tuple[int, int, int]]) -> tuple[int, int]:
    while True:
        longer = _step(false, true, free)
        if longer == (false, true):
            return longer
        false, true = longer
