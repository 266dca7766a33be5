"""A family: a puzzle with ranges for its parameters. A sweep solves each member separately."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import prod
from pathlib import Path

from fewest.commands.api import CompiledPuzzle
from fewest.commands.sweep.batch import Batch, identity
from fewest.engines import DEFAULT_ENGINE, engine_of
from fewest.errors import DocumentError, UsageError
from fewest.model.metric import metric_of
from fewest.model.puzzle import Puzzle
from fewest.reading.loader import LoadedDocument, load_document
from fewest.reading.puzzle import read_puzzle

MAX_MEMBERS = 100_000


@dataclass(frozen=True, kw_only=True)
class Family(Batch):
    """A document, and the values of each parameter that varies (`ranges`); `names` are these parameters."""

    loaded: LoadedDocument
    ranges: Mapping[str, tuple[int, ...]]

    @cached_property
    def _identity(self) -> str:
        return identity(self.loaded)

    def document_of(self, parameters: Mapping[str, int]) -> str:
        return self._identity

    def compiled(self, parameters: Mapping[str, int]) -> CompiledPuzzle:
        return CompiledPuzzle(read_puzzle(self.loaded, parameters))


def family(
    ref: str | Path,
    ranges: Mapping[str, Sequence[int]],
    metric: str | None = None,
    *,
    engine: str = DEFAULT_ENGINE,
    seconds: float | None = None,
    memory: int | None = None,
) -> Family:
    """The family of a puzzle: every combination of the values in `ranges`. All other parameters have their default
    values.

    The last parameter varies fastest. Raises UsageError for an unknown parameter, metric or engine, and if there is no
    member or too many members. Raises NotFoundError, and DocumentError if no member is valid.
    """
    engine_of(engine)
    if prod(len(values) for values in ranges.values()) > MAX_MEMBERS:
        raise UsageError(
            f"the family exceeds the limit of {MAX_MEMBERS:,} members", hint="use shorter ranges"
        )
    loaded = load_document(ref)
    return family_of(loaded, ranges, metric, engine=engine, seconds=seconds, memory=memory)


def family_of(
    loaded: LoadedDocument,
    ranges: Mapping[str, Sequence[int]],
    metric: str | None = None,
    *,
    engine: str = DEFAULT_ENGINE,
    seconds: float | None = None,
    memory: int | None = None,
) -> Family:
    """Like `family`, but for a loaded document."""
    defaults = {
        name: given if isinstance(given, int) else given.default
        for name, given in (loaded.document.parameters or {}).items()
    }
    members = tuple(
        {**defaults, **dict(zip(ranges, values, strict=True))}
        for values in product(*ranges.values())
    )
    if not members:
        raise UsageError(
            "the family has no members", hint="give every parameter a value, for example n=0..10"
        )
    sample = _first_that_compiles(loaded, members)
    return Family(
        loaded=loaded,
        ranges={name: tuple(values) for name, values in ranges.items()},
        puzzle=sample.name,
        title=loaded.document.title or sample.name,
        metric=metric_of(sample, metric).name,
        names=tuple(ranges),
        members=members,
        engine=engine,
        seconds=seconds,
        memory=memory,
    )


def _first_that_compiles(loaded: LoadedDocument, members: Sequence[Mapping[str, int]]) -> Puzzle:
    first: DocumentError | None = None
    for parameters in members:
        try:
            return read_puzzle(loaded, parameters)
        except DocumentError as error:
            first = first or error
    assert first is not None
    raise first
