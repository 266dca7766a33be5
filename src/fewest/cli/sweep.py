"""`fewest sweep`: a family of puzzles, its table of minima, and a formula if one fits."""

from __future__ import annotations

import csv
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fewest.cli.options import (
    Duration,
    EngineName,
    Size,
    Values,
    default_memory,
    json_option,
    metric_option,
    print_json,
    puzzle_argument,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fewest.model.answer import Horizon
    from fewest.questions.sweep import Family, Fit, Member, Sweep
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
    help="Who answers; see `fewest solve`.",
)
@click.option("--time", "seconds", type=Duration(), help="Give up a member after so long.")
@click.option(
    "--memory", type=Size(), help="Memory for a member. [default: 4/5 of the machine, shared]"
)
@click.option(
    "--jobs",
    "-j",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Members to solve at the same time.",
)
@click.option(
    "--resume",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Keep every finished member in FILE, and take what is there already.",
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
    jobs: int,
    resume: Path | None,
    as_csv: bool,
    as_json: bool,
) -> int:
    """Solve every member of a family: PUZZLE with all the VALUES of its parameters.

    Prints the minima as they come, and a polynomial, or a·bⁿ + a polynomial, if one goes exactly
    through all of them with two to spare: a fit, not a proof. Members that are unsolvable, invalid
    or over a limit are shown as such and not fitted; a formula that contradicts a lower bound
    proved for one of them is not proposed.

    FILE has a JSON line for each finished member. Another puzzle, metric, engine or version does not
    use it again, nor does another limit where the limit stopped the engine.

    Exit 3 if no member is valid, 4 if a limit or Ctrl-C left one open.

    \b
    Examples:
      fewest sweep machinarium n=0..10
      fewest sweep hanoi disks=0..8 pegs=3,4 --jobs 2
      fewest sweep my-puzzle.yaml n=0..20..2 --time 10m --resume n.jsonl
    """
    from fewest.errors import UsageError
    from fewest.questions.sweep import family, sweep
    from fewest.questions.sweep.file import SweepFile

    names = [name for name, _ in ranges]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(
                f"`{name}` is given twice", hint=f"put its values together: {name}=1,2,5..9"
            )
    if as_csv and as_json:
        raise UsageError("--csv and --json at the same time", hint="choose one")
    asked = family(
        puzzle,
        dict(ranges),
        metric,
        engine=engine,
        seconds=seconds,
        memory=memory or default_memory() // jobs,
    )
    printer = _Nothing() if as_json else _Csv(asked) if as_csv else _Table(asked)
    lines = _ProgressLines(asked)
    with ExitStack() as stack:
        file = None if resume is None else stack.enter_context(SweepFile(resume))
        stack.callback(lines.close)

        def on_member(member: Member) -> None:
            lines.close()
            printer.row(member)

        done = sweep(asked, jobs=jobs, file=file, on_member=on_member, progress=lines)
    if done.is_interrupted:
        finished = sum(member.is_finished for member in done.members)
        kept = f"; {resume} has them" if resume is not None and finished else ""
        click.echo(
            f"interrupted: {finished} of {len(asked.members)} members finished{kept}", err=True
        )
    if as_json:
        print_json(_data(done))
    else:
        printer.end(done)
    return _exit_code(done)


def _exit_code(done: Sweep) -> int:
    statuses = {member.status for member in done.members}
    if done.is_interrupted:
        return 4 if statuses else 130
    if statuses == {"invalid"}:
        return 3
    return 4 if "limit" in statuses else 0


class _ProgressLines:
    """A progress line for each member that is being solved by an engine that counts states."""

    def __init__(self, family: Family) -> None:
        self.family = family
        self.lines: dict[tuple[int, ...], Any] = {}

    def __call__(self, parameters: Mapping[str, int], found: Progress | Horizon) -> None:
        from fewest.cli.progress import ProgressLine
        from fewest.model.answer import Horizon

        if isinstance(found, Horizon):  # a line each would bury the table
            return
        key = tuple(parameters[name] for name in self.family.names)
        if key not in self.lines:
            where = _where(self.family.names, parameters)
            self.lines[key] = ProgressLine(f"{where}: {self.family.metric}")
        self.lines[key](found)

    def close(self) -> None:
        for line in self.lines.values():
            line.close()


def _where(names: Sequence[str], parameters: Mapping[str, int]) -> str:
    return ", ".join(f"{name}={parameters[name]}" for name in names)


class _Nothing:
    """Prints nothing on the way."""

    def row(self, member: Member) -> None:
        pass

    def end(self, done: Sweep) -> None:
        pass


