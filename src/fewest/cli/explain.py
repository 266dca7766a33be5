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
    from fewest.questions.explanation import Explanation
    from fewest.questions.hardness import Hardness


class _WithDefault(click.Group):
    """A group with a default command: `puzzle`, if the first word is not the name of a command."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args and args[0] not in (*self.commands, "-h", "--help"):
            args = ["puzzle", *args]
        return super().parse_args(ctx, args)


@click.group(name="explain", cls=_WithDefault)
def command() -> None:
    """Explain why PUZZLE cannot be solved, or why a position of it is dead.

    `fewest explain PUZZLE` is `fewest explain puzzle PUZZLE`.

    \b
    Examples:
      fewest explain zou-tou-wu-lu
      fewest explain deadlock microban-002 --at board.txt
    """


@command.command(name="puzzle")
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
    help="Try to remove up to K parts together.",
)
@click.option(
    "--hard",
    is_flag=True,
    help="Explain instead why the shortest plans are so long.",
)
@click.option("--always", is_flag=True, help="Remove parts even if an argument was found.")
@click.option(
    "--time",
    "seconds",
    type=Duration(),
    default="60s",
    show_default=True,
    help="How long to search.",
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
    """Explain why PUZZLE cannot be solved, or with --hard why its plans are long.

    The command first looks for the shortest argument: a sum that no move changes, a piece that cannot reach a
    goal, a goal cell that nothing reaches, or pieces that block each other permanently. If there is no such argument,
    an exhaustive search decides. Then the command removes walls, pieces and rules, first one, then two and so on, until
    the puzzle can be solved: these parts prevent every plan.

    --hard shows the moves of a plan that lead away from the goal, the positions that every plan passes
    through, the pieces that never move, the minimum without each piece, and measures of difficulty.

    Exit code 4: the command could not decide whether the puzzle can be solved, or did not try everything.

    \b
    Examples:
      fewest explain zou-tou-wu-lu
      fewest explain tiles-2x3-swapped --json
      fewest explain bird --hard
    """
    from fewest.cli.progress import ProgressLine
    from fewest.questions.api import load

    compiled = load(puzzle, dict(settings))
    with ProgressLine(metric or compiled.puzzle.default_metric) as progress:
        limit = memory_limit(memory)
        found: Explanation | Hardness
        if hard:
            found = compiled.explain_hardness(
                metric, seconds=seconds, memory=limit, progress=progress
            )
        else:
            found = compiled.explain(
                metric,
                largest=largest,
                always=always,
                seconds=seconds,
                memory=limit,
                progress=progress,
            )
    if as_json:
        print_json(found.to_json())
    else:
        print_styled(found.summary(), bold=True)
        print_lines(found.lines())
    return found.exit_code


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
    help="How long to search if no argument applies; 0: not at all.",
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
    """Explain why no goal of PUZZLE can be reached from a position.

    The arguments are: one or a few pieces that cannot reach a goal even without all others, too many pieces
    for the goals that they can reach, or pieces that block each other permanently. The command draws only
    these pieces. If no argument applies, a short exhaustive search decides whether the position is dead or
    solvable.

    Exit code 4: the search could not decide this.

    \b
    Examples:
      fewest explain deadlock microban-001 --at board.txt
      fewest explain deadlock keys-and-doors --at "keys=0" --json
    """
    from fewest.cli.progress import ProgressLine
    from fewest.questions.api import load

    compiled = load(puzzle, dict(settings))
    name, text = board_text(board)
    with ProgressLine(metric or compiled.puzzle.default_metric) as progress:
        found = compiled.explain_deadlock(
            text,
            metric,
            name=name,
            seconds=seconds,
            memory=memory_limit(memory),
            progress=progress,
        )
    if as_json:
        print_json(found.to_json())
    else:
        print_styled(found.summary(), bold=True)
        labels = found.position.puzzle.labels
        click.echo(coloured(found.position, labels))
        for title, culprits in (("pieces", found.pieces), ("goals", found.goals)):
            if culprits:
                click.echo(f"{title}: {', '.join(map(str, culprits))}")
        if found.excerpt is not None:
            click.echo(coloured(found.excerpt, labels))
    return found.exit_code
