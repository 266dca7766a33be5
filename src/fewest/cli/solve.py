"""`fewest solve`: finds a shortest plan for a puzzle."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click
from msgspec import Struct

from fewest.cli.cluster import (
    ClusterOptions,
    actors_options,
    check_cluster,
    jobs_option,
    memory_each,
    memory_of,
    processes_on,
    store_on,
)
from fewest.cli.console import MANNER
from fewest.cli.grouping import GroupedCommand
from fewest.cli.options import (
    EngineName,
    FileName,
    PuzzleName,
    astar_options,
    audit_option,
    checkpoint_in,
    checkpoint_option,
    horizon_options,
    json_option,
    memory_option,
    metric_option,
    set_option,
    store_option,
    symmetry_option,
    threads_option,
    time_option,
)
from fewest.cli.output import (
    coloured,
    print_json,
    print_memory_allowed,
    print_remark,
    print_store,
    print_styled,
    print_warnings,
)
from fewest.sanitize import shown

if TYPE_CHECKING:
    from pathlib import Path

    from fewest.commands.api import CompiledPuzzle
    from fewest.commands.prove import Proof
    from fewest.commands.result import Result
    from fewest.formats.collection import Collection
    from fewest.store.location import IndexLocation, StoreLocation


class _SolveCommand(Struct, frozen=True, kw_only=True):
    """The options of a call, which apply to every puzzle on the command line."""

    metric: str | None
    engine: str
    settings: tuple[tuple[str, int], ...]
    seconds: float | None
    memory: int | None
    level: str | None
    jobs: int | None
    cluster: ClusterOptions
    resume: Path | None
    as_lurd: bool
    proof_file: Path | None
    show: bool
    as_json: bool
    threads: int | None
    chosen: dict[str, Any]
    """the other options, which are passed to the engine"""

    def options(self) -> dict[str, Any]:
        """The engine's options for one puzzle. Raises UsageError if the engine does not support threads."""
        from fewest.commands.available import engine_options

        return {**self.chosen, **engine_options(self.engine, {"threads": self.threads})}


_GROUPS = {
    "Most used": ("--metric", "--engine", "--time", "--show", "--json"),
    "What to solve": ("--set", "--level"),
    "How to solve": ("--store", "--threads", "--symmetry"),
    "Engine astar": ("--algorithm", "--ends", "--heuristic", "--weight"),
    "Engines sat and asp": (
        "--from",
        "--to",
        "--stride",
        "--at-most",
        "--encoding",
        "--solver",
        "--configuration",
        "--seed",
    ),
    "Limits": ("--memory", "--audit"),
    "Output": ("--lurd", "--color", "--quiet", "--help"),
    "Saving": ("--prove", "--checkpoint", "--resume"),
    "Several processes": ("--jobs", "--cluster", "--actors", "--replacements", "--node-wait"),
}


@click.command(name="solve", cls=GroupedCommand, groups=_GROUPS)
@click.argument("puzzles", nargs=-1, required=True, type=PuzzleName(), metavar="PUZZLE...")
@metric_option
@click.option(
    "--engine",
    "-e",
    type=EngineName(),
    default="auto",
    show_default=True,
    help="The engine, such as bfs, astar or sat; auto tries several.",
)
@set_option
@time_option
@memory_option
@store_option
@checkpoint_option
@actors_options
@threads_option("bfs, astar: use at most N threads.")
@horizon_options
@astar_options
@symmetry_option("Search by symmetry: auto, on or off. [default: auto]")
@click.option(
    "--level", metavar="LEVEL", help="The number or the title of a level in a collection."
)
@jobs_option("Solve N levels in parallel.")
@click.option(
    "--resume",
    type=FileName(),
    metavar="FILE",
    help="Record finished levels in FILE; skip levels that FILE already contains.",
)
@click.option("--lurd", "as_lurd", is_flag=True, help="Print the plan as letters (Sokoban).")
@click.option(
    "--prove",
    "proof_file",
    type=FileName(),
    metavar="FILE",
    help="Also write a certificate to FILE, for `fewest verify`.",
)
@click.option("--show", is_flag=True, help="Draw the position after every move.")
@audit_option
@json_option
def command(puzzles: tuple[str, ...], **given: Any) -> int:
    """Find a shortest plan for each PUZZLE, and prove that no shorter plan exists.

    PUZZLE is a file, or the name of a shipped puzzle (`fewest list`). In a collection (.xsb, .sok, .slc, .hsb,
    .rush, .droids, .klotski, .tiles, .txt), each level is a separate puzzle; --level selects one level. Limits apply
    to each level separately.

    If you give several puzzles, an error in one of them does not stop the rest. The exit code is 2 or 3 after such an
    error, 4 if a limit or Ctrl-C left a puzzle undecided, and 0 otherwise. --json prints one line for each puzzle or
    level. An option that is wrong for every puzzle, such as an unknown engine, and Ctrl-C end the whole command.

    The documentation explains every option in more detail.

    \b
    Examples:
      fewest solve heng-dao-li-ma
      fewest solve machinarium-arrows --set n=5 --show
      fewest solve hardest-6x6 --metric slides --json
      fewest solve hardest-6x6 -m slides --engine sat --solver glucose42
      fewest solve heng-dao-li-ma --engine sat --at-most 80
      fewest solve bird --engine goal-directed
      fewest solve eight-puzzle --engine astar --weight 2
      fewest solve microban.xsb --level 7 --lurd
      fewest solve microban.xsb --jobs 2 --time 60 --resume results.jsonl
      fewest solve database.rush --metric slides --jobs 2
      fewest solve database.rush --metric slides --threads 2
      fewest solve english --metric jumps --symmetry on
      fewest solve tiles-2x5 --store index
      fewest solve tiles-2x5 --store disk:tiles.store
      fewest solve wolf-goat-cabbage -e sat --checkpoint progress
      fewest solve tiles-2x3 --prove tiles.proof
      fewest solve bird hanoi jugs --time 10
    """
    from fewest.commands.available import engine_options
    from fewest.engines.registry import engine_of

    fields = _SolveCommand.__struct_fields__
    fields_given = {name: given.pop(name) for name in fields if name in given}
    store = given.pop("store")
    is_stored = (
        fields_given["cluster"].address is not None
        and "store" in engine_of(fields_given["engine"]).options
    )
    store, given["checkpoint"] = checkpoint_in(store, given["checkpoint"], is_stored=is_stored)
    chosen = engine_options(fields_given["engine"], {**given, "store": store})
    request = _SolveCommand(**fields_given, chosen=chosen)
    if len(puzzles) == 1:
        code, _ = _answer(request, puzzles[0])
        return code
    if request.proof_file is not None:
        raise click.UsageError("--prove supports only one puzzle")
    return _answer_each(request, puzzles)


