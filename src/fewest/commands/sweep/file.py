"""The file of a sweep: one JSON line for each finished member, so that a long sweep can be resumed."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from msgspec import field

from fewest.commands.record_file import CheckedRecord, RecordFile

_BEGINNING = b'{"sweep":1,'
_HINT = "use --resume with a new file, or with a file that a sweep has written"


class Record(CheckedRecord, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One line: the query (document, metric, engine, limits), the member, and the answer.

    `document` identifies the rules and the version of this package; `time` is the time limit in seconds, and `memory`
    is the memory limit in bytes.
    """

    sweep: Literal[1] = 1
    document: str
    puzzle: str
    metric: str
    engine: str
    time: float | None
    memory: int | None
    parameters: dict[str, int]
    status: Literal["optimal", "unsolvable", "solved", "limit", "invalid"]
    cost: int | tuple[int, ...] | None
    lower_bound: int | tuple[int, ...] | None
    states: int | None
    seconds: float
    reason: str | None
    error: str | None
    lurd: str | None = None
    argument: str | None = None
    audit: dict[str, int | bool] = field(default_factory=lambda: {"positions": 0, "all": False})


class SweepFile(RecordFile[Record]):
    """The file of a sweep, opened to append records; see `RecordFile`."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, Record, _BEGINNING, "a sweep", _HINT)
