"""`fewest verify`: checks a certificate, or replays a given plan by the rules."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from fewest.cli.options import (
    PuzzleName,
    json_option,
    memory_limit,
    memory_option,
    puzzle_argument,
    set_option,
    time_option,
)
from fewest.cli.output import coloured, print_json, print_lines, print_styled
from fewest.errors import UsageError, conflict

if TYPE_CHECKING:
    from fewest.commands.verify import CheckOptions
    from fewest.playing.replay_result import ReplayResult


@click.command(name="verify")
@puzzle_argument
@click.option(
    "--lurd",
    "letters",
    metavar="LETTERS",
    help="Replay these moves: l u r d to walk, L U R D to push; - means stdin.",
)
@click.option(
    "--plan",
    "plan_file",
    metavar="FILE",
    help="Replay a plan that `fewest solve` has printed; - means stdin.",
)
@click.option(
    "--level", metavar="LEVEL", help="The number or the title of a level in a collection."
)
@set_option
@click.option(
    "--of",
    "expected",
    type=PuzzleName(),
    metavar="PUZZLE",
    help="The expected puzzle of the certificate; --set sets its parameters.",
)
@click.option(
    "--by",
    type=click.Choice(["auto", "rules", "task"]),
    default="auto",
    show_default=True,
    help="Check layers by the rules or by the task.",
)
@click.option(
    "--audit",
    metavar="all|N|off",
    help="Compare the grounder with the rules at all, N or no positions.",
)
@click.option("--show", is_flag=True, help="Draw the puzzle of the certificate.")
@click.option(
    "--share",
    type=click.FloatRange(0, 100),
    metavar="PERCENT",
    help="With --by task: also check this share by the rules.",
)
@click.option(
    "--seed", type=int, metavar="N", help="The random seed for --share. [default: a new seed]"
)
@click.option(
    "--export",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Write formula.cnf and proof.lrat to FOLDER, for other checkers.",
)
@click.option(
    "--second-opinion",
    is_flag=True,
    help="Also check the proof with cake_lpr and lrat-check from the PATH.",
)
@time_option
@memory_option
@json_option
def command(
    puzzle: str,
    letters: str | None,
    plan_file: str | None,
    level: str | None,
    settings: tuple[tuple[str, int], ...],
    expected: str | None,
    by: str,
    share: float | None,
    seed: int | None,
    audit: str | None,
    show: bool,
    export: Path | None,
    second_opinion: bool,
    seconds: float | None,
    memory: int | None,
    as_json: bool,
) -> int:
    """Check a certificate (then PUZZLE is its file, or - for stdin), or replay a given plan of PUZZLE.

    `fewest prove` writes certificates. The check does not use the search that found the answer. The first line of the
    output names the puzzle of the certificate. By default, this puzzle must be the shipped puzzle of the same name, if
    there is one; --of names another puzzle.

    --by selects how to check the layers. `rules` applies the rules themselves. `task` uses the compiled task: this
    check is about a hundred times as fast, but relies on the grounder. `auto` applies the rules for up to 50,000
    positions; for more positions, it uses the task, and compares it with the rules at about 10,000 positions. With
    `rules`, a certificate that needs the task is accepted only if the audit covered all positions. By default, --audit
    compares all of up to a million positions, or as many as possible in 5 seconds.

    --lurd replays letters for a Sokoban level, or for any puzzle in which every rule moves the same piece by one cell,
    and counts moves and pushes. --plan replays a plan of any puzzle.

    The exit code is 1 if a certificate proves nothing, or if a plan cannot be replayed or does not reach the goal. It
    is 3 if a certificate is damaged, and 4 if a limit stopped the check or `--by rules` requires more positions to be
    played.

    \b
    Examples:
      fewest verify hardest.proof
      fewest verify hardest.proof --of hardest-6x6 --json
      fewest verify hanoi.proof --of hanoi --set disks=3 --show
      fewest verify hardest.proof --by task --share 5
      fewest verify - < hardest.proof
      fewest verify microban-001 --lurd dlUrrrdLullddrUluRuulDrddrruLdlUU
      fewest verify microban.xsb --level 44 --lurd R
      fewest verify mine.xsb:3 --lurd - < solution.txt
      fewest verify bird --plan plan.txt
    """
    if letters is None and plan_file is None:
        if level is not None or (settings and expected is None):
            raise UsageError(
                "--level needs --lurd or --plan, and --set needs --lurd, --plan or --of",
                hint="a certificate already contains the puzzle",
            )
        manner = _manner(by, share, seed, audit, export, second_opinion)
        return _verify_certificate(
            Path(puzzle),
            expected,
            dict(settings),
            manner,
            seconds,
            memory,
            show=show,
            as_json=as_json,
        )
    given = (expected, share, audit, export, seconds, memory)
    if given != (None,) * len(given) or by != "auto" or second_opinion or show:
        raise click.UsageError(
            "--of, --by, --share, --audit, --show, --export, --second-opinion, --time and --memory "
            "can be used only with a certificate"
        )
    if "-" in (letters, plan_file) and puzzle in ("-", "/dev/stdin"):
        raise click.UsageError("the puzzle and its plan cannot both come from stdin")
    ref = puzzle if level is None else f"{puzzle}:{level}"
    played = _played(ref, dict(settings), letters, plan_file)
    _print_played(played, as_json=as_json)
    return played.exit_code


def _manner(
    by: str,
    share: float | None,
    seed: int | None,
    audit: str | None,
    export: Path | None,
    second_opinion: bool,
) -> CheckOptions:
    """The options of the check as the command line sets them; the default seed is random.

    Raises UsageError if `--share` is given with `--by rules`, or if the value of `--audit` is invalid.
    """
    from random import randrange

    from fewest.commands.audit import audit_option
    from fewest.commands.verify import CheckOptions

    if share is not None and by == "rules":
        raise conflict(
            "--share", "--by rules", hint="--by rules uses no grounder that --share could check"
        )
    chosen = randrange(1 << 32) if seed is None else seed
    wanted = audit_option(audit)
    return CheckOptions(by, (share or 0.0) / 100, chosen, export, second_opinion, wanted)


def _print_played(played: ReplayResult, *, as_json: bool) -> None:
    if as_json:
        print_json(played.to_json())
        return
    first, *lines = played.text()
    if played.is_solution:
        print_styled(first, bold=True)
    else:
        print_styled(first, colour="red")
        lines = [coloured(played.position, {})]
    print_lines(lines)


def _played(
    ref: str, settings: dict[str, int], letters: str | None, plan_file: str | None
) -> ReplayResult:
    from fewest.commands.load import load_puzzle
    from fewest.reading.text import read_text

    if letters is not None and plan_file is not None:
        raise conflict("--lurd", "--plan")
    if letters is not None:
        from fewest.formats.sokoban.lurd import verify

        puzzle = load_puzzle(ref, settings)
        return verify(puzzle, read_text(letters) if letters == "-" else letters)
    from fewest.commands.replay import replay_plan

    assert plan_file is not None
    text = read_text(plan_file)
    return replay_plan(load_puzzle(ref, settings), text)


def _verify_certificate(
    path: Path,
    expected: str | None,
    settings: dict[str, int],
    manner: CheckOptions,
    seconds: float | None,
    memory: int | None,
    *,
    show: bool,
    as_json: bool,
) -> int:
    import time

    from fewest.certificates.container import Budget
    from fewest.commands.verify import Expected, verify_file
    from fewest.machine.memory import left_of

    deadline = float("inf") if seconds is None else time.perf_counter() + seconds
    budget = Budget(deadline, left_of(memory_limit(memory)) or 0)
    report = verify_file(path, expected=Expected(expected, settings), budget=budget, manner=manner)
    if as_json:
        print_json(report.to_json())
        return report.exit_code
    first, *lines = report.text()
    print_styled(first, bold=True, colour="red" if report.rejected is not None else None)
    print_lines(lines)
    if show:
        print_lines(report.drawing())
    return report.exit_code
