"""Turns of a piece by a quarter about a cell."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from tests.independent.boards.board import SQUARE
from tests.independent.boards.edges import Cell
from tests.independent.boards.expressions import evaluate
from tests.independent.boards.failures import Rejected, Unsupported
from tests.independent.boards.fits import Change, Fit, Rule
from tests.independent.boards.game import Game
from tests.independent.boards.state import Piece, State
from tests.independent.boards.turns import turns_of

CLOCKWISE = "clockwise"


def pivots(game: Game, rule: Rule, state: State, binding: dict[str, Any]) -> Iterator[Fit]:
    """The pivots of a rule in a position, for one binding."""
    both = (CLOCKWISE, "counterclockwise")
    turns = turns_of(rule.keys.get("directions"), both, game.scope(state, binding))
    fits = game.matcher(rule.keys["pivot"])
    if rule.keys.get("swept", "any") != "any":
        raise Unsupported("`swept`")
    plane = game.board.plane
    if plane.geometry != SQUARE or plane.wraps:
        raise Rejected("a pivot on this board")
    for piece in state.pieces:
        if not fits(piece):
            continue
        for centre in _centres(game, rule, piece, binding):
            for order, turn in enumerate(turns):
                paths = [_path(cell, centre, turn) for cell in piece.cells]
                cells = frozenset(path[-1] for path in paths)
                swept = cells if "swept" in rule.keys else {cell for path in paths for cell in path}
                if cells == piece.cells:
                    continue  # not a move
                if not all(_is_free(game, state, piece, cell) for cell in swept):
                    continue
                if not game.board.is_whole(cells) or (
                    "swept" not in rule.keys and _is_cut(game, paths)
                ):
                    continue
                after = piece.moved(cells)
                target = state.replacing({piece}, [after])
                if target is None:
                    raise AssertionError("the cells are free")
                change = Change(frozenset({piece}), frozenset({piece}), (after,))
                yield Fit(
                    target, game.corner(piece), (order,), (turn, centre), piece, after, change
                )


def _centres(game: Game, rule: Rule, piece: Piece, binding: dict[str, Any]) -> list[Cell]:
    about = rule.keys.get("about", "own")
    if about == "own":
        return sorted(piece.cells)
    if isinstance(about, str) and not about.startswith("["):
        return sorted(cell for cell in piece.cells if game.board.is_on(cell, about))
    return [(r, c) for r, c in evaluate(about, game.plain_scope.having(binding))]


def _path(cell: Cell, centre: Cell, turn: str) -> list[Cell]:
    """The cells on the way of a cell along the square around the centre, from the first to the last."""
    r, c = cell[0] - centre[0], cell[1] - centre[1]
    size = max(abs(r), abs(c))
    found = [cell]
    for _ in range(2 * size):
        if turn == CLOCKWISE:
            if r == -size and c < size:
                c += 1
            elif c == size and r < size:
                r += 1
            elif r == size and c > -size:
                c -= 1
            else:
                r -= 1
        elif r == -size and c > -size:
            c -= 1
        elif c == -size and r < size:
            r += 1
        elif r == size and c < size:
            c += 1
        else:
            r -= 1
        found.append((centre[0] + r, centre[1] + c))
    return found


def _is_cut(game: Game, paths: list[list[Cell]]) -> bool:
    """Whether a line between cells blocks a path."""
    return any(
        game.board.step(here, (there[0] - here[0], there[1] - here[1])) != there
        for path in paths
        for here, there in pairwise(path)
    )


def _is_free(game: Game, state: State, piece: Piece, cell: Cell) -> bool:
    if not game.may_enter(piece, cell):
        return False
    return state.at.get((cell, piece.layer), piece) == piece
