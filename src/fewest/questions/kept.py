"""A question that a store remembers: what was asked, so that `fewest resume` asks it again."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Struct

from fewest.model.puzzle import Puzzle
from fewest.reading.overlay import LoadedDocument, load_texts
from fewest.reading.puzzle import read_puzzle
from fewest.store.place import Place, StoreError, place_of
from fewest.store.record import read_record


class Question(Struct, frozen=True, forbid_unknown_fields=True):
    """What was asked of which puzzle; the puzzle's documents come along, as they were."""

    kind: Literal["solve", "explore"]
    puzzle: str
    documents: Annotated[tuple[str, ...], msgspec.Meta(min_length=1)]
    parameters: dict[str, int]
    metric: str
    options: dict[str, int | str | bool | None]


def place_for(
    store: str | Place,
    kind: Literal["solve", "explore"],
    document: LoadedDocument | None,
    puzzle: Puzzle,
    metric: str,
    options: Mapping[str, Any],
) -> Place:
    """The place of a store that remembers the question, unless the puzzle has no document of its own."""
    place = place_of(store, puzzle.name, metric)
    if place.about or document is None or not document.texts:
        return place
    question = Question(
        kind, puzzle.name, document.texts, dict(puzzle.parameters), metric, dict(options)
    )
    return Place(place.folder, place.is_passing, msgspec.to_builtins(question))


def kept_question(folder: Path) -> tuple[Question, LoadedDocument, Puzzle]:
    """What a store was asked last, and the puzzle. Raises StoreError, DocumentError."""
    about = read_record(folder).about
    try:
        question = msgspec.convert(about, Question)
    except msgspec.ValidationError:
        raise StoreError(
            f"the store in {folder} does not say what was asked",
            hint="ask again with --store disk:DIR, which goes on with it",
        ) from None
    document = load_texts(question.documents, question.puzzle)
    return question, document, read_puzzle(document, question.parameters)
