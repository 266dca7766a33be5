"""`fewest completion`: prints a completion script for a shell."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class


@click.command(name="completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> int:
    """Print a script that adds completion of `fewest` commands to SHELL.

    \b
    Examples:
      eval "$(fewest completion bash)"
      fewest completion fish > ~/.config/fish/completions/fewest.fish
    """
    from fewest.cli import group

    kind = get_completion_class(shell)
    assert kind is not None
    click.echo(kind(group, {}, "fewest", "_FEWEST_COMPLETE").source())
    return 0
