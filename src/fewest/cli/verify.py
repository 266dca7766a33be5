"""`fewest verify`: somebody else's solution, played by the rules."""

from __future__ import annotations

import sys

import click

from fewest.cli.options import json_option, print_json, puzzle_argument, set_option


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
    from fewest.model.answer import format_cost, single
    from fewest.questions.api import load

    text = sys.stdin.read() if letters == "-" else letters
    compiled = load(puzzle if level is None else f"{puzzle}:{level}", dict(settings))
    verdict = verify(compiled.puzzle, text)
    costs = {name: single(cost) for name, cost in verdict.costs.items()}
    if as_json:
        print_json(
            {
                "puzzle": compiled.puzzle.name,
                "is_solution": verdict.is_solution,
                "problem": verdict.problem or None,
                "moves": verdict.moves,
                "pushes": verdict.pushes,
                "costs": costs,
            }
        )
        return 0 if verdict.is_solution else 1
    title = compiled.puzzle.title
    counted = f"{verdict.moves:,} moves, {verdict.pushes:,} of them pushes"
    if not verdict.is_solution:
        from fewest.cli.drawing import coloured

        click.secho(f"{title}: no solution: {verdict.problem} ({counted})", fg="red")
        click.echo(coloured(verdict.position, {}))
        return 1
    click.secho(f"{title}: solved, {counted}", bold=True)
    click.echo(", ".join(f"{name} {format_cost(cost)}" for name, cost in costs.items()))
    return 0
