"""`fewest vary`: finds the minima of all boards one change away."""

from __future__ import annotations

import click

from fewest.cli.options import (
    Duration,
    json_option,
    memory_limit,
    memory_option,
    metric_option,
    puzzle_argument,
    set_option,
    time_option,
)
from fewest.cli.output import CsvPrinter, print_json, print_lines, print_styled
from fewest.errors import conflict


@click.command(name="vary")
@puzzle_argument
@metric_option
@set_option
@click.option(
    "--change",
    "kinds",
    multiple=True,
    type=click.Choice(
        ["remove-wall", "add-wall", "move-wall", "remove-piece", "add-piece", "move-piece"]
    ),
    help="Make only changes of this kind; may be repeated. [default: all]",
)
@click.option(
    "--each",
    type=Duration(),
    default="10s",
    show_default=True,
    help="The time limit for the minimum of each board.",
)
@click.option("--csv", "as_csv", is_flag=True, help="Print comma-separated values.")
@time_option
@memory_option
@json_option
def command(
    puzzle: str,
    metric: str | None,
    settings: tuple[tuple[str, int], ...],
    kinds: tuple[str, ...],
    each: float,
    as_csv: bool,
    seconds: float | None,
    memory: int | None,
    as_json: bool,
) -> int:
    """List all boards that differ from PUZZLE by one change, with their minima.

    A change adds or removes a wall or a piece, or moves it by one cell. A new piece is a copy of a piece on the board.
    The hardest boards come first. After Ctrl-C, the command lists the boards that it has finished.

    The exit code is 4 if some boards are undecided.

    \b
    Examples:
      fewest vary bird --change remove-piece
      fewest vary zou-tou-wu-lu --change move-piece --change remove-piece --csv
      fewest vary microban-001 --change add-wall --json
    """
    from fewest.cli.progress import ProgressLine
    from fewest.commands.api import load
    from fewest.commands.vary import CHANGES

    if as_csv and as_json:
        raise conflict("--csv", "--json")
    compiled = load(puzzle, dict(settings))
    with ProgressLine(metric or compiled.puzzle.default_metric) as progress:
        variations = compiled.vary(
            metric,
            kinds=kinds or CHANGES,
            each=each,
            seconds=seconds,
            memory=memory_limit(memory),
            progress=progress,
        )
    if as_json:
        print_json(variations.to_json())
    elif as_csv:
        printer = CsvPrinter()
        for one in variations.boards:
            row = one.cells()
            printer.row(row, row.values())
    else:
        print_styled(variations.summary(), bold=True)
        print_lines(variations.lines())
    return variations.exit_code
