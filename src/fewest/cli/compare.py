"""`fewest compare`: runs several engines and compares them."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from msgspec.structs import replace

from fewest.cli.cluster import MEMORY_EACH, jobs_option, memory_each, processes_on, tasks_option
from fewest.cli.console import say, warn
from fewest.cli.options import (
    Duration,
    EngineNames,
    FileName,
    MetricName,
    PuzzleName,
    Size,
    audit_option,
    json_option,
    memory_limit,
    set_option,
)
from fewest.cli.output import (
    CsvPrinter,
    beside,
    print_json,
    print_lines,
    print_store,
    print_styled,
)
from fewest.engines.registry import MAX_SEED

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from fewest.commands.compare import Comparison, Comparisons
    from fewest.commands.compare.suite import Suite

_MOST_LINES = 20  # the maximum number of lines about results that need attention


@click.command(name="compare")
@click.argument("puzzles", nargs=-1, type=PuzzleName(), metavar="[PUZZLE]...")
@click.option(
    "--engines",
    "-e",
    type=EngineNames(),
    multiple=True,
    metavar="NAMES",
    help="The engines, as in bfs,sat:operators:glucose4. [default: bfs,sat,asp]",
)
@click.option(
    "--metric",
    "-m",
    "metrics",
    type=MetricName(),
    multiple=True,
    metavar="METRIC",
    help="A metric, or `all` for all metrics; may be repeated.",
)
@set_option
@click.option(
    "--time",
    "seconds",
    type=Duration(),
    help="The time limit for each engine, for example 60 or 5m.",
)
@click.option(
    "--memory",
    type=Size(),
    help=f"The limit for each process. [default: {MEMORY_EACH}]",
)
@click.option(
    "--profile",
    is_flag=True,
    help="Also print a row of figures for each horizon (sat, asp) or layer (bfs).",
)
@click.option(
    "--plot",
    "plot_file",
    type=FileName(),
    metavar="FILE",
    help="Plot the seconds against the horizons in a .svg or .png file.",
)
@click.option(
    "--csv",
    "as_csv",
    is_flag=True,
    help="Print comma-separated values; with --profile, one row for each horizon.",
)
@click.option(
    "--suite",
    "suite_name",
    metavar="FILE",
    help="The name or the file of a suite; other options replace its settings.",
)
@click.option(
    "--output",
    "-o",
    "report",
    type=FileName(),
    metavar="DIR",
    help="Write a report to DIR, and save finished runs as --checkpoint does.",
)
@click.option(
    "--checkpoint",
    type=FileName(),
    metavar="DIR",
    help="Save finished runs in DIR; `fewest resume DIR` continues.",
)
@click.option(
    "--repeats", type=click.IntRange(1), metavar="N", help="Execute each run N times. [default: 1]"
)
@click.option(
    "--seed",
    type=click.IntRange(0, MAX_SEED),
    metavar="N",
    help="Shuffle the runs, and set the seed of the solvers.",
)
@jobs_option("Execute N runs in parallel.")
@tasks_option("Run")
@click.option(
    "--certify",
    type=EngineNames(),
    multiple=True,
    metavar="NAMES",
    help="Write and check certificates of the answers of these engines, or `all`.",
)
@audit_option
@json_option
def command(
    puzzles: tuple[str, ...],
    engines: tuple[tuple[str, ...], ...],
    metrics: tuple[str, ...],
    settings: tuple[tuple[str, int], ...],
    seconds: float | None,
    memory: int | None,
    profile: bool,
    plot_file: Path | None,
    as_csv: bool,
    suite_name: str | None,
    report: Path | None,
    checkpoint: Path | None,
    repeats: int | None,
    seed: int | None,
    jobs: int | None,
    address: str | None,
    certify: tuple[tuple[str, ...], ...],
    as_json: bool,
) -> int:
    """Run several engines on each PUZZLE, and compare their answers.

    The names of engines are separated by commas. sat:ENCODING:SOLVER selects an encoding and a solver;
    `certificate` writes a proof to a file and verifies it.

    Each engine runs in a separate process, and the reference interpreter replays every plan. In the table, `seconds` is
    the engine's wall-clock time, `cpu` its CPU time in seconds, and `memory` the peak memory of its processes,
    including the Python interpreter.

    The exit code is 1 if two engines contradict each other (in this case, the command prints their plans), and 4 if no
    engine proved the answer for some puzzle and metric.

    \b
    Examples:
      fewest compare bird
      fewest compare bird forty-01 --metric all --engines bfs,sat,asp --time 60
      fewest compare bird -e sat,sat:leave-arrive,sat:operators:glucose4 --profile
      fewest compare hardest-6x6 -e bfs,certificate
      fewest compare microban-001 --csv > microban.csv
      fewest compare --suite short -o short.report
    """
    from fewest.commands.compare import DEFAULT_ENGINES
    from fewest.commands.compare.run import suite_of
    from fewest.commands.compare.suite import read_suite
    from fewest.errors import UsageError, conflict

    if suite_name is None and not puzzles:
        raise UsageError(
            "no puzzle and no suite is given", hint="give a PUZZLE, or a suite with --suite"
        )
    if suite_name is not None and puzzles:
        raise conflict("PUZZLE", "--suite")
    if report is not None and checkpoint is not None:
        raise conflict(
            "--output", "--checkpoint", hint="--output also saves the runs; leave out --checkpoint"
        )
    names = tuple(name for group in engines for name in group)
    base_folder = None
    if suite_name is None:
        suite = suite_of(
            puzzles, names or DEFAULT_ENGINES, metrics, parameters=dict(settings), seconds=seconds
        )
    else:
        if settings:
            raise conflict("--suite", "--set", hint="a suite sets the parameters; leave out --set")
        suite, base_folder = read_suite(suite_name)
    overrides = {
        "engines": names,
        "metrics": metrics,
        "time": seconds,
        "memory": memory,
        "repeats": repeats,
        "seed": seed,
        "jobs": jobs,
        "certify": tuple(name for group in certify for name in group),
    }
    suite = replace(
        suite, **{key: value for key, value in overrides.items() if value or value == 0}
    )
    return answer(
        suite,
        base_folder,
        report or checkpoint,
        has_report=report is not None,
        address=address,
        profile=profile,
        plot_file=plot_file,
        as_csv=as_csv,
        as_json=as_json,
    )


def answer(
    suite: Suite,
    base_folder: Path | None,
    folder: Path | None,
    *,
    has_report: bool,
    address: str | None = None,
    profile: bool = False,
    plot_file: Path | None = None,
    as_csv: bool,
    as_json: bool,
) -> int:
    """Execute the runs of a suite and print the comparisons. Returns the exit code.

    `base_folder`: the folder for the suite's relative file names. `folder`: the folder in which finished runs are
    saved; runs that it already contains are not repeated. `has_report`: whether to write a report to `folder` and,
    unless JSON or CSV is printed, only the table of the report to stdout. `address`: the address of a Ray cluster that
    executes the runs (None: this machine executes them).
    """
    from fewest.commands.compare.data import to_json
    from fewest.commands.compare.run import compare_suite
    from fewest.errors import conflict

    if as_csv and as_json:
        raise conflict("--csv", "--json")
    _check_plot(plot_file, as_data=as_json or as_csv)
    limited = replace(suite, memory=_memory_each(suite, address))
    is_silent = as_json or (has_report and not as_csv)
    printer = (
        _Printer() if is_silent else _Csv(profile, suite.engines) if as_csv else _Tables(profile)
    )
    on_ray = nullcontext(None) if address is None else processes_on(address, suite.jobs)
    with on_ray as parallel_map:
        run = partial(
            compare_suite,
            limited,
            base_folder,
            checkpoint=folder,
            query=suite,
            has_report=has_report,
            parallel_map=parallel_map,
        )
        done = _compare(run, printer, plot_file)
    if has_report and folder is not None:
        _report(folder, suite, done, is_shown=not (as_json or as_csv))
    if as_json:
        print_json(to_json(done))
    if done.is_interrupted:
        click.echo(
            f"interrupted: {done.num_finished} of {done.num_planned} answers finished", err=True
        )
    if done.verdict == "refused":
        say("error: none of these engines supports this metric")
    if plot_file is not None:
        _plot(done, plot_file)
    if done.is_interrupted:
        print_store(done.stopped, folder)
    return done.exit_code


def _memory_each(suite: Suite, address: str | None) -> int | None:
    """The memory limit of a run: the suite's limit or, by default, an equal share of 4/5 of the free memory."""
    if suite.memory is not None or (suite.jobs is None and address is None):
        return memory_limit(suite.memory)
    return memory_each(None, suite.jobs, address)


