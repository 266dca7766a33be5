"""The rules of a puzzle as data: what `moves` of a document says once every name is resolved.

`reading` makes them; `playing` and `grounding` each say what they mean, and share nothing but these fields.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from fewest.model.board import Direction, Offset
from fewest.model.expression import Expression, Target, Value

Names = Mapping[str, Value]


class Guard(Struct, frozen=True):
    """What every rule may carry besides its motion: loops (`for`), a condition and assignments (`set`).

    `bindings` holds the names in scope for each turn of the loops (parameters included), `labels` what plans
    call the moves of each turn, if the rule says it.
    """

    bindings: tuple[Names, ...]
    loop_names: tuple[str, ...]
    when: Expression | None = None
    assignments: tuple[tuple[Target, Expression], ...] = ()
    labels: tuple[str, ...] = ()


class Slide(Struct, frozen=True):
    """`slide: KIND`.

    `directions` is the rule's own choice (a piece's own directions narrow it). With `is_blocked` the
    piece goes on until a wall (or the edge) or a piece is next, if `wall_stops` or `piece_stops`;
    where something else is next the move does not exist. With `over` it also stops as soon as it no
    longer stands on these cells alone. Pieces that answer to `carries` and stand in front of what moves are
    moved, too, those that answer to `sticky` and touch it; at most `most` besides the piece, or nothing moves.
    """

    name: str
    guard: Guard
    word: tuple[str, ...]
    directions: tuple[Direction, ...] | None
    is_blocked: bool = False
    over: frozenset[int] | None = None
    wall_stops: bool = True
    piece_stops: bool = True
    carries: tuple[str, ...] = ()
    sticky: tuple[str, ...] = ()
    most: int | None = None

    @property
    def has_pushing(self) -> bool:
        """Whether other pieces may move with it."""
        return bool(self.carries or self.sticky)


NO_PIECE = frozenset({"empty", "wall", "_"})


class Element(Struct, frozen=True):
    """One place of `before`: what may stand there, and the cells that it may be (or all).

    `words` are the alternatives: kinds and letters, `any` of them, `empty`, `wall`, or `_` for
    anything; with `is_negated` it is whatever none of them means. All of that in one `layer`, as those of classes.
    """

    words: tuple[str, ...]
    cells: frozenset[int] | None = None
    is_negated: bool = False
    layer: int = 0

    @property
    def is_piece(self) -> bool:
        """Whether a piece stands there in any case."""
        return not self.is_negated and NO_PIECE.isdisjoint(self.words)

    @property
    def content(self) -> tuple[tuple[str, ...], bool]:
        """What may stand there, wherever it is."""
        return self.words, self.is_negated


class Form(Struct, frozen=True):
    """A pattern with its templates filled: what stands where, and what becomes of each piece.

    `carried` pairs places of `before` with places of `after` (equal where a piece stays), `removed`
    are places whose piece (if the element allows for none) is captured, `created` are places with the
    kind that appears there. `turn` is the turn of the rule's loops; a pattern with a stretch has a form for
    each of its lengths. Element i stands at the place `at[i]` of the orientation: several do where the pattern
    speaks of several layers.
    """

    names: Names
    elements: tuple[Element, ...]
    carried: tuple[tuple[int, int], ...]
    removed: tuple[int, ...]
    created: tuple[tuple[int, int], ...]  # (place, class id)
    after_cells: tuple[frozenset[int] | None, ...]
    at: tuple[int, ...]
    turn: int = 0

    @property
    def lead(self) -> tuple[int, int] | None:
        """From which place to which the first piece that moves goes, if any does."""
        return next((pair for pair in self.carried if pair[0] != pair[1]), None)

    @property
    def going(self) -> frozenset[int]:
        """The places whose piece does not stay there."""
        return frozenset(start for start, end in self.carried if start != end).union(self.removed)

    @property
    def num_places(self) -> int:
        """How many places it has on the board."""
        return 1 + max(self.at)


class Orientation(Struct, frozen=True):
    """One way to lay the pattern on the board.

    A line goes from place to place by `steps`, through whatever exits the board has; a rectangle has an offset
    for each of its places, and lies only where no wall stands between two of them.
    """

    direction: Direction
    steps: tuple[Offset, ...] = ()
    offsets: tuple[Offset, ...] = ()


# compared as objects, so that what is known of one can be kept
class Pattern(Struct, frozen=True, eq=False, weakref=True):
    """`before` and `after`, in all their orientations.

    With `is_whole` a word stands for a cell of a piece of any shape, and what becomes of the cell becomes of all
    the piece: it goes along or is captured as a whole. There must be room for it, everything stands as `after`
    says, and what the pattern names at several places goes the same way at each. With `goes_on` the pattern applies
    again and again in the same direction, each time from where it has brought the first piece that it moves, until
    it does not fit: all of that is one move.
    """

    name: str
    guard: Guard
    forms: tuple[Form, ...]
    orientations: tuple[Orientation, ...]
    is_whole: bool = False
    goes_on: bool = False


FORWARD = Direction((0, 0), "forward", "↻")
BACKWARD = Direction((0, 0), "backward", "↺")


class Ring(Struct, frozen=True):
    """What is turned together: cells, for each the one to which its content goes, and the names in scope.

    `ways`: forward, backward (the other way round), or both.
    """

    id: int
    cells: tuple[int, ...]
    targets: tuple[int, ...]
    names: Names
    ways: tuple[Direction, ...] = (FORWARD, BACKWARD)


class Cycle(Struct, frozen=True):
    """`cycle: [[r, c], …]`, or several rings at once, turned. Pieces of one cell only are turned."""

    name: str
    guard: Guard
    rings: tuple[Ring, ...]


class Action(Struct, frozen=True):
    """A rule that only sets variables."""

    name: str
    guard: Guard


class Together(Struct, frozen=True):
    """`together: KIND`: one order makes every piece of the kind slide by a cell, each that can.

    `slide` is what each does (its own guard is empty). Who stands furthest in the direction goes first; pieces
    whose class has a `mirror` go after the others, in the mirrored direction. With `goes_on` all of that is
    repeated until nobody can. Where nobody moves there is no move.
    """

    name: str
    guard: Guard
    slide: Slide
    directions: tuple[Direction, ...]
    goes_on: bool = False


CLOCKWISE = Direction((0, 0), "clockwise", "↻")
COUNTERCLOCKWISE = Direction((0, 0), "counterclockwise", "↺")


class Pivot(Struct, frozen=True):
    """`pivot: KIND`: a piece is turned by 90° about a cell.

    `about` are the cells about which it is: with `is_covered` those of them that the piece covers; None: each of
    its own. With `is_swept` every cell of the piece goes along the square around the centre, and all that it comes
    to must be free; else only where it ends.
    """

    name: str
    guard: Guard
    word: tuple[str, ...]
    directions: tuple[Direction, ...]
    about: frozenset[int] | None = None
    is_covered: bool = True
    is_swept: bool = True


Rule = Slide | Pattern | Cycle | Action | Together | Pivot


class Stage(Struct, frozen=True):
    """Consequences with a place that one sweep asks together, once those before them change nothing.

    With `is_everywhere` it is one rule, which applies to all places at once.
    """

    rules: tuple[Slide | Pattern, ...]
    is_everywhere: bool = False
