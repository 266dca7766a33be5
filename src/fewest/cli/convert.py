"""`fewest convert`: levels from one format to another."""

from __future__ import annotations

from pathlib import Path

import click

from fewest.cli.options import PuzzleName

FORMATS = ("xsb", "slc", "yaml")  # as in `questions.convert`, which is imported when used


@click.command(name="convert")
@click.argument("levels", type=PuzzleName(), metavar="LEVELS")
@click.option("--to", type=click.Choice(FORMATS), help="[default: what the output is called]")
@click.option("--level", metavar="LEVEL", help="One level only, by number or title.")
@click.option(
    "--output",
    "-o",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Where to; for several levels as YAML a folder. [default: stdout]",
)
def command(levels: str, to: str | None, level: str | None, output: Path | None) -> int:
    """Write the LEVELS of a Sokoban collection in another format.

    Reads .xsb, .sok and .txt (run lengths and `|` too) and .slc. Writes xsb, slc, and yaml: puzzle
    documents, whose rules can then be changed.

    \b
    Examples:
      fewest convert microban.xsb -o microban.slc
      fewest convert microban.xsb --level 7 --to yaml -o my-puzzle.yaml
      fewest convert microban.xsb --to yaml -o microban/
    """
    from fewest.errors import UsageError
    from fewest.machine.files import check_place, write_whole
    from fewest.questions.convert import convert, format_called

    texts = convert(levels, to or format_called(output), level)
    if len(texts) == 1:
        text = next(iter(texts.values()))
        if output is None:
            click.echo(text, nl=False)
            return 0
        check_place(output)
        write_whole(output, [text.encode()])
        return 0
    if output is None:
        raise UsageError(
            f"{len(texts):,} levels are as many documents",
            hint="give a folder: -o FOLDER, or choose one: --level 7",
        )
    output.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        write_whole(output / name, [text.encode()])
    click.echo(f"{output}: {len(texts):,} puzzles")
    return 0
