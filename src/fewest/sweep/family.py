"""A family: a puzzle with ranges for its parameters. Its members are what a sweep solves, one by one."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from fewest import __version__
from fewest.api import CompiledPuzzle
from fewest.engines import DEFAULT_ENGINE, engine_of
from fewest.errors import DocumentError, UsageError
from fewest.language.compile import compile_document
from fewest.language.overlay import LoadedDocument, load_document
from fewest.language.puzzle import Puzzle
from fewest.metrics import metric_of
from fewest.results import Cost, Horizon
from fewest.sweep.file import Record

if TYPE_CHECKING:
    from fewest.core.interface import Progress

    Report = Callable[[Mapping[str, int], Progress | Horizon], None]

MAX_MEMBERS = 100_000


@dataclass(frozen=True)
class Member:
    """One member of a family and what was found out about it.

    `status` is a result's, or `invalid`: there is no such member (a parameter outside its range, a
    board that cannot be, a task too large to ground); `error` then says why. `lower_bound` is None
    where nothing is proved. `states` is what the engine visited, if it counts states; `seconds` are
    wall clock for all of it: reading, grounding, solving, validating.
    """

    parameters: Mapping[str, int]
    status: Literal["optimal", "unsolvable", "solved", "limit", "invalid"]
    cost: Cost | None = None
    lower_bound: Cost | None = None
    states: int | None = None
    seconds: float = 0.0
    reason: str | None = None
    error: str | None = None

    @property
    def is_finished(self) -> bool:
        """Whether solving it again would say the same: neither interrupted nor killed."""
        return self.reason not in ("interrupted", "killed")


@dataclass(frozen=True)
class Family:
    """What is asked: a document, how to measure, who answers, and the limits for each member.

    `names` are the parameters that are swept, `members` all values of all parameters of the document.
    `memory` is in bytes.
    """

    loaded: LoadedDocument
    puzzle: str
    title: str
    metric: str
    names: tuple[str, ...]
    members: tuple[Mapping[str, int], ...]
    engine: str = DEFAULT_ENGINE
    seconds: float | None = None
    memory: int | None = None

    @cached_property
    def document(self) -> str:
        """Identifies the rules and this version; texts that change no answer do not count."""
        import msgspec

        rules = msgspec.structs.replace(
            self.loaded.document, title=None, names=None, source=None, notes=None, difficulty=None,
            expect=None,
        )  # fmt: skip
        return hashlib.sha256(
            __version__.encode() + b"\n" + msgspec.json.encode(rules)
        ).hexdigest()[:16]

    def record(self, member: Member) -> Record:
        """The member as a line of a sweep's file."""
        return Record(
            document=self.document, puzzle=self.puzzle, metric=self.metric, engine=self.engine,
            time=self.seconds, memory=self.memory, parameters=dict(member.parameters),
            status=member.status, cost=member.cost, lower_bound=member.lower_bound,
            states=member.states, seconds=member.seconds, reason=member.reason, error=member.error,
        )  # fmt: skip

    def member(self, record: Record) -> Member | None:
        """The member of a line; None if it answers another question.

        Another document, metric, engine or version is another question. An answer holds whatever
        the limits were; where a limit stopped the engine, that limit must be the same.
        """
        if (record.document, record.metric, record.engine) != (
            self.document, self.metric, self.engine,
        ):  # fmt: skip
            return None
        if record.reason == "time" and record.time != self.seconds:
            return None
        if record.reason == "memory" and record.memory != self.memory:
            return None
        return Member(
            record.parameters, record.status, record.cost, record.lower_bound, record.states,
            record.seconds, record.reason, record.error,
        )  # fmt: skip


def family(
    ref: str | Path,
    ranges: Mapping[str, Sequence[int]],
    metric: str | None = None,
    *,
    engine: str = DEFAULT_ENGINE,
    seconds: float | None = None,
    memory: int | None = None,
) -> Family:
    """The family of a puzzle: every combination of the values that `ranges` gives its parameters.

    The last parameter changes fastest. Raises UsageError for a parameter, metric or
    engine that does not exist, NotFoundError, and DocumentError if no member at all can be made.
    """
    engine_of(engine)
    if prod(len(values) for values in ranges.values()) > MAX_MEMBERS:
        raise UsageError(f"more than {MAX_MEMBERS:,} members", hint="choose shorter ranges")
    loaded = load_document(ref)
    defaults = {
        name: given if isinstance(given, int) else given.default
        for name, given in (loaded.document.parameters or {}).items()
    }
    members = tuple(
        {**defaults, **dict(zip(ranges, values, strict=True))}
        for values in product(*ranges.values())
    )
    if not members:
        raise UsageError("the family has no members", hint="give every parameter a value: n=0..10")
    sample = _first_that_compiles(loaded, members)
    return Family(
        loaded, sample.name, loaded.document.title or sample.name, metric_of(sample, metric).name,
        tuple(ranges), members, engine, seconds, memory,
    )  # fmt: skip


def _first_that_compiles(loaded: LoadedDocument, members: Sequence[Mapping[str, int]]) -> Puzzle:
    first: DocumentError | None = None
    for parameters in members:
        try:
            return compile_document(loaded, parameters)
        except DocumentError as error:
            first = first or error
    assert first is not None
    raise first


def solve_member(
    family: Family, parameters: Mapping[str, int], progress: Report | None = None
) -> Member:
    """Read, ground, solve and validate one member. Raises UsageError, KeyboardInterrupt."""
    began = time.perf_counter()

    def report(found: Progress | Horizon) -> None:
        if progress is not None:
            progress(parameters, found)

    def member(
        status: Literal["limit", "invalid"], reason: str | None, error: str | None
    ) -> Member:
        seconds = time.perf_counter() - began
        return Member(parameters, status, reason=reason, error=error, seconds=seconds)

    try:
        compiled = CompiledPuzzle(compile_document(family.loaded, parameters))
        result = compiled.solve(
            family.metric, engine=family.engine, seconds=family.seconds, memory=family.memory,
            progress=report,
        )  # fmt: skip
    except DocumentError as error:
        first = error.diagnostics[0]
        return member("invalid", first.code, first.message)
    except MemoryError:
        return member("limit", "memory", None)
    states = result.statistics.get("states")
    return Member(
        parameters, result.status, result.cost,
        None if result.status == "unsolvable" else result.lower_bound,
        None if states is None else int(states), time.perf_counter() - began, result.reason,
    )  # fmt: skip
