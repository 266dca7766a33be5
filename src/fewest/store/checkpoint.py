"""The file `checkpoint.json`: the results that a search has proved. A new version always replaces the whole file.

A search with horizons writes the file after each horizon; the file contains nothing about a horizon in progress. A*
writes the file when its lower bound has risen.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from fewest.model.answer import LimitReached, Proved
from fewest.model.costs import cost_table
from fewest.store.error_translation import StoreError, is_full
from fewest.store.metadata import (
    SearchKey,
    check_search_key,
    costs_digest,
    may_begin,
    problem_digest,
    read_checked,
    write_checked,
)
from fewest.store.search import in_new_folder
from fewest.store.urls import refuse_url
from fewest.version import __version__

if TYPE_CHECKING:
    from fewest.model.metric import Metric
    from fewest.model.task import Task
    from fewest.search.interface import GoalSearch

FORMAT = 1
NAME = "checkpoint.json"


class CheckpointLocation(Struct, frozen=True):
    """A folder for a checkpoint. `about`: the query as plain data, from which `commands.resume` repeats it.

    `goal_search`: see `StoreLocation`; used only if the checkpoint is a store.
    """

    folder: Path
    about: Mapping[str, Any] = field(default_factory=dict)
    goal_search: GoalSearch | None = None

    def __str__(self) -> str:
        return str(self.folder)


class Checkpoint(SearchKey, frozen=True, forbid_unknown_fields=True):
    """The proved results and the query."""

    proved: Proved


class CheckpointData:
    """A checkpoint while its search is running: the results that earlier searches proved (`known`), and new results."""

    def __init__(self, folder: Path, checkpoint: Checkpoint, known: Proved | None) -> None:
        self.folder, self.checkpoint, self.known = folder, checkpoint, known

    def keep(self, proved: Proved) -> None:
        """Save proved results. Raises OSError; raises LimitReached if the disk is full."""
        try:
            self.begin(proved)
        except OSError as error:
            if not is_full(error):
                raise
            raise LimitReached("disk") from None

    def begin(self, proved: Proved) -> None:
        """Like `keep`, but for the time before the search begins: raises OSError even if the disk is full."""
        from msgspec.structs import replace

        self.checkpoint = replace(self.checkpoint, proved=proved)
        write_checked(self.folder / NAME, self.checkpoint)


def is_checkpoint(folder: Path) -> bool:
    """Whether the folder contains a checkpoint."""
    return (folder / NAME).exists()


def read_checkpoint(folder: Path) -> Checkpoint:
    """The checkpoint in a folder. Raises StoreError if the checkpoint is missing, damaged, or in another format."""
    return read_checked(folder, NAME, Checkpoint, FORMAT)


def checkpoint_location(place: str | Path | CheckpointLocation) -> CheckpointLocation:
    """The location of the folder with this name. Raises UsageError for a URL."""
    if isinstance(place, CheckpointLocation):
        return place
    refuse_url(place)
    return CheckpointLocation(Path(place))


@contextmanager
def opened(
    place: str | Path | CheckpointLocation, task: Task, metric: Metric
) -> Iterator[CheckpointData]:
    """The checkpoint of a query. The search is resumed from an existing checkpoint.

    Raises UsageError for a URL. Raises StoreError if the folder does not belong to this query, is damaged or cannot be
    used, or if another process uses it.
    """
    place = checkpoint_location(place)
    folder = place.folder
    if folder.exists() and not is_checkpoint(folder) and not may_begin(folder, NAME):
        raise StoreError(
            f"{folder} already exists and is not a checkpoint", hint="choose another folder"
        )
    with in_new_folder(folder, is_checkpoint) as held:
        wanted = Checkpoint(
            format=FORMAT,
            made_by=f"fewest {__version__}",
            name=task.name,
            metric=metric.name,
            problem=problem_digest(task.problem),
            costs=costs_digest(cost_table(task, metric), None),
            proved=Proved(),
            about=place.about,
        )
        known: Proved | None = None
        if is_checkpoint(folder):
            found = read_checkpoint(folder)
            check_search_key(found, wanted, folder, "checkpoint")
            known = found.proved
        data = CheckpointData(held.now, wanted, known)
        data.begin(known or Proved())
        held.appear()
        data.folder = folder
        yield data
