"""Connects to a Ray cluster, or starts a cluster on this machine."""

from __future__ import annotations

import logging
import signal
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import ray
from msgspec.structs import replace
from ray.exceptions import AuthenticationError

from fewest.cluster.fleet import actors, index_actors, processors
from fewest.cluster.owner import temporary_folder
from fewest.cluster.probe import fault_of
from fewest.cluster.recovery import ClusterError, RecoveryLimits
from fewest.cluster.shared_filesystem import shared
from fewest.errors import UsageError
from fewest.store.location import IndexLocation, StoreLocation
from fewest.store.manifest import Manifests
from fewest.store.objects import ObjectStore
from fewest.store.urls import is_url

_TOKEN = (
    "start the cluster with `ray start`; put the token of the cluster into ~/.ray/auth_token or "
    "RAY_AUTH_TOKEN on this machine"
)
_NO_TOKEN = (
    "put the token of the cluster into ~/.ray/auth_token or RAY_AUTH_TOKEN; "
    "RAY_AUTH_MODE must not be `disabled`"
)
_START = (
    "`ray start --head` starts a cluster and prints the address; `--cluster here` starts a "
    "cluster on this machine only"
)
LOOK_EVERY = 60.0  # the number of seconds between two checks for new nodes
_LEAST_GROWTH = 1.25
HERE = "here"  # the address of a new cluster that consists only of this machine


def _quieten() -> None:
    """Suppress Ray's messages about its nodes on stdout, because other programs read answers from stdout."""
    from ray._private import worker  # Ray has no option for this (`log_to_driver` is for workers)

    if hasattr(worker, "print_to_stdstream"):
        worker.print_to_stdstream = _discard_output


def _discard_output(*_: object, **__: object) -> None:
    """Ignores a message."""


def _is_refused(address: str) -> bool:
    """Whether the cluster at `HOST:PORT` rejects this process, because its token is missing or wrong.

    Without this check, `ray.init` would try for 20 seconds, and then report only that there is no connection.
    """
    if address == "auto" or "://" in address:
        return False
    try:
        # Ray has no public functions for this
        from ray._private.authentication.authentication_token_setup import (
            ensure_token_if_auth_enabled,
        )

        raylet: Any = import_module("ray._raylet")  # this module has no type annotations
        # GcsClient aborts if there is no token
        ensure_token_if_auth_enabled(create_token_if_missing=False)
        raylet.GcsClient(address=address)
    except AuthenticationError:
        return True
    except Exception:  # `ray.init` reports all other faults
        return False
    return False


def _can_use_token() -> bool:
    """Use the token of this machine. The result is False if there is no token, or if RAY_AUTH_MODE forbids its use.

    If RAY_AUTH_MODE is not set, `ray.init` uses the token only for clusters that it finds itself.
    """
    logging.getLogger("ray").setLevel(logging.ERROR)
    try:
        from ray._private.authentication.authentication_token_setup import (
            maybe_enable_token_auth_if_token_available,
        )

        return bool(maybe_enable_token_auth_if_token_available(warn_if_disabled=False))
    except (ImportError, TypeError):  # in older versions of Ray
        return False


@contextmanager
def connected(address: str) -> Iterator[None]:
    """During the block, connect this process to the cluster at a Ray address, or at `here`.

    If the process has already called `ray.init`, it keeps that connection and ignores the address. Raises ClusterError.
    If no cluster answers at an address HOST:PORT, the function raises ClusterError after at most 15 s.
    """
    if ray.is_initialized():
        yield
        return
    if address != HERE and (fault := fault_of(address)):
        raise ClusterError(f"there is no cluster at {address}: {fault}", hint=_START)
    if address != HERE and _is_refused(address) and (not _can_use_token() or _is_refused(address)):
        raise ClusterError(
            f"the cluster at {address} rejects this machine, because its token is missing or wrong",
            hint=_NO_TOKEN,
        )
    ending = signal.getsignal(signal.SIGTERM)
    _quieten()
    try:
        if address == HERE:
            ray.init(
                address="local",  # this ignores clusters that are already running on this machine
                _node_ip_address="127.0.0.1",
                include_dashboard=False,
                log_to_driver=False,
                logging_level=logging.ERROR,
            )
        else:
            ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
    except AuthenticationError:
        raise ClusterError(f"this machine has no token for {address}", hint=_TOKEN) from None
    except Exception as error:
        if address == HERE:  # on a busy machine, Ray raises a plain Exception after a minute
            raise ClusterError(
                f"Ray could not start on this machine: {error}",
                hint="wait until the machine is less busy; the logs of Ray are in /tmp/ray",
            ) from None
        if not isinstance(error, (ConnectionError, RuntimeError, ValueError)):
            raise
        raise ClusterError(f"there is no cluster at {address}: {error}", hint=_TOKEN) from None
    try:
        if ending is not None and threading.current_thread() is threading.main_thread():
            # Ray's own handler would end the process silently
            signal.signal(signal.SIGTERM, ending)
        yield
    finally:
        ray.shutdown()


