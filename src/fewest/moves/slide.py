"""Slides: a rigid piece moves one cell, or on until something stops it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fewest.language.board import DIRECTION_GROUPS, Board, Direction, direction_of
from fewest.language.puzzle import PieceClass
from fewest.moves.guard import Guard, check_guard

if TYPE_CHECKING:
    from fewest.grounding import Cube, Grounder
    from fewest.language.context import Context, Path
    from fewest.language.document import Move as MoveDocument
    from fewest.reference import Move, Position


ORTHOGONAL = tuple(direction_of(offset) for offset in DIRECTION_GROUPS["orthogonal"])


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

    def directions_of(self, piece: PieceClass) -> tuple[Direction, ...]:
        """The directions in which this rule moves a class."""
        if piece.directions is None:
            return self.directions or ORTHOGONAL
        if self.directions is None:
            return piece.directions
        return tuple(d for d in piece.directions if d in self.directions)

    def applies_to(self, piece: PieceClass) -> bool:
        return any(piece.answers_to(word) for word in self.word)

    # -- grounding --------------------------------------------------------------------------------

    def ground(self, grounder: Grounder) -> None:
        board = grounder.board
        for piece in grounder.puzzle.classes:
            if not self.applies_to(piece):
                continue
            for direction in self.directions_of(piece):
                for anchor in grounder.anchors(piece.id):
                    if self.is_blocked:
                        self._ground_ray(grounder, board, piece, anchor, direction)
                    else:
                        self._ground_step(grounder, board, piece, anchor, direction)

    def _ground_step(
        self, grounder: Grounder, board: Board, piece: PieceClass, anchor: int, direction: Direction
    ) -> None:
        target = board.step(anchor, direction.offset)
        if target is None or grounder.fact(piece.id, target) is None:
            return
        free = self._entered(grounder, piece.id, anchor, target)
        self._add(grounder, piece.id, anchor, target, direction, free, None)

    def _ground_ray(
        self, grounder: Grounder, board: Board, piece: PieceClass, anchor: int, direction: Direction
    ) -> None:
        """One operator for each place where the slide can end, and for each piece that ends it there."""
        free: list[int] = []
        here = anchor
        for _ in range(board.num_cells):
            there = board.step(here, direction.offset)
            can_go = there is not None and grounder.fact(piece.id, there) is not None
            if here != anchor:
                if self._comes_off(board, piece, here) or (not can_go and self.wall_stops):
                    self._add(grounder, piece.id, anchor, here, direction, free, None)
                    return
                if can_go and there is not None and self.piece_stops and there != anchor:
                    self._add_stops(grounder, piece.id, anchor, here, there, direction, free)
            if not can_go or there is None or there == anchor:
                return
            free.extend(self._entered(grounder, piece.id, here, there))
            here = there

    def _add_stops(
        self, grounder: Grounder, class_id: int, anchor: int, here: int, there: int,
        direction: Direction, free: list[int],
    ) -> None:  # fmt: skip
        # Split by the first cell ahead that is taken, so that the operators exclude each other.
        own = set(grounder.cells(class_id, anchor))
        ahead = [c for c in self._entered(grounder, class_id, here, there) if c not in own]
        for index, cell in enumerate(ahead):
            for fact in grounder.covering(cell):
                if not own.intersection(grounder.cells_of_fact(fact)):
                    self._add(
                        grounder, class_id, anchor, here, direction, [*free, *ahead[:index]], fact
                    )

    def _entered(self, grounder: Grounder, class_id: int, here: int, there: int) -> list[int]:
        old = set(grounder.cells(class_id, here))
        return [cell for cell in grounder.cells(class_id, there) if cell not in old]

    def _add(
        self, grounder: Grounder, class_id: int, anchor: int, target: int, direction: Direction,
        free: list[int], blocker: int | None,
    ) -> None:  # fmt: skip
        start, end = grounder.fact(class_id, anchor), grounder.fact(class_id, target)
        assert start is not None and end is not None
        positive = [start] if blocker is None else [start, blocker]
        own = set(grounder.cells(class_id, anchor))
        negative = [f for cell in free if cell not in own for f in grounder.covering(cell)]
        cube: Cube = grounder.cube(positive, negative)
        if not grounder.is_consistent(cube):
            return
        for names in self.guard.bindings:
            for refined, changes in self.guard.ground(grounder, names, cube):
                grounder.add(self.name, refined, changes, moved=[(start, end)], direction=direction)

    def _comes_off(self, board: Board, piece: PieceClass, anchor: int) -> bool:
        cells = board.cover(piece.shape, anchor) or ()
        return self.over is not None and not all(cell in self.over for cell in cells)

    # -- interpreting -------------------------------------------------------------------------------

    def moves(self, position: Position) -> Iterator[Move]:
        for class_id, anchor in sorted(position.pieces):
            piece = position.puzzle.classes[class_id]
            if not self.applies_to(piece):
                continue
            for direction in self.directions_of(piece):
                target = self._slide(position, piece, anchor, direction)
                if target is None:
                    continue
                for names in self.guard.bindings:
                    changes = self.guard.apply(position, names)
                    if changes is not None:
                        yield position.move(
                            self.name, {(class_id, anchor): (class_id, target)}, changes,
                            direction=direction,
                        )  # fmt: skip

    def _slide(
        self, position: Position, piece: PieceClass, anchor: int, direction: Direction
    ) -> int | None:
        """Where the piece ends up; None if it cannot move (or would never stop)."""
        board = position.board
        here, moved = anchor, False
        for _ in range(board.num_cells + 1):
            if moved and (not self.is_blocked or self._comes_off(board, piece, here)):
                return here
            there = board.step(here, direction.offset)
            cells = None if there is None else board.cover(piece.shape, there)
            if there is None or cells is None or not piece.cells.issuperset(cells):
                return here if moved and self.is_blocked and self.wall_stops else None
            others = [position.occupied[c] for c in cells if c in position.occupied]
            if any(other != (piece.id, anchor) for other in others):
                return here if moved and self.is_blocked and self.piece_stops else None
            if there == anchor:
                return None  # once round a closed row without meeting anything
            here, moved = there, True
        return None


def check(context: Context, name: str, move: MoveDocument, path: Path) -> Slide | None:
    """The rule of a `slide`, mistakes reported; None if it cannot be used."""
    assert move.slide is not None
    found = [context.piece_word((*path, "slide"), w.strip()) for w in move.slide.split("|")]
    words = tuple(word for word in found if word is not None)
    directions = None
    if move.directions is not None:
        directions = context.directions((*path, "directions"), move.directions)
    is_blocked = move.distance == "blocked"
    over = None
    if move.over is not None:
        over = context.terrain((*path, "over"), move.over)
    for key, value in (("over", move.over), ("stopped-by", move.stopped_by)):
        if value is not None and not is_blocked:
            context.error(
                (*path, key),
                "move-key-unused",
                f"`{key}` belongs to a slide with `distance: blocked`",
            )
    stops = ["piece", "wall"] if move.stopped_by is None else move.stopped_by
    stops = [stops] if isinstance(stops, str) else list(stops)
    guard = check_guard(context, move, path)
    if len(words) < len(found):
        return None
    return Slide(
        name, guard, words, directions, is_blocked, over, "wall" in stops, "piece" in stops,
        1 if move.count is None else move.count,
    )  # fmt: skip
