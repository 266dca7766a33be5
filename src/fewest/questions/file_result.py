"""The result of a command that writes a file."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from fewest.errors import Exit


class FileResult(Struct, frozen=True, kw_only=True):
    """What has been written; `reason` says which limit stopped it, if one did: then there is no file."""

    path: Path
    num_bytes: int
    reason: str | None
    seconds: float

    @property
    def exit_code(self) -> Exit:
        """What it means for whoever called the program."""
        return Exit.ANSWERED if self.reason is None else Exit.LIMIT
