"""Reads the text of a document file, which must be UTF-8 with at most MAX_BYTES bytes, and the text of other files."""

from __future__ import annotations

from codecs import BOM_UTF16_BE, BOM_UTF16_LE

from fewest.errors import DocumentError, Report, Source, SourceLocation
from fewest.machine.input import called, is_stream, read_stream

MAX_BYTES = 1_000_000
NAME_WITH_LINE_BREAK = "a name must not contain a line break"
TOO_LARGE = f"the document exceeds the limit of {MAX_BYTES:,} bytes"
_SEEN = 64  # the number of bytes that show whether a text is UTF-16


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
        _report(error, name, "this file is not UTF-8 text", report)
        return None


def encoding_of(raw: bytes) -> str:
    """The encoding of a text: UTF-16 if it begins with the byte order mark of UTF-16, or if every second byte at its
    beginning is zero, as in UTF-16 without such a mark; otherwise UTF-8.
    """
    if raw.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        return "utf-16"
    even, odd = raw[:_SEEN:2], raw[1:_SEEN:2]
    if odd and not any(odd) and all(even):
        return "utf-16-le"
    return "utf-16-be" if odd and not any(even) and all(odd) else "utf-8-sig"


def read_text(ref: str) -> str:
    """The text of a file or stream that is not a document, such as a position or a plan; see `encoding_of`.

    Raises DocumentError if the text cannot be decoded, and OSError if it cannot be read.
    """
    if is_stream(ref):
        raw = read_stream(ref)
    else:
        with open(ref, "rb") as file:
            raw = file.read()
    try:
        return raw.decode(encoding_of(raw))
    except UnicodeDecodeError as error:
        report = Report()
        _report(error, called(ref), "this is neither UTF-8 nor UTF-16 text", report)
        raise DocumentError(report.diagnostics) from None


def _report(error: UnicodeDecodeError, name: str, message: str, report: Report) -> None:
    before = error.object[: error.start].decode(error.encoding, "replace")
    where = SourceLocation(Source(name, ""), before.count("\n") + 1)
    report.error("document-encoding", where, message, hint="save the file as UTF-8")
