"""Reads the text of a document file: UTF-8, at most as long as allowed."""

from __future__ import annotations

from fewest.errors import Report, Source, SourceLocation
from fewest.machine.input import is_stream, read_stream

MAX_BYTES = 1_000_000


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
            f"the document has over {MAX_BYTES:,} bytes; that is the limit",
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
            hint="save it as UTF-8",
        )
        return None
