"""The style that all pictures of a puzzle share: its grid, and the colours and marks of its pieces.

The style is computed from the puzzle as its document defines it, and not from each position, so that a piece keeps its
colour when it moves.
"""

from __future__ import annotations

from functools import cached_property

from msgspec import Struct

from fewest.drawing.pictures.colours import (
    GOAL_COLOUR,
    NEUTRAL,
    THEMES,
    Theme,
    ink_on,
    piece_colours,
)
from fewest.drawing.pictures.goals import GoalMarks, goal_marks
from fewest.drawing.pictures.grid import UNIT, Grid, grid_of
from fewest.drawing.pictures.outline import number, outline
from fewest.drawing.text import text_width
from fewest.errors import UsageError, did_you_mean
from fewest.model.board import Offset, Shape
from fewest.model.puzzle import PieceClass, Puzzle
from fewest.sanitize import hidden

FONTS = (
    "system-ui,'Segoe UI','Helvetica Neue','DejaVu Sans','Noto Sans','PingFang SC','Hiragino Sans GB',"
    "'Microsoft YaHei','Noto Sans CJK SC','Noto Sans SC','WenQuanYi Micro Hei','Noto Sans Symbols 2',"
    "'Segoe UI Symbol','Apple Color Emoji','Segoe UI Emoji','Noto Color Emoji',sans-serif"
)
GAP = 2.5  # the number of pixels between a piece and the edges of its cells
ROUND = 9.0


class PuzzleStyle(Struct, frozen=True, dict=True):
    """A puzzle and a theme, with all data that are needed for drawing positions of the puzzle."""

    puzzle: Puzzle
    theme: Theme

    @cached_property
    def grid(self) -> Grid:
        return grid_of(self.puzzle)

    @cached_property
    def goal(self) -> GoalMarks:
        return goal_marks(self.puzzle)

    @cached_property
    def colours(self) -> dict[str, str]:
        """The colour of every label and kind."""
        return piece_colours(self.puzzle, self.goal.named)

    @cached_property
    def shows_characters(self) -> bool:
        """Whether pieces without letters show their characters, which they do if there are several kinds."""
        return len({c.kind for c in self.puzzle.classes}) > 1

    def colour(self, label: str, kind: str) -> str:
        """The colour of a piece as `#rrggbb`."""
        return self.colours.get(label) or self.colours.get(kind) or NEUTRAL

    def colour_of_word(self, word: str) -> str:
        """The colour for a word in the goal: a letter, a kind, or `any`."""
        return self.colours.get(word, GOAL_COLOUR)

    def mark(self, label: str, kind: str) -> str:
        """The text on a piece: its symbol, its name, its letter, the character of its kind, or nothing."""
        puzzle, symbols = self.puzzle, self.puzzle.style.symbols
        for word in (label, kind):
            if word in symbols:
                return symbols[word]
        if label in puzzle.names or kind in puzzle.names:
            return puzzle.names.get(label, puzzle.names.get(kind, label))
        if label != kind:
            return label
        return puzzle.characters.get(kind, "") if self.shows_characters else ""

    def shape(self, piece: PieceClass, label: str) -> str:
        """The shape of a piece: `block`, `disc` or `diamond`. Larger pieces are blocks. The document can define the
        shape of one-cell pieces; by default, those without letters are discs.
        """
        shapes = self.puzzle.style.shapes
        chosen = shapes.get(label, shapes.get(piece.kind))
        if not piece.is_single_cell:
            return "block"
        if self.grid.is_triangular:  # a board of triangles has cells of both orientations
            return "diamond" if chosen == "diamond" else "disc"
        return chosen or ("disc" if label == piece.kind else "block")

    def piece(self, piece: PieceClass, label: str) -> str:
        """The SVG of a piece; its bounding box starts at the cell (0, 0)."""
        return self.plain_piece(piece, label) + self.writing(piece, label)

    def plain_piece(self, piece: PieceClass, label: str) -> str:
        """The SVG of a piece without its text."""
        body = self.body(piece.shape, self.shape(piece, label), GAP)
        colour, edge = self.colour(label, piece.kind), self.theme.edge
        return f'<path d="{body}" fill="{colour}" stroke="{edge}" stroke-width="1.5"/>'

    def writing(self, piece: PieceClass, label: str) -> str:
        """The text on a piece, as SVG."""
        colour = self.colour(label, piece.kind)
        return self.text_on(piece.shape, self.mark(label, piece.kind), ink_on(colour))

    def body(self, shape: Shape, form: str, inset: float) -> str:
        """The path around a piece that covers these cells; a one-cell piece can be a disc or a diamond."""
        x, y = self.grid.middle(0, 0)
        if len(shape) == 1 and form == "disc":
            r = UNIT * 0.5 - inset - 3
            arc = f"a{number(r)} {number(r)} 0 1 1"
            return f"M{number(x - r)} {number(y)}{arc} {number(2 * r)} 0{arc} {number(-2 * r)} 0Z"
        if len(shape) == 1 and form == "diamond":
            r = UNIT * 0.5 - inset
            points = [(x, y - r), (x + r, y), (x, y + r), (x - r, y)]
            return "M" + "L".join(f"{number(a)} {number(b)}" for a, b in points) + "Z"
        return outline([self.grid.polygon(*cell) for cell in shape], inset, ROUND)

    def text_on(self, shape: Shape, text: str, colour: str) -> str:
        """A text in the middle of each connected part of a piece, in a size that fits the part."""
        return (
            "".join(self._text_on(part, text, colour) for part in parts_of(shape)) if text else ""
        )

    def _text_on(self, shape: Shape, text: str, colour: str) -> str:
        top, left = min(row for row, _ in shape), min(column for _, column in shape)
        high = max(row for row, _ in shape) + 1 - top
        wide = max(column for _, column in shape) + 1 - left
        row, column = top + (high - 1) / 2, left + (wide - 1) / 2
        # the centre may be outside the piece, so the nearest cell is used
        if len(shape) != high * wide:
            place = min(shape, key=lambda cell: abs(cell[0] - row) + abs(cell[1] - column))
            row, column, high, wide = *place, 1, 1
        x, y = self.grid.middle(row, column)
        ems = sum(1.0 if text_width(c) == 2 else 0.66 for c in text)
        size = min(UNIT * 0.5 * min(high, wide), UNIT * (wide - 0.22) / ems, UNIT * 1.1)
        if len(text) == 1 and ord(text) >= 0x2190 and self.is_symbol(text):
            size = UNIT * 0.66 * min(high, wide)
        return text_at(x, y, text, size, colour, bold=True)

    def is_symbol(self, text: str) -> bool:
        """Whether a text is a symbol from the document; only a symbol may fill its cell."""
        return text in self.puzzle.style.symbols.values()


