"""`fewest check`: checks documents and their known answers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from fewest.cli.cluster import MEMORY_EACH, jobs_option, memory_each, processes_on, tasks_option
from fewest.cli.console import say, warn
from fewest.cli.options import Duration, FileName, Size, audit_option, json_option
from fewest.cli.output import few_warnings, print_json, print_styled

if TYPE_CHECKING:
    from fewest.commands.check import DocumentCheck


@click.command(name="check")
@click.argument("paths", nargs=-1, type=FileName())
@click.option(
    "--slow",
    is_flag=True,
    help="Also check answers that are marked as slow.",
)
@click.option("--time", "seconds", type=Duration(), help="The time limit for each answer.")
@click.option(
    "--memory",
    type=Size(),
    help=f"The limit for each process. [default: {MEMORY_EACH}]",
)
@click.option(
    "--twice",
    is_flag=True,
    help="Also check small puzzles with the Python core and the interpreter.",
)
@click.option(
    "--python-states",
    type=int,
    default=5_000,
    show_default=True,
    metavar="N",
    help="With --twice: use the Python core up to N states.",
)
@click.option(
    "--reference-states",
    type=int,
    default=500,
    show_default=True,
    metavar="N",
    help="With --twice: use the interpreter up to N states.",
)
@click.option(
    "--certificates",
    "certificate_states",
    type=int,
    default=0,
    metavar="N",
    help="Also certify the minima of puzzles with up to N states. [default: 0]",
)
@jobs_option("Check N documents in parallel.")
@tasks_option("Check")
@audit_option
@click.option("--verbose", "-v", is_flag=True, help="Print a line for every comparison.")
@json_option
def command(
    paths: tuple[Path, ...],
    slow: bool,
    seconds: float | None,
    memory: int | None,
    twice: bool,
    python_states: int,
    reference_states: int,
    certificate_states: int,
    jobs: int | None,
    address: str | None,
    verbose: bool,
    as_json: bool,
) -> int:
    """Check documents and their known answers (`expect`).

    PATHS are files, folders, or names of shipped puzzles. Without PATHS, the command checks all shipped models and
    puzzles.

    The exit code is 1 if an answer differs, 3 if a document contains errors, 4 if a limit prevented an answer, and 70
    if the compiler and the rules disagree.

    \b
    Examples:
      fewest check puzzles/
      fewest check my-puzzle.yaml hanoi --verbose
      fewest check puzzles/ --twice
      fewest check my-puzzle.yaml --certificates 100000
    """
    from fewest.commands.check import Effort, check_documents, documents, exit_code, summary
    from fewest.errors import Exit
    from fewest.machine.resources import model_folder, puzzle_folder
    from fewest.model.answer import counted

    limit = memory_each(memory, jobs, address)
    effort = Effort(
        slow, seconds, limit, twice, python_states, reference_states, certificate_states
    )
    files = [
        file for path in paths or (model_folder(), puzzle_folder()) for file in documents(path)
    ]
    checks: list[DocumentCheck] = []
    is_whole = True
    try:
        with processes_on(address, jobs) as parallel_map:
            for check in check_documents(files, effort, parallel_map=parallel_map):
                checks.append(check)
                if not as_json:
                    _print(check, verbose)
    except KeyboardInterrupt:
        click.echo(
            f"interrupted after {len(checks)} of {counted(len(files), 'documents')}", err=True
        )
        if not checks:
            return Exit.INTERRUPTED
        is_whole = False
    if as_json:
        print_json([check.to_json() for check in checks])
    else:
        click.echo(summary(checks))
    code = exit_code(checks)
    return Exit.LIMIT if code == Exit.ANSWERED and not is_whole else code


def _print(check: DocumentCheck, verbose: bool) -> None:
    for text in few_warnings(check.warnings, len(check.warnings)):
        warn(text)
    stopped = check.bug or check.errors
    if stopped is not None:
        say(stopped)
        return
    for verdict, line in check.text(verbose=verbose):
        print_styled(line, colour={"wrong": "red", "open": "yellow"}.get(verdict))
