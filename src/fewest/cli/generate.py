"""`fewest generate`: finds hard boards of a spec."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
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
    from fewest.commands.generate import FoundBoards
    from fewest.commands.generate.documents import NamedBoard
    from fewest.model.answer import Limits
    from fewest.reading.board_spec import BoardSpec


@click.command(name="generate")
@click.argument("spec", type=FileName(exists=True, dir_okay=False))
@click.option(
    "--exhaustive",
    is_flag=True,
    help="Search all boards of the spec, and prove which of them are the hardest.",
)
@click.option(
    "-m",
    "--metric",
    "metrics",
    multiple=True,
    metavar="NAME",
    help="The metric; may be repeated with --exhaustive.",
)
@click.option(
    "-o",
    "--output",
    "folder",
    type=FileName(),
    metavar="FOLDER",
    help="Write puzzle documents, a table and a sheet of pictures to FOLDER.",
)
@click.option(
    "--certificates",
    is_flag=True,
    help="With -o: also write a certificate of the minimum of each board.",
)
@click.option(
    "--checkpoint",
    type=FileName(),
    metavar="FILE",
    help="Save progress in FILE, or a folder; repeat the command to continue.",
)
@click.option(
    "--store",
    type=click.Choice(["memory", "index"]),
    default="memory",
    help="With --exhaustive: `index` stores two bits for each position.",
)
@click.option(
    "--csv", "as_csv", is_flag=True, help="Print the table of boards as comma-separated values."
)
@click.option(
    "--seed", type=int, metavar="N", help="The random seed of a random search. [default: 0]"
)
@click.option(
    "--boards",
    type=click.IntRange(1),
    metavar="N",
    help="End a random search after N explored boards.",
)
@click.option(
    "--best",
    type=click.IntRange(1, 1000),
    metavar="N",
    help="Keep the N best boards. [default: 10]",
)
@click.option(
    "--threads",
    type=click.IntRange(1, 256),
    metavar="N",
    help="Use at most N threads. [default: 1 per processor]",
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
    """Find hard boards of SPEC by a random search, or by an exhaustive search with --exhaustive.

    SPEC is a puzzle document with no pieces on its board; `fill` lists the pieces that may be placed on it. In the
    output, a *board* is a component: a set of positions that can all be reached from each other. With --store index,
    the output counts positions instead of boards.

    A random search tries random boards and small changes of them, up to the limit of --time or --boards. By default,
    the best boards are the hardest boards; `want` and `maximise` in SPEC define another ranking.

    \b
    Examples:
      fewest generate jams-4x4.yaml --exhaustive
      fewest generate jams-4x4.yaml --exhaustive -m slides -m steps -o records
      fewest generate jams-4x4.yaml --boards 200 --seed 1 -o boards
      fewest generate jams-4x4.yaml --exhaustive --csv
      fewest generate all-4x4.yaml --exhaustive --store index --checkpoint jams
    """
    from fewest.errors import Exit, UsageError
    from fewest.model.answer import LimitReached, Limits, limit_words
    from fewest.reading.board_spec import load_board_specs

    only_random = {"--seed": seed, "--boards": boards}
    if store == "memory":
        only_random["--threads"] = threads
    given = [name for name, value in only_random.items() if value is not None]
    if store == "index" and not exhaustive:
        raise UsageError("--store index needs --exhaustive", hint="add --exhaustive")
    if exhaustive and given:
        raise UsageError(
            f"{given[0]} can be used only in a random search", hint="leave out --exhaustive"
        )
    if not exhaustive and len(metrics) > 1:
        raise UsageError("a random search supports only one metric", hint="add --exhaustive")
    if cluster.address is not None and store != "index":
        raise UsageError("--cluster needs --store index", hint="add --exhaustive --store index")
    if certificates and folder is None:
        raise UsageError("--certificates needs a folder", hint="give a folder: -o FOLDER")
    if folder is not None and folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is not a folder", hint="choose another name: -o FOLDER")
    specs = load_board_specs(spec)
    has_ranking = exhaustive and specs[0].has_ranking
    if exhaustive and best is not None and not has_ranking:
        raise UsageError(
            "--best needs a spec that contains `want` or `maximise`",
            hint="add one of these keys to the spec, or leave out --best",
        )
    if has_ranking:
        _check_ranking_options(metrics, checkpoint, store)

    def searched(one: BoardSpec) -> _Output:
        limits = Limits(seconds, memory_limit(memory))
        file = checkpoint
        if checkpoint is not None and one.size is not None:
            file = checkpoint.with_name(f"{checkpoint.name}-{one.size}")
        if store == "index":
            with store_on(cluster, store) as place:
                limits = Limits(seconds, memory_of(place, memory))
                return _in_index(one, metrics, limits, file, threads, place)
        if has_ranking:
            return _best_of_all(one, metrics, best, limits)
        if exhaustive:
            return _exhaustive(one, metrics, limits, file)
        return _by_random_search(one, metrics, seed, boards, best, threads, limits, file)

    outputs: list[_Output] = []
    printer = CsvPrinter()
    for number, one in enumerate(specs):
        output = searched(one)._replace(size=one.size)
        outputs.append(output)
        if as_csv:
            for row in output.table():
                printer.row(row, row.values())
        elif not as_json:
            if number:
                print_lines([""])
            print_styled(output.heading, bold=True)
            print_lines(output.figures)
        if output.reason == "interrupted":
            break
    if as_json:
        data = [output.data() for output in outputs]
        print_json(data if specs[0].size is not None else data[0])
    reasons = [output.reason for output in outputs if output.reason]
    code = max(output.code for output in outputs)
    if folder is not None:
        try:
            _write(specs, outputs, folder, certificates)
        except LimitReached as limit:
            warn(f"some boards were not written: {limit_words(limit.reason)}")
            reasons.append(limit.reason)
            code = max(code, Exit.LIMIT)
    print_memory_allowed(next(iter(reasons), None))
    return code


class _Output(NamedTuple):
    """The answer for one of the sizes in the spec; `size` is None if the spec has only one size."""

    heading: str
    figures: Iterator[str]
    rows: Callable[[], Iterable[dict[str, Any]]]
    boards: Iterator[NamedBoard]
    data: Callable[[], dict[str, Any]]
    reason: str | None
    code: int
    size: str | None = None

    def table(self) -> list[dict[str, Any]]:
        """The rows, including the size of the boards if the spec has several sizes. This draws the board of each
        row, which takes time.
        """
        size = {} if self.size is None else {"size": self.size}
        return [{**size, **row} for row in self.rows()]


def _in_index(
    spec: BoardSpec,
    metrics: tuple[str, ...],
    limits: Limits,
    checkpoint: Path | None,
    threads: int | None,
    place: Any,
) -> _Output:
    from fewest.cli.progress import ProgressLine
    from fewest.commands.generate import indexed
    from fewest.store.location import IndexLocation

    with ProgressLine("positions") as progress:
        generation = indexed.generate_in_index(
            spec,
            metrics,
            limits,
            progress,
            checkpoint=checkpoint,
            threads=threads,
            store=place if isinstance(place, IndexLocation) else None,
        )
    return _Output(
        indexed.heading_of(generation),
        indexed.figures_of(generation),
        lambda: indexed.rows_of(generation),
        indexed.named_boards(generation),
        generation.to_json,
        generation.reason,
        generation.exit_code,
    )


def _exhaustive(
    spec: BoardSpec, metrics: tuple[str, ...], limits: Limits, checkpoint: Path | None
) -> _Output:
    from fewest.cli.progress import ProgressLine
    from fewest.commands.generate import generate
    from fewest.commands.generate.documents import records_of, table_rows
    from fewest.commands.generate.text import figures, heading

    with ProgressLine("positions") as progress:
        generation = generate(spec, metrics, limits, progress, checkpoint=checkpoint)
    return _Output(
        heading(generation),
        figures(generation),
        lambda: table_rows(generation),
        records_of(generation),
        generation.to_json,
        generation.reason,
        generation.exit_code,
    )


def _best_of_all(
    spec: BoardSpec, metrics: tuple[str, ...], best: int | None, limits: Limits
) -> _Output:
    from fewest.cli.progress import ProgressLine
    from fewest.commands.generate import find_best_of_all

    metric = metrics[0] if metrics else None
    with ProgressLine("positions") as progress:
        generation = find_best_of_all(
            spec, metric, best=best or 10, limits=limits, progress=progress
        )
    return _of_found(generation)


def _by_random_search(
    spec: BoardSpec,
    metrics: tuple[str, ...],
    seed: int | None,
    boards: int | None,
    best: int | None,
    threads: int | None,
    limits: Limits,
    checkpoint: Path | None,
) -> _Output:
    from fewest.cli.progress import ProgressLine
    from fewest.commands.generate import find_boards

    with ProgressLine("positions") as progress:
        found_boards = find_boards(
            spec,
            metrics[0] if metrics else None,
            seed=seed or 0,
            boards=boards,
            best=best or 10,
            threads=threads,
            limits=limits,
            progress=progress,
            checkpoint=checkpoint,
        )
    return _of_found(found_boards)


def _check_ranking_options(metrics: tuple[str, ...], checkpoint: Path | None, store: str) -> None:
    """Raises UsageError for options that an exhaustive search with `want` or `maximise` does not support."""
    from fewest.errors import UsageError

    options = {
        "a second --metric": len(metrics) > 1,
        "--checkpoint": checkpoint is not None,
        "--store index": store == "index",
    }
    for name, is_given in options.items():
        if is_given:
            raise UsageError(
                f"{name} cannot be used together with --exhaustive and `want` or `maximise`",
                hint=f"leave out {name}, or delete these keys of the spec",
            )


def _of_found(result: FoundBoards) -> _Output:
    from fewest.commands.generate import found

    return _Output(
        found.heading_of(result),
        found.figures_of(result),
        lambda: found.rows_of(result),
        found.named_boards(result),
        result.to_json,
        result.reason,
        result.exit_code,
    )


def _write(
    specs: list[BoardSpec], outputs: list[_Output], folder: Path, certificates: bool
) -> None:
    """Write the documents, the table and the sheet; if writing fails, the files written before remain. Raises
    LimitReached if a limit prevents the check of a document or its certificate.
    """
    from fewest.commands.generate.documents import write_documents, write_sheets, write_tables

    written = 0
    # after Ctrl-C, the results for the last sizes are missing
    for spec, output in zip(specs, outputs, strict=False):
        for file in write_documents(spec, output.boards, folder, certificates=certificates):
            warn(f"{file} was written")
            written += 1
    for file in write_tables([row for output in outputs for row in output.table()], folder):
        warn(f"{file} was written")
    if written:
        for file in write_sheets(folder):
            warn(f"{file} was written")
