"""A batch of puzzles that are solved separately: its members, the query for each member, and the results."""

from __future__ import annotations

import hashlib
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from msgspec import Struct, field

from fewest.commands.api import CompiledPuzzle
from fewest.commands.audit import played
from fewest.commands.sweep.file import Record
from fewest.engines import DEFAULT_ENGINE
from fewest.errors import Diagnostic, DocumentError
from fewest.formats.sokoban.lurd import lurd
from fewest.model.answer import Cost, Horizon
from fewest.reading.loader import LoadedDocument
from fewest.version import __version__

if TYPE_CHECKING:
    from fewest.search.interface import Progress

    Report = Callable[[Mapping[str, int], Progress | Horizon], None]


_CSV_COLUMNS = ("lower_bound", "states", "seconds", "reason")


class Member(Struct, frozen=True):
    """One member of a batch and its result.

    `status` is as in `Result`, or `invalid` if there is no such member (a parameter is outside its range, the board is
    impossible, or the task is too large to ground); in this case, `reason` is the code of the mistake, and `error` is
    its message. For other members, `reason` is the reason for an early stop, or None. `lower_bound` is None if no bound
    is proved or the member is unsolvable. `states` is the number of visited states, if the engine counts them;
    `seconds` is the wall-clock time for reading, grounding, solving and validating. `lurd` is the plan in Sokoban's
    letters, if these can express it. `argument` is a one-line reason why an unsolvable member has no plan, if such a
    reason is known. `audit` contains the statistics of the audit (`commands.audit.played`): members with the same rules
    share the budget of their audits, and most of them may have no audited positions.
    """

    parameters: Mapping[str, int]
    status: Literal["optimal", "unsolvable", "solved", "limit", "invalid"]
    cost: Cost | None = None
    lower_bound: Cost | None = None
    states: int | None = None
    seconds: float = 0.0
    reason: str | None = None
    error: str | None = None
    lurd: str | None = None
    argument: str | None = None
    audit: Mapping[str, Any] = field(default_factory=lambda: played(None))

    @property
    def is_finished(self) -> bool:
        """Whether the result is final, that is, neither interrupted nor killed."""
        return self.reason not in ("interrupted", "killed")

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "parameters": self.parameters,
            "status": self.status,
            "cost": self.cost,
            "lower_bound": self.lower_bound,
            "states": self.states,
            "seconds": self.seconds,
            "reason": self.reason,
            "error": self.error,
            "audit": dict(self.audit),
        }


@dataclass(frozen=True, kw_only=True)
class Batch(ABC):
    """A query for many puzzles: the members, the metric, the engine, and the limits for each member.

    `names` are the parameters that distinguish members; each of `members` has a value for every parameter. `memory` is
    in bytes.
    """

    must_all_be_valid: ClassVar[bool] = False
    """whether an invalid member is a mistake; otherwise, it is outside the family"""

    puzzle: str
    title: str
    metric: str
    names: tuple[str, ...]
    members: tuple[Mapping[str, int], ...]
    engine: str = DEFAULT_ENGINE
    seconds: float | None = None
    memory: int | None = None

    @abstractmethod
    def document_of(self, parameters: Mapping[str, int]) -> str:
        """A hash of the document (and of the drawing of a level) and of the version of this package; it ignores titles
        and other texts that do not affect the answer.
        """

    @abstractmethod
    def compiled(self, parameters: Mapping[str, int]) -> CompiledPuzzle:
        """The member with these parameters, compiled. Raises DocumentError if the member is invalid."""

    def csv_header(self) -> list[str]:
        """The names of the columns of `csv_row`."""
        return [*self.names, "status", self.metric, *_CSV_COLUMNS]

    def csv_row(self, member: Member) -> list[Any]:
        """The values of a member for the columns of `csv_header`; a cost of two parts is written as `8+33`."""
        return [
            *(member.parameters[name] for name in self.names),
            member.status,
            _plain(member.cost),
            _plain(member.lower_bound),
            member.states,
            f"{member.seconds:.3f}",
            member.reason,
        ]

    def error_text(self, parameters: Mapping[str, int], mistake: Diagnostic) -> str:
        """The text for the first mistake of an invalid member."""
        return mistake.message

    def record(self, member: Member) -> Record:
        """The member as a record for a line of a sweep's file."""
        return Record(
            document=self.document_of(member.parameters),
            puzzle=self.puzzle,
            metric=self.metric,
            engine=self.engine,
            time=self.seconds,
            memory=None if self.memory is None else int(self.memory),
            parameters=dict(member.parameters),
            status=member.status,
            cost=member.cost,
            lower_bound=member.lower_bound,
            states=member.states,
            seconds=member.seconds,
            reason=member.reason,
            error=member.error,
            lurd=member.lurd,
            argument=member.argument,
            audit=dict(member.audit),
        )

    def member(self, record: Record) -> Member | None:
        """The member of a recorded line; None if the line belongs to another query.

        A line with another document, metric, engine or version belongs to another query. A final answer is valid for
        all limits. If a limit stopped the engine, the answer is valid only for the same limit.
        """
        if (record.document, record.metric, record.engine) != (
            self.document_of(record.parameters),
            self.metric,
            self.engine,
        ):
            return None
        if record.reason == "time" and record.time != self.seconds:
            return None
        if record.reason == "memory" and record.memory != self.memory:
            return None
        return Member(
            record.parameters,
            record.status,
            record.cost,
            record.lower_bound,
            record.states,
            record.seconds,
            record.reason,
            record.error,
            record.lurd,
            record.argument,
            record.audit,
        )


def _plain(cost: Cost | None) -> str:
    parts = () if cost is None else (cost,) if isinstance(cost, int) else cost
    return "+".join(map(str, parts))


def identity(loaded: LoadedDocument) -> str:
    """A hash of the rules of a document and of the version of this package."""
    import msgspec

    rules = msgspec.structs.replace(
        loaded.document,
        title=None,
        names=None,
        source=None,
        notes=None,
        difficulty=None,
        expect=None,
    )
    return hashlib.sha256(__version__.encode() + b"\n" + msgspec.json.encode(rules)).hexdigest()[
        :16
    ]


def solve_member(
    batch: Batch, parameters: Mapping[str, int], progress: Report | None = None
) -> Member:
    """Read, ground, solve and validate one member. Raises UsageError, InternalError or KeyboardInterrupt."""
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
        compiled = batch.compiled(parameters)
        result = compiled.solve(
            batch.metric,
            engine=batch.engine,
            seconds=batch.seconds,
            memory=batch.memory,
            progress=report,
        )
    except DocumentError as error:
        first = error.diagnostics[0]
        return member("invalid", first.code, batch.error_text(parameters, first))
    except MemoryError:
        return member("limit", "memory", None)
    argument = None
    if result.status == "unsolvable":
        from fewest.commands.explanation import why_unsolvable

        spent = time.perf_counter() - began
        left = None if batch.seconds is None else max(0.0, batch.seconds - spent)
        argument = why_unsolvable(compiled.puzzle, compiled.grounded, left) or None
    states = result.statistics.get("states")
    return Member(
        parameters,
        result.status,
        result.cost,
        None if result.status == "unsolvable" else result.lower_bound,
        None if states is None else int(states),
        time.perf_counter() - began,
        result.reason,
        lurd=None if result.plan is None else lurd(result.plan),
        argument=argument,
        audit=result.statistics["audit"],
    )
