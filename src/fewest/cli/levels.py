"""A whole collection of levels, solved one by one: `fewest solve levels.xsb`."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fewest.formats.sokoban.levels import Collection
    from fewest.model.answer import Horizon
    from fewest.questions.sweep import Levels, Member, Sweep
    from fewest.search.interface import Progress


def solve_collection(
    collection: Collection,
    metric: str | None,
    engine: str,
    seconds: float | None,
    memory: int,
    jobs: int,
    resume: Path | None,
    *,
    as_json: bool,
) -> int:
    """Solve all levels, a line each as it is finished, and a summary. Returns the exit code."""
    from fewest.questions.sweep import SweepFile, levels, sweep

    asked = levels(collection, metric, engine=engine, seconds=seconds, memory=memory)
    lines = _ProgressLines(asked)
    width = max(len(_title(asked, member)) for member in asked.members)
    with ExitStack() as stack:
        file = None if resume is None else stack.enter_context(SweepFile(resume))
        stack.callback(lines.close)
        if not as_json:
            click.secho(f"{asked.title}: {asked.metric}", bold=True)

        def on_member(member: Member) -> None:
            lines.close()
            click.echo(_json(asked, member) if as_json else _line(asked, member, width))
            sys.stdout.flush()

        done = sweep(
            asked, jobs=jobs, file=file, on_member=on_member, progress=lines, in_order=False
        )
    if not as_json:
        click.echo(_summary(done))
    if done.is_interrupted:
        finished = sum(member.is_finished for member in done.members)
        kept = f"; {resume} has them" if resume is not None and finished else ""
        click.echo(f"interrupted: {finished} of {len(asked.members)} finished{kept}", err=True)
    return 4 if done.is_interrupted or any(m.status == "limit" for m in done.members) else 0


class _ProgressLines:
    """A progress line for each level that takes long."""

    def __init__(self, asked: Levels) -> None:
        self.asked = asked
        self.lines: dict[int, object] = {}

    def __call__(self, parameters: Mapping[str, int], found: Progress | Horizon) -> None:
        from fewest.cli.progress import ProgressLine
        from fewest.model.answer import Horizon

        number = parameters["level"]
        if not isinstance(found, Horizon) and sys.stderr.isatty():
            line = self.lines.setdefault(number, ProgressLine(f"{number}: {self.asked.metric}"))
            assert isinstance(line, ProgressLine)
            line(found)

    def close(self) -> None:
        from fewest.cli.progress import ProgressLine

        for line in self.lines.values():
            assert isinstance(line, ProgressLine)
            line.close()


def _title(asked: Levels, parameters: Mapping[str, int]) -> str:
    return asked.collection.levels[parameters["level"] - 1].title[:30]


def _line(asked: Levels, member: Member, width: int) -> str:
    from fewest.cli.sweep import said

    answer, note = said(member)
    states = "" if member.states is None else f"{member.states:,} states"
    number = f"{member.parameters['level']:>{len(str(len(asked.members)))}}"
    title = f"{_title(asked, member.parameters):<{width}}"
    return (
        f"{number}  {title}  {answer:>10}  {states:>20}  {member.seconds:>9.3f} s  {note}".rstrip()
    )


def _json(asked: Levels, member: Member) -> str:
    import msgspec

    data = msgspec.to_builtins(asked.record(member))
    level = asked.collection.levels[member.parameters["level"] - 1]
    return msgspec.json.encode({**data, "level": level.number, "title": level.title}).decode()


def _summary(done: Sweep) -> str:
    statuses = [member.status for member in done.members]
    words = {
        "optimal": "proven minimal",
        "solved": "with a plan",
        "unsolvable": "unsolvable",
        "limit": "open",
        "invalid": "invalid",
    }
    parts = [f"{statuses.count(s)} {word}" for s, word in words.items() if s in statuses]
    seconds = sum(member.seconds for member in done.members)
    return f"{len(statuses)} levels: {', '.join(parts) or 'none solved'}; {seconds:,.1f} s in all"
