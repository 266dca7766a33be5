"""`fewest oracle`: writes and describes files with the distances of all positions."""

from __future__ import annotations

from pathlib import Path

import click

from fewest.cli.options import (
    FileName,
    json_option,
    memory_limit,
    memory_option,
    metric_option,
    puzzle_argument,
    set_option,
    time_option,
)
from fewest.cli.output import beside, print_json
from fewest.sanitize import file_stem


@click.group(name="oracle")
def command() -> None:
    """Write or describe an oracle: a file with the goal distances of all positions.

    With an oracle, `fewest hint --oracle` needs no search.

    \b
    Examples:
      fewest oracle build hardest-6x6
      fewest oracle info hardest-6x6.oracle
      fewest hint hardest-6x6 --oracle hardest-6x6.oracle
    """


@command.command(name="build")
@puzzle_argument
@click.option(
    "--output",
    "-o",
    type=FileName(),
    metavar="FILE",
    help="The output file. [default: NAME.oracle]",
)
@metric_option
@set_option
@time_option
@memory_option
@json_option
def build(
    puzzle: str,
    output: Path | None,
    metric: str | None,
    settings: tuple[tuple[str, int], ...],
    seconds: float | None,
    memory: int | None,
    as_json: bool,
) -> int:
    """Write the goal distances of all reachable positions of PUZZLE to a file.

    \b
    Examples:
      fewest oracle build heng-dao-li-ma
      fewest oracle build hardest-6x6 --metric slides -o slides.oracle
    """
    from fewest.cli.progress import ProgressLine
    from fewest.commands.api import load
    from fewest.reading.clock import reading_within

    redirected = beside(output, as_json=as_json)
    with reading_within(seconds) as left:
        compiled = load(puzzle, dict(settings))
    seconds = left()
    path = output or Path(f"{file_stem(compiled.puzzle.name)}.oracle")
    with ProgressLine(metric or compiled.puzzle.default_metric) as progress:
        built = compiled.build_oracle(
            path, metric, seconds=seconds, memory=memory_limit(memory), progress=progress
        )
    if as_json:
        print_json(built.to_json())
    else:
        with redirected:
            click.echo(built.summary())
    return built.exit_code


@command.command(name="info")
@click.argument("file", type=FileName())
@json_option
def info(file: Path, as_json: bool) -> int:
    """Check an oracle FILE and describe it.

    \b
    Examples:
      fewest oracle info hardest-6x6.oracle
    """
    from fewest.commands.oracle import open_oracle

    oracle = open_oracle(file)
    if as_json:
        print_json(oracle.to_json())
    else:
        click.echo(oracle.summary())
    return 0
