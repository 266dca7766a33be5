"""`fewest show`: a puzzle, its rules and what is known of it."""

from __future__ import annotations

import shutil
import textwrap

import click

from fewest.cli.options import json_option, puzzle_argument, set_option
from fewest.cli.output import coloured, print_json, print_warnings


@click.command(name="show")
@puzzle_argument
@click.option("--level", metavar="LEVEL", help="The level of a collection, by number or title.")
@set_option
@json_option
def command(
    puzzle: str, level: str | None, settings: tuple[tuple[str, int], ...], as_json: bool
) -> int:
    """Draw PUZZLE, and say what it consists of and what is known of it.

    \b
    Examples:
      fewest show heng-dao-li-ma
      fewest show hanoi --set disks=4
      fewest show microban.xsb --level 155
    """
    from fewest.questions.api import load
    from fewest.questions.show import rows, show

    compiled = load(puzzle if level is None else f"{puzzle}:{level}", dict(settings))
    print_warnings(compiled.puzzle)
    data = show(compiled)
    if as_json:
        print_json(data)
        return 0
    click.secho(data["title"], bold=True)
    click.echo(coloured(compiled.start, compiled.puzzle.labels))
    click.echo()
    columns = max(40, min(100, shutil.get_terminal_size().columns))
    for key, text in rows(data):
        lines = textwrap.wrap(text, columns - 18) or [""]
        click.echo(f"{key:>16}  " + f"\n{'':18}".join(lines))
    return 0
