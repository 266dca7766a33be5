"""Patterns that move multi-cell pieces as a whole."""

from __future__ import annotations

from tests.independent.boards.changes import Plan
from tests.independent.boards.edges import Cell
from tests.independent.boards.elements import Element
from tests.independent.boards.failures import Unsupported
from tests.independent.boards.game import Game
from tests.independent.boards.state import Piece, State


def changed_whole(
    game: Game,
    plan: Plan,
    before: list[Element],
    after: list[Element],
    cells: list[Cell | None],
    state: State,
) -> tuple[State, list[tuple[Piece, Piece]]] | None:
    """The position after the pattern has moved and captured whole pieces; None if this is not allowed."""
    raise Unsupported("`whole`")
