"""`fewest watch`: reads and solves a document again each time it is saved."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fewest.cli.options import Duration, memory_option, metric_option, set_option
from fewest.machine.memory import memory_to_use

if TYPE_CHECKING:
    from fewest.commands.watch import SavedDocument

_PAUSE = 0.15  # the number of seconds between two checks of the files


@click.command(name="watch")
@click.argument("file", type=click.Path(path_type=Path))
@metric_option
@set_option
@click.option(
    "--time",
    "seconds",
    type=Duration(),
    default=10.0,
    help="The time limit for each answer. [default: 10]",
)
@memory_option
def command(
    file: Path,
    metric: str | None,
    settings: tuple[tuple[str, int], ...],
    seconds: float,
    memory: int | None,
) -> int:
    """Check and solve FILE each time it is saved, until Ctrl-C.

    The command prints the board, the errors, the answer and the changes. It also responds when you save a model that
    FILE uses.

    \b
    Examples:
      fewest watch my-puzzle.yaml
    """
    from fewest.commands.watch import look_at, stamp
    from fewest.errors import NotFoundError

    if not file.is_file():
        raise NotFoundError(
            f"there is no file {file}", hint="to create a document, use `fewest new NAME`"
        )
    before: SavedDocument | None = None
    try:
        while True:
            files = (file,) if before is None else before.files
            seen = stamp(files)
            report = look_at(file, dict(settings), metric, seconds, memory or memory_to_use())
            if report.files != files:
                seen = stamp(report.files)
            _print(report, before)
            before = report
            while stamp(report.files) == seen:
                time.sleep(_PAUSE)
            time.sleep(_PAUSE)  # an editor may write a file in several steps
    except KeyboardInterrupt:
        click.echo()
        return 0


def _print(report: SavedDocument, before: SavedDocument | None) -> None:
    from fewest.cli.output import coloured, few_warnings, print_styled
    from fewest.commands.watch import changes
    from fewest.errors import MAX_WARNINGS

    print_styled(time.strftime("── %H:%M:%S "), dim=True)
    if report.compiled is not None:
        puzzle = report.compiled.puzzle
        print_styled(puzzle.title, bold=True)
        click.echo(coloured(report.compiled.start, puzzle.labels))
        texts = [one.format() for one in report.diagnostics[:MAX_WARNINGS]]
        for text in few_warnings(texts, len(report.diagnostics)):
            print_styled(text, colour="yellow")
        if report.result is None:
            click.echo("there is no goal yet")
        else:
            print_styled(
                report.result.summary(), colour="green" if report.result.is_proven else "yellow"
            )
        for line in report.answers():
            print_styled(line, colour="red")
    else:
        print_styled(report.mistakes, colour="red")
    for line in changes(before, report):
        print_styled(f"  {line}", colour="cyan")
    click.echo()
