"""`fewest diff`: two rule sets on one board, or two boards."""

from __future__ import annotations

import click

from fewest.cli.options import (
    Duration,
    PuzzleName,
    json_option,
    memory_limit,
    memory_option,
    metric_option,
)
from fewest.cli.output import print_json, print_lines, print_styled
from fewest.errors import Exit, UsageError


@click.command(name="diff")
@click.argument("first", type=PuzzleName(), metavar="A")
@click.argument("second", type=PuzzleName(), metavar="B")
@metric_option
@click.option(
    "--on",
    "boards",
    type=PuzzleName(),
    multiple=True,
    metavar="PUZZLE",
    help="A and B are models: compare their rules on this puzzle, or on those of a pattern; several are allowed.",
)
@click.option(
    "--positions",
    "most",
    type=click.IntRange(1, 1_000_000),
    default=20_000,
    show_default=True,
    help="How many positions of each are played.",
)
@click.option(
    "--time",
    "seconds",
    type=Duration(),
    default="60s",
    show_default=True,
    help="How long to search for the minimum of each.",
)
@memory_option
@json_option
def command(
    first: str,
    second: str,
    metric: str | None,
    boards: tuple[str, ...],
    most: int,
    seconds: float,
    memory: int | None,
    as_json: bool,
) -> int:
    """Show the moves and positions that only one of the puzzles A and B allows.

    The rules play both. Compares positions, moves, minima, optimal plans and dead ends, and draws the first
    position where the two differ. Exit code 1 if they differ.

    \b
    Examples:
      fewest diff microban-001 microban-001
      fewest diff sokoban sokoban-pull --on microban-001
      fewest diff sokoban sokoban-double-push --on microban-001 --json
    """
    from fewest.questions.api import load
    from fewest.questions.diff import diff, heading, lines_of, table_of, with_model

    names = [name for board in boards for name in _files(board)]
    pairs = [(with_model(name, first), with_model(name, second)) for name in names]
    found = [
        diff(one, other, metric, most=most, seconds=seconds, memory=memory_limit(memory))
        for one, other in pairs or [(load(first), load(second))]
    ]
    if as_json:
        print_json([one.to_json() for one in found])
    elif len(found) > 1:
        different = sum(one.is_different for one in found)
        print_styled(
            f"{first} and {second} differ on {different} of {len(found)} boards", bold=True
        )
        print_lines(table_of(found))
    else:
        print_styled(heading(found[0]), bold=True)
        print_lines(lines_of(found[0]))
    return Exit.FAILED if any(one.is_different for one in found) else Exit.ANSWERED


def _files(board: str) -> list[str]:
    """The files that a pattern such as `puzzles/*.yaml` means; a name as it is. Raises UsageError for none."""
    from glob import glob, has_magic

    if not has_magic(board):
        return [board]
    found = sorted(glob(board))
    if not found:
        raise UsageError(f"no file is called like `{board}`")
    return found
