"""The levels of a collection as a batch: each is a puzzle of its own, told apart by its number."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from fewest.engines import DEFAULT_ENGINE, engine_of
from fewest.formats.sokoban.levels import Collection, document
from fewest.model.metric import metric_of
from fewest.questions.api import CompiledPuzzle, load
from fewest.questions.sweep.batch import Batch, identity


@dataclass(frozen=True, kw_only=True)
class Levels(Batch):
    """All levels of a file; the parameter `level` is the number."""

    collection: Collection

    def document_of(self, parameters: Mapping[str, int]) -> str:
        loaded = self.compiled(parameters).document
        assert loaded is not None, "made by `load`"
        return identity(loaded)

    def compiled(self, parameters: Mapping[str, int]) -> CompiledPuzzle:
        level = self.collection.levels[parameters["level"] - 1]
        text = document(self.collection, level)
        return load(f"{self.collection.name}:{level.number}", text=text)


def levels(
    collection: Collection,
    metric: str | None = None,
    *,
    engine: str = DEFAULT_ENGINE,
    seconds: float | None = None,
    memory: int | None = None,
) -> Levels:
    """The batch of a collection's levels. Raises UsageError for a metric or engine that does not exist."""
    engine_of(engine)
    first = load(collection.name, text=document(collection, collection.levels[0]))
    return Levels(
        collection=collection,
        puzzle=collection.name,
        title=collection.title or collection.name,
        metric=metric_of(first.puzzle, metric).name,
        names=("level",),
        members=tuple({"level": level.number} for level in collection.levels),
        engine=engine,
        seconds=seconds,
        memory=memory,
    )
