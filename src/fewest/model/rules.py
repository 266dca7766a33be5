"""The rules of a puzzle as data: the `moves` of a document after all names have been resolved.

`reading` creates the rules. `playing` and `grounding` define their meaning independently of each other; they share only
these fields.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from msgspec import Struct

from fewest.model.board import Direction, Offset
from fewest.model.expression import Expression, Target, Value

Names = Mapping[str, Value]


class Guard(Struct, frozen=True):
    """The parts that every rule may have in addition to its motion: loops (`for`), a condition and assignments (`set`).

    `bindings` contains the names in scope for each binding of the loops, including parameters. `directions_of_binding`
    contains the directions of each binding if `directions` depends on loops or variables; if it is empty, all bindings
    have the directions of the rule. `labels` contains, for each binding, the label of its moves in plans; it is empty
    if the rule has no labels.
    """

    bindings: tuple[Names, ...]
    loop_names: tuple[str, ...]
    when: Expression | None = None
    assignments: tuple[tuple[Target, Expression], ...] = ()
    directions_of_binding: tuple[tuple[Direction, ...], ...] = ()
    labels: tuple[str, ...] = ()

    @property
    def tested_rules(self) -> frozenset[str]:
        """The rules that `when` and `set` test with `can`."""
        found = frozenset[str]() if self.when is None else self.when.tested_rules
        return found.union(*(part.tested_rules for pair in self.assignments for part in pair))


class Slide(Struct, frozen=True, dict=True):
    """The rule `slide: KIND`.

    `directions` are the directions of the rule; a piece can move only in those of them that are also its own. If
    `is_blocked` is true, the piece slides until it is next to a wall or the edge (if `wall_stops`) or next to a piece
    (if `piece_stops`); if another obstacle stops it, there is no move. If `over` is given, the piece also stops as soon
    as some of its cells are outside the cells in `over`. Pieces that match `carries` and are in front of a moving piece
    move with it; so do pieces that match `sticky` and touch a moving piece. If more than `most` other pieces would
    move, nothing moves. Pieces of the kinds `own` stick to pieces of their own kind.
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
    own: tuple[str, ...] = ()

    @cached_property
    def alternatives(self) -> frozenset[str]:
        """The words for the pieces that move, as a set."""
        return frozenset(self.word)

    @property
    def has_pushing(self) -> bool:
        """Whether other pieces may move together with the piece."""
        return bool(self.carries or self.sticky or self.own)


NO_PIECE = frozenset({"empty", "wall", "_"})


class Element(Struct, frozen=True, dict=True):
    """One place of `before`: its possible contents, and its possible cells (None: all cells).

    `words` are the alternatives: kinds, letters, `any` for any piece, `empty`, `wall`, or `_` for any content; if
    `is_negated` is true, the place contains none of them. The element applies to only one `layer`, as in `PieceClass`.
    """

    words: tuple[str, ...]
    cells: frozenset[int] | None = None
    is_negated: bool = False
    layer: int = 0

    @cached_property
    def alternatives(self) -> frozenset[str]:
        """The words as a set."""
        return frozenset(self.words)

    @property
    def is_piece(self) -> bool:
        """Whether every possible content is a piece."""
        return not self.is_negated and NO_PIECE.isdisjoint(self.words)

    @property
    def content(self) -> tuple[tuple[str, ...], bool]:
        """The possible contents, whatever the cell."""
        return self.words, self.is_negated


class Form(Struct, frozen=True):
    """A pattern with the values of its templates filled in: the contents of its places, and the effect on each piece.

    `carried` pairs places of `before` with places of `after`; the two places are the same if the piece stays. `removed`
    contains the places of captured pieces (or empty places, if the element allows this), and `created` contains the
    places where a piece appears, with its class. `binding` is the number of the binding of the rule's loops; a pattern
    with a stretch has a form for each length of the stretch. Element i is at the place `at[i]` of the orientation:
    several elements share a place if the pattern names several layers.
    """

    names: Names
    elements: tuple[Element, ...]
    carried: tuple[tuple[int, int], ...]
    removed: tuple[int, ...]
    created: tuple[tuple[int, int], ...]  # pairs (place, class id)
    after_cells: tuple[frozenset[int] | None, ...]
    at: tuple[int, ...]
    binding: int = 0

    @property
    def lead(self) -> tuple[int, int] | None:
        """The old and the new place of the first piece that moves; None if no piece moves."""
        return next((pair for pair in self.carried if pair[0] != pair[1]), None)

    @property
    def going(self) -> frozenset[int]:
        """The places that pieces leave."""
        return frozenset(start for start, end in self.carried if start != end).union(self.removed)

    @property
    def num_places(self) -> int:
        """The number of places that the form covers in an orientation."""
        return 1 + max(self.at)


