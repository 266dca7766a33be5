"""A folder with the query of a long computation and a file of its finished records; `fewest resume` continues it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, TypeVar

from fewest.commands.record_file import RecordFile
from fewest.errors import UsageError
from fewest.machine.files import sync_folder
from fewest.machine.locking import locked_folder
from fewest.store.error_translation import StoreError, translating_errors
from fewest.store.metadata import may_begin
from fewest.store.urls import is_url, refuse_url

AnyFile = TypeVar("AnyFile", bound=RecordFile[Any])


def contains_query(folder: str | Path, name: str) -> bool:
    """Whether a folder contains a query in a file of this name."""
    return not is_url(str(folder)) and (Path(folder) / name).exists()


@contextmanager
def opened_folder(
    folder: str | Path,
    name: str,
    noun: str,
    *,
    save_query: Callable[[Path], None],
    open_records: Callable[[Path], AnyFile],
) -> Iterator[AnyFile]:
    """A context with the file of records in a locked folder, which is created if necessary.

    `name` is the file of the query, and `noun` describes the computation in messages. `save_query` writes the query to
    a folder, or raises StoreError if the folder contains a query that the computation must not continue. Raises
    UsageError if `folder` is a URL, and StoreError if the folder contains anything else, is damaged, is in use by
    another process, or cannot be written.
    """
    refuse_url(folder)
    folder = Path(folder)
    if folder.exists() and not contains_query(folder, name) and not may_begin(folder, name):
        raise StoreError(
            f"{folder} already exists and is not a checkpoint of a {noun}",
            hint="name another folder",
        )
    with ExitStack() as stack:
        with translating_errors(folder, lambda: contains_query(folder, name)):
            held = stack.enter_context(locked_folder(folder))
            save_query(held.now)
            held.appear()
            try:
                records = open_records(folder)
            except UsageError as error:
                raise StoreError(
                    f"the checkpoint of the {noun} is damaged: {error.message}",
                    hint="start again in another folder",
                ) from None
            stack.enter_context(records)
            sync_folder(folder)
        yield records
