"""The result of a command that writes a file."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from fewest.commands.limited import LimitedResult


class FileResult(LimitedResult, Struct, frozen=True, kw_only=True):
    """The written file. If a limit stopped the work, `reason` names the limit, and no file was written."""

    path: Path
    num_bytes: int
    reason: str | None
    seconds: float
