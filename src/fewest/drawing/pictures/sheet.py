"""Several pictures on one sheet: the positions of a plan, or several puzzles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, sqrt

from msgspec import Struct, field

from fewest.drawing.pictures.board import Arrow, BoardPicture
from fewest.drawing.pictures.outline import number
from fewest.drawing.pictures.picture import clipped, svg_document, whole
from fewest.drawing.pictures.puzzle_style import FONTS, PuzzleStyle, escaped, text_at
from fewest.drawing.pictures.variables import PicturePart, legend
from fewest.model.position import Position
from fewest.model.puzzle import Spot

_TILE = 190.0  # the maximum width of a picture on a sheet, in pixels
_CAPTION = 24.0
_GAP = 14.0


class Frame(Struct, frozen=True):
    """One picture in a series: a position with the letters of its pieces, a caption and, on request, arrows."""

    position: Position
    labels: Mapping[Spot, str]
    caption: str
    arrows: Sequence[Arrow] = field(default=())


def plan_sheet(shown: PuzzleStyle, frames: Sequence[Frame]) -> str:
    """The contact sheet of a plan as an SVG document: every frame with its caption."""
    parts = [_bare(shown, frame) for frame in frames]
    return _sheet(shown, parts, [frame.caption for frame in frames])


def puzzle_sheet(looks: Sequence[PuzzleStyle], positions: Sequence[Position]) -> str:
    """Several puzzles on one sheet, with their titles. The caller must give at least one puzzle."""
    parts = [
        whole(shown, position, position.puzzle.labels)
        for shown, position in zip(looks, positions, strict=True)
    ]
    return _sheet(looks[0], parts, [position.puzzle.title for position in positions], alike=False)


def frame_svgs(shown: PuzzleStyle, frames: Sequence[Frame]) -> list[str]:
    """Every frame as a separate document for an animation; all documents have the same size."""
    parts = [_bare(shown, frame) for frame in frames]
    width = max(160.0, *(part.width for part in parts)) + 2 * _GAP
    height = max(part.height for part in parts) + 2 * _GAP + _CAPTION
    out: list[str] = []
    for part, frame in zip(parts, frames, strict=True):
        caption = clipped(frame.caption, int(width / 8.4))
        inner = (
            f'<g transform="translate({number((width - part.width) / 2)} {number(_GAP)})">{part.svg}</g>'
            + text_at(width / 2, height - _CAPTION / 2 - 4, caption, 15, shown.theme.ink)
        )
        out.append(svg_document(shown, PicturePart(inner, width, height)))
    return out


def _bare(shown: PuzzleStyle, frame: Frame) -> PicturePart:
    """A frame without the drawings and words of the goal: the board, and the variables below it."""
    parts, width, height = [], 0.0, 0.0
    position = frame.position
    if position.puzzle.board is not None:
        picture = BoardPicture(shown)
        left, top, width, height = picture.box
        inner = picture.svg(position, frame.labels, frame.arrows)
        parts.append(f'<g transform="translate({number(-left)} {number(-top)})">{inner}</g>')
    if position.puzzle.variables:
        variables = legend(shown, position)
        parts.append(f'<g transform="translate(6 {number(height + 6)})">{variables.svg}</g>')
        width, height = max(width, variables.width + 12), height + 6 + variables.height
    return PicturePart("".join(parts), width, height)


def _sheet(
    shown: PuzzleStyle, parts: Sequence[PicturePart], captions: Sequence[str], *, alike: bool = True
) -> str:
    """Parts in rows, each scaled down to fit into a tile. If `alike` is true, the tile has the proportions of the
    widest and the tallest part; otherwise, it is a square.
    """
    wide = max(part.width for part in parts)
    tall = max(part.height for part in parts)
    tile_wide = min(_TILE, max(110.0, wide))
    tile_tall = tall * min(1.0, tile_wide / wide) if alike else tile_wide
    columns = max(1, min(len(parts), ceil(sqrt(len(parts) * tile_tall / tile_wide * 1.5))))
    step_x, step_y = tile_wide + _GAP, tile_tall + _CAPTION + _GAP
    out: list[str] = []
    for index, (part, caption) in enumerate(zip(parts, captions, strict=True)):
        x = _GAP + (index % columns) * step_x
        y = _GAP + (index // columns) * step_y
        scale = min(1.0, tile_wide / part.width, tile_tall / part.height)
        left, top = (
            x + (tile_wide - part.width * scale) / 2,
            y + (tile_tall - part.height * scale) / 2,
        )
        place = f"translate({number(left)} {number(top)}) scale({scale:.4f})"
        out.append(f'<g transform="{place}">{part.svg}</g>')
        text = clipped(caption, int(tile_wide / 7))
        out.append(text_at(x + tile_wide / 2, y + tile_tall + 12, text, 12.5, shown.theme.ink))
    rows = -(-len(parts) // columns)
    return svg_document(
        shown, PicturePart("".join(out), columns * step_x + _GAP, rows * step_y + _GAP)
    )


def stacked(svgs: Sequence[str], width: float, height: float) -> str:
    """SVG documents of the same size, stacked in one document so that they can be rendered together."""
    inner = "".join(
        f'<svg y="{number(i * height)}" {svg.removeprefix("<svg ")}' for i, svg in enumerate(svgs)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{number(width)}"'
        f' height="{number(height * len(svgs))}" font-family="{escaped(FONTS)}">{inner}</svg>'
    )
