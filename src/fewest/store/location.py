"""The location of a store, and the query that the record of the store contains."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from fewest.sanitize import file_stem

if TYPE_CHECKING:  # every command imports this module, but few commands use a store
    from pathlib import Path

    from fewest.search.interface import GoalSearch
    from fewest.store.index_workers import PartsMaker
    from fewest.store.metadata import MetadataBackend
    from fewest.store.workers import WorkersMaker


# The statistics that count events. All other statistics describe only the workers that a search has now.
SUMMED = ("actors_replaced", "bytes_exchanged", "bytes_merged_early", "messages", "shards_helped")


class StoreLocation(Struct, frozen=True):
    """A folder for a store; the corresponding option of engines is `disk:FOLDER`.

    `is_removed_after_answer`: whether the folder is removed as soon as there is an answer. `is_temporary`: whether the
    folder is always removed at the end. `is_fallback`: whether the search begins in memory and uses the folder only
    when memory is full. `about`: the query as plain data, from which `commands.resume` repeats it. `make_workers`: the
    function that creates the workers on the shards, if the workers are not threads of this process. Each of the
    `owners` has a part of the shards, and `threads` threads (0: the default number). `backend`: the location of
    finished layers if they are not in the folder; the folder then belongs to one machine. `goal_search`: an object that
    receives the goal distances, if the search exhausts the space. `owners_now`: the number of owners for which there is
    room now; if it increases, the search moves to more owners between two layers.
    """

    where: str | Path
    is_removed_after_answer: bool = False
    is_temporary: bool = False
    is_fallback: bool = False
    about: Mapping[str, Any] = field(default_factory=dict)
    make_workers: WorkersMaker | None = None
    owners: int = 1
    threads: int = 0
    backend: MetadataBackend | None = None
    goal_search: GoalSearch | None = None
    owners_now: Callable[[], int] | None = None

    @property
    def folder(self) -> Path:
        """`where` as a path."""
        from pathlib import Path

        return Path(self.where)

    @property
    def name(self) -> str:
        """The location of finished layers, as it is displayed."""
        return str(self.where) if self.backend is None else self.backend.name

    def num_bytes(self) -> int:
        """The size of all finished layers in bytes."""
        if self.backend is not None:
            return self.backend.num_bytes()
        return sum(file.stat().st_size for file in self.folder.rglob("layer-*"))

    def __str__(self) -> str:
        return "auto" if self.is_fallback else f"disk:{self.name}"


class IndexLocation(Struct, frozen=True):
    """An index in which the numbers are divided among workers; the corresponding option of engines is `index`.

    `parts` creates the workers: one for each of the `owners`, with `threads` threads each. `owners_now`: the number of
    owners for which there is room now; if it increases, a search with saved marks moves to more owners between two
    layers.
    """

    parts: PartsMaker
    owners: int
    threads: int
    owners_now: Callable[[], int] | None = None

    def __str__(self) -> str:
        return "index"


def has_grown(place: StoreLocation | IndexLocation, owners: int) -> bool:
    """Whether a location has room for more than `owners` owners."""
    return place.owners_now is not None and place.owners_now() > owners


def summed(before: Mapping[str, int], now: Mapping[str, int]) -> dict[str, int]:
    """The statistics of the workers that a search has now. The counts of events also include those of earlier
    workers.
    """
    return {**now, **{name: before[name] + now[name] for name in SUMMED if name in before}}


def store_location(store: str | StoreLocation, name: str, metric: str) -> StoreLocation:
    """The location for `auto`, `disk`, `disk:FOLDER` or a location.

    The folder of `disk` is in the current folder, and its name identifies the query. The search resumes from the
    contents of this folder. The folder of `auto` is a new temporary folder. Raises UsageError for a URL.
    """
    if isinstance(store, StoreLocation):
        return store
    folder = store.partition(":")[2]
    if folder:
        from fewest.store.urls import refuse_url

        refuse_url(folder)
        return StoreLocation(folder)
    if store == "auto":
        new = os.path.join(_temporary_folder(), f"fewest-{os.urandom(8).hex()}.store")
        return StoreLocation(new, is_removed_after_answer=True, is_temporary=True, is_fallback=True)
    return StoreLocation(f"{file_stem(f'{name}.{metric}')}.store", is_removed_after_answer=True)


def _temporary_folder() -> str:
    """The folder for large temporary files: TMPDIR, or else /var/tmp, or else the folder that Python uses. /var/tmp is
    preferred to /tmp, because these files are written when memory is full, and many systems have /tmp in memory.
    """
    named = os.environ.get("TMPDIR", "")
    for folder in (named, "/var/tmp"):
        if folder and os.path.isdir(folder):
            return folder
    from tempfile import gettempdir

    return gettempdir()
