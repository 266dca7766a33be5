"""Draws puzzles, positions and plans as SVG, PNG or GIF files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct, structs
from msgspec.structs import replace

from fewest.commands.load import load_puzzle
from fewest.drawing.pictures.picture import svg
from fewest.drawing.pictures.puzzle_style import PuzzleStyle, look
from fewest.errors import FewestError, UsageError
from fewest.machine.files import goes_to_stream
from fewest.model.position import start

if TYPE_CHECKING:
    from fewest.drawing.pictures.sheet import Frame
    from fewest.model.puzzle import Puzzle

SUFFIXES = (".svg", ".png", ".gif")


class PictureFile(Struct, frozen=True):
    """A picture as the bytes of a file.

    `unreadable`: characters that no installed font contains; a PNG or GIF shows letters instead of names and symbols
    that contain these characters. `skipped`: the documents in a folder that cannot be drawn.
    """

    data: bytes
    unreadable: str = ""
    skipped: tuple[str, ...] = ()


def suffix_of(path: Path | None, suffixes: Sequence[str] = SUFFIXES) -> str:
    """The suffix of a file name, `.svg` by default. Raises UsageError if the suffix is not allowed, or if a package for
    the format is missing.

    Call this function before the work begins, so that such an error is reported immediately.
    """
    suffix = ".svg" if path is None or goes_to_stream(path) else path.suffix.lower()
    if suffix not in suffixes:
        raise UsageError(
            f"cannot draw to {path}", hint=f"name a file that ends in {' or '.join(suffixes)}"
        )
    if suffix != ".svg":
        from fewest.drawing.pictures.raster import check_raster

        check_raster(suffix)
    return suffix


def picture(puzzle: Puzzle, there: Puzzle, theme: str = "light") -> str:
    """The SVG of the start of `there` in the style of `puzzle`. Raises UsageError for an unknown theme."""
    return svg(start(there), there.labels, style=look(puzzle, theme))


def draw_position(
    puzzle: Puzzle,
    there: Puzzle,
    *,
    theme: str = "light",
    suffix: str = ".svg",
    width: int | None = None,
) -> PictureFile:
    """The picture of the start of `there`, in the style of `puzzle`."""

    def drawn(style: PuzzleStyle) -> list[str]:
        return [svg(start(there), there.labels, style=style)]

    return _as_file(puzzle, theme, drawn, suffix, width)


def draw_plan(
    puzzle: Puzzle,
    frames: Sequence[Frame],
    *,
    theme: str = "light",
    suffix: str = ".svg",
    width: int | None = None,
) -> PictureFile:
    """A plan as a contact sheet, or as an animation in a GIF."""

    from fewest.drawing.pictures.sheet import frame_svgs, plan_sheet

    def drawn(style: PuzzleStyle) -> list[str]:
        return frame_svgs(style, frames) if suffix == ".gif" else [plan_sheet(style, frames)]

    return _as_file(puzzle, theme, drawn, suffix, width)


def draw_puzzles(
    refs: Sequence[str | Path],
    *,
    theme: str = "light",
    suffix: str = ".svg",
    width: int | None = None,
) -> PictureFile:
    """Draw several puzzles on one sheet; a folder represents all .yaml files below it.

    Files in a folder that cannot be read as puzzles are omitted. Raises UsageError if no puzzle remains, if the suffix
    is `.gif` or if the theme is unknown, and the errors of `load_puzzle` for a reference that is not a folder.
    """
    if suffix == ".gif":
        raise UsageError("an animation can show only one puzzle", hint="name a .svg or .png file")
    puzzles: list[Puzzle] = []
    skipped: list[str] = []
    for ref in refs:
        if not Path(ref).is_dir():
            puzzles.append(load_puzzle(ref))
            continue
        for path in sorted(Path(ref).rglob("*.yaml")):
            try:
                puzzles.append(load_puzzle(path))
            except FewestError:
                skipped.append(str(path))
    if not puzzles:
        raise UsageError(f"there is no puzzle in {', '.join(map(str, refs))}")

    from fewest.drawing.pictures.sheet import puzzle_sheet

    def sheet(shown: Sequence[Puzzle]) -> str:
        return puzzle_sheet([look(p, theme) for p in shown], [start(p) for p in shown])

    text = sheet(puzzles)
    if suffix == ".svg":
        return PictureFile(text.encode(), skipped=tuple(skipped))
    from fewest.drawing.pictures.raster import png, unreadable

    missing = unreadable(text)
    data = png(sheet([_in_letters(p, missing) for p in puzzles]) if missing else text, width)
    return PictureFile(data, missing, tuple(skipped))


def _as_file(
    puzzle: Puzzle,
    theme: str,
    drawn: Callable[[PuzzleStyle], list[str]],
    suffix: str,
    width: int | None,
) -> PictureFile:
    """The pictures in one file; PNG and GIF omit names and symbols that no font can draw."""
    style = look(puzzle, theme)
    svgs = drawn(style)
    if suffix == ".svg":
        return PictureFile(svgs[0].encode())
    from fewest.drawing.pictures.raster import gif, png, unreadable

    missing = unreadable("".join(svgs))
    if missing:
        svgs = drawn(structs.replace(style, puzzle=_in_letters(puzzle, missing)))
    return PictureFile(gif(svgs, width) if suffix == ".gif" else png(svgs[0], width), missing)


def _in_letters(puzzle: Puzzle, missing: str) -> Puzzle:
    """A puzzle without the names and symbols that contain one of these characters."""

    def readable(texts: Mapping[str, str]) -> dict[str, str]:
        return {word: text for word, text in texts.items() if not set(text) & set(missing)}

    style = structs.replace(puzzle.style, symbols=readable(puzzle.style.symbols))
    return replace(puzzle, names=readable(puzzle.names), style=style)
