"""`fewest prove`: writes the answer and its proof to a file."""

from __future__ import annotations

from pathlib import Path

import click

from fewest.cli.options import (
    FileName,
    audit_option,
    json_option,
    memory_limit,
    memory_option,
    metric_option,
    puzzle_argument,
    set_option,
    time_option,
)
from fewest.cli.output import beside, print_json, print_warnings
from fewest.sanitize import file_stem


@click.command(name="prove")
@puzzle_argument
@click.option(
    "--output",
    "-o",
    type=FileName(),
    metavar="FILE",
    help="The output file. [default: NAME.proof]",
)
@metric_option
@click.option(
    "--kind",
    "kinds",
    multiple=True,
    metavar="KIND",
    help="Write plan, layers, bound, clauses or invariant; may be repeated.",
)
@set_option
@time_option
@memory_option
@audit_option
@json_option
def command(
    puzzle: str,
    output: Path | None,
    metric: str | None,
    kinds: tuple[str, ...],
    settings: tuple[tuple[str, int], ...],
    seconds: float | None,
    memory: int | None,
    as_json: bool,
) -> int:
    """Solve PUZZLE, and write a certificate of the answer for `fewest verify` and other checkers.

    The file contains the puzzle, a plan, and a proof that no plan is shorter; for example, the proof lists all
    positions at distances below the minimum. Checking the certificate does not rely on the search.

    \b
    Examples:
      fewest prove hardest-6x6 -o hardest.proof
      fewest prove hardest-6x6 --metric slides --kind plan -o plan.proof
    """
    from fewest.cli.progress import ProgressLine
    from fewest.commands.api import load
    from fewest.reading.clock import reading_within

    redirected = beside(output, as_json=as_json)
    with reading_within(seconds) as left:
        compiled = load(puzzle, dict(settings))
        print_warnings(compiled.warnings)
    seconds = left()
    path = output or Path(f"{file_stem(compiled.puzzle.name)}.proof")
    with ProgressLine(metric or compiled.puzzle.default_metric) as progress:
        proof = compiled.prove(
            path,
            metric,
            kinds=kinds,
            seconds=seconds,
            memory=memory_limit(memory),
            progress=progress,
        )
    if as_json:
        print_json(proof.to_json())
    else:
        with redirected:
            click.echo(proof.summary())
    return proof.exit_code
