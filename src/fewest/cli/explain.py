"""`fewest explain`: why a position is dead."""

from __future__ import annotations

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
from fewest.cli.output import coloured, print_json, print_styled


@click.group(name="explain")
def command() -> None:
    """Explain a property of a puzzle.

    \b
    Examples:
      fewest explain deadlock microban-002 --at board.txt
    """


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

    The arguments: one or a few pieces that cannot reach a goal even without all others, too many pieces for the
    goals that they can reach, pieces that block each other permanently. Only these pieces are drawn. If no
    argument applies, a short exhaustive search says whether the position is dead or solvable.

    Exit code 4: neither is known.

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