def _answer_each(request: _SolveCommand, puzzles: tuple[str, ...]) -> int:
    """Solve puzzles one after another. Returns the worst exit code.

    An error in one puzzle does not stop the others, but Ctrl-C does. Raises UsageError if an option is wrong for every
    puzzle, and OSError if a file or stdout cannot be written.
    """
    from fewest.cli.error_handling import fail
    from fewest.commands.available import check_horizon_options
    from fewest.errors import Exit

    check_cluster(request.cluster)
    check_horizon_options(request.chosen)
    if not any(map(_may_be_collection, puzzles)):
        _check_for_single_puzzles(request)
    MANNER.is_line = True
    codes: list[int] = []
    for number, puzzle in enumerate(puzzles):
        if number and not request.as_json:
            click.echo()
        try:
            code, is_interrupted = _answer(request, puzzle)
        except OSError:
            raise
        except (Exception, KeyboardInterrupt) as error:
            code, is_interrupted = fail(error), isinstance(error, KeyboardInterrupt)
        if code == Exit.INTERRUPTED and codes:
            code = Exit.LIMIT  # the output contains earlier answers
        codes.append(code)
        sys.stdout.flush()
        if is_interrupted:
            break
    worst = (Exit.BUG, Exit.BAD_INPUT, Exit.USAGE, Exit.LIMIT, Exit.INTERRUPTED)
    return next((code for code in worst if code in codes), Exit.ANSWERED)


def _may_be_collection(puzzle: str) -> bool:
    """Whether a reference denotes a collection, or cannot be read."""
    from fewest.errors import FewestError
    from fewest.formats.registry import is_collection, split_reference

    try:
        return is_collection(split_reference(puzzle)[0])
    except (FewestError, OSError):
        return True


def _check_for_single_puzzles(request: _SolveCommand) -> None:
    """Raises UsageError if an option is wrong for every puzzle that is not a collection."""
    from fewest.errors import UsageError

    if request.resume is not None or (request.jobs or 1) > 1:
        raise UsageError(
            "--jobs and --resume can be used only with a file of several levels",
            hint="leave out these options",
        )
    request.options()


def _answer(request: _SolveCommand, puzzle: str) -> tuple[int, bool]:
    """Solve one puzzle or collection and print the answer. Returns the exit code, and whether Ctrl-C stopped the
    search.
    """
    from fewest.formats.registry import levels_in

    ref, collection = levels_in(puzzle, request.level)
    if collection is not None:
        return _answer_levels(request, ref, collection)
    _check_for_single_puzzles(request)
    with store_on(request.cluster, request.chosen.get("store")) as store:
        return _answer_one(request, ref, store)


