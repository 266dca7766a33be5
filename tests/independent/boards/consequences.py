"""Rules under `then`: they apply in sweeps after every move, until none of them applies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from tests.independent.boards.edges import Cell
from tests.independent.boards.expressions import truth
from tests.independent.boards.failures import NoValue, Rejected, Unsupported
from tests.independent.boards.fits import Fit, Rule
from tests.independent.boards.game import Game
from tests.independent.boards.loops import bindings
from tests.independent.boards.patterns import patterns
from tests.independent.boards.slides import slides
from tests.independent.boards.state import Piece, State
from tests.independent.boards.variables import assigned, new_values

MOST = 3000  # sweeps after one move


class Stage(NamedTuple):
    """Rules that apply in one sweep. With `is_once`, the stage runs once after each move."""

    rules: list[Rule]
    is_once: bool
    is_everywhere: bool


def stages_of(rules: list[Rule]) -> list[Stage]:
    """The stages of the rules under `then`, in order."""
    found: list[Stage] = []
    is_open = False
    for rule in rules:
        otherwise, everywhere, once = (
            str(rule.keys.get(key, "false")) == "true"
            for key in ("otherwise", "everywhere", "once")
        )
        if everywhere or once:
            found.append(Stage([rule], once, everywhere))
            is_open = False
        elif is_open and not otherwise:
            found[-1].rules.append(rule)
        else:
            found.append(Stage([rule], False, False))
            is_open = True
    return found


class Followed(NamedTuple):
    """A position during the consequences, and the place of the piece that a metric follows; None if it is gone."""

    state: State
    piece: Piece | None = None

    def after(self, state: State, moved: Mapping[Piece, Piece]) -> Followed:
        """The position after an application that moves these pieces."""
        piece = self.piece
        if piece is not None:
            piece = moved.get(piece, piece if piece in state.pieces else None)
        return Followed(state, piece)


def followed(
    game: Game, state: State, piece: Piece | None = None, *, has_once: bool = True
) -> Followed | None:
    """The position after all consequences; None if they never end, or if an expression has no value."""
    now = Followed(state, piece)
    stages = stages_of(game.consequences)
    done: set[int] = set()
    seen: set[tuple[State, frozenset[int]]] = set()
    at = 0
    try:
        while at <= len(stages):
            if at == len(stages):
                # Rules that only set variables, without `once`, wait for all other rules.
                rules = [rule for stage in stages if not stage.is_once for rule in stage.rules]
                now, is_changed = _first_action(game, rules, now)
            elif not stages[at].is_once:
                now, is_changed = _sweep(game, stages[at], now)
            elif has_once and at not in done:
                done.add(at)
                now = _once(game, stages[at], now)
                at = 0
                continue
            else:
                is_changed = False
            if not is_changed:
                at += 1
                continue
            at = 0
            point = (now.state, frozenset(done))
            if point in seen:
                return None
            seen.add(point)
            if len(seen) > MOST:
                raise Unsupported("very many sweeps")
    except NoValue:
        return None
    return now


def applies_at_start(game: Game) -> bool:
    """Whether a rule without `once` applies before any move."""
    found = followed(game, game.start, has_once=False)
    return found is None or found.state != game.start


def _once(game: Game, stage: Stage, now: Followed) -> Followed:
    """The position after a rule with `once` has run."""
    if stage.rules[0].type == "action":
        return _first_action(game, stage.rules, now)[0]
    return _sweep(game, stage, now)[0]


def _sweep(game: Game, stage: Stage, now: Followed) -> tuple[Followed, bool]:
    """The position after one sweep of a stage, and whether a rule has applied."""
    if stage.is_everywhere:
        return _everywhere(game, stage.rules[0], now)
    is_changed = False
    rules = [rule for rule in stage.rules if rule.type != "action"]
    places = [_by_cell(game, rule, now.state) for rule in rules]
    for cell in _order(game) if rules else []:
        for rule, known in zip(rules, places, strict=True):
            after = _first_at(game, rule, now, known.get(cell, []))
            if after is not None:
                now, is_changed = after, True
                places = [_by_cell(game, each, now.state) for each in rules]
                break
    return now, is_changed


def _order(game: Game) -> list[Cell]:
    """The cells in the order of a sweep."""
    cells = game.board.plane.cells()
    order = game.document.get("order") or "top-down"
    keys = {
        "top-down": lambda cell: cell,
        "bottom-up": lambda cell: (-cell[0], cell[1]),
        "left-right": lambda cell: (cell[1], cell[0]),
        "right-left": lambda cell: (-cell[1], cell[0]),
    }
    if order not in keys:
        raise Rejected("the order")
    return sorted(cells, key=keys[order])


def _found(game: Game, rule: Rule, state: State) -> Iterator[tuple[dict[str, Any], Fit]]:
    """The places where a rule fits, in the order of their priority at each cell."""
    places = {"slide": slides, "pattern": patterns}.get(rule.type)
    if places is None:
        raise Rejected(f"a rule of the type {rule.type} under `then`")
    if rule.type == "slide" and str(rule.keys.get("distance", "1")) != "1":
        raise Rejected("a far slide under `then`")
    for binding in bindings(rule.loops, game.plain_scope):
        if "when" in rule.keys and not truth(rule.keys["when"], game.scope(state, binding)):
            continue
        for fit in sorted(places(game, rule, state, binding), key=lambda fit: fit.order):
            yield binding, fit


Places = dict[Cell | None, list[tuple[dict[str, Any], Fit]]]


def _by_cell(game: Game, rule: Rule, state: State) -> Places:
    """The places where a rule fits, by the cells at which it applies."""
    found: Places = {}
    for binding, fit in _found(game, rule, state):
        found.setdefault(fit.cell, []).append((binding, fit))
    return found


def _first_at(
    game: Game, rule: Rule, now: Followed, known: list[tuple[dict[str, Any], Fit]]
) -> Followed | None:
    """The position after a rule has applied at the first of some places; None if it applies at none of them."""
    for binding, fit in known:
        after = _applied(game, rule, now.state, binding, fit)
        if after != now.state:
            return now.after(after, fit.change.moved if fit.change else {})
    return None


def _applied(game: Game, rule: Rule, state: State, binding: dict[str, Any], fit: Fit) -> State:
    scope = game.scope(state, binding)
    values = assigned(game.variables, rule.keys.get("set"), scope, state.values)
    return fit.target.with_values(values)


def _first_action(game: Game, rules: list[Rule], now: Followed) -> tuple[Followed, bool]:
    """The position after the first rule that fits, among those that only set variables.

    A rule under `then` does not fit if it would change nothing.
    """
    state = now.state
    for rule in rules:
        if rule.type != "action":
            continue
        for binding in bindings(rule.loops, game.plain_scope):
            scope = game.scope(state, binding)
            if "when" in rule.keys and not truth(rule.keys["when"], scope):
                continue
            values = assigned(game.variables, rule.keys.get("set"), scope, state.values)
            if values != state.values:
                return now._replace(state=state.with_values(values)), True
    return now, False


def _everywhere(game: Game, rule: Rule, now: Followed) -> tuple[Followed, bool]:
    """The position after a rule has applied at all places at once."""
    if rule.type == "action":
        raise Rejected("`everywhere` of a rule that only sets variables")
    places = _by_cell(game, rule, now.state)
    marked = [(binding, fit) for cell in _order(game) for binding, fit in places.get(cell, [])]
    before = now.state
    assignments: dict[int, Any] = {}
    used: set[Piece] = set()
    for binding, fit in marked:
        change = fit.change
        if change is None:
            raise AssertionError("patterns and slides have changes")
        gone = set(change.gone - used)
        if change.new and change.seen & used:
            continue
        target = now.state.replacing(gone, list(change.new))
        if target is None:
            continue
        now = now.after(target, change.moved)
        used |= gone
        # The values of all places are those from before the sweep.
        scope = game.scope(before, binding)
        for place, value in new_values(game.variables, rule.keys.get("set"), scope).items():
            if value != before.values[place]:
                assignments[place] = value  # the last of several changes counts
    values = tuple(assignments.get(place, value) for place, value in enumerate(before.values))
    now = now._replace(state=now.state.with_values(values))
    return now, now.state != before
