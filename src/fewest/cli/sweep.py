"""`fewest sweep`: solves a family of puzzles; prints a table of minima, and a formula if one fits."""

from __future__ import annotations

from contextlib import AbstractContextManager, ExitStack, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fewest.cli.cluster import MEMORY_EACH, jobs_option, memory_each, processes_on, tasks_option
from fewest.cli.options import (
    CheckpointName,
    Duration,
    EngineName,
    FileName,
    Size,
    Values,
    json_option,
    metric_option,
    puzzle_argument,
)
from fewest.cli.output import CsvPrinter, print_json, print_lines, print_store, print_styled

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fewest.commands.sweep import Family, Member, Sweep, SweepFile
    from fewest.machine.processes import ParallelMap
    from fewest.model.answer import Horizon
    from fewest.search.interface import Progress


@click.command(name="sweep")
@puzzle_argument
@click.argument("ranges", nargs=-1, required=True, type=Values(), metavar="NAME=VALUES...")
@metric_option
@click.option(
    "--engine",
    "-e",
    type=EngineName(),
    default="auto",
    show_default=True,
    help="The engine; see `fewest solve -h`.",
)
@click.option("--time", "seconds", type=Duration(), help="The time limit for each member.")
@click.option(
    "--memory",
    type=Size(),
    help=f"The limit for each process. [default: {MEMORY_EACH}]",
)
@jobs_option("Solve N members in parallel.")
@tasks_option("Solve")
@click.option(
    "--resume",
    type=FileName(),
    metavar="FILE",
    help="Record finished members in FILE; skip members that FILE already contains.",
)
@click.option(
    "--checkpoint",
    type=CheckpointName(),
    metavar="DIR",
    help="Save finished members in DIR; `fewest resume DIR` continues.",
)
@click.option("--csv", "as_csv", is_flag=True, help="Print comma-separated values.")
@json_option
def command(
    puzzle: str,
    ranges: tuple[tuple[str, tuple[int, ...]], ...],
    metric: str | None,
    engine: str,
    seconds: float | None,
    memory: int | None,
    jobs: int | None,
    address: str | None,
    resume: Path | None,
    checkpoint: Path | str | None,
    as_csv: bool,
    as_json: bool,
) -> int:
    """Solve every member of a family: PUZZLE with each combination of the VALUES of its parameters.

    The command prints each minimum as soon as it finds it. It also prints a formula if one fits: a polynomial, or
    a·bⁿ plus a polynomial, that gives all minima exactly and has at least two coefficients fewer than there are minima.
    This is a fit, not a proof. The fit does not use members that are unsolvable, invalid or stopped by a limit, and the
    command rejects formulas that contradict a proved lower bound.

    The FILE of --resume contains a line of JSON for each finished member. A sweep reuses a line only if the puzzle, the
    metric, the engine and the version are the same. If a limit stopped the member, the limit must also be the same. The
    DIR of --checkpoint contains these lines and the arguments of the sweep, for one puzzle, metric, engine and version.

    The exit code is 3 if no member is valid, and 4 if a member has no answer because of a limit or Ctrl-C.

    \b
    Examples:
      fewest sweep machinarium n=0..10
      fewest sweep hanoi disks=0..8 pegs=3,4 --jobs 2
      fewest sweep my-puzzle.yaml n=0..20..2 --time 10m --resume n.jsonl
      fewest sweep hanoi disks=0..9 --checkpoint hanoi.progress
    """
    from fewest.commands.sweep import SweepFile, family, read_sweep
    from fewest.errors import conflict

    if checkpoint is not None and resume is not None:
        raise conflict(
            "--checkpoint",
            "--resume",
            hint="--checkpoint also saves the members; leave out --resume",
        )
    check_manner(as_csv=as_csv, as_json=as_json)
    batch = family(
        puzzle,
        _values(ranges),
        metric,
        engine=engine,
        seconds=seconds,
        memory=memory_each(memory, jobs, address),
    )
    if checkpoint is not None:
        file = read_sweep(checkpoint, batch, memory=memory)
        return answer(batch, file, address, jobs, as_csv, as_json, folder=checkpoint)
    if resume is not None:
        return answer(batch, SweepFile(resume), address, jobs, as_csv, as_json)
    return answer(batch, nullcontext(), address, jobs, as_csv, as_json)


