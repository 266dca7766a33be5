"""Approved pictures: `python -m tests.helpers.approved` approves the current pictures. Look at these pictures first.

The pictures contain no text, because fonts differ between machines (the tests of docs/pictures compare the texts, as
SVG). The pixels come from the release of the renderer that `renderer.txt` names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import fewest
from tests.helpers.cells import ROOT

FOLDER = ROOT / "tests" / "drawing" / "approved"
RENDERER = FOLDER / "renderer.txt"
_TEXT = re.compile(r"<text\b[^>]*>[^<]*</text>")
_WIDTH = 220  # pixels

POSITIONS = (
    ("heng-dao-li-ma", "light"),
    ("hardest-6x6", "dark"),
    ("microban-001", "light"),
    ("english", "dark"),
    ("triangle-10", "light"),
    ("knights-feast", "light"),
    ("swinging-stone", "light"),
    ("tiles-torus", "dark"),
    ("hanoi", "light"),
    ("lights-out-3x3", "dark"),
    ("two-rings", "light"),
)
"""These positions show pieces of many cells, walls and targets, pegs, hexagons, chess, a torus, variables, and
rings."""


def renderer() -> str:
    """The installed release of the renderer."""
    return f"resvg-py {version('resvg-py')}"


def drawings() -> Iterator[tuple[str, str]]:
    """Names and SVG documents, without texts."""
    for name, theme in POSITIONS:
        yield f"{name}-{theme}", _TEXT.sub("", fewest.load(name).svg(theme=theme))
    arrows = fewest.load("machinarium-arrows").solve().plan
    assert arrows is not None
    yield "machinarium-arrows-plan", _TEXT.sub("", arrows.svg(arrows=True))
    triangle = fewest.load("triangle-10")
    yield "triangle-10-space", _TEXT.sub("", triangle.picture_of(triangle.explore()))


def pixels(svg: str) -> bytes:
    """A drawing as a small PNG."""
    from fewest.drawing.pictures.raster import png

    return png(svg, _WIDTH)


def approve() -> None:
    """Write the current pictures and the version of the renderer."""
    FOLDER.mkdir(exist_ok=True)
    wanted = {FOLDER / f"{name}.png": pixels(svg) for name, svg in drawings()}
    for path in set(FOLDER.glob("*.png")) - wanted.keys():
        path.unlink()
    for path, data in wanted.items():
        Path(path).write_bytes(data)
    RENDERER.write_text(renderer() + "\n", encoding="utf-8")


if __name__ == "__main__":
    approve()
