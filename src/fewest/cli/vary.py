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
    help="Only changes of this kind; may be repeated.  [default: all]",
)
@click.option(
    "--each",
    type=Duration(),
    default="10s",
    show_default=True,
    help="How long to search for the minimum of one board.",
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
    """List all boards one change away from PUZZLE, with their minima.

    A change adds, removes or moves (by one cell) a wall or a piece. A new piece is a copy of a piece on the
    board. The hardest boards come first. After Ctrl-C, the command keeps the finished boards.

    Exit code 4: some boards are not decided.

    \b
    Examples:
      fewest vary bird --change remove-piece
      fewest vary zou-tou-wu-lu --change move-piece --change remove-piece --csv
      fewest vary microban-001 --change add-wall --json
    """
    from fewest.cli.progress import ProgressLine
    from fewest.questions.api import load
    from fewest.questions.vary import CHANGES

    if as_csv and as_json:
        raise conflict("--csv", "--json")
    compiled = load(puzzle, dict(settings))
    with ProgressLine(metric or compiled.puzzle.default_metric) as progress:
        found = compiled.vary(
            metric,
            kinds=kinds or CHANGES,
            each=each,
            seconds=seconds,
            memory=memory_limit(memory),
            progress=progress,
        )
    if as_json:
        print_json(found.to_json())
    elif as_csv:
        printer = CsvPrinter()
        for one in found.boards:
            row = one.cells()
            printer.row(row, row.values())
    else:
        print_styled(found.summary(), bold=True)
        print_lines(found.lines())
    return found.exit_code
