"""Moves, and the positions to which they lead."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from fewest.model.board import GRAPH, Direction, direction_of
from fewest.model.position import Position
from fewest.model.puzzle import Spot


class Move(Struct, frozen=True, gc=False):
    """One move: the rule, its changes, and the resulting position.

    `moved` contains a pair (from, to) for each piece that moved. `carrier` is the last of these pairs if metrics with
    merged moves count its piece; otherwise, as in a move of a `ring` or a command to several pieces, it is None.
    `binding` is the number of the binding of the rule's loops, and `words` is the text of this binding; `then` contains
    the names of the consequences. If the move has consequences, `first` is the move without them. For a pattern and for
    a ring, `cells` are the cells where the rule applies.
    """

    rule: str
    target: Position
    moved: tuple[tuple[Spot, Spot], ...]
    removed: tuple[Spot, ...]
    created: tuple[Spot, ...]
    direction: Direction | None
    ring: int | None
    words: str
    binding: int
    carrier: tuple[Spot, Spot] | None
    then: tuple[str, ...] = ()
    first: Move | None = None
    cells: Sequence[int | None] = ()

    @property
    def alone(self) -> Move:
        """The move without its consequences."""
        return self.first or self

    @property
    def shown_direction(self) -> Direction | None:
        """The direction in which the carrier moved, which for a pull is not the direction of the pattern; without a
        carrier, the direction of the rule.
        """
        if self.direction is None or self.carrier is None:
            return self.direction
        board = self.target.board
        (class_id, source), (_, target) = self.carrier
        shape = self.target.puzzle.classes[class_id].shape
        if board.geometry == GRAPH:
            return next(
                (each for each in board.directions if each.offset[1] == target), self.direction
            )
        down, right = self.direction.offset
        # several directions may fit: on a closed row of two cells, both directions lead to the same cell
        if board.next_anchor(shape, source, self.direction.offset) == target:
            return self.direction
        is_back = board.next_anchor(shape, source, (-down, -right)) == target
        return direction_of((-down, -right)) if is_back else self.direction

    def __repr__(self) -> str:
        arrow = "" if self.shown_direction is None else f" {self.shown_direction.arrow}"
        return f"<Move {self.rule}{arrow}>"


def made(
    position: Position,
    rule: str,
    changes: Mapping[Spot, Spot | None],
    assigned: Mapping[int, int | str],
    *,
    created: list[Spot] | None = None,
    direction: Direction | None = None,
    ring: int | None = None,
    words: str = "",
    binding: int = 0,
    cells: Sequence[int | None] = (),
) -> Move:
    """The move that takes pieces from spots to other spots (None: off the board) and sets variables."""
    arrivals = [spot for spot in changes.values() if spot is not None]
    removed = (
        [spot for spot in changes if changes[spot] is None] if None in changes.values() else ()
    )
    pieces = position.pieces.difference(changes).union(arrivals, created or ())
    values = position.values
    if assigned:
        values = tuple(assigned.get(slot, value) for slot, value in enumerate(values))
    moved = tuple([(a, b) for a, b in changes.items() if b is not None and a != b])
    return Move(
        rule=rule,
        target=Position(position.puzzle, pieces, values),
        moved=moved,
        removed=tuple(removed),
        created=tuple(created or ()),
        direction=direction,
        ring=ring,
        words=words,
        binding=binding,
        carrier=moved[-1] if moved and ring is None else None,
        cells=cells,
    )
