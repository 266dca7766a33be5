"""`fewest draw`: draws puzzles, positions and plans."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from fewest.cli.console import warn
from fewest.cli.options import (
    FileName,
    PuzzleName,
    board_option,
    board_text,
    metric_option,
    set_option,
    time_option,
)
from fewest.machine.memory import memory_to_use

if TYPE_CHECKING:
    from fewest.commands.draw import PictureFile


@click.command(name="draw")
@click.argument("puzzles", type=PuzzleName(), nargs=-1, required=True, metavar="PUZZLE...")
@click.option(
    "--output",
    "-o",
    type=FileName(),
    metavar="FILE",
    help="The output file: .svg, .png or .gif. [default: SVG to stdout]",
)
@click.option(
    "--level", metavar="LEVEL", help="The number or the title of a level in a collection."
)
@board_option
@click.option(
    "--plan", is_flag=True, help="Draw all positions of a shortest plan; a .gif is animated."
)
@click.option(
    "--arrows", is_flag=True, help="Draw arrows for the next move; with --plan, for all moves."
)
@click.option(
    "--theme",
    type=click.Choice(["light", "dark"]),
    default="light",
    help="The colours of the picture. [default: light]",
)
@click.option(
    "--width",
    type=click.IntRange(16, 10_000),
    metavar="PIXELS",
    help="The width of a .png or .gif in pixels.",
)
@metric_option
@set_option
@time_option
def command(
    puzzles: tuple[str, ...],
    output: Path | None,
    level: str | None,
    board: str | None,
    plan: bool,
    arrows: bool,
    theme: str,
    width: int | None,
    metric: str | None,
    settings: tuple[tuple[str, int], ...],
    seconds: float | None,
) -> int:
    """Draw a picture of PUZZLE: its start, the position of --at, or a shortest plan.

    Several puzzles, or the puzzles of a folder, are drawn on one sheet. PNG and GIF need the extra `pictures`.

    \b
    Examples:
      fewest draw heng-dao-li-ma -o klotski.svg
      fewest draw hardest-6x6 --arrows --theme dark > jam.svg
      fewest draw jugs --at "a=3 b=5" -o jugs.png
      fewest draw machinarium-arrows --plan -o arrows.gif
      fewest draw puzzles/chess -o chess.svg
    """
    from fewest.commands.draw import draw_puzzles, suffix_of
    from fewest.errors import UsageError
    from fewest.machine.files import check_writable

    suffix = suffix_of(output)
    if output is not None:
        check_writable(output)
    if len(puzzles) > 1 or Path(puzzles[0]).is_dir():
        if plan or arrows or board is not None or level is not None or settings:
            raise UsageError(
                "with several puzzles, only the start of each can be drawn",
                hint="give only one puzzle",
            )
        drawing = draw_puzzles(puzzles, theme=theme, suffix=suffix, width=width)
        return _written(drawing, output)
    ref = puzzles[0] if level is None else f"{puzzles[0]}:{level}"
    drawn = _one(
        ref,
        board,
        plan or suffix == ".gif",
        arrows,
        theme,
        suffix,
        width,
        metric,
        settings,
        seconds,
    )
    return drawn if isinstance(drawn, int) else _written(drawn, output)


def _one(
    ref: str,
    board: str | None,
    plan: bool,
    arrows: bool,
    theme: str,
    suffix: str,
    width: int | None,
    metric: str | None,
    settings: tuple[tuple[str, int], ...],
    seconds: float | None,
) -> PictureFile | int:
    """The picture of one puzzle, or the exit code if there is no plan to draw."""
    from fewest.cli.output import print_warnings
    from fewest.commands.draw import draw_plan, draw_position
    from fewest.reading.clock import reading_within

    if board is None and not plan and not arrows:  # this branch avoids importing the engines
        from fewest.commands.load import load_puzzle

        with reading_within(seconds):
            puzzle = load_puzzle(ref, dict(settings))
        print_warnings(puzzle.warnings)
        return draw_position(puzzle, puzzle, theme=theme, suffix=suffix, width=width)
    from fewest.commands.api import load
    from fewest.commands.result import EXIT_OF_STATUS

    with reading_within(seconds) as left:
        compiled = load(ref, dict(settings))
        print_warnings(compiled.warnings)
    seconds = left()
    name, text = board_text(board)
    there = compiled if text is None else compiled.at(text, name)
    if not plan and not arrows:
        return draw_position(compiled.puzzle, there.puzzle, theme=theme, suffix=suffix, width=width)
    result = there.solve(metric, seconds=seconds, memory=memory_to_use())
    if result.plan is None:
        click.echo(result.summary(), err=True)
        return EXIT_OF_STATUS[result.status]
    frames = result.plan.frames(arrows=arrows)
    if not plan:
        frames = frames[:1]
    return draw_plan(compiled.puzzle, frames, theme=theme, suffix=suffix, width=width)


def _written(drawing: PictureFile, output: Path | None) -> int:
    """Write the picture and print its warnings. Returns the exit code."""
    from fewest.machine.files import STDOUT, write_whole

    if drawing.unreadable:
        warn(
            f"warning: no installed font contains {drawing.unreadable}, so pieces show their letters\n"
            "  hint: install a font such as Noto Sans CJK, or choose a file name that ends in .svg"
        )
    for path in drawing.skipped:
        warn(f"warning: {path} is not a puzzle that can be drawn")
    write_whole(output or STDOUT, [drawing.data])
    return 0
