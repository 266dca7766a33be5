"""`fewest schema`: the JSON Schema of puzzle documents."""

from __future__ import annotations

import click

from fewest.cli.options import print_json


@click.command(name="schema")
def command() -> int:
    """Print the JSON Schema of puzzle documents, so that editors complete and check them.

    \b
    Example, with the YAML language server:
      fewest schema > fewest.schema.json
      and on top of a puzzle:  # yaml-language-server: $schema=fewest.schema.json
    """
    from fewest.reading.schema import json_schema

    print_json(json_schema())
    return 0