class _Csv(_Nothing):
    """A header and a line a member; a pair of costs is `8+33`."""

    def __init__(self, family: Family) -> None:
        self.family = family
        self.writer = csv.writer(sys.stdout, lineterminator="\n")
        self.has_header = False

    def row(self, member: Member) -> None:
        if not self.has_header:
            self.has_header = True
            self.writer.writerow(
                [
                    *self.family.names,
                    "status",
                    self.family.metric,
                    "lower_bound",
                    "states",
                    "seconds",
                    "reason",
                ]
            )
        numbers = [member.parameters[name] for name in self.family.names]
        cost, bound = (_plain(found) for found in (member.cost, member.lower_bound))
        self.writer.writerow(
            [
                *numbers,
                member.status,
                cost,
                bound,
                member.states,
                f"{member.seconds:.3f}",
                member.reason,
            ]
        )
        sys.stdout.flush()


def _plain(cost: int | tuple[int, ...] | None) -> str:
    parts = () if cost is None else (cost,) if isinstance(cost, int) else cost
    return "+".join(map(str, parts))


class _Table(_Nothing):
    """Aligned columns, a row as soon as it is known, and the formulas below."""

    def __init__(self, family: Family) -> None:
        self.family = family
        self.has_header = False
        self.widths = [
            max(len(name), *(len(f"{p[name]:,}") for p in family.members)) for name in family.names
        ]
        self.width = max(len(family.metric), 10)

    def row(self, member: Member) -> None:
        if not self.has_header:
            self.has_header = True
            click.secho(f"{self.family.title}: {self.family.metric}", bold=True)
            self._line(self.family.names, self.family.metric, "states", "seconds", "")
        numbers = [f"{member.parameters[name]:,}" for name in self.family.names]
        states = "" if member.states is None else f"{member.states:,}"
        minimum, note = said(member)
        self._line(numbers, minimum, states, f"{member.seconds:.3f}", note)

    def _line(
        self, numbers: Sequence[str], minimum: str, states: str, seconds: str, note: str
    ) -> None:
        first = "  ".join(f"{n:>{w}}" for n, w in zip(numbers, self.widths, strict=True))
        line = f"{first}  {minimum:>{self.width}}  {states:>14}  {seconds:>10}  {note}"
        click.echo(line.rstrip())
        sys.stdout.flush()

    def end(self, done: Sweep) -> None:
        proven = [member for member in done.members if member.status == "optimal"]
        if not proven:
            click.echo("no proven minimum, so no formula")
            return
        if not done.fits:
            why = (
                "too few for a formula"
                if len(proven) < 3
                else "no polynomial, nor a·bⁿ + polynomial, fits them all with two to spare"
            )
            click.echo(f"{len(proven)} proven minima: {why}")
            return
        for fit in done.fits:
            click.echo(_formula(self.family, fit, done.members))
        click.echo("A fit is no proof.")


def said(member: Member) -> tuple[str, str]:
    """What stands in the column of minima, and the note at the end of the row."""
    from fewest.model.answer import format_cost

    if member.status == "invalid":
        return "invalid", f"{member.reason}: {member.error}"
    if member.status == "unsolvable":
        return "unsolvable", ""
    cost = None if member.cost is None else format_cost(member.cost)
    if member.status == "optimal":
        return str(cost), ""
    if member.status == "solved":
        return f"≤ {cost}", "not proven minimal"
    notes = {"time": "time limit", "memory": "memory limit", "killed": "killed by the system"}
    found = "" if cost is None else f", a plan of {cost} found"
    bound = "open" if member.lower_bound is None else f"≥ {format_cost(member.lower_bound)}"
    return bound, notes.get(member.reason or "", member.reason or "") + found


def _formula(family: Family, fit: Fit, members: Sequence[Member]) -> str:
    where = _where(list(fit.fixed), fit.fixed)
    part = "" if fit.part is None else f", part {fit.part + 1}"
    left = (
        sum(
            all(member.parameters[name] == number for name, number in fit.fixed.items())
            for member in members
        )
        - fit.form.num_values
    )
    others = "" if not left else f"; {left} {'member has' if left == 1 else 'members have'} none"
    return (
        f"{family.metric}{part}{' for ' + where if where else ''} = {fit.form.text} "
        f"fits all {fit.form.num_values} proven minima, {fit.form.num_spare} to spare{others}"
    )


def _data(done: Sweep) -> dict[str, Any]:
    family = done.batch
    return {
        "puzzle": family.puzzle,
        "title": family.title,
        "metric": family.metric,
        "engine": family.engine,
        "members": [
            {
                "parameters": member.parameters,
                "status": member.status,
                "cost": member.cost,
                "lower_bound": member.lower_bound,
                "states": member.states,
                "seconds": member.seconds,
                "reason": member.reason,
                "error": member.error,
            }
            for member in done.members
        ],
        "num_members": len(family.members),
        "interrupted": done.is_interrupted,
        "fits": [
            {
                "formula": fit.form.text,
                "expression": fit.form.expression,
                "part": fit.part,
                "fixed": fit.fixed,
                "num_values": fit.form.num_values,
                "num_spare": fit.form.num_spare,
                "proof": False,
            }
            for fit in done.fits
        ],
    }
