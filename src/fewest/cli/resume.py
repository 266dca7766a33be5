"""`fewest resume`: continues the search of a store on disk, a checkpoint, a sweep, or a comparison."""

from __future__ import annotations

from pathlib import Path

import click

from fewest.cli.cluster import (
    ClusterOptions,
    actors_options,
    jobs_option,
    memory_each,
    memory_of,
    options_of_actors,
    store_on,
)
from fewest.cli.explore import print_exploration
from fewest.cli.options import (
    json_option,
    memory_option,
    threads_option,
    time_option,
)
from fewest.cli.output import print_json, print_store, print_warnings
from fewest.cli.solve import print_result


@click.command(name="resume")
@click.argument("folder", type=click.Path(), metavar="DIR")
@time_option
@memory_option
@threads_option("Use at most N threads.")
@actors_options
@jobs_option("Use N processes.")
@click.option(
    "--csv",
    "as_csv",
    is_flag=True,
    help="For a sweep or a comparison: print comma-separated values.",
)
@json_option
def command(
    folder: str,
    seconds: float | None,
    memory: int | None,
    threads: int | None,
    cluster: ClusterOptions,
    jobs: int | None,
    as_csv: bool,
    as_json: bool,
) -> int:
    """Continue an interrupted search, sweep or comparison.

    DIR is the folder in which `solve`, `explore`, `sweep` or `compare` saved its progress, with --checkpoint or --store
    disk:DIR. With --cluster, DIR may also be the URL of an object store. The answer is the same as without an
    interruption.

    DIR contains the puzzle and the arguments of the interrupted command, so you may move it or copy it to another
    machine. Only a comparison reads the files of its puzzles again. After an interruption (a limit, a full disk, Ctrl-C
    or a power failure), the command repeats only the unfinished part: a layer, a minute of the search, a member of a
    sweep, or a run of a comparison. A sweep or a comparison has the same limits as before, unless you set new ones.

    \b
    Examples:
      fewest explore tiles-2x5 --store disk:t.store --depth 20
      fewest resume t.store
      fewest resume t.store --json
    """
    from fewest.cli.sweep import check_manner
    from fewest.commands.compare.record import is_compare_checkpoint
    from fewest.commands.sweep.checkpoint import is_sweep_checkpoint

    if is_compare_checkpoint(folder):
        _refuse("a comparison", threads=threads, **options_of_actors(cluster))
        return _comparison(folder, seconds, memory, cluster.address, jobs, as_csv, as_json)
    if is_sweep_checkpoint(folder):
        _refuse("a sweep", threads=threads, **options_of_actors(cluster))
        check_manner(as_csv=as_csv, as_json=as_json)
        return _sweep(folder, seconds, memory, cluster.address, jobs, as_csv, as_json)
    _refuse("one search", jobs=jobs, csv=as_csv or None)
    return _search(folder, seconds, memory, threads, cluster, as_json)


def _refuse(noun: str, **given: object) -> None:
    """Raises UsageError if one of the options `given` has a value, because none of them applies to `noun`."""
    from fewest.errors import UsageError

    for name, value in given.items():
        if value is not None:
            raise UsageError(f"--{name} does not apply to {noun}", hint=f"leave out --{name}")


def _comparison(
    folder: str,
    seconds: float | None,
    memory: int | None,
    address: str | None,
    jobs: int | None,
    as_csv: bool,
    as_json: bool,
) -> int:
    from msgspec.structs import replace

    from fewest.cli.compare import answer
    from fewest.commands.compare.record import read_query

    suite, beside, has_report = read_query(folder)
    given = {"time": seconds, "memory": memory, "jobs": jobs}
    suite = replace(suite, **{key: value for key, value in given.items() if value is not None})
    return answer(
        suite,
        beside,
        Path(folder),
        has_report=has_report,
        address=address,
        as_csv=as_csv,
        as_json=as_json,
    )


def _sweep(
    folder: str,
    seconds: float | None,
    memory: int | None,
    address: str | None,
    jobs: int | None,
    as_csv: bool,
    as_json: bool,
) -> int:
    from fewest.cli.sweep import answer
    from fewest.commands.sweep import family_again, read_query, read_sweep

    query = read_query(folder)
    memory = query.memory if memory is None else memory
    family = family_again(
        query,
        query.seconds if seconds is None else seconds,
        memory_each(memory, jobs, address),
    )
    members = read_sweep(folder, family, memory=memory)
    return answer(family, members, address, jobs, as_csv, as_json, folder=Path(folder))


def _search(
    folder: str,
    seconds: float | None,
    memory: int | None,
    threads: int | None,
    cluster: ClusterOptions,
    as_json: bool,
) -> int:
    from fewest.cli.progress import ProgressLine
    from fewest.commands.explore.hardest import to_json
    from fewest.commands.result import EXIT_OF_STATUS
    from fewest.commands.resume import resume
    from fewest.commands.stored_query import stored_query

    query = stored_query(folder)[0]
    shown = ProgressLine(query.metric)
    is_index = cluster.address is not None and query.options.get("store") == "index"
    with (
        store_on(cluster, "index" if is_index else f"disk:{folder}") as store,
        shown as progress,
    ):
        outcome = resume(
            folder,
            store=store,
            seconds=seconds,
            memory=memory_of(store, memory),
            threads=threads,
            progress=progress,
        )
    print_warnings(outcome.compiled.puzzle.warnings)
    answer = outcome.exploration or outcome.result
    assert answer is not None, "it was one or the other"
    print_store(answer.reason, folder)
    if outcome.exploration is not None:
        if as_json:
            print_json(
                to_json(outcome.compiled.puzzle, outcome.compiled.grounded, outcome.exploration)
            )
        else:
            print_exploration(outcome.compiled, outcome.exploration, every=False)
        return outcome.exploration.exit_code
    assert outcome.result is not None, "it was one or the other"
    if as_json:
        print_json(outcome.result.to_json())
    else:
        print_result(outcome.result, show=False, as_lurd=False)
    print_warnings(outcome.compiled.warnings_with(outcome.result))
    return EXIT_OF_STATUS[outcome.result.status]
