"""The location of a store, and the query that the store remembers."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from fewest.store.urls import refuse_url

if TYPE_CHECKING:  # every command says where a store would be; few have one
    from pathlib import Path

    from fewest.search.interface import GoalSearch
    from fewest.store.metadata import MetadataBackend
    from fewest.store.workers import CrewMaker


class StoreLocation(Struct, frozen=True):
    """A folder for a store; as an option of engines it is written `disk:FOLDER`.

    `is_passing`: the folder goes once there is an answer. `is_temporary`: it goes however the search ends.
    `is_spare`: memory comes first, the folder is for what it does not hold. `about`: plain data on what is asked,
    with which `questions.resume` asks again. `crew`: who works on the shards, if not threads of this process; so many
    `owners` have their parts of them. `kept`: where that is, if not in the folder, which is then one of every
    machine's own. `to_goal` takes all distances to the goal, of a search that exhausts a space.
    """

    where: str | Path
    is_passing: bool = False
    is_temporary: bool = False
    is_spare: bool = False
    about: Mapping[str, Any] = field(default_factory=dict)
    crew: CrewMaker | None = None
    owners: int = 1
    kept: MetadataBackend | None = None
    to_goal: GoalSearch | None = None

    @property
    def folder(self) -> Path:
        """The folder, where there is one."""
        from pathlib import Path

        return Path(self.where)

    @property
    def name(self) -> str:
        """Where it is kept, for people."""
        return str(self.where) if self.kept is None else self.kept.name

    def num_bytes(self) -> int:
        """Of all layers that are kept."""
        if self.kept is not None:
            return self.kept.num_bytes()
        return sum(file.stat().st_size for file in self.folder.rglob("layer-*"))

    def __str__(self) -> str:
        return "auto" if self.is_spare else f"disk:{self.name}"


def store_location(store: str | StoreLocation, name: str, metric: str) -> StoreLocation:
    """The place that `auto`, `disk`, `disk:FOLDER` or a place means.

    The folder of `disk` is in the current one, named after the question, and a search goes on with what it holds.
    The folder of `auto` is a new one among temporary files. Raises UsageError for a URL.
    """
    if isinstance(store, StoreLocation):
        return store
    folder = store.partition(":")[2]
    if folder:
        refuse_url(folder)
        return StoreLocation(folder)
    if store == "auto":
        new = os.path.join(_temporary_folder(), f"fewest-{os.urandom(8).hex()}.store")
        return StoreLocation(new, is_passing=True, is_temporary=True, is_spare=True)
    plain = "".join(c if c.isalnum() or c in "-_." else "-" for c in f"{name}.{metric}")
    return StoreLocation(f"{plain}.store", is_passing=True)


def _temporary_folder() -> str:
    """Where large temporary files go: on many systems /tmp lies in memory, of which there is no more."""
    named = os.environ.get("TMPDIR", "")
    for folder in (named, "/var/tmp"):
        if folder and os.path.isdir(folder):
            return folder
    from tempfile import gettempdir

    return gettempdir()
