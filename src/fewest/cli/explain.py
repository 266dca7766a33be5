"""`fewest explain`: explains why a puzzle cannot be solved, why it is hard, or why a position is dead."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from fewest.cli.options import (
    Duration,
    audit_option,
    board_option,
    board_text,
    json_option,
    memory_limit,
    memory_option,
    metric_option,
    puzzle_argument,
    set_option,
)
from fewest.cli.output import coloured, print_json, print_lines, print_styled

if TYPE_CHECKING:
    from fewest.commands.explanation import Explanation
    from fewest.commands.hardness import Hardness


class _WithDefault(click.Group):
    """A group with a default command: `puzzle`, if the first word is not the name of a command."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args and args[0] not in (*self.commands, "-h", "--help"):
            args = ["puzzle", *args]
        return super().parse_args(ctx, args)


@click.group(name="explain", cls=_WithDefault)
def command() -> None:
    """Explain why a puzzle cannot be solved or is hard, or why a position is dead.

    `fewest explain PUZZLE` is short for `fewest explain puzzle PUZZLE`.

    \b
    Examples:
      fewest explain zou-tou-wu-lu
      fewest explain deadlock microban-002 --at board.txt
    """


@command.command(
    name="puzzle", short_help="Explain why PUZZLE cannot be solved, or why it is hard."
)
@puzzle_argument
@metric_option
@set_option
@click.option(
    "--sets",
    "largest",
    type=click.IntRange(0, 6),
    default=2,
    show_default=True,
    metavar="K",
    help="Remove up to K parts at the same time.",
)
@click.option(
    "--hard",
    is_flag=True,
    help="Explain why the shortest plans are long.",
)
@click.option(
    "--always", is_flag=True, help="Remove parts even if the command has found a short argument."
)
@click.option(
    "--time",
    "seconds",
    type=Duration(),
    default="60s",
    show_default=True,
    help="The time limit for all searches together.",
)
@memory_option
@json_option
def puzzle_command(
    puzzle: str,
    metric: str | None,
    settings: tuple[tuple[str, int], ...],
    largest: int,
    hard: bool,
    always: bool,
    seconds: float,
    memory: int | None,
    as_json: bool,
) -> int:
    """Explain why PUZZLE cannot be solved or, with --hard, why its shortest plans are long.

    The command first looks for a short argument: a sum that no move changes, a piece that cannot reach a goal cell, a
    goal cell that no piece can reach, or pieces that block each other permanently. If it finds none, an exhaustive
    search decides whether the puzzle can be solved. If the puzzle is unsolvable, the command removes parts (walls,
    pieces or rules), first single parts, then pairs and so on. If the puzzle becomes solvable, the removed parts
    prevent every plan.

    With --hard, the command shows the moves of a shortest plan that lead away from the goal, and the positions that
    every shortest plan passes through. It also shows the pieces that never move, the minimum after the removal of each
    piece, and measures of difficulty.

    The exit code is 4 if the command could not decide whether the puzzle can be solved, or did not try every removal.

    \b
    Examples:
      fewest explain zou-tou-wu-lu
      fewest explain tiles-2x3-swapped --json
      fewest explain bird --hard
    """
    from fewest.cli.progress import ProgressLine
    from fewest.commands.api import load

    if hard and always:
        raise click.UsageError("--always cannot be used together with --hard")
    compiled = load(puzzle, dict(settings))
    with ProgressLine(metric or compiled.puzzle.default_metric) as progress:
        limit = memory_limit(memory)
        explanation: Explanation | Hardness
        if hard:
            explanation = compiled.explain_hardness(
                metric, seconds=seconds, memory=limit, progress=progress
            )
        else:
            explanation = compiled.explain(
                metric,
                largest=largest,
                always=always,
                seconds=seconds,
                memory=limit,
                progress=progress,
            )
    if as_json:
        print_json(explanation.to_json())
    else:
        print_styled(explanation.summary(), bold=True)
        print_lines(explanation.lines())
    return explanation.exit_code


@command.command(name="deadlock")
@puzzle_argument
@board_option
@metric_option
@set_option
@click.option(
    "--time",
    "seconds",
    type=Duration(),
    default="10s",
    show_default=True,
    help="The time limit of the search, if no argument applies.",
)
@memory_option
@audit_option
@json_option
def deadlock(
    puzzle: str,
    board: str | None,
    metric: str | None,
    settings: tuple[tuple[str, int], ...],
    seconds: float,
    memory: int | None,
    as_json: bool,
) -> int:
    """Explain why no goal position of PUZZLE can be reached from a position.

    There are three arguments: some pieces cannot reach a goal cell, wherever moves take the other pieces; there are
    more pieces than goal cells that they can reach; or pieces block each other permanently. The command draws only the
    pieces of the argument. If no argument applies, a short exhaustive search decides whether the position is dead.

    The exit code is 4 if the search could not decide whether the position is dead.

    \b
    Examples:
      fewest explain deadlock microban-001 --at board.txt
      fewest explain deadlock keys-and-doors --at "keys=0" --json
    """
    from fewest.cli.progress import ProgressLine
    from fewest.commands.api import load

    compiled = load(puzzle, dict(settings))
    name, text = board_text(board)
    with ProgressLine(metric or compiled.puzzle.default_metric) as progress:
        explanation = compiled.explain_deadlock(
            text,
            metric,
            name=name,
            seconds=seconds,
            memory=memory_limit(memory),
            progress=progress,
        )
    if as_json:
        print_json(explanation.to_json())
    else:
        print_styled(explanation.summary(), bold=True)
        labels = explanation.position.puzzle.labels
        click.echo(coloured(explanation.position, labels))
        for title, parts in (("pieces", explanation.pieces), ("goals", explanation.goals)):
            if parts:
                click.echo(f"{title}: {', '.join(map(str, parts))}")
        if explanation.excerpt is not None:
            click.echo(coloured(explanation.excerpt, labels))
    return explanation.exit_code
