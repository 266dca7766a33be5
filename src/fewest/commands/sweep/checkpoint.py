"""A sweep saved in a folder: its query, and a line for each finished member. `fewest resume` continues the sweep.

`sweep.json` contains the query; every change rewrites the whole file. `SweepFile` writes `members.jsonl`.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Struct

from fewest.commands.checkpoint_folder import contains_query, opened_folder
from fewest.commands.sweep.family import Family, family_of
from fewest.commands.sweep.file import SweepFile
from fewest.reading.loader import load_texts
from fewest.store.error_translation import StoreError
from fewest.store.metadata import (
    SearchKey,
    check_search_key,
    other_version,
    read_checked,
    write_checked,
)
from fewest.version import __version__

FORMAT = 1
NAME = "sweep.json"
MEMBERS = "members.jsonl"


class SweepQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """The last query, with the puzzle's documents as they were at the time of the query. `memory`: the limit that the
    user gave; None means the default.
    """

    puzzle: str
    documents: Annotated[tuple[str, ...], msgspec.Meta(min_length=1)]
    ranges: dict[str, tuple[int, ...]]
    metric: str
    engine: str
    seconds: float | None
    memory: int | None


class _Record(SearchKey, frozen=True, forbid_unknown_fields=True):
    """The contents of `sweep.json`; `about` is a `SweepQuery`."""

    engine: str


def is_sweep_checkpoint(folder: str | Path) -> bool:
    """Whether the folder contains a sweep."""
    return contains_query(folder, NAME)


def read_sweep(
    folder: str | Path, query: Family, *, memory: int | None = None
) -> AbstractContextManager[SweepFile]:
    """A context with the file of the saved members of a family. The folder is created if necessary; if it already
    contains a sweep, this sweep is resumed.

    `memory`: the limit that the user gave, if it is not the default. Raises UsageError if `folder` is a URL, and
    StoreError if the folder contains anything else, contains a sweep with another puzzle, metric, engine or version, is
    damaged, is in use by another process, or cannot be written.
    """
    return opened_folder(
        folder,
        NAME,
        "sweep",
        save_query=lambda folder: _save_query(folder, query, memory),
        open_records=lambda folder: SweepFile(folder / MEMBERS),
    )


def _save_query(folder: Path, query: Family, memory: int | None) -> None:
    """Save the query. Raises OSError, and StoreError if the folder contains a damaged sweep, or a sweep with another
    puzzle, metric, engine or version.
    """
    again = SweepQuery(
        query.puzzle,
        query.loaded.texts,
        dict(query.ranges),
        query.metric,
        query.engine,
        query.seconds,
        None if memory is None else int(memory),
    )
    wanted = _Record(
        format=FORMAT,
        made_by=f"fewest {__version__}",
        name=query.puzzle,
        metric=query.metric,
        problem=query.document_of({}),
        costs=query.metric,
        engine=query.engine,
        about=msgspec.to_builtins(again),
    )
    if is_sweep_checkpoint(folder):
        record = read_checked(folder, NAME, _Record, FORMAT)
        if record.made_by != wanted.made_by:
            raise other_version(folder, record.made_by)
        check_search_key(record, wanted, folder, "sweep")
        if record.engine != wanted.engine:
            raise StoreError(
                f"the sweep in {folder} uses the engine {record.engine}, not {wanted.engine}",
                hint="name another folder",
            )
    write_checked(folder / NAME, wanted)


def read_query(folder: str | Path) -> SweepQuery:
    """The query of the sweep in a folder. Raises StoreError if the sweep is missing or damaged, or if its file has
    another format number.
    """
    about = read_checked(Path(folder), NAME, _Record, FORMAT).about
    try:
        return msgspec.convert(about, SweepQuery)
    except msgspec.ValidationError as error:
        raise StoreError(f"{Path(folder) / NAME} is damaged: {error}") from None


def family_again(query: SweepQuery, seconds: float | None, memory: int | None) -> Family:
    """The family that a saved query describes, with limits for each member. Raises DocumentError or UsageError."""
    loaded = load_texts(query.documents, query.puzzle)
    return family_of(
        loaded, query.ranges, query.metric, engine=query.engine, seconds=seconds, memory=memory
    )
