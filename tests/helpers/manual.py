"""Writes man/fewest.1 from the commands and their help: `python -m tests.helpers.manual`."""

from __future__ import annotations

from collections.abc import Iterator

import click

from fewest.cli import COMMANDS, group
from tests.helpers.cells import ROOT

MANUAL = ROOT / "man" / "fewest.1"


def escaped(text: str) -> str:
    """The text with escapes for troff."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\n".join("\\&" + line if line[:1] in (".", "'") else line for line in text.split("\n"))


def paragraphs(text: str) -> Iterator[str]:
    """The paragraphs of a help text; a paragraph with click's mark keeps its line breaks."""
    for part in text.replace("\b\n", "\b").split("\n\n"):
        part = part.strip("\n ")
        if part.startswith("\b"):
            yield f".nf\n{escaped(part[1:])}\n.fi"
        elif part:
            yield escaped(" ".join(part.split()))


def leaves(command: click.Command, name: str) -> Iterator[tuple[str, click.Command]]:
    """The command and all its subcommands, with their full names."""
    yield name, command
    if isinstance(command, click.Group):
        for below, one in command.commands.items():
            yield from leaves(one, f"{name} {below}")


def section(name: str, command: click.Command) -> Iterator[str]:
    """The section of the manual about one command."""
    with click.Context(command, info_name=f"fewest {name}") as context:
        usage = " ".join(command.collect_usage_pieces(context))
        yield f'.SS "fewest {escaped(name)} {escaped(usage)}"'
        yield "\n.PP\n".join(paragraphs(command.help or ""))
        for option in command.params:
            record = option.get_help_record(context)
            if record is not None:
                yield f".TP\n.B {escaped(record[0])}\n{escaped(' '.join(record[1].split()))}"


def page() -> str:
    """The text of man/fewest.1."""
    lines = ['.TH FEWEST 1 "" "fewest" "User Commands"', ".SH NAME"]
    lines += [
        "fewest \\- finds the smallest number of moves of a puzzle, and proves it",
        ".SH SYNOPSIS",
    ]
    lines += [".B fewest", "COMMAND [OPTIONS] ...", ".SH DESCRIPTION"]
    lines += ["\n.PP\n".join(paragraphs(group.help or "")), ".SH COMMANDS"]
    with click.Context(group) as context:
        for name in COMMANDS:
            command = group.get_command(context, name)
            assert command is not None
            for whole, leaf in leaves(command, name):
                lines += section(whole, leaf)
    lines += [".SH EXIT STATUS", *paragraphs(group.epilog or "")]
    lines += [".SH ENVIRONMENT", ".TP", ".B NO_COLOR, FORCE_COLOR, TERM=dumb"]
    lines += [
        "NO_COLOR turns colours off. FORCE_COLOR turns them on, even in files and pipes. TERM=dumb turns colours and"
        " the progress line off."
    ]
    lines += [
        ".TP",
        ".B FEWEST_DEBUG",
        "If this variable is set to 1, the report of a bug shows where in the program the bug occurred.",
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    MANUAL.parent.mkdir(exist_ok=True)
    MANUAL.write_text(page(), encoding="utf-8")
