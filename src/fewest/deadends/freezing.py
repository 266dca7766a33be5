"""Pieces that block each other permanently.

A set S of true facts is *frozen* if S blocks every operator that would delete one of them: the operator needs
one of them false, or a fact true that one of them excludes; or it leads to a dead end. Then nothing in S ever
changes on the way to a goal: the first operator to delete a fact of S would do so while all of S is true. A
state is dead if no goal cube allows S. The greatest S is unique, as the union of two frozen sets is frozen;
it remains after removing everything that can move.

(Freeze deadlocks of Sokoban: Junghanns and Schaeffer, Sokoban: enhancing general single-agent search, 2001;
here for any task.) Sound in every metric, as no plan exists at all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fewest.deadends.projection import PieceMove, after
from fewest.model.task import facts_in

if TYPE_CHECKING:
    from fewest.deadends.dead_cubes import DeadCubes


def frozen(dead: DeadCubes, state: int) -> int:
    """The greatest frozen set of a state. The agent is never in it."""
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
    """A small frozen set that no goal allows; None if the greatest one does not contradict them all.

    No fact can be left out of it. Cost: a fixpoint for each frozen fact.
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
    """Whether the move is possible while all of `rest` is true, and does not lead to a dead end."""
    if rest & move.conflicts or not dead.view.has_room(rest | move.needs):
        return False
    then = after(move, rest)
    return not any(
        not end.pieces & ~then
        and (end.places is None or (move.target >= 0 and end.places >> move.target & 1))
        for end in dead.found
    )
