"""`fewest explore`: the whole state space of a puzzle."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fewest.cli.options import (
    default_memory,
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
    from fewest.model.position import Position
    from fewest.questions.api import CompiledPuzzle
    from fewest.questions.explore import Exploration, Histogram

_ROWS = 24  # of the table, unless every distance is asked for


@click.command(name="explore")
@puzzle_argument
@metric_option
@set_option
@store_option
@click.option("--every", is_flag=True, help="A row of the table for every distance.")
@click.option(
    "--write-hardest",
    "hardest_file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write the hardest start as a puzzle of its own.",
)
@click.option(
    "--plot",
    "plot_file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Plot the histograms to a file .svg or .png.",
)
@time_option
@memory_option
@threads_option
@symmetry_option
@json_option
def command(
    puzzle: str,
    metric: str | None,
    settings: tuple[tuple[str, int], ...],
    store: str | None,
    every: bool,
    hardest_file: Path | None,
    plot_file: Path | None,
    seconds: float | None,
    memory: int | None,
    symmetry: str | None,
    threads: int | None,
    as_json: bool,
) -> int:
    """The whole state space of PUZZLE: what can be reached, what can still be solved, what is hardest.

    Counts the reachable positions by their distance from the start and to the goal, the dead ends, and
    the optimal plans; draws the position that is farthest from the goal.

    \b
    Examples:
      fewest explore heng-dao-li-ma
      fewest explore hardest-6x6 --metric slides --json
      fewest explore heng-dao-li-ma --symmetry on
      fewest explore microban-001 --write-hardest hard.yaml --plot space.svg
      fewest explore tiles-2x5 --store index
    """
    from fewest.cli.progress import ProgressLine
    from fewest.drawing.plot import check_plot, plot_exploration
    from fewest.machine.files import check_place, write_whole
    from fewest.questions.api import load

    for file in (hardest_file, plot_file):
        if file is not None:
            check_place(file)
    if plot_file is not None:
        check_plot(plot_file)
    compiled = load(puzzle, dict(settings))
    for warning in compiled.puzzle.warnings:
        click.echo(warning.format(), err=True)
    with ProgressLine(metric or compiled.puzzle.default_metric) as progress:
        found = compiled.explore(
            metric,
            seconds=seconds,
            memory=memory or default_memory(),
            threads=threads,
            progress=progress,
            symmetry=symmetry or "auto",
            store=store or "hash",
        )
    hardest = compiled.hardest(found)
    if as_json:
        print_json(_data(compiled, found, hardest))
    else:
        _print(compiled, found, hardest, every)
    if hardest_file is not None:
        if hardest is None:
            click.echo(f"{hardest_file} was not written: no hardest start is known", err=True)
        else:
            write_whole(hardest_file, [compiled.hardest_document(found).encode()])
            click.echo(f"the hardest start is in {hardest_file}", err=True)
    if plot_file is not None:
        write_whole(plot_file, [plot_exploration(found, compiled.puzzle.title, plot_file)])
        click.echo(f"the histograms are in {plot_file}", err=True)
    return 0 if found.reason is None else 4


def _data(
    compiled: CompiledPuzzle, found: Exploration, hardest: CompiledPuzzle | None
) -> dict[str, Any]:
    from fewest.drawing.text import draw

    drawing = None if hardest is None else draw(hardest.start, _labels(hardest.start))
    return {
        "puzzle": compiled.puzzle.name,
        "title": compiled.puzzle.title,
        **found.to_json(),
        "hardest": drawing,
    }


def _labels(position: Position) -> dict[tuple[int, int], str]:
    return {(p.class_id, p.anchor): p.label for p in position.puzzle.pieces}


def _print(
    compiled: CompiledPuzzle, found: Exploration, hardest: CompiledPuzzle | None, every: bool
) -> None:
    from fewest.cli.drawing import coloured
    from fewest.model.answer import format_cost

    known, metric = found.to_goal, found.metric
    at_least = "" if found.is_exhausted else "at least "
    click.secho(
        f"{compiled.puzzle.title}: {at_least}{found.num_states:,} reachable positions", bold=True
    )
    if found.reason is not None:
        why = {"time": "time limit", "memory": "memory limit"}.get(found.reason, found.reason)
        what = "not everything was seen" if not found.is_exhausted else "some was not computed"
        click.echo(f"stopped ({why}): {what}; every number below is right for what was seen")
    rows = [("goal positions", f"{found.num_goal_states:,}")]
    if found.canonical_states is not None:
        text = f"{found.canonical_states:,} positions searched, the others are their images"
        rows.append(("symmetry", text))
    if found.num_consistent is not None:
        rows.insert(0, ("consistent", f"{found.num_consistent:,} positions, reachable or not"))
    if found.minimum is not None:
        rows.append(("fewest", f"{format_cost(found.minimum)} {metric}"))
    elif found.is_exhausted and compiled.task.has_goal:
        rows.append(("fewest", "unsolvable (proven)"))
    if found.num_plans is not None and found.minimum is not None:
        rows.append(("optimal plans", _plans(found.num_plans)))
    if found.is_exhausted:
        count = f"{found.layers[-1][1]:,} positions"
        rows.append(
            ("farthest", f"{format_cost(found.eccentricity)} {metric} from the start: {count}")
        )
    if known is not None:
        share = 100 * known.num_solvable / found.num_states
        rows.append(("solvable", f"{known.num_solvable:,} positions ({share:.1f} %)"))
        rows.append(("dead ends", f"{known.num_dead:,}"))
        if known.eccentricity is not None:
            rows.append(
                (
                    "hardest start",
                    f"{format_cost(known.eccentricity)} {metric} to the goal: "
                    f"{known.num_hardest:,} positions",
                )
            )
    for key, text in rows:
        click.echo(f"  {key:<14} {text.replace(' 1 positions', ' 1 position')}")
    click.echo()
    first = compiled.task.metrics[metric].parts[0].name
    _table(found.layers, () if known is None else known.histogram, first, every)
    if hardest is not None:
        click.echo("\nhardest start:\n")
        click.echo(coloured(hardest.start, _labels(hardest.start)))


def _plans(number: int) -> str:
    if number == 1:
        return "1: the plan is unique"
    return f"{number:,}" if number < 10**15 else f"{number:.3e} (--json has all digits)"


def _table(layers: Histogram, to_goal: Histogram, metric: str, every: bool) -> None:
    """Both histograms side by side, with bars; neighbouring distances together where there are many."""
    from fewest.drawing.plot import by_first_part

    start, goal = by_first_part(layers), by_first_part(to_goal)
    last = max([*start, *goal])
    width = 1 if every else -(-(last + 1) // _ROWS)
    bins = sorted({cost // width for cost in [*start, *goal]})
    sums = [[_between(found, b * width, width) for b in bins] for found in (start, goal)]
    names = [
        f"{b * width:,}" if width == 1 else f"{b * width:,}-{(b + 1) * width - 1:,}" for b in bins
    ]
    head = metric[:15]
    column = max(len(head), *map(len, names))
    number = max(8, *(len(f"{count:,}") for found in sums for count in found))
    bar = max(4, (78 - column - 2 * (number + 4)) // 2)
    title = f"{head:>{column}}  {'from the start':<{number + 1 + bar}}"
    click.echo((title + ("   to the goal" if goal else "")).rstrip())
    tops = [max(found, default=0) or 1 for found in sums]
    for row, name in enumerate(names):
        line = f"{name:>{column}}"
        for found, top in list(zip(sums, tops, strict=True))[: 2 if goal else 1]:
            count = found[row]
            drawn = "▇" * max(1, round(count / top * bar)) if count else ""
            line += (
                f"  {count or '':>{number},} {drawn:<{bar}}" if count else " " * (number + bar + 3)
            )
        click.echo(line.rstrip())


def _between(found: dict[int, int], low: int, width: int) -> int:
    return sum(found.get(cost, 0) for cost in range(low, low + width))
