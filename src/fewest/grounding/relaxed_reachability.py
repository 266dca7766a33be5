"""The anchors that pieces can ever reach, in puzzles in which every move is one step of one piece.

On a Rush Hour board, a car never leaves its row or column, so about five sixths of the anchors where it fits need no
fact. As in `anchors.py`, the results are cached and used again for other puzzles on equal boards.
"""

from __future__ import annotations

from functools import lru_cache

from msgspec.structs import replace

from fewest.grounding.anchors import AnchorPlacement, Step, anchor_placements, steps_of
from fewest.grounding.motion import directions_of
from fewest.model.board import Board, Direction, Shape
from fewest.model.puzzle import PieceClass, Puzzle
from fewest.model.rules import Slide


class RelaxedReachability:
    """The reachable placements of each class, and the steps between them."""

    def __init__(self, puzzle: Puzzle) -> None:
        self._puzzle = puzzle
        self._steps = [
            rule
            for rule in puzzle.rules
            if isinstance(rule, Slide) and not rule.has_pushing and not rule.is_blocked
        ]
        self._steps_of_word: dict[str, list[int]] = {}
        for number, rule in enumerate(self._steps):
            for word in rule.alternatives:
                self._steps_of_word.setdefault(word, []).append(number)
        self._is_known = len(self._steps) == len(puzzle.rules) and not puzzle.then
        self._keys: dict[int, tuple[tuple[int, ...], tuple[Direction, ...]]] = {}
        self._starts: list[list[int]] = [[] for _ in puzzle.classes]
        for piece in puzzle.pieces:
            self._starts[piece.class_id].append(piece.anchor)

    def places(self, piece: PieceClass) -> tuple[AnchorPlacement, ...]:
        """The placements that pieces of the class can ever reach, or all placements if the puzzle has consequences or
        moves other than single steps of one piece.
        """
        board = self._puzzle.board
        assert board is not None
        if not self._is_known:
            return anchor_placements(board, piece.shape, piece.cells)
        return _reached(board, piece.shape, piece.cells, *self._key(piece))

    def steps(self, piece: PieceClass, directions: tuple[Direction, ...]) -> tuple[Step, ...]:
        """The steps between the placements of `places`, given by indices. `directions`: the directions of one of the
        puzzle's rules.
        """
        board = self._puzzle.board
        assert board is not None
        if not self._is_known:
            return steps_of(board, piece.shape, piece.cells, directions)
        return _reached_steps(board, piece.shape, piece.cells, *self._key(piece), directions)

    def _key(self, piece: PieceClass) -> tuple[tuple[int, ...], tuple[Direction, ...]]:
        """The anchors of the class at the start, and the directions of all rules that move it."""
        known = self._keys.get(
            piece.id
            # this method is called for every rule, so without the cache, the total time would be quadratic in the
            # number of rules
        )
        if known is not None:
            return known
        board = self._puzzle.board
        assert board is not None
        rules = {number for word in piece.words for number in self._steps_of_word.get(word, ())}
        directions = dict.fromkeys(
            direction
            for number in sorted(rules)
            for direction in directions_of(self._steps[number], piece, board)
        )
        key = tuple(self._starts[piece.id]), tuple(directions)
        self._keys[piece.id] = key
        return key


@lru_cache(maxsize=1024)
def _reached(
    board: Board,
    shape: Shape,
    allowed: frozenset[int],
    starts: tuple[int, ...],
    directions: tuple[Direction, ...],
) -> tuple[AnchorPlacement, ...]:
    places = anchor_placements(board, shape, allowed)
    following: list[list[int]] = [[] for _ in places]
    for step in steps_of(board, shape, allowed, directions):
        following[step.start].append(step.end)
    todo = [number for number, place in enumerate(places) if place.anchor in starts]
    reached = set(todo)
    while todo:
        for there in following[todo.pop()]:
            if there not in reached:
                reached.add(there)
                todo.append(there)
    return tuple(place for number, place in enumerate(places) if number in reached)


@lru_cache(maxsize=1024)
def _reached_steps(
    board: Board,
    shape: Shape,
    allowed: frozenset[int],
    starts: tuple[int, ...],
    directions: tuple[Direction, ...],
    those: tuple[Direction, ...],
) -> tuple[Step, ...]:
    places = anchor_placements(board, shape, allowed)
    number = {
        place: i for i, place in enumerate(_reached(board, shape, allowed, starts, directions))
    }
    new = [number.get(place, -1) for place in places]
    steps = steps_of(board, shape, allowed, those)
    return tuple(
        replace(step, start=new[step.start], end=new[step.end])
        for step in steps
        if new[step.start] >= 0
    )
