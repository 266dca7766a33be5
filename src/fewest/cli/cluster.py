"""The options that select the workers: `--jobs` processes of this machine, or a Ray cluster (`--cluster`)."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial, wraps
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

import click

from fewest.cli.options import Duration, memory_limit
from fewest.errors import UsageError
from fewest.machine.memory import ProcessLimit, memory_to_use

if TYPE_CHECKING:
    from fewest.machine.processes import ParallelMap
    from fewest.store.location import IndexLocation, StoreLocation

_Command = TypeVar("_Command", bound=Callable[..., Any])

MEMORY_EACH = "4/5 of the free memory in all"
"""The default of `memory_each`, as it appears in help texts (docs/output.md explains the default with `--cluster`)."""


def _cluster_option(text: str) -> Callable[[_Command], _Command]:
    return click.option(
        "--cluster",
        "address",
        is_flag=False,
        flag_value="here",
        metavar="[ADDRESS]",
        help=f"{text}. [default address: a local cluster]",
    )


cluster_option = _cluster_option("Search on a Ray cluster")
_number_option = click.option(
    "--actors",
    type=click.IntRange(min=1),
    metavar="N",
    help="With --cluster: use N actors. [default: one or more per node]",
)
_replacements_option = click.option(
    "--replacements",
    type=click.IntRange(min=0),
    metavar="N",
    help="With --cluster: up to N new actors per layer. [default: 64]",
)
_node_wait_option = click.option(
    "--node-wait",
    type=Duration(),
    help="With --cluster: the time to wait for a new node. [default: 10m]",
)


class ClusterOptions(NamedTuple):
    """The values of `--cluster`, `--actors`, `--replacements` and `--node-wait` (in seconds); None if an option is not
    given.
    """

    address: str | None
    actors: int | None
    replacements: int | None
    node_wait: float | None


def actors_options(command: _Command) -> _Command:
    """The options that concern actors, combined into one argument `cluster: ClusterOptions`."""

    @wraps(command)
    def with_cluster(
        *arguments: Any,
        address: str | None,
        actors: int | None,
        replacements: int | None,
        node_wait: float | None,
        **options: Any,
    ) -> Any:
        cluster = ClusterOptions(address, actors, replacements, node_wait)
        return command(*arguments, cluster=cluster, **options)

    decorated: Any = with_cluster
    for option in (_node_wait_option, _replacements_option, _number_option, cluster_option):
        decorated = option(decorated)
    return cast(_Command, decorated)


def tasks_option(description: str) -> Callable[[_Command], _Command]:
    """The option `--cluster`, for commands that run many small searches."""
    return _cluster_option(f"{description} on a Ray cluster")


def jobs_option(description: str) -> Callable[[_Command], _Command]:
    """The option `--jobs`; its value is None if it was not given."""
    return click.option(
        "--jobs",
        "-j",
        type=click.IntRange(1),
        metavar="N",
        help=f"{description} [default without a cluster: 1]",
    )


def memory_each(memory: int | None, jobs: int | None, address: str | None) -> int:
    """The memory limit per process: the given limit or, by default, an equal share of 4/5 of the free memory.

    The default assumes that all machines of a cluster are like this machine and have one worker per processor.
    """
    if memory is not None:
        return ProcessLimit(memory)
    return memory_to_use() // ((jobs or 1) if address is None else os.cpu_count() or 1)


@contextmanager
def processes_on(address: str | None, jobs: int | None) -> Iterator[ParallelMap | None]:
    """The workers that process single items (levels, members, documents or runs); None means this process. Raises
    ClusterError, and UsageError if Ray is missing.
    """
    if address is None:
        from fewest.machine.processes import local_processes

        yield local_processes(jobs or 1)
        return
    connect = _of_ray("connect")
    with connect.connected(address):
        yield partial(_of_ray("tasks").on_cluster, jobs=jobs)


def check_cluster(cluster: ClusterOptions) -> None:
    """Raises UsageError if Ray is missing, or if an option is given that needs `--cluster`."""
    if cluster.address is not None:
        _of_ray("connect")
        return
    for name, value in options_of_actors(cluster).items():
        if value is not None:
            raise UsageError(f"--{name} needs --cluster", hint="add --cluster")


def options_of_actors(cluster: ClusterOptions) -> dict[str, object]:
    """The values of all options except `--cluster`, by their names on the command line."""
    return {
        name.replace("_", "-"): value
        for name, value in cluster._asdict().items()
        if name != "address"
    }


@contextmanager
def store_on(
    cluster: ClusterOptions, store: str | None
) -> Iterator[str | StoreLocation | IndexLocation | None]:
    """The store that `--store` and the cluster options request; None if they request none.

    Raises ClusterError, and UsageError if Ray is missing, or if an option is given that needs `--cluster`.
    """
    check_cluster(cluster)
    if cluster.address is None:
        yield store
        return
    connect = _of_ray("connect")
    given = {"replacements": cluster.replacements, "seconds": cluster.node_wait}
    limits = connect.RecoveryLimits(
        **{key: value for key, value in given.items() if value is not None}
    )
    located = connect.cluster_index if store == "index" else connect.cluster_location
    where = () if store == "index" else (store or "",)
    with located(cluster.address, *where, cluster.actors, limits) as place:
        yield place


def memory_of(place: object, memory: int | None) -> int | None:
    """The memory limit that `--memory` sets, for this process or for all nodes of a cluster together.

    The limit applies to all nodes together if they divide the numbers of an index among them; in this case, there is no
    limit by default.
    """
    from fewest.store.location import IndexLocation

    return memory if isinstance(place, IndexLocation) else memory_limit(memory)


def _of_ray(module: str) -> Any:
    """A module of `fewest.cluster`, the package that requires Ray. Raises UsageError if Ray is missing."""
    try:
        return import_module(f"fewest.cluster.{module}")
    except ModuleNotFoundError as error:
        if error.name != "ray":
            raise
        raise UsageError(
            "--cluster needs Ray, which is not installed",
            hint="install the extra `cluster` on all nodes; in a clone of the repository: pip install '.[cluster]'",
        ) from None
