"""`fewest new`: writes a small commented puzzle as a starting point for an author."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from fewest.cli.parameter_type import ParamType


class ModelName(ParamType[str]):
    """The name of a shipped model."""

    name = "model"

    def shell_complete(self, ctx: Any, param: Any, incomplete: str) -> list[CompletionItem]:
        from fewest.machine.resources import models

        return [CompletionItem(name) for name, _ in models() if name.startswith(incomplete)]


@click.command(name="new")
@click.argument("name", metavar="NAME")
@click.option("--model", type=ModelName(), metavar="MODEL", help="The model of the puzzle.")
def command(name: str, model: str | None) -> int:
    """Write NAME.yaml, a small puzzle with comments that you can edit.

    Without --model, the puzzle has its own rules. With --model, it is the smallest puzzle of this model
    (`fewest list models`). The command never overwrites a file.

    \b
    Examples:
      fewest new my-first
      fewest new my-jam --model rush-hour
    """
    from fewest.commands.new import new_document
    from fewest.errors import UsageError
    from fewest.machine.files import check_writable, write_whole

    given = Path(name)
    path = given if given.suffix in (".yaml", ".yml") else given.with_name(given.name + ".yaml")
    text = new_document(path.stem, model)
    if path.exists():
        raise UsageError(f"{path} already exists", hint="choose another name")
    check_writable(path)
    write_whole(path, [text.encode()])
    click.echo(f"{path}: now try `fewest watch {path}`")
    return 0
