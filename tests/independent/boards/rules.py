"""The moves of a position."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from tests.independent.boards.consequences import Followed, applies_at_start, followed
from tests.independent.boards.expressions import truth
from tests.independent.boards.failures import NoValue, Rejected, Unsupported
from tests.independent.boards.fits import Fit, Rule
from tests.independent.boards.game import Game
from tests.independent.boards.goals import holds
from tests.independent.boards.loops import bindings
from tests.independent.boards.patterns import patterns
from tests.independent.boards.pivots import pivots
from tests.independent.boards.rings import rings
from tests.independent.boards.slides import slides
from tests.independent.boards.state import Piece, State
from tests.independent.boards.tilts import tilts
from tests.independent.boards.variables import assigned

Fits = Callable[[Game, Rule, State, dict[str, Any]], Iterator[Fit]]


def actions(game: Game, rule: Rule, state: State, binding: dict[str, Any]) -> Iterator[Fit]:
    """An action fits everywhere, and moves no piece."""
    yield Fit(state, None, (), None, None, is_command=str(rule.keys.get("wait")) == "true")


_TYPES: dict[str, Fits] = {
    "slide": slides,
    "pattern": patterns,
    "together": tilts,
    "cycle": rings,
    "pivot": pivots,
    "action": actions,
}


class Move(NamedTuple):
    """A move, with the position after its consequences."""

    rule: Rule
    binding: dict[str, Any]
    fit: Fit
    target: State
    piece: Piece | None
    """the piece that metrics follow, after the consequences"""


def fits(game: Game, rule: Rule, state: State) -> Iterator[tuple[dict[str, Any], Fit]]:
    """The places where a rule fits, for every binding that satisfies the condition."""
    places = _TYPES.get(rule.type)
    if places is None:
        raise Unsupported(f"rules of the type {rule.type}")
    for binding in bindings(rule.loops, game.plain_scope):
        if "when" in rule.keys and not truth(rule.keys["when"], game.scope(state, binding)):
            continue
        for fit in places(game, rule, state, binding):
            yield binding, fit


def fits_anywhere(game: Game, rule: Rule, state: State) -> bool:
    """Whether `can(RULE)` holds."""
    if rule.type == "together":
        raise Rejected("`can` of a `together` rule")
    return any(True for _ in fits(game, rule, state))


def moves(game: Game, state: State) -> Iterator[Move]:
    """All moves of a position, with their consequences."""
    for rule in game.moves:
        try:
            found = list(fits(game, rule, state))
            for binding, fit in found:
                scope = game.scope(state, binding)
                values = assigned(game.variables, rule.keys.get("set"), scope, state.values)
                after = fit.target.with_values(values)
                if after == state and not fit.is_command:
                    continue
                end: Followed | None = Followed(after, fit.after)
                if game.consequences:
                    end = followed(game, after, fit.after)
                if end is not None and not is_forbidden(game, end.state):
                    yield Move(rule, binding, fit, end.state, end.piece)
        except NoValue as error:
            raise Rejected(f"{rule.name}: {error}") from None


def check_start(game: Game) -> None:
    """Raise Rejected if a consequence applies before any move."""
    if applies_at_start(game):
        raise Rejected("a consequence applies at the start")


def is_goal(game: Game, state: State) -> bool:
    """Whether the position is a goal position."""
    return game.document.get("goal") is not None and holds(game, game.document["goal"], state)


def is_forbidden(game: Game, state: State) -> bool:
    """Whether no move may lead to the position."""
    given = game.document.get("forbid")
    return given is not None and holds(game, given, state)
