"""The connection to a Ray cluster, or the start of one on this machine."""

from __future__ import annotations

import logging
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import ray

from fewest.cluster.actors import ClusterError, actors
from fewest.cluster.owner import passing_folder
from fewest.cluster.shared_filesystem import shared
from fewest.errors import UsageError
from fewest.store.location import StoreLocation
from fewest.store.manifest import Manifests
from fewest.store.metadata import is_store, read_record
from fewest.store.objects import ObjectStore
from fewest.store.urls import is_url

HERE = "here"  # a cluster with only this machine


def _quieten() -> None:
    """Keep Ray's messages about its nodes off stdout, where programs read answers."""
    from ray._private import worker  # there is no option for it (`log_to_driver` is about workers)

    if hasattr(worker, "print_to_stdstream"):
        worker.print_to_stdstream = _unheard


def _unheard(*_: object, **__: object) -> None:
    """What nobody reads."""


@contextmanager
def connected(address: str) -> Iterator[None]:
    """In the block the cluster at an address (of Ray's, or `here`) is connected. Raises ClusterError."""
    ending = signal.getsignal(signal.SIGTERM)
    _quieten()
    try:
        if address == HERE:
            ray.init(
                _node_ip_address="127.0.0.1",
                include_dashboard=False,
                log_to_driver=False,
                logging_level=logging.ERROR,
            )
        else:
            ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
    except (ConnectionError, RuntimeError, ValueError) as error:
        raise ClusterError(f"there is no cluster at {address}: {error}") from None
    try:
        if ending is not None and threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, ending)  # Ray's handler would end without a message
        yield
    finally:
        ray.shutdown()


@contextmanager
def cluster_location(
    address: str, store: str, num_actors: int | None = None
) -> Iterator[StoreLocation]:
    """A location whose shards are owned by actors on the cluster at an address; see `connected`.

    `store`: `disk:FOLDER`, which all nodes must see, or `disk:URL`, an object store. `num_actors`: by default
    the number of processors, or the number of owners of the store. Raises UsageError, ClusterError,
    StoreError.
    """
    where = store.partition(":")[2]
    if not store.startswith("disk:") or not where:
        raise UsageError(
            "a cluster keeps its layers in a folder that all nodes see, or in an object store",
            hint="--store disk:DIR, or --checkpoint s3://BUCKET/NAME",
        )
    objects = ObjectStore(where) if is_url(where) else None
    with connected(address):
        owners = num_actors or int(ray.cluster_resources().get("CPU", 1))
        if objects is not None:
            yield _in_objects(Manifests(shared(objects)), owners)
            return
        folder = Path(where).absolute()
        if is_store(folder):
            owners = read_record(folder).owners
        yield StoreLocation(folder, crew=actors, owners=owners)


def _in_objects(kept: Manifests, owners: int) -> StoreLocation:
    record = kept.read()
    if record is not None:
        owners = record.owners
    return StoreLocation(
        passing_folder(kept.store), crew=partial(actors, kept=kept), owners=owners, kept=kept
    )
