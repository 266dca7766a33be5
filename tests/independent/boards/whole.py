"""Patterns that move multi-cell pieces as a whole."""

from __future__ import annotations

from typing import Any

from tests.independent.boards.board import Direction, Shift
from tests.independent.boards.changes import Effect, Plan, created_pieces
from tests.independent.boards.edges import Cell
from tests.independent.boards.elements import Element, matches
from tests.independent.boards.game import Game
from tests.independent.boards.state import Piece, State

GONE, STAYS = "gone", (0, 0, 0)


def _passes(game: Game, cell: Cell, fate: Shift, direction: Direction, steps: int) -> bool:
    """Whether a cell of a piece passes all lines between its places, in the direction of the pattern."""
    goal = game.board.plane.after(cell, fate)
    if goal is None:
        return False
    here: Cell | None
    here, end = (cell, goal) if steps > 0 else (goal, cell)
    for _ in range(abs(steps)):
        here = None if here is None else game.board.step(here, direction)
    return here == end


def changed_whole(
    game: Game,
    plan: Plan,
    before: list[Element],
    after: list[Element],
    cells: list[Cell | None],
    state: State,
    direction: Direction | None,
) -> Effect | None:
    """The position after the pattern has moved and captured whole pieces; None if this is not allowed. `direction`: the
    direction of a line.
    """
    fates: dict[Piece, set[Any]] = {}
    goals, steps = dict(plan.moves), dict[Piece, int]()
    for place, element in enumerate(before):
        cell = cells[place]
        for part in element.parts:
            if part.layer is None or cell is None:
                continue
            piece = state.at.get((cell, part.layer))
            slot = (place, part.layer)
            if piece is None:
                continue
            if slot in goals:
                goal = cells[goals[slot][0]]
                if goal is None:
                    return None
                fates.setdefault(piece, set()).add(game.board.plane.shift(cell, goal))
                steps[piece] = goals[slot][0] - place
            elif slot in plan.cleared:
                fates.setdefault(piece, set()).add(GONE)
            elif part.is_movable:
                fates.setdefault(piece, set()).add(STAYS)
    if any(len(each) > 1 for each in fates.values()):
        return None
    order = [state.at.get((cells[slot[0]] or (-1, -1), slot[1])) for slot, _ in plan.moves]
    gone: set[Piece] = set()
    moved: list[tuple[Piece, Piece]] = []
    for piece in [*order, *fates]:
        if piece is None or piece in gone or fates[piece] == {STAYS}:
            continue
        gone.add(piece)
        (fate,) = fates[piece]
        if fate == GONE:
            continue
        place = game.board.moved(piece.cells, fate)
        if place is None or not game.board.is_whole(place):
            return None
        if direction is not None and not all(
            _passes(game, cell, fate, direction, steps[piece]) for cell in piece.cells
        ):
            return None
        if not all(game.may_enter(piece, cell) for cell in place):
            return None
        moved.append((piece, piece.moved(place)))
    new = created_pieces(game, plan, cells)
    if new is None:
        return None
    target = state.replacing(gone, [piece for _, piece in moved] + new)
    if target is None:
        return None
    for element, cell in zip(after, cells, strict=True):
        if not matches(game, element, target, cell):
            return None
    return Effect(target, moved, frozenset(gone), (*(piece for _, piece in moved), *new))
