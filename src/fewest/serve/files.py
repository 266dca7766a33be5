"""The files of the page: its own scripts, the scripts of the player, the style sheet, and the editor component."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from fewest.web import page

STATIC = Path(__file__).parent / "static"
SCRIPTS = (
    "service.js",
    "completion.js",
    "editor.js",
    "painter.js",
    "charts.js",
    "library.js",
    "downloads.js",
    "persistence.js",
    "playing.js",
    "solving.js",
    "comparing.js",
    "exploring.js",
    "workbench.js",
    "workshop.js",
)
_OF_THE_PAGE = tuple(name for name in page.SCRIPTS if name != "main.js")


@cache
def script() -> bytes:
    """The scripts of the player, followed by those of the editor page, in one scope."""
    parts = [page.STATIC / name for name in _OF_THE_PAGE] + [STATIC / name for name in SCRIPTS]
    text = "\n".join(path.read_text(encoding="utf-8") for path in parts)
    return f'"use strict";\n{text}'.encode()


@cache
def vendored() -> bytes:
    """The script of the editor component; see `editor/README.md`."""
    return (STATIC / "editor.min.js").read_bytes()


@cache
def style_sheet() -> bytes:
    """The colours of both themes, and the styles of the player and the editor page."""
    return (page.style_sheet() + (STATIC / "app.css").read_text(encoding="utf-8")).encode()
