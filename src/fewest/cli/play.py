"""`fewest play`: plays a puzzle in the terminal, full-screen."""

from __future__ import annotations

import click

from fewest.cli.options import metric_option, puzzle_argument, set_option


@click.command(name="play")
@puzzle_argument
@click.option(
    "--level", metavar="LEVEL", help="The number or the title of a level in a collection."
)
@click.option(
    "--theme",
    type=click.Choice(["light", "dark"]),
    default="dark",
    help="The colours of the screen. [default: dark]",
)
@metric_option
@set_option
def command(
    puzzle: str,
    level: str | None,
    theme: str,
    metric: str | None,
    settings: tuple[tuple[str, int], ...],
) -> int:
    """Play PUZZLE in the terminal.

    The arrow keys move a piece; its letter selects the piece if there are several. Tab lists all moves, Backspace
    undoes a move, `?` gives a hint, and F5 plays a shortest plan. The command needs the extra `play`.

    \b
    Examples:
      fewest play microban-001
      fewest play heng-dao-li-ma --theme light
    """
    import sys
    from importlib.util import find_spec

    from fewest.commands.api import load
    from fewest.errors import UsageError

    if find_spec("textual") is None:
        raise UsageError(
            "playing in the terminal needs textual, which is not installed",
            hint="install the extra `play` (in a clone of the repository: pip install '.[play]'), or create a page: "
            "fewest page PUZZLE -o FILE.html",
        )
    compiled = load(puzzle if level is None else f"{puzzle}:{level}", dict(settings))
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError(
            "playing needs a terminal",
            hint="create a page instead: fewest page PUZZLE -o FILE.html",
        )
    from fewest.terminal.app import Player

    Player(compiled, metric, theme=theme).run()
    return 0
