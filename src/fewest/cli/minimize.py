"""`fewest minimize`: finds a smaller puzzle with the same minimum."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from fewest.cli.options import (
    FileName,
    json_option,
    memory_limit,
    memory_option,
    metric_option,
    puzzle_argument,
    set_option,
    time_option,
)
from fewest.cli.output import beside, coloured, print_json, print_lines, print_styled

if TYPE_CHECKING:
    from fewest.commands.minimize import Keep


@click.command(name="minimize")
@puzzle_argument
@metric_option
@set_option
@click.option(
    "--keep",
    type=click.Choice(["minimum", "unique", "both"]),
    default="minimum",
    show_default=True,
    help="Keep the minimum, the only optimal plan, or both.",
)
@click.option(
    "-o",
    "--output",
    "file",
    type=FileName(),
    metavar="FILE",
    help="Write the result as a puzzle document to FILE; - means stdout.",
)
@time_option
@memory_option
@json_option
def command(
    puzzle: str,
    metric: str | None,
    settings: tuple[tuple[str, int], ...],
    keep: str,
    file: Path | None,
    seconds: float | None,
    memory: int | None,
    as_json: bool,
) -> int:
    """Remove pieces, walls, rows and columns from PUZZLE without changing its minimum.

    No other single piece or wall can be removed from the result. The command proves this by solving every board.
    Another order of removals may lead to a smaller result. The document that -o writes gives the minimum under
    `expect`. After Ctrl-C, the command prints the result of the removals so far.

    With --keep unique, the result has only one optimal plan, up to the order of independent moves, but the minimum may
    change.

    The exit code is 4 if a limit stopped the command, or if the command could not solve some board.

    \b
    Examples:
      fewest minimize bird
      fewest minimize microban-001 --keep both -o small.yaml
      fewest minimize zhu-ge-yu-shan --json
    """
    from fewest.cli.progress import ProgressLine
    from fewest.commands.api import load
    from fewest.machine.files import check_writable, write_whole

    redirected = beside(file, as_json=as_json)
    if file is not None:
        check_writable(file)
    compiled = load(puzzle, dict(settings))
    with ProgressLine(metric or compiled.puzzle.default_metric) as progress:
        minimized = compiled.minimize(
            metric,
            keep=cast("Keep", keep),
            seconds=seconds,
            memory=memory_limit(memory),
            progress=progress,
        )
    with redirected:
        if as_json:
            print_json(minimized.to_json())
        else:
            print_styled(minimized.summary(), bold=True)
            print_lines(minimized.lines())
            print_lines(["", coloured(minimized.after, minimized.after.puzzle.labels)])
    if file is not None:
        write_whole(file, [minimized.document.encode()])
    return minimized.exit_code
