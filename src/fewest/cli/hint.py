"""`fewest hint`: what a position is worth, and what to do next."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from fewest.cli.options import (
    board_option,
    board_text,
    default_memory,
    json_option,
    memory_option,
    metric_option,
    print_json,
    puzzle_argument,
    set_option,
    time_option,
)

if TYPE_CHECKING:
    from fewest.questions.hint import Hint


@click.command(name="hint")
@puzzle_argument
@board_option
@metric_option
@set_option
@click.option(
    "--oracle",
    "oracle_file",
    type=click.Path(path_type=Path),
    help="Look distances up in this file (`fewest oracle build`).",
)
@time_option
@memory_option
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
    """How far a position of PUZZLE is from the goal, all best next moves, and what the others lose.

    A run under way is forgotten: the distance is that of the position itself. What the drawing does
    not say is as at the start.

    \b
    Examples:
      fewest hint heng-dao-li-ma
      fewest hint heng-dao-li-ma --at ACCB/ACCB/DFFE/DGHE/IJ..
      fewest hint keys-and-doors --at "keys=2"
      fewest hint hanoi --at "peg[0]=2 peg[1]=1"
      fewest hint hardest-6x6 --at board.txt --oracle hardest-6x6.oracle
    """
    from fewest.cli.progress import ProgressLine
    from fewest.errors import UsageError
    from fewest.questions.api import load
    from fewest.questions.oracle import open_oracle

    parameters = dict(settings)
    oracle = None
    if oracle_file is not None:
        oracle = open_oracle(oracle_file)
        if metric is not None and metric != oracle.metric:
            raise UsageError(
                f"{oracle_file} counts {oracle.metric}, not {metric}",
                hint=f"build one: fewest oracle build {puzzle} --metric {metric}",
            )
        metric = oracle.metric
        parameters = parameters or dict(oracle.header.get("parameters") or {})
    compiled = load(puzzle, parameters)
    name, text = board_text(board)
    with ProgressLine(metric or compiled.puzzle.default_metric) as progress:
        hint = compiled.hint(
            text,
            metric,
            oracle=oracle,
            name=name,
            seconds=seconds,
            memory=memory or default_memory(),
            progress=progress,
        )
    if as_json:
        print_json(hint.to_json())
    else:
        _print(hint)
    return 4 if hint.status == "limit" else 0


def _print(hint: Hint) -> None:
    from fewest.cli.drawing import coloured
    from fewest.drawing.text import text_width
    from fewest.model.answer import format_cost
    from fewest.questions.hint import said

    click.secho(hint.summary(), bold=True)
    labels = {(p.class_id, p.anchor): p.label for p in hint.position.puzzle.pieces}
    click.echo(coloured(hint.position, labels))
    if hint.finish:
        click.echo(f"\nnothing that counts is needed: {hint.finish}")
    if not hint.moves:
        return
    click.echo()
    width = min(50, max(text_width(move.text) for move in hint.moves))
    for move in hint.moves:
        left = "" if move.left is None else f"{format_cost(move.left)} left"
        gap = " " * max(0, width - text_width(move.text))
        line = f"  {move.text}{gap}  {left:>12}  {said(move)}"
        click.secho(line.rstrip(), bold=move.is_best)
