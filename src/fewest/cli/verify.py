"""`fewest verify`: somebody else's solution, played by the rules."""

from __future__ import annotations

import sys

import click

from fewest.cli.options import json_option, puzzle_argument, set_option
from fewest.cli.output import coloured, print_json, print_lines


@click.command(name="verify")
@puzzle_argument
@click.option(
    "--lurd",
    "letters",
    required=True,
    metavar="LETTERS",
    help="The solution: l u r d to walk, L U R D to push; - reads it from stdin.",
)
@click.option("--level", metavar="LEVEL", help="The level of a collection, by number or title.")
@set_option
@json_option
def command(
    puzzle: str,
    letters: str,
    level: str | None,
    settings: tuple[tuple[str, int], ...],
    as_json: bool,
) -> int:
    """Play a solution of PUZZLE, and count its moves and pushes.

    For Sokoban and its variants: puzzles in which every rule moves the same piece by one cell.
    Exit 1 if a letter cannot be played, or the last one does not reach the goal.

    \b
    Examples:
      fewest verify microban-001 --lurd dlUrrrdLullddrUluRuulDrddrruLdlUU
      fewest verify microban.xsb --level 44 --lurd R
      fewest verify mine.xsb:3 --lurd - < solution.txt
    """
    from fewest.formats.sokoban.lurd import verify
    from fewest.questions.api import load

    text = sys.stdin.read() if letters == "-" else letters
    compiled = load(puzzle if level is None else f"{puzzle}:{level}", dict(settings))
    verdict = verify(compiled.puzzle, text)
    if as_json:
        print_json(verdict.to_json())
        return verdict.exit_code
    first, *rest = verdict.text()
    if verdict.is_solution:
        click.secho(first, bold=True)
    else:
        click.secho(first, fg="red")
        rest = [coloured(verdict.position, {})]
    print_lines(rest)
    return verdict.exit_code
