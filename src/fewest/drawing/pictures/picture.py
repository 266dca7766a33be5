"""A position as a single SVG: the board, the drawings of the goal beside it, and the variables and words below it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fewest.drawing.pictures.board import Arrow, BoardPicture
from fewest.drawing.pictures.goals import drawn_position
from fewest.drawing.pictures.outline import number
from fewest.drawing.pictures.puzzle_style import FONTS, PuzzleStyle, escaped, look, text_at
from fewest.drawing.pictures.variables import PicturePart, legend
from fewest.drawing.text import draw, text_width
from fewest.model.position import Position
from fewest.model.puzzle import Spot

_GOAL_SCALE = 0.45
_WORDS = 12.5  # the font size for words, in pixels
_LINE = 17.0
PADDING = 10.0


def svg(
    position: Position,
    labels: Mapping[Spot, str] | None = None,
    *,
    theme: str = "light",
    style: PuzzleStyle | None = None,
    arrows: Sequence[Arrow] = (),
) -> str:
    """The picture of a position as an SVG document.

    `labels` contains the letter of each piece (by default, the pieces of a class get its letters in reading order);
    `style` is the style of the original puzzle, needed if the position's puzzle has a different start; `arrows` are
    drawn over the pieces. Raises UsageError for an unknown theme.
    """
    shown = style or look(position.puzzle, theme)
    return svg_document(shown, whole(shown, position, labels, arrows), position)


def svg_document(shown: PuzzleStyle, part: PicturePart, position: Position | None = None) -> str:
    """A part of a picture as a complete SVG document. Screen readers read the title and the text drawing aloud."""
    width, height = number(part.width), number(part.height)
    title = escaped(shown.puzzle.title)
    lines = [] if position is None else draw(position)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}"'
        f' height="{height}" role="img" aria-label="{title}" font-family="{FONTS}">'
        f"<title>{title}</title><desc>{escaped(' / '.join(lines))}</desc>"
        f'<rect width="{width}" height="{height}" fill="{shown.theme.page}"/>{part.svg}</svg>\n'
    )


def whole(
    shown: PuzzleStyle,
    position: Position,
    labels: Mapping[Spot, str] | None = None,
    arrows: Sequence[Arrow] = (),
) -> PicturePart:
    """The complete picture of a position, with its size."""
    parts: list[tuple[float, float, str]] = []
    width, height = 0.0, 0.0
    if position.puzzle.board is not None:
        picture = BoardPicture(shown)
        left, top, wide, high = picture.box
        parts.append((-left, -top, picture.svg(position, labels, arrows)))
        width, height = wide, high
        goals = _drawn_goals(shown, picture)
        if goals is not None:
            parts.append((width + PADDING, 0, goals.svg))
            width, height = width + PADDING + goals.width, max(height, goals.height)
    if position.puzzle.variables:
        variables = legend(shown, position)
        parts.append((PADDING, height + PADDING, variables.svg))
        width, height = (
            max(width, variables.width + 2 * PADDING),
            height + PADDING + variables.height,
        )
    words = _goal_words(shown, width)
    if words is not None:
        parts.append((PADDING, height + 4, words.svg))
        width, height = max(width, words.width + 2 * PADDING), height + words.height + 4
    inner = "".join(
        f'<g transform="translate({number(x + PADDING)} {number(y + PADDING)})">{part}</g>'
        for x, y, part in parts
    )
    return PicturePart(inner, width + 2 * PADDING, height + 2 * PADDING)


def _drawn_goals(shown: PuzzleStyle, picture: BoardPicture) -> PicturePart | None:
    """At most three drawings of the goal, scaled down, one below another."""
    out: list[str] = []
    left, top, wide, high = picture.box
    y = 18.0
    for drawn in shown.goal.drawings[:3]:
        inner = picture.drawn_goal(drawn_position(shown.puzzle, drawn), drawn)
        out.append(
            f'<g transform="translate(0 {number(y)}) scale({_GOAL_SCALE})'
            f' translate({number(-left)} {number(-top)})">{inner}</g>'
        )
        y += high * _GOAL_SCALE + 8
    if not out:
        return None
    caption = text_at(4, 9, "goal", _WORDS, shown.theme.faint, anchor="start")
    return PicturePart(caption + "".join(out), max(wide * _GOAL_SCALE, 40.0), y)


def _goal_words(shown: PuzzleStyle, width: float) -> PicturePart | None:
    """The goal in words, divided into lines that fit the width of the picture."""
    if not shown.goal.words:
        return None
    room = max(width - 2 * PADDING, 260.0)
    lines = in_lines("goal: " + "; ".join(shown.goal.words), int(room / (_WORDS * 0.56)))
    elements = [
        text_at(0, 10 + number * _LINE, line, _WORDS, shown.theme.faint, anchor="start")
        for number, line in enumerate(lines)
    ]
    wide = min(room, max(map(text_width, lines)) * _WORDS * 0.6)
    return PicturePart("".join(elements), wide, 22.0 + (len(lines) - 1) * _LINE)


def in_lines(text: str, columns: int) -> list[str]:
    """A text as lines of at most `columns` columns, broken at spaces if possible."""
    lines = [""]
    for word in text.split(" "):
        joined = f"{lines[-1]} {word}" if lines[-1] else word
        if text_width(joined) <= columns:
            lines[-1] = joined
            continue
        lines.append("")
        for character in word:
            if text_width(lines[-1] + character) > columns:
                lines.append("")
            lines[-1] += character
    return [line for line in lines if line]


def clipped(text: str, columns: int) -> str:
    """A text, truncated to `columns` columns."""
    if text_width(text) <= columns:
        return text
    shown = ""
    for character in text:
        if text_width(shown + character) >= columns:
            break
        shown += character
    return shown + "…"
