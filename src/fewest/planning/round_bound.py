"""Determines how many rounds of consequences an encoding must describe, by replaying its models.

An encoding with r rounds does not determine the result of a move if the consequences take more rounds
(`conditional_effects.py`). Therefore, the answer "no plan" is correct for every r, but a model is a plan only if its
replay agrees. If the replay disagrees at some state, a move from this state takes more rounds, and r rises to the
largest number of rounds of these moves. If the consequences of a move never end, the move is not allowed, and the
encoding excludes it (`PlanningTask.endless`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from msgspec.structs import replace

from fewest.errors import InternalError
from fewest.model.conditional_effects import apply_effects_counting_rounds
from fewest.planning.horizons import free_paths, step_between
from fewest.planning.task import PlanningTask

MOST_ENDLESS = 100
"""the maximum number of intermediate states from which consequences never end; with more of them, the engine stops"""


def checked_further(planning: PlanningTask, states: Sequence[int]) -> PlanningTask | None:
    """If a move of a model has a wrong result, the planning task with more rounds or more `endless` states; None if all
    moves are correct.

    `states`: the states at the beginning of all layers of the model. The function replays the model only up to the
    first wrong move. Raises InternalError if consequences do not explain this move.
    """
    if not planning.rounds:
        return None
    for state, target in pairwise(states):
        paths = free_paths(planning, state)
        if target in paths or step_between(planning, paths, target) is not None:
            continue
        known = more_rounds(planning, state)
        if known is None:
            raise InternalError("a move in a model has a wrong result")
        return known
    return None


def more_rounds(planning: PlanningTask, state: int) -> PlanningTask | None:
    """The task with enough rounds for the moves from a state. If the consequences of such a move never end, its
    intermediate state is added to `endless`. The result is None if this changes nothing.
    """
    rounds, endless = planning.rounds, set(planning.endless)
    own = (1 << len(planning.task.facts)) - 1
    for between in _intermediate(planning, free_paths(planning, state)):
        found = apply_effects_counting_rounds(planning.task.consequences, between)
        if found is None:
            endless.add(between & own)
        else:
            rounds = max(rounds, found[1])
    known = replace(planning, rounds=rounds, endless=frozenset(endless))
    return None if known == planning else known


def _intermediate(planning: PlanningTask, paths: Iterable[int]) -> Iterator[int]:
    """The states after the moves from any of these states, before any consequence."""
    for at in paths:
        for move in planning.moves:
            if move.operators and move.is_applicable(at):
                yield move.apply(at)
