"""The checkpoint of a search, if it has a folder. Without a folder, none of the modules for checkpoints is imported."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from fewest.model.metric import Metric
    from fewest.model.task import Task
    from fewest.store.checkpoint import CheckpointData, CheckpointLocation


def open_if_wanted(
    place: str | Path | CheckpointLocation | None, task: Task, metric: Metric
) -> AbstractContextManager[CheckpointData | None]:
    """The checkpoint of a query, as in `checkpoint.opened`; None if there is no location."""
    if place is None:
        return nullcontext()
    from fewest.store.checkpoint import opened

    return opened(place, task, metric)
