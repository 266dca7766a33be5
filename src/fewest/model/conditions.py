"""Conditions on a state, as data, for goals and `forbid`.

`playing` evaluates conditions on a position; `grounding` converts conditions to partial states.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from fewest.model.expression import Expression, Value


class CellsCovered(Struct, frozen=True):
    """Each of the cells is covered by a piece that matches `word`."""

    cells: tuple[int, ...]
    word: str


class PiecesAt(Struct, frozen=True):
    """Some piece that matches `word` is at one of the anchors given for its class.

    If `is_every` is true, every such piece is at one of these anchors.
    """

    word: str
    anchors: Mapping[int, frozenset[int]]
    is_every: bool = False


class PieceCount(Struct, frozen=True):
    """The board has exactly `number` pieces that match `word`."""

    word: str
    number: int


class PiecesAsDrawn(Struct, frozen=True):
    """The pieces are as in a drawing: `pieces` contains the possible classes and the anchor of each piece.

    `empty` contains the cells that must be empty, each with its layer.
    """

    pieces: tuple[tuple[tuple[int, ...], int], ...]
    empty: tuple[tuple[int, int], ...]


class ExpressionHolds(Struct, frozen=True):
    """An expression is true."""

    expression: Expression
    names: Mapping[str, Value]


class AllOf(Struct, frozen=True):
    """All of these conditions hold."""

    parts: tuple[Condition, ...]


class AnyOf(Struct, frozen=True):
    """At least one of these conditions holds."""

    parts: tuple[Condition, ...]


Condition = CellsCovered | PiecesAt | PieceCount | PiecesAsDrawn | ExpressionHolds | AllOf | AnyOf
