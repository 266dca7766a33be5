"""`fewest explore`: explores the whole state space of a puzzle."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click
from msgspec import Struct

from fewest.cli.cluster import ClusterOptions, actors_options, memory_of, store_on
from fewest.cli.console import warn
from fewest.cli.options import (
    FileName,
    audit_option,
    checkpoint_in,
    checkpoint_option,
    depth_option,
    json_option,
    memory_limit,
    memory_option,
    metric_option,
    puzzle_argument,
    set_option,
    store_option,
    symmetry_option,
    threads_option,
    time_option,
)
from fewest.cli.output import (
    beside,
    coloured,
    print_json,
    print_lines,
    print_memory_allowed,
    print_store,
    print_styled,
    print_warnings,
)
from fewest.errors import Exit

if TYPE_CHECKING:
    from fewest.commands.api import CompiledPuzzle
    from fewest.commands.explore import Exploration


class _Files(Struct, frozen=True):
    """The files that the command writes in addition to the answer."""

    hardest: Path | None
    plot: Path | None
    picture: Path | None
    space: Path | None


@click.command(name="explore")
@puzzle_argument
@metric_option
@set_option
@store_option
@checkpoint_option
@depth_option
@actors_options
@click.option("--every", is_flag=True, help="Print a row of the table for each distance.")
@click.option("--no-plans", is_flag=True, help="Do not count the optimal plans.")
@click.option(
    "--consistent/--no-consistent",
    default=None,
    help="Count the positions that satisfy the invariants. [default: if fast]",
)
@click.option(
    "--write-hardest",
    "hardest",
    type=FileName(),
    metavar="FILE",
    help="Write the hardest start to FILE, as a puzzle document.",
)
@click.option(
    "--plot",
    "plot",
    type=FileName(),
    metavar="FILE",
    help="Plot the histograms in a .svg or .png file.",
)
@click.option(
    "--picture",
    "picture",
    type=FileName(),
    metavar="FILE",
    help="Draw the layers and the graph of the positions (.svg or .png).",
)
@click.option(
    "--write",
    "space",
    type=FileName(),
    metavar="FILE",
    help="Write all positions, distances and moves (.npz, .parquet, .graphml).",
)
@time_option
@memory_option
@threads_option("Use at most N threads.")
@symmetry_option("Use symmetry: auto, on or off. [default: auto]")
@audit_option
@json_option
def command(
    puzzle: str,
    metric: str | None,
    settings: tuple[tuple[str, int], ...],
    store: str | None,
    checkpoint: Path | str | None,
    depth: int | None,
    cluster: ClusterOptions,
    every: bool,
    no_plans: bool,
    consistent: bool | None,
    seconds: float | None,
    memory: int | None,
    symmetry: str | None,
    threads: int | None,
    as_json: bool,
    **files: Path | None,
) -> int:
    """Explore the whole state space of PUZZLE.

    The command counts the reachable positions by their distance from the start and by their distance to the goal. It
    also counts the dead positions and the optimal plans, and draws the hardest start: the position that is farthest
    from the goal.

    \b
    Examples:
      fewest explore heng-dao-li-ma
      fewest explore hardest-6x6 --metric slides --json
      fewest explore heng-dao-li-ma --symmetry on
      fewest explore microban-001 --write-hardest hard.yaml --plot space.svg
      fewest explore hardest-6x6 --picture space.svg
      fewest explore hardest-6x6 --metric slides --write space.npz
      fewest explore tiles-2x5 --store index
      fewest explore fifteen-30 --store disk --depth 12
    """
    from fewest.cli.progress import ProgressLine
    from fewest.commands.api import load
    from fewest.reading.clock import reading_within

    wanted = _Files(**files)
    redirected = beside(wanted.hardest, wanted.plot, wanted.picture, as_json=as_json)
    _check(wanted)
    with reading_within(seconds) as left:
        compiled = load(puzzle, dict(settings))
        print_warnings(compiled.warnings)
    seconds = left()
    shown = ProgressLine(metric or compiled.puzzle.default_metric)
    store, folder = checkpoint_in(store, checkpoint, is_stored=cluster.address is not None)
    with store_on(cluster, store) as place, shown as progress:
        exploration = compiled.explore(
            metric,
            seconds=seconds,
            memory=memory_of(place, memory),
            threads=threads,
            progress=progress,
            symmetry=symmetry or "auto",
            store=place or "auto",
            plans=not no_plans,
            consistent=consistent,
            depth=depth,
            checkpoint=folder,
        )
    with redirected:
        _say(compiled, exploration, every=every, as_json=as_json)
        if exploration.is_exhausted:
            print_warnings(compiled.unused_rules())
        print_store(exploration.reason, exploration.store or folder)
    _write(compiled, exploration, wanted, seconds)
    if wanted.space and not _write_space(compiled, exploration, wanted.space, seconds, memory):
        return Exit.LIMIT
    return exploration.exit_code


def _say(compiled: CompiledPuzzle, exploration: Exploration, *, every: bool, as_json: bool) -> None:
    from fewest.commands.explore.hardest import to_json

    if as_json:
        print_json(to_json(compiled.puzzle, compiled.grounded, exploration))
    else:
        print_exploration(compiled, exploration, every=every)
    print_memory_allowed(exploration.reason)


def _write(
    compiled: CompiledPuzzle, exploration: Exploration, files: _Files, seconds: float | None
) -> None:
    """Write the hardest start, the plot and the picture, if they are requested. (`_write_space` writes the space.)"""
    if files.hardest is not None:
        _write_hardest(compiled, exploration, files.hardest)
    if files.plot is not None:
        _plot(compiled, exploration, files.plot)
    if files.picture is not None:
        _draw(compiled, exploration, files.picture, seconds)


def _check(files: _Files) -> None:
    """Check, before the search begins, that all files can be written."""
    from fewest.commands.draw import suffix_of
    from fewest.drawing.plot import check_plot
    from fewest.machine.files import check_writable

    for file in (files.hardest, files.plot, files.picture):
        if file is not None:
            check_writable(file)
    if files.plot is not None:
        check_plot(files.plot)
    if files.picture is not None:
        suffix_of(files.picture, (".svg", ".png"))
    if files.space is not None:
        from fewest.commands.explore.export import check_space_file

        check_space_file(files.space)


def _draw(
    compiled: CompiledPuzzle, exploration: Exploration, file: Path, seconds: float | None
) -> None:
    from fewest.commands.draw import suffix_of
    from fewest.machine.files import write_whole

    picture = compiled.picture_of(exploration, seconds=seconds)
    if suffix_of(file, (".svg", ".png")) == ".svg":
        write_whole(file, [picture.encode()])
        return
    from fewest.drawing.pictures.raster import png

    write_whole(file, [png(picture)])


def print_exploration(compiled: CompiledPuzzle, exploration: Exploration, *, every: bool) -> None:
    """Print the exploration as text."""
    from fewest.commands.explore.hardest import hardest_start
    from fewest.commands.explore.text import figures, heading, table

    task = compiled.grounded
    print_styled(heading(exploration, compiled.puzzle.title), bold=True)
    print_lines(figures(exploration, has_goal=task.has_goal))
    print_lines(["", *table(exploration, task.metrics[exploration.metric], every=every)])
    hardest = hardest_start(compiled.puzzle, task, exploration)
    if hardest is not None:
        print_lines(["", "hardest start:", "", coloured(hardest)])


def _write_hardest(compiled: CompiledPuzzle, exploration: Exploration, file: Path) -> None:
    from fewest.machine.files import write_whole

    if compiled.hardest(exploration) is None:
        click.echo(f"{file} was not written: no hardest start is known", err=True)
        return
    write_whole(file, [compiled.hardest_document(exploration).encode()])
    warn(f"the hardest start is in {file}")


def _write_space(
    compiled: CompiledPuzzle,
    exploration: Exploration,
    file: Path,
    seconds: float | None,
    memory: int | None,
) -> bool:
    """Write all positions, distances and moves to a file. Returns false if a limit or Ctrl-C stopped this."""
    from fewest.cli.progress import ProgressLine
    from fewest.model.answer import LIMIT_WORDS, LimitReached

    left = None if seconds is None else max(0.0, seconds - exploration.seconds)
    try:
        with ProgressLine(exploration.metric) as progress:
            compiled.write_space(
                file,
                exploration.metric,
                seconds=left,
                memory=memory_limit(memory),
                progress=progress,
            )
    except LimitReached as error:
        click.echo(f"{file} was not written: {LIMIT_WORDS[error.reason]}", err=True)
        return False
    except KeyboardInterrupt:
        click.echo(f"{file} was not written: {LIMIT_WORDS['interrupted']}", err=True)
        return False
    warn(f"all positions are in {file}")
    return True


def _plot(compiled: CompiledPuzzle, exploration: Exploration, file: Path) -> None:
    from fewest.commands.explore.text import plot
    from fewest.machine.files import write_whole

    write_whole(file, [plot(exploration, compiled.puzzle.title, file)])
    warn(f"the histograms are in {file}")
