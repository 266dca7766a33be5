"""The goal in a picture: places for pieces, cells to be filled, a small drawing, or words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct

from fewest.model.board import DIRECTION_GROUPS
from fewest.model.conditions import (
    AllOf,
    AnyOf,
    CellsCovered,
    Condition,
    ExpressionHolds,
    PieceCount,
    PiecesAsDrawn,
    PiecesAt,
)
from fewest.model.position import Position
from fewest.model.puzzle import PieceClass, Puzzle

# with at most this number of places, each place is drawn separately; with more, they are drawn as one region
_FEW = 4


class GoalMark(Struct, frozen=True):
    """The place of a piece in the goal: an outline around some cells, for pieces that match `word`."""

    word: str
    cells: frozenset[int]


class GoalMarks(Struct, frozen=True):
    """`places` and `cells` (which pieces that match a word must cover) are drawn on the board; `drawings` are drawn
    beside it, and `words` are written below it.
    """

    places: tuple[GoalMark, ...] = ()
    cells: Mapping[int, str] | None = None
    drawings: tuple[PiecesAsDrawn, ...] = ()
    words: tuple[str, ...] = ()

    @property
    def named(self) -> tuple[str, ...]:
        """The words for pieces that have a place in the goal."""
        return tuple(dict.fromkeys(place.word for place in self.places))


def goal_marks(puzzle: Puzzle) -> GoalMarks:
    """Everything that marks a puzzle's goal."""
    places: list[GoalMark] = []
    cells: dict[int, str] = {}
    drawings: list[PiecesAsDrawn] = []
    words: list[str] = []
    for part in _parts(puzzle.goal):
        match part:
            case PiecesAt():
                places += _places(puzzle, part)
            case CellsCovered():
                cells.update(dict.fromkeys(part.cells, part.word))
            case PiecesAsDrawn():
                drawings.append(part)
            case PieceCount():
                words.append(f"{part.number} × {puzzle.names.get(part.word, part.word)}")
            case ExpressionHolds():
                words.append(" ".join(part.expression.text.split()))
            case _:
                pass
    return GoalMarks(tuple(dict.fromkeys(places)), cells, tuple(drawings), tuple(words))


def _parts(condition: Condition | None) -> Iterator[Condition]:
    match condition:
        case None:
            return
        case AllOf() | AnyOf():
            for part in condition.parts:
                yield from _parts(part)
        case _:
            yield condition


def _places(puzzle: Puzzle, placed: PiecesAt) -> list[GoalMark]:
    """The places of a piece: drawn separately if there are few of them, and as one region otherwise."""
    board = puzzle.board
    assert board is not None
    found: list[frozenset[int]] = []
    for class_id, anchors in placed.anchors.items():
        piece = puzzle.classes[class_id]
        reached = anchors & _within_reach(puzzle, piece)
        found += [
            frozenset(board.cover(piece.shape, anchor) or ())
            for anchor in sorted(reached or anchors)
        ]
    if len(found) > _FEW:
        found = [frozenset().union(*found)]
    return [GoalMark(placed.word, cells) for cells in dict.fromkeys(found)]


def _within_reach(puzzle: Puzzle, piece: PieceClass) -> frozenset[int]:
    """The places that pieces of a class could reach by steps in their own directions on an empty board; all cells if
    the class has no directions of its own.
    """
    board = puzzle.board
    assert board is not None
    if piece.directions is None:
        return frozenset(range(board.num_cells))
    offsets = [d.offset for d in piece.directions] or DIRECTION_GROUPS["orthogonal"]
    queue = [p.anchor for p in puzzle.pieces if p.class_id == piece.id]
    seen = set(queue)
    for anchor in queue:
        for offset in offsets:
            there = board.next_anchor(piece.shape, anchor, offset)
            if there is None or there in seen:
                continue
            if piece.cells.issuperset(board.cover(piece.shape, there) or (-1,)):
                seen.add(there)
                queue.append(there)
    return frozenset(seen)


def drawn_position(puzzle: Puzzle, drawn: PiecesAsDrawn) -> Position:
    """The drawing of a goal, converted to a position."""
    taken: dict[int, int] = {}
    spots: set[tuple[int, int]] = set()
    most = {c.id: sum(p.class_id == c.id for p in puzzle.pieces) for c in puzzle.classes}
    for classes, anchor in drawn.pieces:
        free = [c for c in classes if taken.get(c, 0) < most[c]]
        chosen = (free or list(classes))[0]
        taken[chosen] = taken.get(chosen, 0) + 1
        spots.add((chosen, anchor))
    return Position(puzzle, frozenset(spots), tuple(v.initial for v in puzzle.variables))


def open_cells(puzzle: Puzzle, drawn: PiecesAsDrawn) -> frozenset[int]:
    """The cells that a goal's drawing leaves open."""
    board = puzzle.board
    assert board is not None
    wanted = {cell for cell, _ in drawn.empty}
    for classes, anchor in drawn.pieces:
        wanted.update(board.cover(puzzle.classes[classes[0]].shape, anchor) or ())
    return frozenset(board.floors) - wanted
