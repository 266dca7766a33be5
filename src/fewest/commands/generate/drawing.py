"""Generated boards as drawings, with a character for each piece."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from fewest.drawing.text import draw
from fewest.model.position import Position
from fewest.model.puzzle import Spot


def letters_of(position: Position) -> Mapping[Spot, str]:
    """The label of each piece, keyed by spot, for a drawing.

    If the rules use the letter of a piece, the label is this letter. Otherwise, if the legend contains the kind of the
    piece, the label is the kind, which is drawn as the character from the legend. (A legend character cannot draw a
    piece of several cells if the kind has letters.) Every other piece gets a letter of its kind: if possible, a letter
    of its own, otherwise one that no piece beside it has. If there is no such letter, the label is the kind.
    """
    puzzle, board = position.puzzle, position.board
    named = {piece.label for piece in puzzle.classes if piece.label is not None}
    free = {
        kind: [letter for letter in letters if letter not in named]
        for kind, letters in puzzle.letters.items()
    }
    used: Counter[str] = Counter()
    out: dict[Spot, str] = {}
    for spot in sorted(position.pieces, key=lambda spot: (spot[1], spot[0])):
        piece = puzzle.classes[spot[0]]
        if piece.label is not None:
            out[spot] = piece.label
            continue
        letters = free.get(piece.kind, ())
        if piece.kind in puzzle.characters and (piece.is_single_cell or not letters):
            out[spot] = piece.kind
            continue
        near = {board.step(cell, side) for cell in puzzle.under[spot] for side in board.touching}
        beside = {other for cell, other in position.occupied.items() if cell in near}
        taken = {out[other] for other in beside if other in out}
        fitting = [letter for letter in letters if letter not in taken]
        out[spot] = min(fitting, key=used.__getitem__, default=piece.kind)
        used[out[spot]] += 1
    return out


def drawing_of(position: Position) -> list[str]:
    """The lines of the drawing of a board, with the labels of `letters_of`."""
    return draw(position, letters_of(position))
