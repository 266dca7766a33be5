"""Pieces that block each other permanently.

A set S of true facts is *frozen* if S blocks every operator that would delete a fact of S. S blocks an operator if the
operator requires a fact of S to be false, requires a fact that S excludes, or leads to a dead state. If S is frozen, no
fact of S ever changes on a path to a goal: the first operator that deletes a fact of S would have to apply while all of
S is true. A state is dead if it has a frozen set S that no goal cube allows. The greatest frozen set is unique, because
the union of two frozen sets is frozen. To compute it, start with the set of all true facts, and repeatedly remove facts
that can change.

(This generalises the freeze deadlocks of Sokoban to all tasks: Junghanns and Schaeffer, Sokoban: enhancing general
single-agent search, 2001.) The test is sound in every metric, because it shows that there is no plan.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fewest.deadlocks.projection import PieceMove, after
from fewest.model.task import facts_in

if TYPE_CHECKING:
    from fewest.deadlocks.dead_cubes import DeadCubes


def frozen(dead: DeadCubes, state: int) -> int:
    """The greatest frozen set of a state; it never contains the agent. It is empty if the task has no tables
    (`PieceView.is_small`).
    """
    view = dead.view
    if not view.is_small:
        return 0
    rest = state & ~view.agent
    while True:
        movable = 0
        for fact in facts_in(rest):
            if any(_is_open(dead, move, rest) for move in view.moves_of[fact]):
                movable |= 1 << fact
        if not movable:
            return rest
        rest &= ~movable


def frozen_core(dead: DeadCubes, state: int) -> int | None:
    """A minimal frozen set that no goal cube allows. The result is None if some goal cube allows the greatest frozen
    set, or if the task has no tables. The function computes one fixpoint for each frozen fact.
    """
    if not dead.view.is_small:
        return None
    core = frozen(dead, state)
    if not _is_bad(dead, core):
        return None
    for fact in facts_in(core):
        smaller = frozen(dead, core & ~(1 << fact))
        if _is_bad(dead, smaller):
            core = smaller
    return core


def _is_bad(dead: DeadCubes, facts: int) -> bool:
    view = dead.view
    return view.task.has_goal and not any(goal.allows(facts) for goal in view.goals)


def _is_open(dead: DeadCubes, move: PieceMove, rest: int) -> bool:
    """Whether the move is possible while all facts of `rest` are true and does not lead to a dead position."""
    if rest & move.conflicts or not dead.view.has_room(rest | move.needs):
        return False
    then = after(move, rest)
    return not any(
        not end.pieces & ~then
        and (end.places is None or (move.target >= 0 and end.places >> move.target & 1))
        for end in dead.found
    )
