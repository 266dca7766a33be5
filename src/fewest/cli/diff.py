"""`fewest diff`: compares two rule sets on one board, or two boards."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from fewest.cli.console import warn
from fewest.cli.options import (
    Duration,
    PuzzleName,
    json_option,
    memory_limit,
    memory_option,
    metric_option,
)
from fewest.cli.output import print_json, print_lines, print_styled
from fewest.errors import DocumentError, Exit, UsageError

if TYPE_CHECKING:
    from fewest.commands.api import CompiledPuzzle
    from fewest.commands.diff import RuleDifference


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
    help="Compare the models A and B on this puzzle or these files; may be repeated.",
)
@click.option(
    "--positions",
    "most",
    type=click.IntRange(1, 1_000_000),
    default=20_000,
    show_default=True,
    metavar="N",
    help="Compare at most N positions per puzzle.",
)
@click.option(
    "--time",
    "seconds",
    type=Duration(),
    default="60s",
    show_default=True,
    help="The time limit for the minimum of each puzzle.",
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

    The reference interpreter plays both puzzles. The command compares positions, moves, minima, optimal plans and dead
    positions, and draws the first position where the puzzles differ. The exit code is 1 if the puzzles differ.

    \b
    Examples:
      fewest diff microban-001 microban-001
      fewest diff sokoban sokoban-pull --on microban-001
      fewest diff sokoban sokoban-double-push --on microban-001 --json
    """
    from fewest.commands.diff import diff, heading, lines_of, table_of
    from fewest.model.answer import counted

    names = [name for board in boards for name in _files(board)]
    if not names:
        _check_puzzles(first, second)
    differences: list[RuleDifference] = []
    is_interrupted = False
    try:
        for one, other in _pairs(first, second, names):
            differences.append(
                diff(one, other, metric, most=most, seconds=seconds, memory=memory_limit(memory))
            )
            is_interrupted = differences[-1].is_interrupted
            if is_interrupted:
                break
    except KeyboardInterrupt:
        if not differences:
            raise
        is_interrupted = True
    if as_json:
        print_json([one.to_json() for one in differences])
    elif len(names) > 1:
        different = sum(one.is_different for one in differences)
        ended = f", interrupted: {len(differences)} of {len(names)}" if is_interrupted else ""
        print_styled(
            f"{first} and {second} differ on {different} of {counted(len(differences), 'boards')}{ended}",
            bold=True,
        )
        print_lines(table_of(differences))
    else:
        print_styled(heading(differences[0]), bold=True)
        print_lines(lines_of(differences[0]))
    if is_interrupted:
        return Exit.LIMIT
    return Exit.FAILED if any(one.is_different for one in differences) else Exit.ANSWERED


def _check_puzzles(*names: str) -> None:
    """Raises UsageError if one of the names is that of a shipped model but of no shipped puzzle, because a model has no
    board.
    """
    from fewest.machine import resources

    models = dict(resources.models())
    puzzles = {name for _, name, _ in resources.puzzles()}
    for name in names:
        if name in models and name not in puzzles:
            raise UsageError(
                f"`{name}` is a model and has no board",
                hint="to compare models, name a puzzle to compare them on: --on PUZZLE",
            )


def _pairs(
    first: str, second: str, names: list[str]
) -> Iterator[tuple[CompiledPuzzle, CompiledPuzzle]]:
    """The pairs of puzzles to compare. If several boards are given, those that do not fit the rules of both models are
    omitted.

    Raises DocumentError if no board is left.
    """
    from fewest.commands.api import load
    from fewest.commands.diff import with_model

    if not names:
        yield load(first), load(second)
    error: DocumentError | None = None
    num_fitting = 0
    for name in names:
        try:
            pair = with_model(name, first), with_model(name, second)
        except DocumentError as found:
            if len(names) > 1:
                warn(f"skipped {name}: {found.diagnostics[0].message}")
            error = error or found
            continue
        num_fitting += 1
        yield pair
    if error is not None and num_fitting == 0:
        raise error


def _files(board: str) -> list[str]:
    """The files that match a pattern such as `puzzles/*.yaml`; a plain name is returned unchanged. Raises UsageError if
    no file matches.
    """
    from glob import glob, has_magic

    if not has_magic(board):
        return [board]
    files = sorted(glob(board))
    if not files:
        raise UsageError(f"no file matches `{board}`")
    return files
