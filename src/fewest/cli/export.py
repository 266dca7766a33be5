"""`fewest export`: writes a puzzle in the formats of other solvers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from fewest.cli.console import warn
from fewest.cli.options import (
    EncodingName,
    FileName,
    json_option,
    metric_option,
    puzzle_argument,
    set_option,
)
from fewest.cli.output import print_json, print_warnings
from fewest.cli.parameter_type import ParamType


class FormatName(ParamType[str]):
    """The name of a format."""

    name = "format"

    def shell_complete(self, ctx: Any, param: Any, incomplete: str) -> list[CompletionItem]:
        from fewest.commands.export import FORMATS

        return [
            CompletionItem(name, help=entry.text)
            for name, entry in FORMATS.items()
            if name.startswith(incomplete)
        ]


@click.command(name="export")
@puzzle_argument
@click.option(
    "--to",
    type=FormatName(),
    required=True,
    help="The format: asp, asp-facts, dimacs, pddl or sas.",
)
@metric_option
@click.option(
    "--horizon",
    type=click.IntRange(0),
    metavar="H",
    help="dimacs: the horizon, which is the maximum number of moves.",
)
@click.option(
    "--encoding",
    type=EncodingName(),
    metavar="PROFILE",
    help="dimacs: the name or the file of the encoding profile.",
)
@set_option
@click.option(
    "--output",
    "-o",
    type=FileName(),
    metavar="FILE",
    help="The output file, or a folder for pddl. [default: stdout]",
)
@json_option
def command(
    puzzle: str,
    to: str,
    metric: str | None,
    horizon: int | None,
    encoding: str | None,
    settings: tuple[tuple[str, int], ...],
    output: Path | None,
    as_json: bool,
) -> int:
    """Write the task of PUZZLE, which the engines solve, in the format of other solvers.

    asp is a program for clingo, which stops at the minimum; asp-facts contains only the facts of this program. dimacs
    is the CNF of one horizon. pddl and sas are planning tasks; the cost of their optimal plans is the minimum in the
    metric. All names are readable, and comments in the files explain the symbols.

    \b
    Examples:
      fewest export bird --to asp -o bird.lp && clingo bird.lp
      fewest export bird --to dimacs --horizon 15 -o bird.cnf
      fewest export bird --to pddl --metric slides -o bird-pddl/
      fewest export bird --to sas -o bird.sas
    """
    from fewest.commands.api import load
    from fewest.commands.export import export, write_files
    from fewest.machine.files import STDOUT
    from fewest.model.answer import counted

    compiled = load(puzzle, dict(settings))
    print_warnings(compiled.warnings)
    exported = export(compiled, to, metric, horizon=horizon, encoding=encoding)
    paths = None if output is None or output == STDOUT else write_files(exported, output)
    if as_json:
        print_json(exported.to_json(paths))
    elif paths is None:
        click.echo(exported.text(), nl=False)
    else:
        sizes = ", ".join(counted(number, noun) for noun, number in exported.sizes.items())
        warn(f"{', '.join(map(str, paths))}: {sizes}")
    return 0
