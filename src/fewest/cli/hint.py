"""`fewest hint`: shows the distance of a position to the goal, and the best next moves."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from fewest.cli.options import (
    FileName,
    audit_option,
    board_option,
    board_text,
    json_option,
    memory_limit,
    memory_option,
    metric_option,
    puzzle_argument,
    set_option,
    time_option,
)
from fewest.cli.output import coloured, print_json, print_styled

if TYPE_CHECKING:
    from fewest.commands.hint import Hint


@click.command(name="hint")
@puzzle_argument
@board_option
@metric_option
@set_option
@click.option(
    "--oracle",
    "oracle_file",
    type=FileName(),
    metavar="FILE",
    help="Read the distances from a file that `fewest oracle build` has written.",
)
@time_option
@memory_option
@audit_option
@json_option
def command(
    puzzle: str,
    board: str | None,
    metric: str | None,
    settings: tuple[tuple[str, int], ...],
    oracle_file: Path | None,
    seconds: float | None,
    memory: int | None,
    as_json: bool,
) -> int:
    """Show the distance from a position of PUZZLE to the goal, all best next moves, and the loss of the other moves.

    The distance counts only the moves from this position to the goal. Variables that --at does not mention have their
    values at the start.

    \b
    Examples:
      fewest hint heng-dao-li-ma
      fewest hint heng-dao-li-ma --at ACCB/ACCB/DFFE/DGHE/IJ..
      fewest hint keys-and-doors --at "keys=2"
      fewest hint hanoi --at "peg[0]=2 peg[1]=1"
      fewest hint hardest-6x6 --at board.txt --oracle hardest-6x6.oracle
    """
    from fewest.cli.progress import ProgressLine
    from fewest.commands.api import load
    from fewest.commands.oracle import open_oracle
    from fewest.errors import UsageError
    from fewest.reading.clock import reading_within

    parameters = dict(settings)
    oracle = None
    if oracle_file is not None:
        oracle = open_oracle(oracle_file)
        if metric is not None and metric != oracle.metric:
            raise UsageError(
                f"{oracle_file} is for the metric `{oracle.metric}`, not for `{metric}`",
                hint=f"build another oracle: fewest oracle build {puzzle} --metric {metric}",
            )
        metric = oracle.metric
        parameters = parameters or dict(oracle.header.get("parameters") or {})
    with reading_within(seconds) as left:
        compiled = load(puzzle, parameters)
    seconds = left()
    name, text = board_text(board)
    with ProgressLine(metric or compiled.puzzle.default_metric) as progress:
        hint = compiled.hint(
            text,
            metric,
            oracle=oracle,
            name=name,
            seconds=seconds,
            memory=memory_limit(memory),
            progress=progress,
        )
    if as_json:
        print_json(hint.to_json())
    else:
        _print(hint)
    return hint.exit_code


def _print(hint: Hint) -> None:
    print_styled(hint.summary(), bold=True)
    click.echo(coloured(hint.position, hint.position.puzzle.labels))
    if hint.finish:
        click.echo(f"\nno counted move is needed: {hint.finish}")
    if hint.moves:
        click.echo()
        for line, is_best in hint.move_lines():
            print_styled(line, bold=is_best)