def _report(folder: Path, suite: Suite, done: Comparisons, *, is_shown: bool) -> None:
    """If any comparison is finished, write the report to `folder`; if `is_shown` is true, also print the results that
    need attention and the table of engines.
    """
    from fewest.commands.compare.report import write_report
    from fewest.commands.compare.suite import engines_of
    from fewest.commands.compare.summary import HEADER, notable, summarize, summary_rows
    from fewest.drawing.table import table

    if not done.comparisons:
        return
    write_report(folder, suite, done)
    if is_shown:
        attention = notable(done.comparisons)
        print_lines(attention[:_MOST_LINES])
        if len(attention) > _MOST_LINES:
            print_lines([f"and {len(attention) - _MOST_LINES:,} more"])
        summaries = summarize(done.comparisons, suite.time, engines_of(suite))
        rows = summary_rows(summaries)
        print_lines([*([""] if attention else []), *table(HEADER, rows, left=(0,))])
    warn(f"the report is in {folder / 'report.html'}")


def _check_plot(file: Path | None, *, as_data: bool) -> None:
    """Check, before the engines run, that the plot can be written and that the plot and the data do not both go to
    stdout.
    """
    from fewest.drawing.plot import check_plot
    from fewest.machine.files import check_writable

    if file is not None:
        check_plot(file)
        check_writable(file)
    beside(file, as_json=as_data)


