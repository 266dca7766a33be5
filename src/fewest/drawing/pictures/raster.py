"""Converts SVG to PNG with resvg, and series of SVGs to an animated GIF with Pillow. This module needs the
`pictures` extra.
"""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from html import unescape
from importlib.util import find_spec
from typing import TYPE_CHECKING

from fewest.drawing.pictures.outline import number
from fewest.drawing.pictures.puzzle_style import FONTS, escaped
from fewest.drawing.pictures.sheet import stacked
from fewest.errors import UsageError

if TYPE_CHECKING:
    from PIL.Image import Image

# the number of frames that are rendered as one picture: finding the fonts takes longer than drawing, and is done once
# per picture
_AT_ONCE = 30
_SIZE = re.compile(r'<svg [^>]*?width="([\d.]+)" height="([\d.]+)"')
_BOX = 24


def check_raster(suffix: str) -> None:
    """Raises UsageError if resvg or Pillow is not installed."""
    needed = {"resvg_py": "resvg-py", "PIL": "Pillow"}
    missing = [name for module, name in needed.items() if find_spec(module) is None]
    if missing:
        raise UsageError(
            f"{suffix} pictures need {' and '.join(missing)}, "
            f"which {'is' if len(missing) == 1 else 'are'} not installed",
            hint="install the extra `pictures` (in a clone of the repository: pip install '.[pictures]'), "
            "or choose a file name that ends in .svg",
        )


def png(svg: str, width: int | None = None) -> bytes:
    """The picture as PNG, `width` pixels wide (by default, twice the picture's own width)."""
    own = _size(svg)[0]
    zoom = 2.0 if width is None else width / own
    return _png(svg, zoom)


def gif(svgs: Sequence[str], width: int | None = None, seconds: float = 0.6) -> bytes:
    """An animated GIF that consists of documents of the same size; the first and the last one are shown three times as
    long as the others.
    """
    from PIL.Image import Dither

    wide, high = _size(svgs[0])
    tall = round(high if width is None else high * width / wide)
    # all frames begin at whole pixels, so that parts that do not change are identical in all frames
    zoom = tall / high
    frames: list[Image] = []
    for begin in range(0, len(svgs), _AT_ONCE):
        some = svgs[begin : begin + _AT_ONCE]
        picture = _rendered(stacked(some, wide, high), zoom)
        for i in range(len(some)):
            frames.append(picture.crop((0, i * tall, picture.width, (i + 1) * tall)))
    first = frames[0].quantize(96)
    rest = [frame.quantize(palette=first, dither=Dither.NONE) for frame in frames[1:]]
    shown = int(seconds * 1000)
    durations = [shown] * len(frames)
    durations[0] = durations[-1] = 3 * shown
    buffer = io.BytesIO()
    first.save(
        buffer,
        format="GIF",
        save_all=True,
        append_images=rest,
        duration=durations,
        loop=0,
        optimize=True,
    )
    return buffer.getvalue()


def unreadable(svg: str) -> str:
    """The characters of a picture that no font on this machine contains."""
    texts = re.findall(r"<text[^>]*>([^<]*)</text>", svg)
    wanted = sorted({c for text in texts for c in unescape(text) if c > "\u024f"})
    if not wanted:
        return ""
    # the first character is unassigned, so it looks like every missing character
    letters = ["\u0378", *wanted]
    row = "".join(
        f'<text x="{i * _BOX + 2}" y="{_BOX - 6}" font-size="{_BOX - 8}">{escaped(c)}</text>'
        for i, c in enumerate(letters)
    )
    picture = _rendered(
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{len(letters) * _BOX}" height="{_BOX}"'
        f' font-family="{escaped(FONTS)}"><rect width="100%" height="100%" fill="#fff"/>{row}</svg>',
        1.0,
    )
    cells = [
        picture.crop((i * _BOX, 0, (i + 1) * _BOX, _BOX)).tobytes() for i in range(len(letters))
    ]
    blank = picture.crop((0, 0, 1, 1)).resize((_BOX, _BOX)).tobytes()
    return "".join(
        c for c, cell in zip(letters[1:], cells[1:], strict=True) if cell in (cells[0], blank)
    )


def _rendered(svg: str, zoom: float) -> Image:
    from PIL import Image

    return Image.open(io.BytesIO(_png(svg, zoom))).convert("RGB")


def _png(svg: str, zoom: float) -> bytes:
    import resvg_py

    # The font families that are requested come first; for characters that they lack, all fonts are searched.
    return bytes(resvg_py.svg_to_bytes(svg_string=svg, zoom=zoom, font_family="DejaVu Sans"))


def _size(svg: str) -> tuple[float, float]:
    """The width and height, in pixels, of a document that this package created."""
    match = _SIZE.search(svg)
    assert match is not None, "all of ours say their size"
    return float(number(float(match[1]))), float(number(float(match[2])))
