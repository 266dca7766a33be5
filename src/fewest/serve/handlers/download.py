"""The user's text as a file: a picture, an animation, a page, or a Sokoban level."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fewest.commands.draw import draw_plan
from fewest.drawing.pictures.raster import check_raster
from fewest.errors import UsageError
from fewest.formats.collection import Collection, Level
from fewest.formats.sokoban import xsb
from fewest.serve.handlers import payload
from fewest.serve.handlers.check import is_sokoban
from fewest.serve.worker import SendMessage
from fewest.web.page import chapter as chapter_of
from fewest.web.page import page as page_of

MOST_FRAMES = 400


def download(parameters: Mapping[str, Any], root: Path | None, send: SendMessage) -> bytes:
    """The puzzle in a format that needs no search: `svg` or `xsb`. Raises DocumentError, and UsageError if the format
    is unknown or cannot express the puzzle.
    """
    compiled = payload.compiled_of(parameters, root)
    kind = payload.text_of(parameters, "kind")
    if kind == "svg":
        theme = "dark" if parameters.get("theme") == "dark" else "light"
        return compiled.svg(theme=theme).encode()
    if kind != "xsb":
        raise UsageError(f"there is no format `{kind}`", hint="the formats are svg and xsb")
    if not is_sokoban(compiled):
        raise UsageError("only levels of plain Sokoban can be written as .xsb")
    assert compiled.document is not None
    drawn = str(compiled.document.document.board).strip("\n").split("\n")
    wide = max(map(len, drawn))
    rows = tuple(row.ljust(wide) for row in drawn)
    puzzle = compiled.puzzle
    level = Level(1, puzzle.title, rows, notes=puzzle.notes)
    return xsb.write(Collection(puzzle.name, "sokoban", (level,))).encode()


def animation(parameters: Mapping[str, Any], root: Path | None, send: SendMessage) -> bytes:
    """A plan as an animated GIF. Raises DocumentError, and UsageError if the extra `pictures` is not installed, if no
    plan was found, or if the plan needs more than `MOST_FRAMES` pictures.
    """
    check_raster(".gif")
    compiled = payload.compiled_of(parameters, root)
    limits = payload.limits_of(parameters)
    result = compiled.solve(
        payload.metric_of(parameters), seconds=limits.seconds, memory=limits.memory
    )
    if result.plan is None:
        raise UsageError(result.summary())
    frames = result.plan.frames()
    if len(frames) > MOST_FRAMES:
        raise UsageError(
            f"an animation has at most {MOST_FRAMES} pictures, but this plan needs {len(frames)}"
        )
    theme = "dark" if parameters.get("theme") == "dark" else "light"
    return draw_plan(compiled.puzzle, frames, theme=theme, suffix=".gif").data


def page(parameters: Mapping[str, Any], root: Path | None, send: SendMessage) -> bytes:
    """A single HTML file for playing the puzzle. Raises DocumentError or UsageError."""
    compiled = payload.compiled_of(parameters, root)
    return page_of([chapter_of(compiled, payload.page_options(parameters))]).encode()
