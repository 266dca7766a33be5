"""Solves all levels of a collection: `fewest solve levels.xsb`."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fewest.cli.output import print_json, print_lines, print_remark, print_styled

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fewest.commands.sweep import Member
    from fewest.formats.collection import Collection
    from fewest.machine.processes import ParallelMap
    from fewest.model.answer import Horizon
    from fewest.search.interface import Progress


def solve_collection(
    collection: Collection,
    metric: str | None,
    engine: str,
    seconds: float | None,
    memory: int,
    parallel_map: ParallelMap | None,
    resume: Path | None,
    *,
    as_json: bool,
    in_order: bool,
) -> tuple[int, bool]:
    """Solve all levels, except those that the file `resume` already contains, and print one line for each level; unless
    `as_json` is true, also print a title and a summary. Returns the exit code, and whether Ctrl-C ended the command.

    The lines appear in the order in which the levels are finished or, if `in_order` is true, in the order of the
    levels.
    """

    from fewest.cli.progress import ProgressLines
    from fewest.commands.sweep import SweepFile, levels, sweep
    from fewest.commands.sweep.text import LevelLines, interruption, level_summary
    from fewest.model.answer import Horizon

    batch = levels(collection, metric, engine=engine, seconds=seconds, memory=memory)
    text = LevelLines(batch)
    lines = ProgressLines()
    is_terminal = sys.stderr.isatty()

    def on_progress(parameters: Mapping[str, int], progress: Progress | Horizon) -> None:
        if is_terminal and not isinstance(progress, Horizon):
            lines.show(f"{parameters['level']}: {batch.metric}", progress)

    def on_member(member: Member) -> None:
        lines.close()
        if as_json:
            data = batch.to_json(member)
            print_json(data, is_line=True)
        else:
            print_lines([text.row(member)])

    print_remark(collection.remark)
    with ExitStack() as stack:
        file = None if resume is None else stack.enter_context(SweepFile(resume))
        stack.callback(lines.close)
        if not as_json:
            print_styled(f"{batch.title}: {batch.metric}", bold=True)
        done = sweep(
            batch,
            parallel_map=parallel_map,
            file=file,
            on_member=on_member,
            progress=on_progress,
            in_order=in_order,
        )
    if not as_json:
        click.echo(level_summary(done))
    if done.is_interrupted:
        click.echo(interruption(done, "", resume), err=True)
    return done.exit_code, done.stopped == "interrupted"
