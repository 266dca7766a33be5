"""Moves a store to a different number of owners. The new owners write every layer again, beside the old files. Then the
record is replaced and the old files are removed. An interruption therefore leaves the store with either the old or the
new owners.
"""

from __future__ import annotations

from collections.abc import Callable

from fewest.store.metadata import LayerRecord, StoreMetadata
from fewest.store.shard_division import remove_other_parts
from fewest.store.workers import Workers, WorkOrder


def redistribute_layers(
    workers: Workers,
    record: StoreMetadata,
    work: WorkOrder,
    keep: Callable[[tuple[LayerRecord, ...]], None],
) -> None:
    """Move the layers of a record to the owners of a work order, unless these owners already have them. Then remove the
    files of other divisions.

    `keep`: the function that writes the record with the new division. Raises OSError or DamageError.
    """
    if record.division != work.division:
        workers.take_over(len(record.layers), record.division)
        keep(record.layers)
    assert work.folder is not None, "a store has a folder"
    if work.folder.is_dir():  # a driver that uses an object store has no such folder
        remove_other_parts(work.folder, work.division)
