"""In the help texts of all commands, the description of every option fits on one line of 100 columns."""

from __future__ import annotations

from collections.abc import Iterator

import click
import pytest

from fewest.cli import COMMANDS, group

WIDTH = 100 - 2
"""The columns that Click uses in a terminal of 100 columns."""


def commands() -> Iterator[tuple[str, click.Command]]:
    """Every command and subcommand with its name."""
    for name in COMMANDS:
        command = group.get_command(click.Context(group), name)
        assert command is not None
        yield name, command
        if isinstance(command, click.Group):
            yield from ((f"{name} {below}", one) for below, one in command.commands.items())


def wrapped(command: click.Command) -> list[str]:
    """The options with descriptions of more than one line."""
    context = command.context_class(
        command, info_name="fewest", terminal_width=WIDTH, max_content_width=WIDTH
    )
    lines = [" ".join(line.split()) for line in command.get_help(context).splitlines()]
    assert all(len(line) <= WIDTH for line in lines)
    found = []
    for option in command.get_params(context):
        record = option.get_help_record(context)
        if record is not None and isinstance(option, click.Option):
            names, text = (" ".join(part.split()) for part in record)
            if f"{names} {text}" not in lines and (names not in lines or text not in lines):
                found.append(names)
    return found


@pytest.mark.parametrize(("name", "command"), [*commands()], ids=[name for name, _ in commands()])
def test_the_description_of_every_option_fits_on_one_line(
    name: str, command: click.Command
) -> None:
    assert wrapped(command) == []


def test_a_long_description_is_found() -> None:
    long = click.Option(["--long"], help="word " * 20)
    short = click.Option(["--short"], help="word " * 10)
    below = click.Option([f"--{'very-' * 6}long"], help="word " * 10)
    names = wrapped(click.Command("one", params=[long, short, below]))
    assert names == ["--long TEXT"]
