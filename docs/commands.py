"""Generates the page of all commands and their options from the help of the program, when the site is built."""

from __future__ import annotations

import re
from importlib import import_module
from inspect import cleandoc

import click

from fewest.cli import COMMANDS

HEAD = """# Commands and options

This page is generated from the program's help: `fewest COMMAND --help` prints the same text. [Another page](guide.md)
shows an example of each command. To complete names of commands, engines, puzzles, metrics and options in your shell,
run `eval "$(fewest completion bash)"`.

"""


def page() -> str:
    """The text of the page."""
    return HEAD + "\n".join(_section(name, text) for name, text in COMMANDS.items())


def _section(name: str, text: str) -> str:
    command: click.Command = import_module(f"fewest.cli.{name}").command
    parts = [f"## {name}\n\n*{text[0].upper()}{text[1:]}.*\n"]
    if isinstance(command, click.Group):
        context = click.Context(command, info_name=f"fewest {name}")
        parts += [
            _described(f"fewest {name} {inner}", found)
            for inner in command.list_commands(context)
            if (found := command.get_command(context, inner)) is not None
        ]
    else:
        parts.append(_described(f"fewest {name}", command))
    return "\n".join(parts)


def _described(called: str, command: click.Command) -> str:
    context = click.Context(command, info_name=called)
    usage = " ".join([called, *command.collect_usage_pieces(context)])
    words, _, examples = cleandoc(command.help or "").partition("\b\nExamples:\n")
    parts = [f"```text\n{usage}\n```\n", _escaped(words.replace("\b\n", "")).strip() + "\n"]
    if examples.strip():
        lines = [line.strip() for line in examples.strip("\n").splitlines()]
        parts.append("```sh\n" + "\n".join(filter(None, lines)) + "\n```\n")
    rows = [row for row in map(_row, command.params) if row]
    if rows:
        parts.append("| option | |\n| --- | --- |\n" + "".join(rows))
    return "\n".join(parts)


def _row(parameter: click.Parameter) -> str:
    if not isinstance(parameter, click.Option) or parameter.hidden:
        return ""
    metavar = "" if parameter.is_flag else f" {_value(parameter)}"
    names = f"{', '.join([*parameter.opts, *parameter.secondary_opts])}{metavar}"
    default = f" [default: {parameter.default}]" if parameter.show_default else ""
    return f"| `{names}` | {_escaped(' '.join((parameter.help or '').split()) + default)} |\n"


def _value(option: click.Option) -> str:
    if option.metavar:
        return option.metavar
    if isinstance(option.type, click.Choice):
        return "/".join(map(str, option.type.choices))
    return "N" if isinstance(option.type, click.IntRange) else option.type.name.upper()


def _escaped(text: str) -> str:
    """The text with escapes for the characters that Markdown would read as markup or as the end of a table cell."""
    return re.sub(r"([\\*_<\[|])", r"\\\1", text)