def check_manner(*, as_csv: bool, as_json: bool) -> None:
    """Raises UsageError if two output formats are given."""
    from fewest.errors import conflict

    if as_csv and as_json:
        raise conflict("--csv", "--json")


def answer(
    batch: Family,
    file: AbstractContextManager[SweepFile | None],
    address: str | None,
    jobs: int | None,
    as_csv: bool,
    as_json: bool,
    *,
    folder: Path | str | None = None,
) -> int:
    """Solve and print the members of a family. Returns the exit code.

    Members that `file` already contains are not solved again; `folder` is the checkpoint that contains this file, if it
    is in a checkpoint.
    """
    from fewest.commands.sweep.text import interruption

    printer = _NoAxis() if as_json else _Csv(batch) if as_csv else _Table(batch)
    with file as members:
        with processes_on(address, jobs) as parallel_map:
            done = _solved(batch, printer, parallel_map, members)
        if done.is_interrupted:
            path = folder or (members.path if members is not None else None)
            click.echo(interruption(done, " members", path), err=True)
    if not done.is_finished:
        print_store(done.stopped or "killed", folder)
    if as_json:
        print_json(done.to_json())
    else:
        printer.end(done)
    return done.exit_code


def _values(ranges: tuple[tuple[str, tuple[int, ...]], ...]) -> dict[str, tuple[int, ...]]:
    """The values of each parameter. Raises UsageError if a parameter is given twice."""
    from fewest.errors import UsageError

    names = [name for name, _ in ranges]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(
                f"the parameter `{name}` is given twice",
                hint=f"give all values at once: {name}=1,2,5..9",
            )
    return dict(ranges)


def _solved(
    batch: Family, printer: _NoAxis, parallel_map: ParallelMap | None, file: SweepFile | None
) -> Sweep:
    """Solve all members with a progress line; `printer` gets each member as soon as it is finished."""
    from fewest.cli.progress import ProgressLines
    from fewest.commands.sweep import sweep
    from fewest.commands.sweep.text import settings
    from fewest.model.answer import Horizon

    lines = ProgressLines()

    def on_progress(parameters: Mapping[str, int], progress: Progress | Horizon) -> None:
        if not isinstance(progress, Horizon):  # one line per horizon would hide the table
            lines.show(f"{settings(batch.names, parameters)}: {batch.metric}", progress)

    def on_member(member: Member) -> None:
        lines.close()
        printer.row(member)

    with ExitStack() as stack:
        stack.callback(lines.close)
        return sweep(
            batch, parallel_map=parallel_map, file=file, on_member=on_member, progress=on_progress
        )


class _NoAxis:
    """Prints nothing, because the caller prints the sweep as JSON at the end; the base class of the other printers."""

    def row(self, member: Member) -> None:
        pass

    def end(self, done: Sweep) -> None:
        pass


class _Csv(_NoAxis):
    """Prints a header and one line per member."""

    def __init__(self, family: Family) -> None:
        self.family = family
        self.csv = CsvPrinter()

    def row(self, member: Member) -> None:
        self.csv.row(self.family.csv_header(), self.family.csv_row(member))


class _Table(_NoAxis):
    """Prints the row of each member when it is finished and, below the table, the formulas or a sentence about why none
    fits.
    """

    def __init__(self, family: Family) -> None:
        from fewest.commands.sweep.text import Table

        self.table = Table(family)
        self.has_header = False

    def row(self, member: Member) -> None:
        if not self.has_header:
            self.has_header = True
            print_styled(self.table.heading, bold=True)
            print_lines([self.table.header])
        print_lines([self.table.row(member)])

    def end(self, done: Sweep) -> None:
        from fewest.commands.sweep.text import conclusion

        print_lines(conclusion(done))
