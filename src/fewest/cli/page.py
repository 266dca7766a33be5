"""`fewest page`: writes one HTML file in which puzzles can be played."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from fewest.cli.options import (
    Duration,
    PuzzleName,
    memory_limit,
    memory_option,
    metric_option,
    set_option,
)

if TYPE_CHECKING:
    from fewest.web.page import Chapter


@click.command(name="page")
@click.argument("puzzles", type=PuzzleName(), nargs=-1, required=True, metavar="PUZZLE...")
@click.option(
    "--output",
    "-o",
    type=click.Path(path_type=Path),
    metavar="FILE",
    required=True,
    help="The output file (.html), or - for stdout.",
)
@metric_option
@set_option
@click.option("--no-distances", is_flag=True, help="Omit the distances of the positions.")
@click.option(
    "--positions",
    type=click.IntRange(min=1),
    default=2_000_000,
    metavar="N",
    help="Include the distances of up to N positions. [default: 2,000,000]",
)
@click.option(
    "--time",
    "seconds",
    type=Duration(),
    default=60.0,
    help="The time limit for each proof and its distances. [default: 60]",
)
@memory_option
def command(
    puzzles: tuple[str, ...],
    output: Path,
    metric: str | None,
    settings: tuple[tuple[str, int], ...],
    no_distances: bool,
    positions: int,
    seconds: float,
    memory: int | None,
) -> int:
    """Write one HTML file for playing PUZZLE offline, with mouse, touch or keyboard.

    Several puzzles form a gallery. The page shows the cost so far in every metric next to the proven minimum. If the
    search finds a plan within the limits, the page can also play this plan. If the file contains the distances, the
    page also shows the number of remaining moves, the loss of each move and the best next move. The address of the page
    contains the position.

    \b
    Examples:
      fewest page heng-dao-li-ma -o klotski.html
      fewest page jugs hanoi machinarium-arrows guarini -o small.html
      fewest page microban-001 --no-distances -o sokoban.html
    """
    from fewest.commands.api import load
    from fewest.errors import UsageError
    from fewest.machine.files import check_writable, goes_to_stream, write_whole
    from fewest.web.page import PageOptions, write_page

    if output.suffix.lower() not in (".html", ".htm") and not goes_to_stream(output):
        raise UsageError(
            f"{output} is not a name for a page", hint="choose a name that ends in .html"
        )
    check_writable(output)
    options = PageOptions(metric, seconds, memory_limit(memory), not no_distances, positions)
    text = write_page([load(name, dict(settings)) for name in puzzles], options, _print_chapter)
    write_whole(output, [text.encode()])
    words = "puzzle" if len(puzzles) == 1 else "puzzles"
    summary = f"{output}: {len(puzzles):,} {words}, {len(text.encode()):,} bytes"
    click.echo(summary, err=goes_to_stream(output))
    return 0


def _print_chapter(chapter: Chapter) -> None:
    """If minima or distances of a puzzle were omitted, report the reasons on stderr."""
    if chapter.note:
        click.echo(chapter.note, err=True)
