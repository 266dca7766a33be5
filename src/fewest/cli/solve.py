"""`fewest solve`: the fewest moves of a puzzle."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from fewest.cli.options import (
    Duration,
    EngineName,
    Size,
    default_memory,
    engine_options,
    horizon_options,
    json_option,
    metric_option,
    print_json,
    puzzle_argument,
    set_option,
    threads_option,
)

if TYPE_CHECKING:
    from fewest.results import Result


@click.command(name="solve")
@puzzle_argument
@metric_option
@click.option("--engine", "-e", type=EngineName(), default="bfs", show_default=True,
              help="Who answers: bfs, python, sat, asp, or goal-directed (some plan, soon).")  # fmt: skip
@set_option
@click.option("--time", "seconds", type=Duration(), help="Stop after so long: 60, 5m, 1h.")
@click.option(
    "--memory", type=Size(), help="Stop at so much memory: 8G. [default: 4/5 of the machine]"
)
@threads_option
@horizon_options
@click.option("--show", is_flag=True, help="Draw the position after every move.")
@json_option
def command(
    puzzle: str, metric: str | None, engine: str, settings: tuple[tuple[str, int], ...],
    seconds: float | None, memory: int | None, show: bool, as_json: bool, **options: Any,
) -> int:  # fmt: skip
    """The fewest moves of PUZZLE, with a plan and the proof.

    PUZZLE is a file, or the name of a puzzle that comes with the package (`fewest list`).

    \b
    Examples:
      fewest solve heng-dao-li-ma
      fewest solve machinarium-arrows --set n=5 --show
      fewest solve hardest-6x6 --metric slides --json
      fewest solve hardest-6x6 -m slides --engine sat --solver glucose42
      fewest solve heng-dao-li-ma --engine sat --at-most 80
      fewest solve bird --engine goal-directed
    """
    from fewest.api import load
    from fewest.cli.progress import ProgressLine
    from fewest.results import EXIT_OF_STATUS

    compiled = load(puzzle, dict(settings))
    for warning in compiled.puzzle.warnings:
        click.echo(warning.format(), err=True)
    progress = ProgressLine(metric or compiled.puzzle.default_metric)
    try:
        result = compiled.solve(
            metric,
            engine=engine,
            seconds=seconds,
            memory=memory or default_memory(),
            progress=progress,
            **engine_options(engine, options),
        )
    finally:
        progress.close()
    if as_json:
        print_json(result.to_json())
    else:
        _print(result, show=show)
    return EXIT_OF_STATUS[result.status]


def _print(result: Result, *, show: bool) -> None:
    click.secho(result.summary(), bold=True)
    if result.plan is None:
        return
    if not show:
        if result.plan.moves:
            click.echo(result.plan.text())
        return
    from fewest.cli.drawing import coloured

    plan = result.plan
    click.echo(coloured(plan.start, plan.labels))
    for number, move in enumerate(plan.moves, 1):
        click.echo(f"\n{number}. {move.text}")
        click.echo(coloured(move.position, move.steps[-1].labels))