def _compare(
    run: Callable[..., Comparisons], printer: _Printer, plot_file: Path | None
) -> Comparisons:
    """Execute the runs with a progress line, and print each comparison as soon as it is finished."""
    from fewest.cli.progress import ProgressLines

    lines = ProgressLines(keeps_horizons=False)

    def on_progress(comparison: Comparison, engine: str, progress: Any) -> None:
        lines.show(f"{comparison.puzzle}, {engine}: {comparison.metric}", progress)

    def on_comparison(comparison: Comparison) -> None:
        lines.close()
        with beside(plot_file, as_json=False):
            printer.comparison(comparison)

    try:
        return run(progress=on_progress, on_comparison=on_comparison)
    finally:
        lines.close()


class _Printer:
    """Prints warnings, mistakes in documents and disagreements on stderr."""

    def __init__(self) -> None:
        self.printed: set[str] = set()

    def comparison(self, comparison: Comparison) -> None:
        from fewest.commands.compare.text import disagreement_text

        for entry in comparison.entries:
            for warning in entry.warnings:
                self.once(f"warning: {warning}")
            if entry.status == "invalid" and entry.error is not None:
                self.once(entry.error)
        self.disagreement(disagreement_text(comparison))

    def disagreement(self, lines: list[str]) -> None:
        for line in lines:
            click.echo(line, err=True)

    def once(self, text: str) -> None:
        if text not in self.printed:
            self.printed.add(text)
            (warn if text.startswith("warning") else say)(text)


class _Tables(_Printer):
    """Prints a table for each instance as soon as all of its runs have finished."""

    def __init__(self, has_profile: bool) -> None:
        super().__init__()
        self.has_profile = has_profile
        self.is_first = True

    def comparison(self, comparison: Comparison) -> None:
        from fewest.commands.compare.text import engine_table, heading, profile_table

        print_styled(("" if self.is_first else "\n") + heading(comparison), bold=True)
        self.is_first = False
        profile = profile_table(comparison) if self.has_profile else []
        print_lines([*engine_table(comparison), *(["", *profile] if profile else [])])
        super().comparison(comparison)
        sys.stdout.flush()

    def disagreement(self, lines: list[str]) -> None:
        for line in lines:
            print_styled(line, colour="red" if line.startswith("DISAGREEMENT") else None)


class _Csv(_Printer):
    """Prints one row for each engine and instance or, if `has_profile` is true, for each horizon or layer."""

    def __init__(self, has_profile: bool, engines: Sequence[str]) -> None:
        super().__init__()
        from fewest.commands.compare.provenance import provenance

        self.has_profile = has_profile
        self.csv = CsvPrinter()
        self.where = provenance([name.partition(":")[0] for name in engines])

    def comparison(self, comparison: Comparison) -> None:
        from fewest.commands.compare.data import rows

        super().comparison(comparison)
        for row in rows(comparison, has_profile=self.has_profile, where=self.where):
            self.csv.row(row, row.values())


def _plot(done: Comparisons, file: Path) -> None:
    from fewest.commands.compare.text import panels
    from fewest.drawing.plot import plot_lines
    from fewest.machine.files import write_whole

    found = panels(done.comparisons)
    if not found:
        click.echo(f"{file} was not written: there is nothing to plot", err=True)
        return
    write_whole(file, [plot_lines(found, file)])
    warn(f"the plot is in {file}")