class Orientation(Struct, frozen=True):
    """One orientation of the pattern on the board.

    A line goes from place to place by `steps`; it follows all exits of the board. A rectangle has an offset for each of
    its places; it fits only if no wall between cells divides it.
    """

    direction: Direction
    steps: tuple[Offset, ...] = ()
    offsets: tuple[Offset, ...] = ()


# patterns are compared by identity, so that results for a pattern can be cached
class Pattern(Struct, frozen=True, eq=False, weakref=True):
    """The rule that a `before` and an `after` define, in all orientations.

    If `is_whole` is true, a word stands for one cell of a piece of any shape, and the effect on this cell applies to
    the whole piece: it moves or is captured as a whole. The cells that the piece enters must be free, all contents must
    match `after` at the end, and all of a piece's cells that the pattern names must move in the same direction. If
    `goes_on` is true, the pattern applies repeatedly in the same direction, each time from the new place of the first
    piece that it moves, until it no longer fits; all repetitions together are one move.
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
    """Cells that rotate together.

    `targets` contains, for each cell, the cell to which its content moves. `names` are the names in scope. `directions`
    contains the possible senses of rotation: forward, backward (the inverse), or both.
    """

    id: int
    cells: tuple[int, ...]
    targets: tuple[int, ...]
    names: Names
    directions: tuple[Direction, ...] = (FORWARD, BACKWARD)


class Cycle(Struct, frozen=True):
    """The rule `cycle: [[r, c], …]`, or `cycles` with several rings. A ring can rotate only if each piece on it covers
    one cell.
    """

    name: str
    guard: Guard
    rings: tuple[Ring, ...]


class Action(Struct, frozen=True):
    """A rule that only sets variables. If `waits` is true, it is also a move if it changes nothing itself."""

    name: str
    guard: Guard
    waits: bool = False


class Together(Struct, frozen=True):
    """The rule `together: KIND`: one command makes every piece of the kind that can move slide by one cell.

    `slide` is the motion of each piece, with an empty guard. The piece that is furthest in the direction moves first.
    If a class has a `mirror`, its pieces move after all other pieces, in the mirrored direction. If `goes_on` is true,
    the command is repeated until no piece can move. A command that moves no piece is not a move.
    """

    name: str
    guard: Guard
    slide: Slide
    directions: tuple[Direction, ...]
    goes_on: bool = False


CLOCKWISE = Direction((0, 0), "clockwise", "↻")
COUNTERCLOCKWISE = Direction((0, 0), "counterclockwise", "↺")


class Pivot(Struct, frozen=True, dict=True):
    """The rule `pivot: KIND`: a piece turns by 90° about a cell.

    `about` contains the possible centres (if `is_covered` is true, only those that the piece covers are possible); if
    `about` is None, each cell of the piece is a possible centre. If `is_swept` is true, every cell of the piece moves
    along the square around the centre, and all cells on its path must be free; otherwise, only the final cells must be
    free.
    """

    name: str
    guard: Guard
    word: tuple[str, ...]
    directions: tuple[Direction, ...]
    about: frozenset[int] | None = None
    is_covered: bool = True
    is_swept: bool = True

    @cached_property
    def alternatives(self) -> frozenset[str]:
        """The words for the pieces that turn, as a set."""
        return frozenset(self.word)


Rule = Slide | Pattern | Cycle | Action | Together | Pivot


class Stage(Struct, frozen=True):
    """Consequences that one sweep tests together, when no consequence of an earlier stage applies.

    If `is_everywhere` is true, the stage consists of one rule, which applies to all places simultaneously. If `is_once`
    is true, the stage consists of one rule, with or without a place, and exactly one sweep after each move tests it.
    """

    rules: tuple[Slide | Pattern | Action, ...]
    is_everywhere: bool = False
    is_once: bool = False
