"""Repairs standard streams that are closed, full, or without a reader."""

from __future__ import annotations

import io
import os
import sys
from contextlib import suppress
from typing import Any


def repair_stdio() -> None:
    """Ensure that stdin, stdout and stderr exist, and that writing to stderr never fails.

    A closed stdin is read as an empty file. Writing to a closed stdout raises OSError (EBADF), as in other programs.
    Text that cannot be written to stderr is dropped, and the program continues. Without this function, the next file
    that is opened would take the place of a closed stream. Programs may call this function; libraries must not.
    """
    for descriptor, mode in ((0, os.O_RDONLY), (1, os.O_RDONLY), (2, os.O_WRONLY)):
        try:
            os.fstat(descriptor)
        except OSError:
            opened = os.open(os.devnull, mode)
            if opened != descriptor:  # this happens if a lower descriptor was closed as well
                os.dup2(opened, descriptor)
                os.close(opened)
    if sys.stdin is None:
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    if sys.stdout is None:
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    encoding = "utf-8" if sys.stderr is None else sys.stderr.encoding
    sys.stderr = io.TextIOWrapper(
        io.BufferedWriter(_ClosedStream(2, "w", closefd=False)),
        encoding=encoding,
        errors="backslashreplace",
        line_buffering=True,
    )


class _ClosedStream(io.FileIO):
    """A file that accepts all text; it drops text that cannot be written."""

    def write(self, data: Any) -> int:
        with suppress(OSError):
            written = super().write(data)
            if written is not None:
                return written
        return memoryview(data).nbytes
