"""Conditions on a state as data: what a goal and `forbid` are made of.

`playing` says when they hold on a position, `grounding` which partial states they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from fewest.model.expression import Expression


@dataclass(frozen=True)
class Holds:
    """Every cell of a terrain is covered by a piece that answers to `word`."""

    cells: tuple[int, ...]
    word: str


@dataclass(frozen=True)
class Placed:
    """Some piece that answers to `word` stands on one of the anchors given for its class."""

    word: str
    anchors: Mapping[int, frozenset[int]]


@dataclass(frozen=True)
class Count:
    """Exactly `number` pieces that answer to `word` are on the board."""

    word: str
    number: int


@dataclass(frozen=True)
class Drawn:
    """Pieces stand as drawn: for each its anchor and the classes it may be; `empty` cells are free."""

    pieces: tuple[tuple[tuple[int, ...], int], ...]
    empty: tuple[int, ...]


@dataclass(frozen=True)
class Expressed:
    """An expression is true."""

    expression: Expression
    names: Mapping[str, int]


@dataclass(frozen=True)
class AllOf:
    """All of these hold."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True)
class AnyOf:
    """At least one of these holds."""

    parts: tuple[Condition, ...]


Condition = Holds | Placed | Count | Drawn | Expressed | AllOf | AnyOf
