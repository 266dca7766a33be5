"""Finds the reason why no reachable state is a goal state: a piece for a goal spot is missing, or there are too few
goal spots.

The compiled task contains only facts that can become true if nothing is in the way, so the compiler drops each goal
cube that needs another fact. To name the missing pieces or spots, this module compiles the goal again, over all facts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from fewest.errors import DocumentError
from fewest.model.puzzle import Piece
from fewest.model.task import union

if TYPE_CHECKING:
    from fewest.grounding.partial import PartialState
    from fewest.model.puzzle import Puzzle
    from fewest.model.task import Fact, Task

_Key = tuple[int, int]  # a class and a cell


class ImpossibleGoal(Struct, frozen=True):
    """Either the pieces in `pieces` (a mask of facts of the state) can reach only `spots`, which are fewer than the
    pieces; or `pieces` is 0, and no piece can ever reach any of `spots`.
    """

    pieces: int
    spots: tuple[Fact, ...]


def impossible_goal(puzzle: Puzzle, task: Task, state: int) -> ImpossibleGoal | None:
    """The reason why every goal cube is impossible, if this is why the task has no goal cubes; otherwise None."""
    if puzzle.goal is None or task.goal or task.further_goals:
        return None
    from fewest.grounding.applicability import RuleApplicability
    from fewest.grounding.goals import MAX_GOALS, ground_goal
    from fewest.grounding.ground import ground_rule
    from fewest.grounding.grounder import Grounder

    # If every move is one step of one piece, the grounder omits places that no piece can reach. Therefore, the second
    # attempt adds pieces at all places.
    for each in (puzzle, _with_pieces_everywhere(puzzle, task)):
        try:
            grounder = Grounder(each)
            grounder.applicability = RuleApplicability(
                grounder, ground_rule
            )  # for `can(RULE)` in the goal
            lists = ground_goal(puzzle.goal, grounder, MAX_GOALS)
        except DocumentError:  # there are too many facts
            return None
        for cubes in lists:
            reasons = [_reason(cube, grounder.facts, task, state) for cube in cubes]
            found = _common(reasons)
            if found is not None:
                return found
    return None


def _common(reasons: Sequence[ImpossibleGoal | None]) -> ImpossibleGoal | None:
    """One reason that applies to all cubes of a list; None if there is no such reason. Unreachable spots of several
    cubes are listed together, with at least one spot of each cube.
    """
    if not reasons or None in reasons:
        return None
    if len(set(reasons)) == 1:
        return reasons[0]
    spots: dict[Fact, None] = {}
    for one in reasons:
        if one is None or one.pieces:
            return None
        if spots.keys().isdisjoint(one.spots):
            spots[one.spots[0]] = None
    return ImpossibleGoal(0, tuple(spots))


def _with_pieces_everywhere(puzzle: Puzzle, task: Task) -> Puzzle:
    """The puzzle with further pieces of every class that can move, on all cells where they fit."""
    board = puzzle.board
    if board is None:
        return puzzle
    moving = {fact.class_id for fact in task.facts if fact.class_id >= 0}
    more = tuple(
        Piece(class_id, anchor, "", "")
        for class_id in sorted(moving)
        for anchor in range(board.num_cells)
        if puzzle.classes[class_id].cells.issuperset(
            board.cover(puzzle.classes[class_id].shape, anchor) or (-1,)
        )
    )
    return replace(puzzle, pieces=(*puzzle.pieces, *more))


def _reason(
    cube: PartialState, facts: Sequence[Fact], task: Task, state: int
) -> ImpossibleGoal | None:
    known = {_key(fact) for fact in task.facts if fact.class_id >= 0}
    missing = [facts[fact] for fact in sorted(cube.positive) if _key(facts[fact]) not in known]
    if missing:
        return ImpossibleGoal(0, tuple(missing)) if all(f.class_id >= 0 for f in missing) else None
    excluded = {_key(facts[fact]) for fact in cube.negative}
    for group in task.exactly:
        spots = [task.facts[f] for f in group.facts if _key(task.facts[f]) not in excluded]
        if len(spots) < group.count and all(task.facts[f].class_id >= 0 for f in group.facts):
            return ImpossibleGoal(state & union(1 << f for f in group.facts), tuple(spots))
    return None


def _key(fact: Fact) -> _Key:
    return fact.class_id, fact.cell
