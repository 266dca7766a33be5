"""`fewest convert`: levels from one format to another."""

from __future__ import annotations

from pathlib import Path

import click

from fewest.cli.options import PuzzleName

FORMATS = ("xsb", "slc", "yaml")


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
    from dataclasses import replace

    from fewest.errors import UsageError
    from fewest.formats.sokoban import slc, xsb
    from fewest.formats.sokoban.levels import document, read_collection, split_reference

    file, which = split_reference(levels)
    collection = read_collection(file)
    chosen = level if level is not None else which
    if chosen is not None:
        collection = replace(collection, levels=(collection.level(chosen),))
    if to is None:
        suffix = "" if output is None else output.suffix.lower().lstrip(".")
        to = {"sok": "xsb", "txt": "xsb", "yml": "yaml"}.get(suffix, suffix)
        if to not in FORMATS:
            raise UsageError("which format?", hint=f"say --to {', --to '.join(FORMATS)}")
    if to != "yaml":
        _write((slc if to == "slc" else xsb).write(collection), output)
        return 0
    if len(collection.levels) == 1:
        _write(document(collection, collection.levels[0]), output)
        return 0
    if output is None:
        raise UsageError(
            f"{len(collection.levels):,} levels are as many documents",
            hint="give a folder: -o FOLDER, or choose one: --level 7",
        )
    output.mkdir(parents=True, exist_ok=True)
    for one in collection.levels:
        path = output / f"{Path(collection.name).stem}-{one.number:03d}.yaml"
        _write(document(collection, one), path)
    click.echo(f"{output}: {len(collection.levels):,} puzzles")
    return 0


def _write(text: str, output: Path | None) -> None:
    from fewest.machine.files import check_place, write_whole

    if output is None:
        click.echo(text, nl=False)
        return
    check_place(output)
    write_whole(output, [text.encode()])
