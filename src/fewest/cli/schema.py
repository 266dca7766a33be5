"""`fewest schema`: prints the JSON Schema of puzzle documents or of the output of commands."""

from __future__ import annotations

from typing import Any

import click
from click.shell_completion import CompletionItem

from fewest.cli.output import print_json
from fewest.cli.parameter_type import ParamType


class OutputName(ParamType[str]):
    """The name of a JSON output, which is usually that of its command."""

    name = "output"

    def shell_complete(self, ctx: Any, param: Any, incomplete: str) -> list[CompletionItem]:
        from fewest.commands.outputs import OUTPUTS

        return [CompletionItem(name) for name in OUTPUTS if name.startswith(incomplete)]


@click.command(name="schema")
@click.option(
    "--output",
    type=OutputName(),
    metavar="NAME",
    help="Print the schema of the --json output of a command, for example solve.",
)
def command(output: str | None) -> int:
    """Print the JSON Schema of puzzle documents, so that editors can complete and check them.

    An editor with the YAML language server uses the schema if a document begins with this line:

    \b
    # yaml-language-server: $schema=fewest.schema.json

    \b
    Examples:
      fewest schema > fewest.schema.json
      fewest schema --output solve
    """
    if output is not None:
        from fewest.commands.outputs import output_schema

        print_json(output_schema(output))
        return 0
    from fewest.reading.schema import json_schema

    print_json(json_schema())
    return 0