@contextmanager
def cluster_location(
    address: str,
    store: str,
    num_actors: int | None = None,
    recovery_limits: RecoveryLimits | None = None,
) -> Iterator[StoreLocation]:
    """A location with shards that actors own, on the cluster at an address; see `connected`.

    `store`: `disk:FOLDER`, which all nodes must be able to access, or `disk:URL`, an object store. `num_actors`: the
    number of actors; by default, the number that `sizes` computes from the processors of the nodes. Raises UsageError,
    ClusterError or StoreError.
    """
    where = store.partition(":")[2]
    if not store.startswith("disk:") or not where:
        raise UsageError(
            "a search on a cluster needs a folder that all nodes share, or an object store",
            hint="use --store disk:DIR, or --checkpoint s3://BUCKET/NAME",
        )
    if where.startswith("file://") and not where.startswith("file:///"):
        raise UsageError(
            f"{where} is a relative path, but nodes can have different current folders",
            hint="give the absolute path: file:///FOLDER",
        )
    objects = ObjectStore(where) if is_url(where) else None
    starts = address == HERE and not ray.is_initialized()
    with connected(address):
        owners, threads = _sizes_now(num_actors, can_grow=not starts)
        if objects is not None:
            place = _in_objects(Manifests(shared(objects)), owners, threads, recovery_limits)
            yield replace(place, owners_now=_growing(owners, threads, num_actors))
            return
        yield StoreLocation(
            Path(where).absolute(),
            make_workers=partial(actors, recovery_limits=recovery_limits),
            owners=owners,
            threads=threads,
            owners_now=_growing(owners, threads, num_actors),
        )


@contextmanager
def cluster_index(
    address: str, num_actors: int | None = None, recovery_limits: RecoveryLimits | None = None
) -> Iterator[IndexLocation]:
    """An index on the cluster at an address; its numbers are divided among actors (see `cluster_location`).

    Raises ClusterError, and UsageError if the cluster can never have room for the actors.
    """
    starts = address == HERE and not ray.is_initialized()
    with connected(address):
        owners, threads = _sizes_now(num_actors, can_grow=not starts)
        parts = partial(index_actors, recovery_limits=recovery_limits)
        grows = _growing(owners, threads, num_actors)
        yield IndexLocation(parts, owners=owners, threads=threads, owners_now=grows)


class Growth:
    """A function without arguments that returns the number of actors for which a cluster has room. The number increases
    by at least a quarter at a time, because a search that moves to more actors writes all of its layers again.
    """

    def __init__(self, owners: int, threads: int) -> None:
        self._owners, self._threads = owners, threads
        self._looked = time.monotonic()

    def __call__(self) -> int:
        if time.monotonic() - self._looked >= LOOK_EVERY:
            self._looked = time.monotonic()
            room = sum(count // self._threads for count in processors())
            if room >= _LEAST_GROWTH * self._owners:
                self._owners = room
        return self._owners


def _growing(owners: int, threads: int, num_actors: int | None) -> Growth | None:
    """The function that returns the number of actors for which there is room; None if the user gives the number of
    actors.
    """
    return Growth(owners, threads) if num_actors is None else None


def _sizes_now(num_actors: int | None, *, can_grow: bool) -> tuple[int, int]:
    """The result of `sizes` for the connected cluster. Raises UsageError if the cluster can never have room for the
    actors.
    """
    cpus = processors()
    if not can_grow and num_actors is not None and num_actors > sum(cpus):
        raise UsageError(
            f"{num_actors:,} actors need {num_actors:,} processors, but the cluster on this machine has {sum(cpus)}",
            hint=f"use --actors {max(1, sum(cpus))} or fewer, or a larger cluster",
        )
    return sizes(cpus, num_actors)


def sizes(cpus: Sequence[int], num_actors: int | None = None) -> tuple[int, int]:
    """The number of actors, and the number of threads of each actor, for nodes with these numbers of processors.

    All actors have the same number of threads. By default, this is the number of processors of the smallest node, so a
    node with at least twice as many processors has several actors. If the number of actors is given, the processors are
    divided among them.
    """
    some = [count for count in cpus if count > 0] or [1]
    if num_actors is None:
        threads = min(some)
        return sum(count // threads for count in some), threads
    for threads in range(max(some), 1, -1):
        if sum(count // threads for count in some) >= num_actors:
            return num_actors, threads
    return num_actors, 1


def _in_objects(
    manifests: Manifests, owners: int, threads: int, recovery_limits: RecoveryLimits | None
) -> StoreLocation:
    manifests.read()  # this sets the name of the store
    make_workers = partial(actors, manifests=manifests, recovery_limits=recovery_limits)
    folder = temporary_folder(manifests.store)
    return StoreLocation(
        folder, make_workers=make_workers, owners=owners, threads=threads, backend=manifests
    )
