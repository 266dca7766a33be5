"""The levels of a collection as a batch: each level is a separate, numbered puzzle."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import msgspec

from fewest.commands.api import CompiledPuzzle, load
from fewest.commands.sweep.batch import Batch, Member, identity
from fewest.engines import DEFAULT_ENGINE, engine_of
from fewest.errors import Diagnostic
from fewest.formats.collection import Collection, Level, document
from fewest.machine.resources import model_path
from fewest.model.metric import metric_of
from fewest.reading.loader import load_document


@dataclass(frozen=True, kw_only=True)
class Levels(Batch):
    """All levels of a file; the parameter `level` is the number of a level."""

    collection: Collection
    must_all_be_valid = True

    def level(self, parameters: Mapping[str, int]) -> Level:
        """The level of a member."""
        return self.collection.levels[parameters["level"] - 1]

    def document_of(self, parameters: Mapping[str, int]) -> str:
        level = self.level(parameters)
        drawn = "\n".join((_rules(self.collection.model), *level.rows, "", *level.goal))
        if (
            level.keys
        ):  # for example, the drawing of a DriftingDroids board does not contain its goal
            drawn += "\n" + json.dumps(level.keys, sort_keys=True)
        return hashlib.sha256(drawn.encode()).hexdigest()[:16]

    def compiled(self, parameters: Mapping[str, int]) -> CompiledPuzzle:
        level = self.level(parameters)
        text = document(self.collection, level)
        return load(f"{self.collection.name}:{level.number}", text=text)

    def error_text(self, parameters: Mapping[str, int], mistake: Diagnostic) -> str:
        """The message, after the location in the file of levels. A mistake that only the puzzle of the level has, for
        example one that is too large, has the location of the level.
        """
        level = self.level(parameters)
        if mistake in level.mistakes:
            return f"{mistake.file}:{mistake.line}:{mistake.column}: {mistake.message}"
        return f"{self.collection.name}:{level.line}: {mistake.message}"

    def to_json(self, member: Member) -> dict[str, Any]:
        """The plain data of a level: its line in a sweep's file, with the number and the title of the level."""
        level = self.level(member.parameters)
        record = msgspec.to_builtins(self.record(member))
        return {**record, "level": level.number, "title": level.title}


@cache
def _rules(model: str) -> str:
    """A hash of the rules of a model and of the version of this package."""
    return identity(load_document(model_path(model)))


def levels(
    collection: Collection,
    metric: str | None = None,
    *,
    engine: str = DEFAULT_ENGINE,
    seconds: float | None = None,
    memory: int | None = None,
) -> Levels:
    """The batch of a collection's levels. Raises UsageError for an unknown metric or engine."""
    engine_of(engine)
    sound = next(level for level in collection.levels if not level.mistakes)
    first = load(collection.name, text=document(collection, sound))
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
