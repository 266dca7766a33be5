"""Rules, and the places where they fit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from tests.independent.boards.edges import Cell
from tests.independent.boards.state import Piece, State


class Rule(NamedTuple):
    """One rule of a document."""

    name: str
    keys: dict[str, Any]
    loops: dict[str, Any]

    @property
    def type(self) -> str:
        """The type of the rule."""
        for key in ("slide", "together", "before", "cycle", "cycles", "pivot"):
            if key in self.keys:
                return "pattern" if key == "before" else key.removesuffix("s")
        return "action"


class Change(NamedTuple):
    """The pieces at the places of a rule: all of them, those that leave their places, and those that arrive.

    `moved` are pairs of a piece before and after the move.
    """

    seen: frozenset[Piece]
    gone: frozenset[Piece]
    new: tuple[Piece, ...]
    moved: Mapping[Piece, Piece] = {}


class Fit(NamedTuple):
    """One place where a rule fits: the position after the pieces have moved, with the old values of the variables.

    `cell` and `order` decide which consequence applies first. `direction` and `piece` are for metrics; `piece` is
    the piece before and after the move. `is_command`: whether the move counts even if nothing changes.
    """

    target: State
    cell: Cell | None
    order: tuple[int, ...]
    direction: Any
    piece: Any
    after: Piece | None = None
    change: Change | None = None
    is_command: bool = False
