"""`fewest convert`: converts levels from one format to another."""

from __future__ import annotations

from pathlib import Path

import click

from fewest.cli.options import FileName, PuzzleName

# a copy of the names in `commands.convert`, because that module is imported only when it is needed
FORMATS = (
    "xsb",
    "slc",
    "hsb",
    "rush",
    "droids",
    "klotski",
    "tiles",
    "yaml",
)


@click.command(name="convert")
@click.argument("levels", type=PuzzleName(), metavar="LEVELS")
@click.option(
    "--to",
    type=click.Choice(FORMATS),
    help="The format. [default: the suffix of the output file]",
)
@click.option("--level", metavar="LEVEL", help="Convert only the level with this number or title.")
@click.option(
    "--output",
    "-o",
    type=FileName(),
    metavar="FILE",
    help="The output file, or a folder for documents. [default: stdout]",
)
def command(levels: str, to: str | None, level: str | None, output: Path | None) -> int:
    """Write the LEVELS of a collection, or a puzzle, in another format.

    The command reads .xsb, .sok and .txt (also with run lengths and `|`), .slc, .hsb, .rush, .droids, .klotski and
    .tiles, and puzzles with the rules of such levels. It writes the other formats of the same game, or puzzle documents
    with rules that you can edit (yaml).

    \b
    Examples:
      fewest convert microban.xsb -o microban.slc
      fewest convert microban.xsb --level 7 --to yaml -o my-puzzle.yaml
      fewest convert microban.xsb --to yaml -o microban/
      fewest convert microban-001 -o one.xsb
    """
    from fewest.commands.convert import convert, format_called
    from fewest.errors import UsageError
    from fewest.machine.files import STDOUT, check_writable, write_whole
    from fewest.model.answer import counted

    texts = convert(levels, to or format_called(output), level)
    if len(texts) == 1:
        text = next(iter(texts.values()))
        target = output or STDOUT
        if target != STDOUT and target.is_dir():
            target /= f"{Path(levels).stem}.{to or format_called(output)}"
        check_writable(target)
        write_whole(target, [text.encode()])
        return 0
    if output is None or output == STDOUT:
        raise UsageError(
            f"{len(texts):,} levels need a folder, because each level becomes a separate document",
            hint="give a folder: -o FOLDER, or choose one level: --level 7",
        )
    output.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        write_whole(output / name, [text.encode()])
    click.echo(f"{output}: {counted(len(texts), 'puzzles')}")
    return 0
