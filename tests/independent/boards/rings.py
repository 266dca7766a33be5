"""Rings of cells that turn."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.independent.boards.edges import Cell
from tests.independent.boards.expressions import Scope, evaluate
from tests.independent.boards.failures import Rejected, Unsupported
from tests.independent.boards.fits import Change, Fit, Rule
from tests.independent.boards.game import Game
from tests.independent.boards.state import State
from tests.independent.boards.turns import turns_of
from tests.independent.boards.words import word


def rings(game: Game, rule: Rule, state: State, binding: dict[str, Any]) -> Iterator[Fit]:
    """The turns of the rings of a rule in a position, for one binding."""
    scope = game.plain_scope.having(binding)
    found = _rings(game, rule, scope)
    steps = word(rule.keys.get("steps", 1))
    number = steps if isinstance(steps, int) else evaluate(steps, scope)
    turns = turns_of(
        rule.keys.get("directions"), ("forward", "backward"), game.scope(state, binding)
    )
    for order, turn in enumerate(turns):
        goals: dict[Cell, Cell] = {}
        for ring in found:
            for at, cell in enumerate(ring):
                shift = number if turn == "forward" else -number
                goals[cell] = ring[(at + shift) % len(ring)]
        pieces = {piece for (cell, _), piece in state.at.items() if cell in goals}
        if any(len(piece.cells) > 1 for piece in pieces):
            continue
        new = []
        for piece in pieces:
            (cell,) = piece.cells
            new.append(piece.moved(frozenset({goals[cell]})))
        if not all(game.may_enter(piece, cell) for piece in new for cell in piece.cells):
            continue
        target = state.replacing(pieces, new)
        if target is None:
            raise AssertionError("a turn moves no two pieces to one cell")
        change = Change(frozenset(pieces), frozenset(pieces), tuple(new))
        yield Fit(target, None, (order,), turn, str(found), None, change)


def _rings(game: Game, rule: Rule, scope: Scope) -> list[list[Cell]]:
    if "cycle" in rule.keys and "cycles" in rule.keys:
        raise Rejected("`cycle` and `cycles`")
    values = (
        [evaluate(rule.keys["cycle"], scope)]
        if "cycle" in rule.keys
        else evaluate(rule.keys["cycles"], scope)
    )
    found = [[_cell(game, cell) for cell in ring] for ring in values]
    cells = [cell for ring in found for cell in ring]
    if len(set(cells)) != len(cells):
        raise Unsupported("a ring that meets itself or another ring")
    return found


def _cell(game: Game, value: Any) -> Cell:
    if not isinstance(value, list) or len(value) != 2:
        raise Rejected("a cell of a ring")
    if (value[0], value[1]) not in game.board.floor:
        raise Rejected("a ring across a wall")
    return value[0], value[1]
