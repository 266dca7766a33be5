"""`fewest solve`: the fewest moves of a puzzle."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fewest.cli.options import (
    EngineName,
    default_memory,
    engine_options,
    horizon_options,
    json_option,
    memory_option,
    metric_option,
    print_json,
    puzzle_argument,
    set_option,
    store_option,
    symmetry_option,
    threads_option,
    time_option,
)

if TYPE_CHECKING:
    from fewest.model.answer import Result


@click.command(name="solve")
@puzzle_argument
@metric_option
@click.option(
    "--engine",
    "-e",
    type=EngineName(),
    default="auto",
    show_default=True,
    help="Who answers: bfs, astar, sat, asp and others (see the README); auto: astar where "
    "its bounds pay, else bfs.",
)
@set_option
@time_option
@memory_option
@store_option
@threads_option
@horizon_options
@symmetry_option
@click.option("--level", metavar="LEVEL", help="A level of a collection, by number or title.")
@click.option(
    "--jobs",
    "-j",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Levels of a collection to solve at the same time.",
)
@click.option(
    "--resume",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Keep every finished level in FILE, and take what is there already.",
)
@click.option("--lurd", "as_lurd", is_flag=True, help="Print the plan as letters (Sokoban).")
@click.option("--show", is_flag=True, help="Draw the position after every move.")
@json_option
def command(
    puzzle: str,
    metric: str | None,
    engine: str,
    settings: tuple[tuple[str, int], ...],
    seconds: float | None,
    memory: int | None,
    level: str | None,
    jobs: int,
    resume: Path | None,
    as_lurd: bool,
    show: bool,
    as_json: bool,
    **options: Any,
) -> int:
    """The fewest moves of PUZZLE, with a plan and the proof.

    PUZZLE is a file, or the name of a puzzle that comes with the package (`fewest list`). Of a
    Sokoban collection (.xsb, .sok, .slc, .txt) all levels are solved, limits for each, unless
    --level chooses one; with --json a line each.

    \b
    Examples:
      fewest solve heng-dao-li-ma
      fewest solve machinarium-arrows --set n=5 --show
      fewest solve hardest-6x6 --metric slides --json
      fewest solve hardest-6x6 -m slides --engine sat --solver glucose42
      fewest solve heng-dao-li-ma --engine sat --at-most 80
      fewest solve bird --engine goal-directed
      fewest solve microban.xsb --level 7 --lurd
      fewest solve microban.xsb --jobs 2 --time 60 --resume results.jsonl
      fewest solve english --metric jumps --symmetry on
      fewest solve tiles-2x5 --store index
    """
    from fewest.cli.progress import ProgressLine
    from fewest.errors import UsageError
    from fewest.formats.sokoban.levels import is_collection, read_collection, split_reference
    from fewest.formats.sokoban.lurd import agent, lurd
    from fewest.model.answer import EXIT_OF_STATUS
    from fewest.questions.api import load

    file, which = split_reference(puzzle)
    if level is not None:
        if not is_collection(file) or which is not None:
            raise UsageError(f"`{puzzle}` has no levels", hint="leave out --level")
        puzzle = f"{puzzle}:{level}"
    elif which is None and is_collection(file):
        collection = read_collection(file)
        if len(collection.levels) > 1:
            if settings or show or as_lurd or engine_options(engine, options):
                raise UsageError(
                    f"{file} has {len(collection.levels):,} levels",
                    hint="--set, --show, --lurd and horizons are for one: --level 1",
                )
            from fewest.cli.levels import solve_collection

            return solve_collection(
                collection,
                metric,
                engine,
                seconds,
                memory or default_memory() // jobs,
                jobs,
                resume,
                as_json=as_json,
            )
    if resume is not None or jobs > 1:
        raise UsageError("--jobs and --resume are for collections", hint="leave them out")
    compiled = load(puzzle, dict(settings))
    if as_lurd and agent(compiled.puzzle) is None:
        raise UsageError(
            f"{compiled.puzzle.name} has no agent whose steps letters could say",
            hint="leave out --lurd",
        )
    for warning in compiled.puzzle.warnings:
        click.echo(warning.format(), err=True)
    with ProgressLine(metric or compiled.puzzle.default_metric) as progress:
        result = compiled.solve(
            metric,
            engine=engine,
            seconds=seconds,
            memory=memory or default_memory(),
            progress=progress,
            **engine_options(engine, options),
        )
    if as_json:
        letters = None if result.plan is None else lurd(result.plan)
        print_json(result.to_json() | ({} if letters is None else {"lurd": letters}))
    else:
        _print(result, show=show, as_lurd=as_lurd)
    return EXIT_OF_STATUS[result.status]


def _print(result: Result, *, show: bool, as_lurd: bool) -> None:
    click.secho(result.summary(), bold=True)
    if result.plan is None:
        return
    if as_lurd:
        from fewest.formats.sokoban.lurd import lurd

        click.echo(lurd(result.plan))
        return
    if not show:
        if result.plan.moves:
            click.echo(result.plan.text())
        return
    from fewest.cli.drawing import coloured

    plan = result.plan
    click.echo(coloured(plan.start, plan.labels))
    for number, move in enumerate(plan.moves, 1):
        click.echo(f"\n{number}. {move.text}")
        click.echo(coloured(move.position, move.steps[-1].labels))
