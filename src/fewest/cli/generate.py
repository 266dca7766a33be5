"""`fewest generate`: hard boards of a spec."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from fewest.cli.cluster import ClusterOptions, actors_options, memory_of, store_on
from fewest.cli.console import warn
from fewest.cli.options import FileName, json_option, memory_limit, memory_option, time_option
from fewest.cli.output import (
    CsvPrinter,
    print_json,
    print_lines,
    print_memory_allowed,
    print_styled,
)

if TYPE_CHECKING:
    from fewest.questions.generate import FoundBoards
    from fewest.questions.generate.documents import NamedBoard
    from fewest.reading.board_spec import BoardSpec


@click.command(name="generate")
@click.argument("spec", type=FileName(exists=True, dir_okay=False))
@click.option(
    "--exhaustive", is_flag=True, help="Search all boards of the spec at once and prove the record."
)
@click.option(
    "-m",
    "--metric",
    "metrics",
    multiple=True,
    metavar="NAME",
    help="What counts as one move; several are allowed with --exhaustive.  [default: that of the spec]",
)
@click.option(
    "-o",
    "--output",
    "folder",
    type=FileName(),
    metavar="FOLDER",
    help="Write the best boards as puzzle documents, each solved again, a table and a sheet of pictures.",
)
@click.option(
    "--certificates", is_flag=True, help="With -o: a certificate of the minimum of each board."
)
@click.option(
    "--checkpoint",
    type=FileName(),
    metavar="FILE",
    help="Save the progress in FILE (with --store index a folder); the same command continues.",
)
@click.option(
    "--store",
    type=click.Choice(["memory", "index"]),
    default="memory",
    help="With --exhaustive: index takes two bits for each position, and counts positions instead of boards.",
    show_default=True,
)
@click.option("--csv", "as_csv", is_flag=True, help="Print the table of boards.")
@click.option("--seed", type=int, metavar="N", help="The seed of a search by chance.  [default: 0]")
@click.option(
    "--boards",
    type=click.IntRange(1),
    metavar="N",
    help="End a search by chance after this many explored boards.",
)
@click.option(
    "--best",
    type=click.IntRange(1, 1000),
    metavar="N",
    help="How many boards a search by chance, or for `want` or `maximise`, keeps.  [default: 10]",
)
@click.option(
    "--threads",
    type=click.IntRange(1, 256),
    metavar="N",
    help="Threads of a search by chance, or with --store index.  [default: one for each processor]",
)
@actors_options
@time_option
@memory_option
@json_option
def command(
    spec: Path,
    exhaustive: bool,
    metrics: tuple[str, ...],
    folder: Path | None,
    certificates: bool,
    checkpoint: Path | None,
    store: str,
    as_csv: bool,
    seed: int | None,
    boards: int | None,
    best: int | None,
    threads: int | None,
    cluster: ClusterOptions,
    seconds: float | None,
    memory: int | None,
    as_json: bool,
) -> int:
    """Hard boards of SPEC: all boards at once with --exhaustive, otherwise by chance.

    SPEC is a puzzle document with a board without pieces, and `fill`, the pieces that may stand there. A
    board is a set of positions that moves lead to from each other. Without --exhaustive the search makes
    boards by restarts and small changes, until --time or --boards. `want` and `maximise` in SPEC say which
    boards are the best.

    \b
    Examples:
      fewest generate jams-4x4.yaml --exhaustive
      fewest generate jams-4x4.yaml --exhaustive -m slides -m steps -o records
      fewest generate jams-4x4.yaml --boards 200 --seed 1 -o boards
      fewest generate jams-4x4.yaml --exhaustive --csv
      fewest generate all-4x4.yaml --exhaustive --store index --checkpoint jams
    """
    from fewest.cli.progress import ProgressLine
    from fewest.errors import UsageError
    from fewest.model.answer import Limits
    from fewest.questions.generate import find_best_of_all, find_boards, generate, indexed
    from fewest.questions.generate.documents import records_of, table_rows
    from fewest.questions.generate.text import figures, heading
    from fewest.reading.board_spec import load_board_spec
    from fewest.store.location import IndexLocation

    by_chance = {"--seed": seed, "--boards": boards}
    if store == "memory":
        by_chance["--threads"] = threads
    given = [name for name, value in by_chance.items() if value is not None]
    if store == "index" and not exhaustive:
        raise UsageError("--store index is for --exhaustive", hint="add --exhaustive")
    if exhaustive and given:
        raise UsageError(f"{given[0]} is for a search by chance", hint="leave out --exhaustive")
    if not exhaustive and len(metrics) > 1:
        raise UsageError("a search by chance has one metric", hint="add --exhaustive")
    if cluster.address is not None and store != "index":
        raise UsageError("--cluster is for --store index", hint="add --exhaustive --store index")
    if certificates and folder is None:
        raise UsageError("certificates are files", hint="say where: -o FOLDER")
    read = load_board_spec(spec)
    has_wishes = exhaustive and read.has_wishes
    if exhaustive and best is not None and not has_wishes:
        raise UsageError(
            "--best is for a spec that says what is best", hint="add `want` or `maximise`"
        )
    if has_wishes:
        _check_wishes(metrics, checkpoint, store)
    limits = Limits(seconds, memory_limit(memory))
    if store == "index":
        with store_on(cluster, store) as place, ProgressLine("positions") as progress:
            counts = indexed.generate_in_index(
                read,
                metrics,
                Limits(seconds, memory_of(place, memory)),
                progress,
                checkpoint=checkpoint,
                threads=threads,
                store=place if isinstance(place, IndexLocation) else None,
            )
        output = _Output(
            indexed.heading_of(counts),
            indexed.figures_of(counts),
            list(indexed.rows_of(counts)),
            indexed.named_boards(counts),
        )
        _say(output, counts.to_json() if as_json else None, as_csv)
        reason, code = counts.reason, counts.exit_code
    elif has_wishes:
        metric = metrics[0] if metrics else None
        with ProgressLine("positions") as progress:
            result = find_best_of_all(
                read, metric, best=best or 10, limits=limits, progress=progress
            )
        output = _of_found(result)
        _say(output, result.to_json() if as_json else None, as_csv)
        reason, code = result.reason, result.exit_code
    elif exhaustive:
        with ProgressLine("positions") as progress:
            report = generate(read, metrics, limits, progress, checkpoint=checkpoint)
        output = _Output(
            heading(report), figures(report), list(table_rows(report)), records_of(report)
        )
        _say(output, report.to_json() if as_json else None, as_csv)
        reason, code = report.reason, report.exit_code
    else:
        with ProgressLine("positions") as progress:
            result = find_boards(
                read,
                metrics[0] if metrics else None,
                seed=seed or 0,
                boards=boards,
                best=best or 10,
                threads=threads,
                limits=limits,
                progress=progress,
                checkpoint=checkpoint,
            )
        output = _of_found(result)
        _say(output, result.to_json() if as_json else None, as_csv)
        reason, code = result.reason, result.exit_code
    if folder is not None:
        _write(read, output, folder, certificates)
    print_memory_allowed(reason)
    return code


class _Output(NamedTuple):
    heading: str
    figures: Iterator[str]
    rows: list[dict[str, Any]]
    boards: Iterator[NamedBoard]


def _check_wishes(metrics: tuple[str, ...], checkpoint: Path | None, store: str) -> None:
    """Raises UsageError for options that a search of all boards for `want` and `maximise` does not have."""
    from fewest.errors import UsageError

    options = {
        "several metrics": len(metrics) > 1,
        "--checkpoint": checkpoint is not None,
        "--store index": store == "index",
    }
    for name, is_given in options.items():
        if is_given:
            raise UsageError(
                f"with --exhaustive, `want` and `maximise` do not go with {name}",
                hint=f"leave out {name}, or these keys of the spec",
            )


def _of_found(result: FoundBoards) -> _Output:
    from fewest.questions.generate import found

    return _Output(
        found.heading_of(result),
        found.figures_of(result),
        list(found.rows_of(result)),
        found.named_boards(result),
    )


def _say(output: _Output, data: dict[str, Any] | None, as_csv: bool) -> None:
    """Print the answer as text, JSON or a table."""
    if data is not None:
        print_json(data)
    elif as_csv:
        printer = CsvPrinter()
        for row in output.rows:
            printer.row(row, row.values())
    else:
        print_styled(output.heading, bold=True)
        print_lines(output.figures)


def _write(spec: BoardSpec, output: _Output, folder: Path, certificates: bool) -> None:
    """Write the documents, the table and the sheet; what is written before a failure stays."""
    from fewest.questions.generate.documents import write_documents, write_sheets, write_tables

    written = 0
    for file in write_documents(spec, output.boards, folder, certificates=certificates):
        warn(f"{file} is written")
        written += 1
    for file in write_tables(output.rows, folder):
        warn(f"{file} is written")
    if written:
        for file in write_sheets(folder):
            warn(f"{file} is written")
