"""The query in a store or a checkpoint; `fewest resume` continues it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from fewest.model.puzzle import Puzzle
from fewest.reading.loader import LoadedDocument, load_texts
from fewest.reading.puzzle import read_puzzle
from fewest.store.location import StoreLocation, store_location
from fewest.store.urls import is_url

if TYPE_CHECKING:
    from pathlib import Path

    from fewest.store.checkpoint import CheckpointLocation
    from fewest.store.metadata import SearchKey


class StoredQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """A query and its puzzle, with the texts that the puzzle's documents had at the time of the query."""

    kind: Literal["solve", "explore"]
    puzzle: str
    documents: Annotated[tuple[str, ...], msgspec.Meta(min_length=1)]
    parameters: dict[str, int]
    metric: str
    options: dict[str, int | str | bool | None]
    engine: str = "bfs"


def store_location_for(
    store: str | StoreLocation,
    kind: Literal["solve", "explore"],
    document: LoadedDocument | None,
    puzzle: Puzzle,
    metric: str,
    options: Mapping[str, Any],
) -> StoreLocation:
    """The location of a store; it includes the query if the puzzle comes from documents."""
    place = store_location(store, puzzle.name, metric)
    if place.about:
        return place
    return replace(place, about=_about(kind, document, puzzle, metric, options, "bfs"))


def checkpoint_for(
    folder: str | Path | CheckpointLocation,
    kind: Literal["solve", "explore"],
    document: LoadedDocument | None,
    puzzle: Puzzle,
    metric: str,
    options: Mapping[str, Any],
    engine: str,
) -> CheckpointLocation:
    """The location of a checkpoint; it includes the query, as in `store_location_for`."""
    from fewest.store.checkpoint import checkpoint_location

    place = checkpoint_location(folder)
    if place.about:
        return place
    return replace(place, about=_about(kind, document, puzzle, metric, options, engine))


def _about(
    kind: Literal["solve", "explore"],
    document: LoadedDocument | None,
    puzzle: Puzzle,
    metric: str,
    options: Mapping[str, Any],
    engine: str,
) -> dict[str, Any]:
    if document is None or not document.texts:
        return {}
    parameters = dict(puzzle.parameters)
    query = StoredQuery(
        kind, puzzle.name, document.texts, parameters, metric, dict(options), engine
    )
    known: dict[str, Any] = msgspec.to_builtins(query)
    return known


def is_checkpoint_in(where: str | Path) -> bool:
    """Whether `where` contains a checkpoint rather than a store."""
    from pathlib import Path

    from fewest.store.checkpoint import is_checkpoint

    return not is_url(str(where)) and is_checkpoint(Path(where))


def stored_query(where: str | Path) -> tuple[StoredQuery, LoadedDocument, Puzzle]:
    """The last query of a store or a checkpoint (in a folder or below a URL), its document, and its puzzle.

    Raises StoreError, DocumentError, or UsageError for an invalid URL.
    """
    from fewest.store.error_translation import StoreError

    about = _query_in(where).about
    try:
        query = msgspec.convert(about, StoredQuery)
    except msgspec.ValidationError:
        raise StoreError(
            f"the store in {where} does not record the puzzle and the metric",
            hint="run the original command with --store disk:DIR again to continue the search",
        ) from None
    document = load_texts(query.documents, query.puzzle)
    return query, document, read_puzzle(document, query.parameters)


def _query_in(where: str | Path) -> SearchKey:
    from pathlib import Path

    from fewest.store.checkpoint import read_checkpoint
    from fewest.store.manifest import read_manifest
    from fewest.store.metadata import read_record
    from fewest.store.objects import ObjectStore

    if is_url(str(where)):
        return read_manifest(ObjectStore(str(where)))
    return (read_checkpoint if is_checkpoint_in(where) else read_record)(Path(where))
