"""The options that control the output of all commands: colour, progress and warnings."""

from __future__ import annotations

import os
import re
import sys
from typing import Any

import click
from msgspec import Struct

from fewest.cli.grouping import HelpContext
from fewest.cli.safe_output import style


class ConsoleOptions(Struct):
    """The output that the user requests. `colour`: whether to use colours (None: only on a terminal); `is_quiet`:
    whether to suppress progress and warnings; `as_json`: whether to print errors as JSON; `is_line`: whether this JSON
    is one line, because the command prints several answers, each on one line.
    """

    colour: bool | None = None
    is_quiet: bool = False
    as_json: bool = False
    is_line: bool = False


MANNER = ConsoleOptions()


def begin(args: list[str]) -> None:
    """Reset the options to their defaults: the environment determines `colour` (see https://no-color.org), and `args`
    determine `as_json`.
    """
    MANNER.colour = None
    MANNER.is_quiet = False
    MANNER.as_json = "--json" in args
    MANNER.is_line = False
    if os.environ.get("NO_COLOR") or is_dumb():
        MANNER.colour = False
    elif os.environ.get("FORCE_COLOR", "0") not in ("", "0"):
        MANNER.colour = True


def uses_colour() -> bool | None:
    """Whether to use colours; None: only on a terminal."""
    return MANNER.colour


def is_dumb() -> bool:
    """Whether the terminal supports neither colours nor overwriting lines."""
    return os.environ.get("TERM") == "dumb"


def add_options(command: click.Command) -> click.Command:
    """Add the common options and the layout of help texts to a command or, if the command is a group, to its
    subcommands. Returns the command.
    """
    command.context_class = HelpContext
    if isinstance(command, click.Group):
        for below in command.commands.values():
            add_options(below)
        return command
    if not any(param.name == "colour" for param in command.params):
        command.params += options()
    return command


def options() -> list[click.Option]:
    """The options of all commands; they may also precede the name of the command."""
    return [
        click.Option(
            ["--color/--no-color", "colour"],
            default=None,
            expose_value=False,
            callback=_set_colour,
            help="Turn colours on or off. [default: on in a terminal]",
        ),
        click.Option(
            ["--quiet", "-q", "is_quiet"],
            is_flag=True,
            expose_value=False,
            callback=_set_quiet,
            help="Print only the answer and errors.",
        ),
    ]


def _set_colour(ctx: click.Context, _: click.Parameter, value: bool | None) -> None:
    if value is not None:
        MANNER.colour = value
    ctx.color = MANNER.colour


def _set_quiet(_ctx: click.Context, _: click.Parameter, value: Any) -> None:
    MANNER.is_quiet = MANNER.is_quiet or bool(
        value
    )  # the option may precede or follow the name of the command


def warn(text: str) -> None:
    """Print a warning or a note on stderr, unless `--quiet` was given."""
    if not MANNER.is_quiet:
        say(text)


def say(text: str) -> None:
    """Print a message on stderr. If colours are on, locations are bold, `error`, `DISAGREEMENT` and carets are red,
    `warning` is yellow, and `hint` is cyan.
    """
    if _is_coloured():
        text = "\n".join(map(_coloured, text.split("\n")))
    print(text, file=sys.stderr)


def _is_coloured() -> bool:
    return sys.stderr.isatty() if MANNER.colour is None else MANNER.colour


_HEAD = r"(\S.*?:\d+:\d+: )?(error|Error|warning|DISAGREEMENT)(\[[\w-]+\])?(?=:)"
_COLOUR = {"warning": "yellow"}


def _coloured(line: str) -> str:
    head = re.match(_HEAD, line)
    if head is not None:
        location = style(head[1] or "", bold=True)
        word = head[2] + (head[3] or "")
        return (
            location
            + style(word, colour=_COLOUR.get(head[2], "red"), bold=True)
            + line[head.end() :]
        )
    if line.startswith("  hint: "):
        return style("  hint:", colour="cyan") + line.removeprefix("  hint:")
    if re.fullmatch(r" *\| +\^+", line):
        return style(line, colour="red")
    return line
