"""`fewest compare`: the engines side by side."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

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
from fewest.cli.output import CsvPrinter, beside, print_json, print_lines, print_styled

if TYPE_CHECKING:
    from collections.abc import Callable

    from fewest.questions.compare import Comparison, Comparisons


@click.command(name="compare")
@click.argument("puzzles", nargs=-1, required=True, type=PuzzleName(), metavar="PUZZLE...")
@click.option(
    "--engines",
    "-e",
    type=EngineNames(),
    multiple=True,
    metavar="NAMES",
    help="The engines, with commas between them; sat:ENCODING:SOLVER chooses both; certificate: a proof in a file "
    "is made and verified. "
    "[default: bfs,sat,asp]",
)
@click.option(
    "--metric",
    "-m",
    "metrics",
    type=MetricName(),
    multiple=True,
    metavar="METRIC",
    help="What counts as one move; may be repeated; `all` for every one.",
)
@set_option
@click.option(
    "--time", "seconds", type=Duration(), help="Stop each engine after this time, such as 60 or 5m."
)
@click.option(
    "--memory",
    type=Size(),
    help="Stop each process at this much memory, such as 8G. [default: 4/5 of free memory]",
)
@click.option("--profile", is_flag=True, help="Also show every horizon or layer.")
@click.option(
    "--plot",
    "plot_file",
    type=FileName(),
    metavar="FILE",
    help="Plot seconds over horizons to a file .svg or .png.",
)
@click.option(
    "--csv",
    "as_csv",
    is_flag=True,
    help="Print comma-separated values, with --profile one row per horizon.",
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
    as_json: bool,
) -> int:
    """Run several engines on the same puzzle, one after another, and compare the answers.

    Each engine runs in a process of its own. Seconds are those of the engine alone; memory is the
    peak of its processes, with the interpreter. The reference interpreter replays every plan.

    Exit 1, with the plans, if two engines contradict each other; 4 if no engine proved an answer.

    \b
    Examples:
      fewest compare bird
      fewest compare bird forty-01 --metric all --engines bfs,sat,asp --time 60
      fewest compare bird -e sat,sat:leave-arrive,sat:operators:glucose4 --profile
      fewest compare hardest-6x6 -e bfs,certificate
      fewest compare microban-001 --csv > microban.csv
    """
    from fewest.errors import UsageError
    from fewest.questions.compare import DEFAULT_ENGINES, compare
    from fewest.questions.compare.data import to_json

    if as_csv and as_json:
        raise UsageError("--csv and --json at the same time", hint="choose one")
    _check_plot(plot_file, as_data=as_json or as_csv)
    names = [name for group in engines for name in group] or DEFAULT_ENGINES
    ask = partial(
        compare,
        puzzles,
        names,
        metrics,
        parameters=dict(settings),
        seconds=seconds,
        memory=memory_limit(memory),
    )
    printer = _Printer() if as_json else _Csv(profile) if as_csv else _Tables(profile)
    done = _compare(ask, printer, plot_file)
    if as_json:
        print_json(to_json(done))
    if done.is_interrupted:
        click.echo(
            f"interrupted: {done.num_finished} of {done.num_questions} answers finished", err=True
        )
    if done.verdict == "refused":
        say("error: none of these engines can count this")
    if plot_file is not None:
        _plot(done, plot_file)
    return done.exit_code


def _check_plot(file: Path | None, *, as_data: bool) -> None:
    """Check, before the engines run, that the plot can be written, and not into the data."""
    from fewest.drawing.plot import check_plot
    from fewest.machine.files import check_place

    if file is not None:
        check_plot(file)
        check_place(file)
    beside(file, as_json=as_data)


def _compare(
    ask: Callable[..., Comparisons], printer: _Printer, plot_file: Path | None
) -> Comparisons:
    """Run the comparison with a progress line, and print every finished part."""
    from fewest.cli.progress import ProgressLines

    lines = ProgressLines(keeps_horizons=False)

    def on_progress(question: Comparison, engine: str, found: Any) -> None:
        lines.show(f"{question.puzzle}, {engine}: {question.metric}", found)

    def on_comparison(found: Comparison) -> None:
        lines.close()
        with beside(plot_file, as_json=False):
            printer.comparison(found)

    try:
        return ask(progress=on_progress, on_comparison=on_comparison)
    finally:
        lines.close()


class _Printer:
    """Prints warnings and documents with mistakes on stderr."""

    def __init__(self) -> None:
        self.said: set[str] = set()

    def comparison(self, found: Comparison) -> None:
        from fewest.questions.compare.text import disagreement_text

        for entry in found.entries:
            for warning in entry.warnings:
                self.once(f"warning: {warning}")
            if entry.status == "invalid" and entry.error is not None:
                self.once(entry.error)
        self.disagreement(disagreement_text(found))

    def disagreement(self, lines: list[str]) -> None:
        for line in lines:
            click.echo(line, err=True)

    def once(self, text: str) -> None:
        if text not in self.said:
            self.said.add(text)
            (warn if text.startswith("warning") else say)(text)


class _Tables(_Printer):
    """A table for each question, as soon as all engines have answered it."""

    def __init__(self, has_profile: bool) -> None:
        super().__init__()
        self.has_profile = has_profile
        self.is_first = True

    def comparison(self, found: Comparison) -> None:
        from fewest.questions.compare.text import engine_table, heading, profile_table

        print_styled(("" if self.is_first else "\n") + heading(found), bold=True)
        self.is_first = False
        profile = profile_table(found) if self.has_profile else []
        print_lines([*engine_table(found), *(["", *profile] if profile else [])])
        super().comparison(found)
        sys.stdout.flush()

    def disagreement(self, lines: list[str]) -> None:
        for line in lines:
            print_styled(line, colour="red" if line.startswith("DISAGREEMENT") else None)


class _Csv(_Printer):
    """One row per engine, or one per horizon."""

    def __init__(self, has_profile: bool) -> None:
        super().__init__()
        self.has_profile = has_profile
        self.csv = CsvPrinter()

    def comparison(self, found: Comparison) -> None:
        from fewest.questions.compare.data import rows

        super().comparison(found)
        for row in rows(found, has_profile=self.has_profile):
            self.csv.row(row, row.values())


def _plot(done: Comparisons, file: Path) -> None:
    from fewest.drawing.plot import plot_lines
    from fewest.machine.files import write_whole
    from fewest.questions.compare.text import panels

    found = panels(done.comparisons)
    if not found:
        click.echo(f"{file} was not written: there is nothing to plot", err=True)
        return
    write_whole(file, [plot_lines(found, file)])
    warn(f"the plot is in {file}")
