"""Themes, and the colours of pieces. Colour-blind readers can distinguish these colours, and a piece never changes its
colour.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from msgspec import Struct

from fewest.model.puzzle import Piece, Puzzle
from fewest.model.style import COLOURS

GOAL_COLOUR = COLOURS["red"]
# The colours of Okabe and Ito (2008) without vermilion, which is reserved for the pieces of the goal.
PIECE_COLOURS = ("#56b4e9", "#e69f00", "#009e73", "#f0e442", "#cc79a7", "#0072b2", "#d3d3d8")
VALUE_COLOURS = ("#f0e442", "#56b4e9", "#e69f00", "#009e73", "#cc79a7", "#0072b2")
NEUTRAL = "#e3cf9f"
MANY = 8  # with at least this number of different labels on one-cell pieces, separate colours do not help


class Theme(Struct, frozen=True):
    """The colours of the page, the board, its lines and texts, and the outlines of pieces."""

    name: str
    page: str
    floor: str
    other_floor: str  # the colour of every second cell of a chequered board
    line: str
    wall: str
    ink: str
    faint: str
    edge: str  # the colour of the outline of pieces
    terrains: tuple[str, ...]


THEMES: Mapping[str, Theme] = {
    "light": Theme(
        name="light",
        page="#ffffff",
        floor="#f4f1ea",
        other_floor="#d9d0bd",
        line="#dcd6c8",
        wall="#4b5563",
        ink="#1f2328",
        faint="#5f6670",
        edge="#00000059",
        terrains=("#fbe3b5", "#cfe5f7", "#d5ead0", "#f6d5dc", "#e0d6f0", "#e6dccb"),
    ),
    "dark": Theme(
        name="dark",
        page="#16181d",
        floor="#262a32",
        other_floor="#3a404b",
        line="#3a404b",
        wall="#737d8c",
        ink="#eceff4",
        faint="#a3abb8",
        edge="#ffffff47",
        terrains=("#5c4a1f", "#1f4563", "#27502f", "#5f2c3a", "#43356a", "#4f4633"),
    ),
}


def ink_on(colour: str) -> str:
    """Black or white, whichever is more readable on the colour `#rrggbb`; if the colour has another form, such as a
    variable of the page, the variable `--ink` of the page.
    """
    if not colour.startswith("#"):
        return "var(--ink)"
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return "#ffffff" if 0.2126 * red + 0.7152 * green + 0.0722 * blue < 0.25 else "#111111"


def piece_colours(puzzle: Puzzle, goal_words: Sequence[str]) -> dict[str, str]:
    """A colour for every label at the start (a letter, or a kind without letters), and for every kind.

    Colours that the document gives come first. If there are at least MANY different labels, and every piece occupies a
    single cell, each label without such a colour gets the neutral colour. Otherwise, if the goal names exactly one of
    several other labels, this label is vermilion. Each remaining label gets a colour that, if possible, none of its
    neighbours has.
    """
    style = puzzle.style.colours
    labels = list(dict.fromkeys(piece.label for piece in puzzle.pieces))
    labels += [c.kind for c in puzzle.classes if c.kind not in labels]
    kinds = {piece.label: puzzle.classes[piece.class_id].kind for piece in puzzle.pieces}
    out: dict[str, str] = {}
    for label in labels:
        colour = style.get(label, style.get(kinds.get(label, label)))
        if colour is not None and colour != "none":
            out[label] = colour
    rest = [label for label in labels if label not in out]
    if _are_all_distinguishable(puzzle):
        return {**dict.fromkeys(rest, NEUTRAL), **out}
    named = [label for label in rest if label in goal_words]
    if len(named) == 1 and len(rest) > 1:
        out[named[0]] = GOAL_COLOUR
    near = _neighbours(puzzle)
    used: Counter[str] = Counter()
    for label in rest:
        if label in out:
            continue
        taken = {out[other] for other in near.get(label, ()) if other in out}
        order = {c: (c in taken, used[c], i) for i, c in enumerate(PIECE_COLOURS)}
        out[label] = min(PIECE_COLOURS, key=order.__getitem__)
        used[out[label]] += 1
    return out


def _are_all_distinguishable(puzzle: Puzzle) -> bool:
    """Whether all pieces occupy one cell and there are at least MANY different labels."""
    labels = [piece.label for piece in puzzle.pieces]
    return len(set(labels)) >= MANY and all(c.is_single_cell for c in puzzle.classes)


def _neighbours(puzzle: Puzzle) -> dict[str, set[str]]:
    """For each label, the labels of its neighbours at the start."""
    board = puzzle.board
    if board is None:
        return {}
    owner: dict[int, Piece] = {}
    for piece in puzzle.pieces:
        for cell in board.cover(puzzle.classes[piece.class_id].shape, piece.anchor) or ():
            owner[cell] = piece
    out: dict[str, set[str]] = {}
    for cell, piece in owner.items():
        for offset in ((0, 1), (1, 0)):
            near = board.step(cell, offset)
            other = None if near is None else owner.get(near)
            if other is not None and other.label != piece.label:
                out.setdefault(piece.label, set()).add(other.label)
                out.setdefault(other.label, set()).add(piece.label)
    return out