def _answer_levels(request: _SolveCommand, ref: str, collection: Collection) -> tuple[int, bool]:
    from fewest.cli.levels import solve_collection
    from fewest.errors import UsageError, conflict

    MANNER.is_line = True
    q = request
    if (
        q.settings
        or q.show
        or q.as_lurd
        or q.chosen
        or q.proof_file is not None
        or any(value is not None for value in q.cluster[1:])
    ):
        raise UsageError(
            f"{ref} has {len(collection.levels):,} levels, but the given options need a single level",
            hint=(
                "choose a level, such as --level 1, or leave out the options that several levels do not support, "
                "such as --set, --show, --prove, --store and --actors"
            ),
        )
    if q.threads is not None and (q.jobs or 1) > 1:
        raise conflict(
            "--threads",
            "--jobs",
            hint="for a collection, each of them sets the number of levels to solve at the same time; leave out one "
            "of them (only --threads keeps the order of the levels)",
        )
    jobs = q.threads or q.jobs
    with processes_on(q.cluster.address, jobs) as parallel_map:
        return solve_collection(
            collection,
            q.metric,
            q.engine,
            q.seconds,
            memory_each(q.memory, jobs, q.cluster.address),
            parallel_map,
            q.resume,
            as_json=q.as_json,
            in_order=q.threads is not None,
        )


def _answer_one(
    request: _SolveCommand, ref: str, store: str | StoreLocation | IndexLocation | None
) -> tuple[int, bool]:
    from fewest.cli.progress import ProgressLine
    from fewest.commands.api import load
    from fewest.commands.result import EXIT_OF_STATUS
    from fewest.engines.registry import engine_of
    from fewest.formats.registry import remark
    from fewest.reading.clock import reading_within

    metric, proof_file = request.metric, request.proof_file
    with reading_within(request.seconds) as left:
        compiled = load(ref, dict(request.settings))
    if request.as_lurd:
        from fewest.formats.sokoban.lurd import some_agent

        some_agent(compiled.puzzle, hint="leave out --lurd")
    print_remark(remark(ref))
    print_warnings(compiled.puzzle.warnings)
    if proof_file is not None:
        from fewest.machine.files import check_writable

        check_writable(proof_file)
    limits: dict[str, Any] = {
        "seconds": left(),
        "memory": memory_of(store, request.memory),
    }
    options = request.options()
    if store is not None:
        options["store"] = store
    elif "store" in engine_of(request.engine).options:
        options["store"] = "auto"
    with ProgressLine(metric or compiled.puzzle.default_metric) as progress:
        result = compiled.solve(
            metric, engine=request.engine, progress=progress, **limits, **options
        )
        proof = None
        if proof_file is not None and result.is_proven:
            proof = compiled.prove(proof_file, metric, result=result, **limits)
    _print(request, compiled, result, proof, left())
    print_warnings(compiled.warnings_with(result))
    print_memory_allowed(result.reason)
    folder = options.get("checkpoint") or result.statistics.get("store", {}).get("folder")
    print_store(result.reason, folder)
    code = EXIT_OF_STATUS[result.status]
    if proof is not None:
        code = proof.exit_code or code
    is_interrupted = "interrupted" in (result.reason, None if proof is None else proof.reason)
    return code, is_interrupted


_NO_ARGUMENT = "no short argument was found; the search is the proof"


def _print(
    request: _SolveCommand,
    compiled: CompiledPuzzle,
    result: Result,
    proof: Proof | None,
    seconds: float | None,
) -> None:
    """Print the answer, the plan and the certificate; for an unsolvable puzzle, also an argument that is found within
    `seconds`.
    """
    if request.as_json:
        from fewest.formats.sokoban.lurd import lurd

        letters = None if result.plan is None else lurd(result.plan)
        more: dict[str, Any] = {} if letters is None else {"lurd": letters}
        if argument := _argument(compiled, result, seconds):
            more["argument"] = argument
        if proof is not None:
            more["proof"] = proof.to_json()
        print_json(result.to_json() | more, is_line=MANNER.is_line)
        return
    print_result(result, show=request.show, as_lurd=request.as_lurd)
    if result.status == "unsolvable":
        argument = _argument(compiled, result, seconds)
        click.echo(f"why: {shown(argument or _NO_ARGUMENT)}")
    if proof is not None:
        click.echo(proof.summary(), err=True)


def _argument(compiled: CompiledPuzzle, result: Result, seconds: float | None) -> str:
    """A one-line argument that the puzzle has no plan; empty if none applies. The search for it can take longer than
    the answer, so it follows the answer.
    """
    if result.status != "unsolvable":
        return ""
    from fewest.commands.explanation import why_unsolvable

    return why_unsolvable(compiled.puzzle, compiled.grounded, seconds)


def print_result(result: Result, *, show: bool, as_lurd: bool) -> None:
    """Print the answer and the plan as text."""
    print_styled(result.summary(), bold=True)
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
    plan = result.plan
    click.echo(coloured(plan.start, plan.labels))
    for number, move in enumerate(plan.moves, 1):
        click.echo(f"\n{number}. {move.text}")
        click.echo(coloured(move.position, move.steps[-1].labels))
