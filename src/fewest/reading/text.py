"""Reads the text of a document file, which must be UTF-8 with at most MAX_BYTES bytes."""

from __future__ import annotations

from fewest.errors import Report, Source, SourceLocation
from fewest.machine.input import is_stream, read_stream

MAX_BYTES = 1_000_000
NAME_WITH_LINE_BREAK = "a name must not contain a line break"
TOO_LARGE = f"the document exceeds the limit of {MAX_BYTES:,} bytes"


def read_file(path: str, name: str, report: Report) -> Source | None:
    """The text of a file; None if a mistake was reported. Raises OSError if the file cannot be read."""
    if is_stream(path):
        raw = read_stream(path)
    else:
        with open(path, "rb") as file:
            raw = file.read(MAX_BYTES + 1)
    if len(raw) > MAX_BYTES:
        report.error(
            "document-too-large",
            SourceLocation(Source(name, "")),
            TOO_LARGE,
        )
        return None
    try:
        return Source(name, raw.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        report.error(
            "document-encoding",
            SourceLocation(Source(name, ""), line),
            "this file is not UTF-8 text",
            hint="save the file as UTF-8",
        )
        return None
