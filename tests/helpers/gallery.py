"""The pictures of docs/gallery.md and docs/explore.md: `python -m tests.helpers.gallery` draws them anew."""

from __future__ import annotations

import re
from pathlib import Path

import fewest
from fewest.drawing.pictures.look import look
from fewest.drawing.pictures.picture import svg
from fewest.model.position import start
from fewest.questions.load import load_puzzle
from tests.helpers.places import ROOT

GALLERY = ROOT / "docs" / "gallery.md"
EXPLORE = ROOT / "docs" / "explore.md"
_SPACE = re.compile(r"!\[[^\]]*\]\((pictures/space-([\w-]+)\.svg)\)")
_IMAGE = re.compile(r"!\[[^\]]*\]\((pictures/([\w-]+?)(-dark)?\.svg)\)")


def pictures() -> dict[Path, str]:
    """What every picture of the page must be: the start of the puzzle that its file is named after."""
    out: dict[Path, str] = {}
    for path, name, dark in _IMAGE.findall(GALLERY.read_text(encoding="utf-8")):
        puzzle = load_puzzle(name)
        style = look(puzzle, "dark" if dark else "light")
        out[GALLERY.parent / path] = svg(start(puzzle), puzzle.labels, style=style)
    for path, name in _SPACE.findall(EXPLORE.read_text(encoding="utf-8")):
        compiled = fewest.load(name)
        out[EXPLORE.parent / path] = compiled.picture_of(compiled.explore())
    return out


if __name__ == "__main__":
    for path, text in pictures().items():
        path.write_text(text, encoding="utf-8")
