"""`fewest generate`: the hardest boards of a spec."""

from __future__ import annotations

from pathlib import Path

import click

from fewest.cli.console import warn
from fewest.cli.options import FileName, json_option, memory_limit, memory_option, time_option
from fewest.cli.output import (
    CsvPrinter,
    print_json,
    print_lines,
    print_memory_allowed,
    print_styled,
)


@click.command(name="generate")
@click.argument("spec", type=FileName(exists=True, dir_okay=False))
@click.option(
    "--exhaustive",
    is_flag=True,
    required=True,
    help="Search all boards of the spec at once. This is the only way so far.",
)
@click.option(
    "-m",
    "--metric",
    "metrics",
    multiple=True,
    metavar="NAME",
    help="What counts as one move; several are allowed.  [default: that of the spec]",
)
@click.option(
    "-o",
    "--output",
    "folder",
    type=FileName(),
    metavar="FOLDER",
    help="Write the boards with the record as puzzle documents, each solved again.",
)
@click.option("--csv", "as_csv", is_flag=True, help="Print the table of all sets of pieces.")
@time_option
@memory_option
@json_option
def command(
    spec: Path,
    exhaustive: bool,
    metrics: tuple[str, ...],
    folder: Path | None,
    as_csv: bool,
    seconds: float | None,
    memory: int | None,
    as_json: bool,
) -> int:
    """The hardest boards of SPEC, proven: all its boards are searched at once.

    SPEC is a puzzle document with a board without pieces, and `fill`, the pieces that may stand there. A
    board is what moves can make of a position. It is minimal if no piece can be taken away without making
    it easier.

    \b
    Examples:
      fewest generate jams-4x4.yaml --exhaustive
      fewest generate jams-4x4.yaml --exhaustive -m slides -m steps -o records
      fewest generate jams-4x4.yaml --exhaustive --csv
    """
    from fewest.cli.progress import ProgressLine
    from fewest.model.answer import Limits
    from fewest.questions.generate import generate
    from fewest.questions.generate.documents import table_rows, write_documents
    from fewest.questions.generate.text import figures, heading
    from fewest.reading.board_spec import load_board_spec

    read = load_board_spec(spec)
    with ProgressLine("positions") as progress:
        limits = Limits(seconds, memory_limit(memory))
        found = generate(read, metrics, limits, progress)
    if as_json:
        print_json(found.to_json())
    elif as_csv:
        printer = CsvPrinter()
        for row in table_rows(found):
            printer.row(row, row.values())
    else:
        print_styled(heading(found), bold=True)
        print_lines(figures(found))
    if folder is not None:
        for file in write_documents(read, found, folder):
            warn(f"{file} is written")
    print_memory_allowed(found.reason)
    return found.exit_code
