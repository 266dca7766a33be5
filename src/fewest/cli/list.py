"""`fewest list`: lists the puzzles and models that come with the package."""

from __future__ import annotations

import shutil

import click

from fewest.cli.options import json_option
from fewest.cli.output import print_json, print_styled


@click.command(name="list")
@click.argument("family", required=False)
@json_option
def command(family: str | None, as_json: bool) -> int:
    """List the shipped puzzles, only the puzzles of one FAMILY, or the shipped `models`.

    \b
    Examples:
      fewest list
      fewest list klotski
      fewest list models
    """
    from fewest.commands.catalogue import catalogue

    entries = catalogue(family)
    if as_json:
        print_json([entry.to_json() for entry in entries])
        return 0
    columns = shutil.get_terminal_size().columns
    width = max((len(entry.name) for entry in entries), default=0)
    last = None
    for entry in entries:
        if entry.family != last:
            print_styled(("" if last is None else "\n") + entry.family, bold=True)
            last = entry.family
        click.echo(entry.line(width, columns))
    return 0
