"""`fewest list`: what comes with the package."""

from __future__ import annotations

import shutil
from typing import Any

import click

from fewest.cli.options import json_option, print_json


@click.command(name="list")
@click.argument("family", required=False)
@json_option
def command(family: str | None, as_json: bool) -> int:
    """The puzzles that come with the package, those of one FAMILY, or (`models`) the models.

    \b
    Examples:
      fewest list
      fewest list klotski
      fewest list models
    """
    from fewest.errors import UsageError, suggest
    from fewest.machine.resources import models, puzzles
    from fewest.reading.overlay import load_document

    if family == "models":
        entries = [("models", name, path) for name, path in models()]
    else:
        entries = puzzles()
        families = list(dict.fromkeys(entry[0] for entry in entries))
        if family is not None:
            if family not in families:
                near = suggest(family, [*families, "models"])
                hint = (
                    f"did you mean `{near}`?"
                    if near
                    else f"there are {', '.join(families)}, models"
                )
                raise UsageError(f"there is no family `{family}`", hint=hint)
            entries = [entry for entry in entries if entry[0] == family]
    rows: list[dict[str, Any]] = []
    for entry_family, name, path in entries:
        document = load_document(path).document
        expect = {
            key: getattr(value, "value", value) for key, value in (document.expect or {}).items()
        }
        rows.append(
            {
                "family": entry_family,
                "name": name,
                "title": document.title or name,
                "expect": expect,
            }
        )
    if as_json:
        print_json(rows)
        return 0
    from fewest.drawing.text import text_width

    last = None
    columns = shutil.get_terminal_size().columns
    width = max((len(row["name"]) for row in rows), default=0)
    for row in rows:
        if row["family"] != last:
            last = row["family"]
            click.secho(("" if row is rows[0] else "\n") + str(last), bold=True)
        known = ", ".join(f"{key} {value}" for key, value in row["expect"].items())
        title = row["title"] if row["title"] != row["name"] else ""
        line = f"  {row['name']:<{width}}"
        for part in (title, known):  # what does not fit is in `fewest show`
            if part and text_width(line) + 2 + text_width(part) <= columns:
                line += f"  {part}"
        click.echo(line)
    return 0
