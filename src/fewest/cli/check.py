"""`fewest check`: every document and every known answer below a path."""

from __future__ import annotations

from concurrent.futures import Executor, ProcessPoolExecutor
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fewest.cli.options import Duration, Size, default_memory, json_option, print_json

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fewest.questions.check import DocumentCheck


@click.command(name="check")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.option("--slow", is_flag=True, help="Also check what is marked slow (minutes, gigabytes).")
@click.option("--time", "seconds", type=Duration(), help="Give up a single question after so long.")
@click.option(
    "--memory", type=Size(), help="Memory for a single question. [default: 4/5 of the machine]"
)
@click.option(
    "--python-states",
    type=int,
    default=5_000,
    show_default=True,
    help="Also ask the pure-Python core up to so many states.",
)
@click.option(
    "--reference-states",
    type=int,
    default=500,
    show_default=True,
    help="Also ask the reference interpreter up to so many states.",
)
@click.option(
    "--jobs",
    "-j",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Documents to check at the same time.",
)
@click.option("--verbose", "-v", is_flag=True, help="A line for every comparison.")
@json_option
def command(
    paths: tuple[Path, ...],
    slow: bool,
    seconds: float | None,
    memory: int | None,
    python_states: int,
    reference_states: int,
    jobs: int,
    verbose: bool,
    as_json: bool,
) -> int:
    """Check every document and every known answer (`expect`) below PATHS.

    Without PATHS: the models and puzzles that come with the package. Exit 1 if an answer differs, 3
    if a document has mistakes, 4 if a limit left an answer open.

    \b
    Examples:
      fewest check puzzles/
      fewest check my-puzzle.yaml --verbose
    """
    from fewest.machine.resources import model_folder, puzzle_folder
    from fewest.questions.check import Effort, check_document, documents

    effort = Effort(
        slow, seconds, memory or default_memory() // jobs, python_states, reference_states
    )
    files = [
        file for path in paths or (model_folder(), puzzle_folder()) for file in documents(path)
    ]
    work = partial(check_document, effort=effort)
    checks: list[DocumentCheck] = []
    executor: Executor | None = ProcessPoolExecutor(jobs) if jobs > 1 else None
    try:
        results: Iterable[DocumentCheck] = (
            executor.map(work, files) if executor else map(work, files)
        )
        for check in results:
            checks.append(check)
            if not as_json:
                _print(check, verbose)
    except KeyboardInterrupt:
        click.echo(f"interrupted after {len(checks)} of {len(files)} documents", err=True)
        if executor is not None:
            executor.shutdown(wait=False, cancel_futures=True)
        return 130
    if executor is not None:
        executor.shutdown()
    verdicts = [check.verdict for check in checks]
    if as_json:
        print_json([_data(check) for check in checks])
    else:
        _summary(checks, verdicts)
    for verdict, code in (("wrong", 1), ("invalid", 3), ("open", 4)):
        if verdict in verdicts:
            return code
    return 0


def _print(check: DocumentCheck, verbose: bool) -> None:
    for warning in check.warnings:
        click.echo(warning, err=True)
    if check.errors is not None:
        click.echo(check.errors, err=True)
        return
    bad = [row for row in check.rows if row.verdict != "ok"]
    if not verbose and not bad:
        answers = dict.fromkeys(f"{row.key} {_text(row.expected)}" for row in check.rows)
        what = "model" if check.is_model else ", ".join(answers) or "nothing to compare"
        click.echo(f"ok     {check.path}: {what}")
        return
    click.secho(f"{check.verdict:<6} {check.path}", fg=None if not bad else "red")
    for row in check.rows if verbose else bad:
        found = "not finished" if row.found is None else _text(row.found)
        colour = {"wrong": "red", "open": "yellow"}.get(row.verdict)
        click.secho(
            f"       {row.verdict:<5} {row.key}: expected {_text(row.expected)}, {row.engine} says "
            f"{found} ({row.seconds:.3f} s)",
            fg=colour,
        )


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return " + ".join(f"{part:,}" for part in value)
    return f"{value:,}" if isinstance(value, int) else str(value)


def _summary(checks: list[DocumentCheck], verdicts: list[str]) -> None:
    rows = [row for check in checks for row in check.rows]
    engines = {row.engine: 0 for row in rows}
    for row in rows:
        engines[row.engine] += row.verdict == "ok"
    agreed = ", ".join(f"{count:,} by {engine}" for engine, count in engines.items())
    num_slow = sum(check.num_slow for check in checks)
    left = f"; {num_slow} slow ones left out (--slow)" if num_slow else ""
    click.echo(
        f"{len(checks)} documents: {verdicts.count('ok')} ok, {verdicts.count('wrong')} wrong, "
        f"{verdicts.count('invalid')} invalid, {verdicts.count('open')} open; "
        f"answers confirmed: {agreed or 'none'}{left}"
    )


def _data(check: DocumentCheck) -> dict[str, Any]:
    return {
        "path": check.path,
        "verdict": check.verdict,
        "errors": check.errors,
        "mistakes": [asdict(mistake) for mistake in check.mistakes],
        "warnings": list(check.warnings),
        "num_slow": check.num_slow,
        "rows": [
            {
                "key": row.key,
                "engine": row.engine,
                "expected": row.expected,
                "found": row.found,
                "verdict": row.verdict,
                "seconds": row.seconds,
            }
            for row in check.rows
        ],
    }
