"""`fewest compare`: the engines side by side."""

from __future__ import annotations

import csv
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fewest.cli.options import (
    Duration,
    EngineNames,
    MetricName,
    PuzzleName,
    Size,
    default_memory,
    json_option,
    print_json,
    set_option,
)

if TYPE_CHECKING:
    from fewest.questions.compare import Comparison, Comparisons, Entry

_EXIT_OF_VERDICT = {
    "settled": 0,
    "disagreement": 1,
    "refused": 2,
    "invalid": 3,
    "open": 4,
    "failed": 70,
    "nothing": 130,
}


@click.command(name="compare")
@click.argument("puzzles", nargs=-1, required=True, type=PuzzleName(), metavar="PUZZLE...")
@click.option(
    "--engines",
    "-e",
    type=EngineNames(),
    multiple=True,
    metavar="NAMES",
    help="Whom to ask, with commas between them; sat:ENCODING:SOLVER says how. "
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
@click.option("--time", "seconds", type=Duration(), help="Stop each engine after so long: 60, 5m.")
@click.option(
    "--memory", type=Size(), help="Stop each at so much: 8G. [default: 4/5 of the machine]"
)
@click.option("--profile", is_flag=True, help="Also horizon by horizon, layer by layer.")
@click.option(
    "--plot",
    "plot_file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Plot seconds over horizons to a file .svg or .png.",
)
@click.option(
    "--csv",
    "as_csv",
    is_flag=True,
    help="Print comma-separated values, with --profile a row a horizon.",
)
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
    """Put the same question to several engines, one after the other, and compare the answers.

    Each engine runs in a process of its own. Seconds are those of the engine alone; memory is the
    peak of its processes, interpreter included. Plans are replayed by the reference interpreter.

    Exit 1, with the plans, if two engines contradict each other; 4 if no engine proved an answer.

    \b
    Examples:
      fewest compare bird
      fewest compare bird forty-01 --metric all --engines bfs,sat,asp --time 60
      fewest compare bird -e sat,sat:leave-arrive,sat:split:glucose4 --profile
      fewest compare microban-001 --csv > microban.csv
    """
    from fewest.drawing.plot import check_plot
    from fewest.errors import UsageError
    from fewest.machine.files import check_place
    from fewest.questions.compare import DEFAULT_ENGINES, compare

    if as_csv and as_json:
        raise UsageError("--csv and --json at the same time", hint="choose one")
    if plot_file is not None:
        check_plot(plot_file)
        check_place(plot_file)
    printer = _Printer() if as_json else _Csv(profile) if as_csv else _Tables(profile)
    lines = _ProgressLines()

    def on_comparison(found: Comparison) -> None:
        lines.close()
        printer.comparison(found)

    names = [name for group in engines for name in group]
    try:
        done = compare(
            puzzles,
            names or DEFAULT_ENGINES,
            metrics,
            parameters=dict(settings),
            seconds=seconds,
            memory=memory or default_memory(),
            progress=lines,
            on_comparison=on_comparison,
        )
    finally:
        lines.close()
    if as_json:
        print_json(_data(done))
    if done.is_interrupted:
        click.echo(
            f"interrupted: {done.num_finished} of {done.num_questions} answers finished", err=True
        )
    if done.verdict == "refused":
        click.echo("error: none of these engines can count this", err=True)
    if plot_file is not None:
        _plot(done, plot_file)
    return _EXIT_OF_VERDICT[done.verdict]


class _ProgressLines:
    """A progress line for the engine that is being asked."""

    def __init__(self) -> None:
        self.key: tuple[str, ...] = ()
        self.line: Any = None

    def __call__(self, question: Comparison, engine: str, found: Any) -> None:
        from fewest.cli.progress import ProgressLine

        key = (question.puzzle, question.metric, engine)
        if key != self.key:
            self.close()
            self.key = key
            name = f"{question.puzzle}, {engine}: {question.metric}"
            self.line = ProgressLine(name, keeps_horizons=False)
        self.line(found)

    def close(self) -> None:
        if self.line is not None:
            self.line.close()


class _Printer:
    """Prints what has to be said in any case, on stderr: warnings, documents with mistakes."""

    def __init__(self) -> None:
        self.said: set[str] = set()

    def comparison(self, found: Comparison) -> None:
        from fewest.drawing.comparison import disagreement_text

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
            click.echo(text, err=True)


class _Tables(_Printer):
    """A table for each question, as soon as all engines have answered it."""

    def __init__(self, has_profile: bool) -> None:
        super().__init__()
        self.has_profile = has_profile
        self.is_first = True

    def comparison(self, found: Comparison) -> None:
        from fewest.drawing.comparison import engine_table, heading, profile_table

        click.secho(("" if self.is_first else "\n") + heading(found), bold=True)
        self.is_first = False
        for line in engine_table(found):
            click.echo(line)
        if self.has_profile:
            rows = profile_table(found)
            for line in ["", *rows] if rows else []:
                click.echo(line)
        super().comparison(found)
        sys.stdout.flush()

    def disagreement(self, lines: list[str]) -> None:
        for line in lines:
            click.secho(line, fg="red" if line.startswith("DISAGREEMENT") else None)


class _Csv(_Printer):
    """A header and a row an engine, or a row a horizon; a pair of costs is `8+33`."""

    def __init__(self, has_profile: bool) -> None:
        super().__init__()
        self.has_profile = has_profile
        self.writer: csv.DictWriter[str] | None = None

    def comparison(self, found: Comparison) -> None:
        super().comparison(found)
        which = {
            "puzzle": found.puzzle,
            "parameters": " ".join(f"{name}={value}" for name, value in found.parameters.items()),
            "metric": found.metric,
        }
        for entry in found.entries:
            if self.has_profile:
                for row in entry.profile():
                    self.row({**which, **asdict(row)})
            else:
                self.row({**which, **_numbers(found, entry), "error": entry.error})
        sys.stdout.flush()

    def row(self, data: dict[str, Any]) -> None:
        if self.writer is None:
            self.writer = csv.DictWriter(sys.stdout, list(data), lineterminator="\n")
            self.writer.writeheader()
        self.writer.writerow({key: _plain(value) for key, value in data.items()})


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return "+".join(map(str, value))
    return f"{value:.6f}" if isinstance(value, float) else value


def _numbers(comparison: Comparison, entry: Entry) -> dict[str, Any]:
    """What an entry says, without its plan and its profile."""
    return {
        "engine": entry.engine,
        "encoding": entry.statistics.get("encoding"),
        "solver": entry.statistics.get("solver"),
        "status": entry.status,
        "cost": entry.cost,
        "lower_bound": entry.lower_bound,
        "above_minimum": comparison.above_minimum(entry),
        "reason": entry.reason,
        "seconds": entry.seconds,
        "memory": entry.memory,
        "memory_before": entry.memory_before,
        "states": entry.states,
        "variables": entry.variables,
        "clauses": entry.clauses,
        "conflicts": entry.conflicts,
        "horizons": len(entry.horizons) or None,
    }


def _data(done: Comparisons) -> dict[str, Any]:
    return {
        "comparisons": [_comparison(found) for found in done.comparisons],
        "verdict": done.verdict,
        "num_questions": done.num_questions,
        "num_finished": done.num_finished,
        "interrupted": done.is_interrupted,
    }


def _comparison(found: Comparison) -> dict[str, Any]:
    return {
        "puzzle": found.puzzle,
        "title": found.title,
        "file": found.file,
        "parameters": dict(found.parameters),
        "metric": found.metric,
        "minimum": found.minimum,
        "settled": found.is_settled,
        "disagreements": [
            {
                "claim": one.claim.engine,
                "plan": one.plan.engine,
                "text": one.text(found.metric),
            }
            for one in found.disagreements
        ],
        "entries": [
            {
                **_numbers(found, entry),
                "error": entry.error,
                "warnings": list(entry.warnings),
                "plan": entry.moves,
                "profile": [asdict(row) for row in entry.profile()],
                "statistics": {
                    key: value
                    for key, value in entry.statistics.items()
                    if key not in ("horizons", "layers")
                },
            }
            for entry in found.entries
        ],
    }


def _plot(done: Comparisons, file: Path) -> None:
    from fewest.drawing.comparison import panels
    from fewest.drawing.plot import plot_lines
    from fewest.machine.files import write_whole

    found = panels(done.comparisons)
    if not found:
        click.echo(f"{file} was not written: there is nothing to plot", err=True)
        return
    write_whole(file, [plot_lines(found, file)])
    click.echo(f"the plot is in {file}", err=True)