def parts_of(shape: Shape) -> list[Shape]:
    """The connected parts of a shape, each as a shape."""
    left, parts = set(shape), list[Shape]()
    while left:
        part, waiting = set[Offset](), [min(left)]
        while waiting:
            row, column = cell = waiting.pop()
            if cell in left:
                left.remove(cell)
                part.add(cell)
                waiting += [(row - 1, column), (row + 1, column)]
                waiting += [(row, column - 1), (row, column + 1)]
        parts.append(tuple(sorted(part)))
    return parts


def look(puzzle: Puzzle, theme: str = "light") -> PuzzleStyle:
    """The style of a puzzle in a theme. Raises UsageError for an unknown theme."""
    return PuzzleStyle(puzzle, theme_of(theme))


def theme_of(theme: str) -> Theme:
    """The theme with this name. Raises UsageError for an unknown theme."""
    found = THEMES.get(theme)
    if found is None:
        listed = f"the themes are {', '.join(THEMES)}"
        raise UsageError(f"there is no theme `{theme}`", hint=did_you_mean(theme, THEMES, listed))
    return found


def text_at(
    x: float,
    y: float,
    text: str,
    size: float,
    colour: str,
    *,
    bold: bool = False,
    anchor: str = "middle",
) -> str:
    """A line of text that is centred on this point; with the anchor `start`, it begins there."""
    weight = ' font-weight="600"' if bold else ""
    return (
        f'<text x="{number(x)}" y="{number(y + size * 0.35)}" font-size="{number(size)}" fill="{colour}"'
        f' text-anchor="{anchor}"{weight}>{escaped(text)}</text>'
    )


def escaped(text: str) -> str:
    """A text for use in SVG or HTML, without characters that XML does not allow or that are invisible."""
    visible = hidden().sub("", text)
    return (
        visible.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace('"', "&quot;")
    )
