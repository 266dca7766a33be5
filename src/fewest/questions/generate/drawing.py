"""Generated boards as drawings, with a character for each piece."""

from __future__ import annotations

from collections.abc import Mapping
from string import ascii_lowercase, ascii_uppercase, digits

from fewest.drawing.text import draw
from fewest.model.position import Position
from fewest.model.puzzle import Spot


def letters_of(position: Position) -> Mapping[Spot, str]:
    """The label of each piece, keyed by spot, for a drawing.

    If the rules use the letter of a piece, the label is this letter. Otherwise, if the legend contains the kind of the
    piece, the label is the kind, which is drawn as the character from the legend. Every other piece gets a letter of
    its own.
    """
    classes, characters = position.puzzle.classes, position.puzzle.characters
    named = {piece.label for piece in classes if piece.label is not None}
    free = iter(
        [letter for letter in ascii_uppercase + ascii_lowercase + digits if letter not in named]
    )
    spots = sorted(position.pieces, key=lambda spot: (spot[1], spot[0]))
    return {
        spot: classes[spot[0]].label
        or (classes[spot[0]].kind if classes[spot[0]].kind in characters else next(free))
        for spot in spots
    }


def drawing_of(position: Position) -> list[str]:
    """The lines of the drawing of a board, with the labels of `letters_of`."""
    return draw(position, letters_of(position))
