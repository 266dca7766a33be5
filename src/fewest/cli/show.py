"""`fewest show`: shows a puzzle, its rules and its known answers."""

from __future__ import annotations

import shutil
import textwrap

import click

from fewest.cli.options import json_option, puzzle_argument, set_option
from fewest.cli.output import coloured, print_json, print_styled, print_warnings


@click.command(name="show")
@puzzle_argument
@click.option(
    "--level", metavar="LEVEL", help="The number or the title of a level in a collection."
)
@click.option(
    "--size", is_flag=True, help="Show the number of operators and the compile time of each rule."
)
@set_option
@json_option
def command(
    puzzle: str, level: str | None, size: bool, settings: tuple[tuple[str, int], ...], as_json: bool
) -> int:
    """Draw PUZZLE, and list its rules, its metrics and its known answers.

    For a model, the command lists the kinds of pieces, the legend, the rules and the metrics.

    \b
    Examples:
      fewest show heng-dao-li-ma
      fewest show hanoi --set disks=4
      fewest show microban.xsb --level 155
      fewest show sokoban
      fewest show muddled-monsters --size
    """
    from fewest.commands.api import load
    from fewest.commands.load import load_any
    from fewest.commands.show import rows, show, size_lines, sizes
    from fewest.commands.show_model import is_model, model_rows, show_model

    ref = puzzle if level is None else f"{puzzle}:{level}"
    document = load_any(ref)
    if is_model(document):
        model = show_model(document)
        if as_json:
            print_json(model)
        else:
            print_styled(model["title"], bold=True)
            _print_rows(model_rows(model))
        return 0
    compiled = load(ref, dict(settings))
    table = sizes(compiled) if size else []
    print_warnings(compiled.warnings)
    if size:
        if as_json:
            print_json({"sizes": table})
        else:
            click.echo("\n".join(size_lines(table)))
        return 0
    data = show(compiled)
    if as_json:
        print_json(data)
        return 0
    print_styled(data["title"], bold=True)
    click.echo(coloured(compiled.start, compiled.puzzle.labels))
    click.echo()
    _print_rows(rows(data))
    return 0


def _print_rows(rows: list[tuple[str, str]]) -> None:
    """Print the names in a right-aligned column, and beside each name its text, in wrapped lines."""
    columns = max(40, min(100, shutil.get_terminal_size().columns))
    width = max(16, *(len(key) for key, _ in rows))
    for key, text in rows:
        lines = textwrap.wrap(text, columns - width - 2) or [""]
        click.echo(f"{key:>{width}}  " + f"\n{'':{width + 2}}".join(lines))
