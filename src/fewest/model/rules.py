"""The rules of a puzzle as data: what `moves` of a document says once every name is resolved.

`reading` makes them; `playing` and `grounding` each say what they mean, and share nothing but these fields.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from fewest.model.board import Direction, Offset
from fewest.model.expression import Expression, Target

Names = Mapping[str, int | str]


@dataclass(frozen=True)
class Guard:
    """What every rule may carry besides its motion: loops (`for`), a condition and assignments (`set`).

    `bindings` holds the names in scope for each turn of the loops (parameters included).
    """

    bindings: tuple[Names, ...]
    loop_names: tuple[str, ...]
    when: Expression | None = None
    assignments: tuple[tuple[Target, Expression], ...] = ()


@dataclass(frozen=True)
class Slide:
    """`slide: KIND`.

    `directions` is the rule's own choice (a piece's own directions narrow it). With `is_blocked` the
    piece goes on until a wall (or the edge) or a piece is next, if `wall_stops` or `piece_stops`;
    where something else is next the move does not exist. With `over` it also stops as soon as it no
    longer stands on these cells alone.
    """

    name: str
    guard: Guard
    word: tuple[str, ...]
    directions: tuple[Direction, ...] | None
    is_blocked: bool = False
    over: frozenset[int] | None = None
    wall_stops: bool = True
    piece_stops: bool = True
    count: int = 1


NO_PIECE = frozenset({"empty", "wall", "_"})


@dataclass(frozen=True)
class Element:
    """One place of `before`: the words that may stand there, and the cells that it may be (or all)."""

    words: tuple[str, ...]
    cells: frozenset[int] | None = None

    @property
    def is_piece(self) -> bool:
        return self.words[0] not in NO_PIECE


@dataclass(frozen=True)
class Form:
    """A pattern with its templates filled: what stands where, and what becomes of each piece.

    `carried` pairs places of `before` with places of `after` (equal where a piece stays), `removed`
    are places whose piece is captured, `created` are places with the kind that appears there.
    """

    names: Names
    elements: tuple[Element, ...]
    carried: tuple[tuple[int, int], ...]
    removed: tuple[int, ...]
    created: tuple[tuple[int, int], ...]  # (place, class id)
    after_cells: tuple[frozenset[int] | None, ...]


@dataclass(frozen=True)
class Orientation:
    """One way to lay the pattern on the board: an offset for each place."""

    direction: Direction
    offsets: tuple[Offset, ...]


@dataclass(frozen=True, eq=False)  # compared as objects, so that what is known of one can be kept
class Pattern:
    """`before` and `after`, in all their orientations."""

    name: str
    guard: Guard
    forms: tuple[Form, ...]
    orientations: tuple[Orientation, ...]
    count: int = 1


FORWARD = Direction((0, 0), "forward", "↻")
BACKWARD = Direction((0, 0), "backward", "↺")


@dataclass(frozen=True)
class Ring:
    """One ring: its cells in order, and the names in scope for `when`, `set` and the plan."""

    id: int
    cells: tuple[int, ...]
    names: Names


@dataclass(frozen=True)
class Cycle:
    """`cycle: [[r, c], …]`, turned both ways or one. Pieces of one cell only are turned."""

    name: str
    guard: Guard
    rings: tuple[Ring, ...]
    turns: tuple[Direction, ...]
    count: int = 1


@dataclass(frozen=True)
class Action:
    """A rule that only sets variables."""

    name: str
    guard: Guard
    count: int = 1


Rule = Slide | Pattern | Cycle | Action
