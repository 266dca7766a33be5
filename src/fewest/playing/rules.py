"""The reference interpreter applies the rules directly to the board; it is slow and simple.

It shares only the parsed `Puzzle` with the grounder. It validates every plan before the plan is shown. In tests, it is
the reference: every engine must find the same reachable states, goal states and minima. The modules for other rules
than slides are imported only if the puzzle has such rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from fewest.errors import DocumentError
from fewest.model.board import Direction
from fewest.model.position import Position
from fewest.model.puzzle import Spot
from fewest.model.rules import Action, Cycle, Pattern, Pivot, Rule, Slide, Together
from fewest.playing.conditions import holds
from fewest.playing.move import Move
from fewest.playing.slide import slide_moves
from fewest.playing.view import PositionView


def legal_moves(
    position: Position,
    only: str | None = None,
    carrier: Spot | None = None,
    in_direction: Direction | None = None,
    bindings: Callable[[str, int], bool] | None = None,
    but: Move | None = None,
) -> Iterator[Move]:
    """Every legal move, ordered by rule.

    If `only` is given, the result contains only moves of this rule. If `carrier` (an occupied spot) is given, some
    moves of other pieces may be omitted; this is faster if only one move is sought. If `in_direction` is given, the
    result contains only moves in this direction. If `bindings` is given, the result contains only moves of those
    bindings for which it is true; its arguments are the name of a rule and the number of a binding. `but`: a legal move
    that is left out. The consequences of the moves that these arguments exclude are not played.
    """
    for rule in position.puzzle.rules:
        if only is not None and rule.name != only:
            continue
        allowed = None if bindings is None else partial(bindings, rule.name)
        for move in _moves(rule, position, carrier, in_direction, allowed):
            if in_direction is not None and move.direction != in_direction:
                continue
            if allowed is not None and not allowed(move.binding):
                continue
            if but is not None and move == but.alone:
                continue
            whole = _with_consequences(position, move)
            if whole is not None and whole.target != position and not is_forbidden(whole.target):
                yield whole


def _with_consequences(position: Position, move: Move) -> Move | None:
    """The move with all its consequences. In a puzzle with consequences, the result is None for a move that changes
    nothing itself, and for consequences that never end or have no defined result.

    A command changes something if a piece obeys it, even if other pieces then push this piece back. A rule that waits
    need not change anything.
    """
    if not position.puzzle.then:
        return move
    if move.target == position and not _may_change_nothing(position, move):
        return None
    from fewest.playing.consequences import after_consequences

    return after_consequences(position, move)


def moves_without_result(position: Position) -> Iterator[tuple[Move, DocumentError | None]]:
    """The moves that are not allowed because of their consequences: with the error if a consequence has no defined
    result, and with None if the consequences never end.
    """
    from fewest.model.undefined import is_undefined
    from fewest.playing.consequences import after_defined_consequences

    for rule in position.puzzle.rules:
        for move in _moves(rule, position):
            if move.target == position and not _may_change_nothing(position, move):
                continue
            try:
                if after_defined_consequences(position, move) is None:
                    yield move, None
            except DocumentError as error:
                if not is_undefined(error):
                    raise
                yield move, error


def _may_change_nothing(position: Position, move: Move) -> bool:
    """Whether the rule of a move waits, or is a command to several pieces."""
    rule = next(rule for rule in position.puzzle.rules if rule.name == move.rule)
    return isinstance(rule, Together) or (isinstance(rule, Action) and rule.waits)


def _is_possible(position: Position, name: str) -> bool:
    """Whether a rule fits somewhere, even if it changes nothing; its consequences and its result do not matter."""
    rule = next(rule for rule in position.puzzle.rules if rule.name == name)
    return any(True for _ in _moves(rule, position))


PositionView.possible = staticmethod(_is_possible)


def is_goal(position: Position) -> bool:
    """Whether the goal holds."""
    goal = position.puzzle.goal
    return goal is not None and holds(goal, position)


def is_forbidden(position: Position) -> bool:
    """Whether some condition of `forbid` holds."""
    forbidden = position.puzzle.forbid
    return bool(forbidden) and any(holds(condition, position) for condition in forbidden)


def _moves(
    rule: Rule,
    position: Position,
    carrier: Spot | None = None,
    in_direction: Direction | None = None,
    allowed: Callable[[int], bool] | None = None,
) -> Iterator[Move]:
    """The moves of a rule before their consequences. The result may lack moves of other pieces than `carrier`, moves in
    other directions than `in_direction`, and moves of bindings that are not `allowed`.
    """
    match rule:
        case Slide():
            return slide_moves(rule, position, carrier, in_direction)
        case Pattern():
            from fewest.playing.pattern import pattern_moves

            return pattern_moves(rule, position, carrier, in_direction, allowed)
        case Cycle():
            from fewest.playing.cycle import cycle_moves

            return cycle_moves(rule, position)
        case Action():
            from fewest.playing.action import action_moves

            return action_moves(rule, position, allowed)
        case Together():
            from fewest.playing.together import together_moves

            return together_moves(rule, position)
        case Pivot():
            from fewest.playing.pivot import pivot_moves

            return pivot_moves(rule, position, carrier, in_direction)
