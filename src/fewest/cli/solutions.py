"""`fewest solutions`: counts all optimal plans, up to the order of independent moves."""

from __future__ import annotations

import click

from fewest.cli.options import (
    audit_option,
    json_option,
    memory_limit,
    memory_option,
    metric_option,
    puzzle_argument,
    set_option,
    time_option,
)
from fewest.cli.output import print_json, print_lines, print_memory_allowed, print_styled


@click.command(name="solutions")
@puzzle_argument
@metric_option
@set_option
@click.option(
    "--list",
    "listed",
    type=click.IntRange(0, 100_000),
    default=0,
    metavar="K",
    help="List K plans that differ in more than the move order.",
)
@click.option(
    "--up-to-symmetry",
    is_flag=True,
    help="Also count plans that are images of each other as one.",
)
@click.option(
    "--at-most",
    type=click.IntRange(0, 10_000),
    metavar="C",
    help="Also count the plans of each cost up to C.",
)
@time_option
@memory_option
@audit_option
@json_option
def command(
    puzzle: str,
    metric: str | None,
    settings: tuple[tuple[str, int], ...],
    listed: int,
    up_to_symmetry: bool,
    at_most: int | None,
    seconds: float | None,
    memory: int | None,
    as_json: bool,
) -> int:
    """Count the optimal plans of PUZZLE, with and without regard to the order of independent moves.

    Two moves are independent if neither changes anything that the other depends on. In the second number, plans that
    differ only in the order of independent moves count as one. The command also shows the positions that all optimal
    plans pass through, and the moves that all of them contain.

    \b
    Examples:
      fewest solutions hardest-6x6
      fewest solutions guarini --list 2
      fewest solutions guarini --up-to-symmetry
      fewest solutions tiles-2x3 --at-most 23 --json
    """
    from fewest.cli.progress import ProgressLine
    from fewest.commands.api import load
    from fewest.commands.solutions.text import figures, heading, listing
    from fewest.reading.clock import reading_within

    with reading_within(seconds) as left:
        compiled = load(puzzle, dict(settings))
    seconds = left()
    with ProgressLine(metric or compiled.puzzle.default_metric) as progress:
        solutions = compiled.solutions(
            metric,
            listed=listed,
            up_to_symmetry=up_to_symmetry,
            at_most=at_most,
            seconds=seconds,
            memory=memory_limit(memory),
            progress=progress,
        )
    if as_json:
        print_json(solutions.to_json())
    else:
        print_styled(heading(solutions), bold=True)
        print_lines(figures(solutions))
        if solutions.plans:
            print_lines(["", *listing(solutions)])
    print_memory_allowed(solutions.reason)
    return solutions.exit_code
