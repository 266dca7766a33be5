"""Writes docs/errors.md from the codes and the bad documents: `python -m tests.helpers.errors_doc`."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

import fewest
from fewest.errors import CODES, Diagnostic, DocumentError
from tests.helpers.cells import BAD, ROOT

ERRORS_PAGE = ROOT / "docs" / "errors.md"

# Documents that are too large for the repository.
GENERATED: dict[str, bytes] = {
    "document-too-large": b"puzzle: large\nnotes: |\n" + b"  on and on\n" * 100_000,
}

HEAD = """# Error codes

This page lists the error codes for documents. For every mistake, the program gives the file, the line and the column, a
code that does not change between versions, and often a hint. If they are useful, it also gives the expected and the
found text. It reports all mistakes in a file together, but prints at most 50 of them, and at most 20 warnings about a
valid document; a last line gives the number of the others. The `--json` output of `check` lists all of them. This page
is generated from the program's messages and from the faulty documents that its tests use.

"""


def diagnostics_of(path: Path) -> tuple[Diagnostic, ...]:
    """The mistakes and warnings of a document; loading must not fail with a different error."""
    try:
        compiled = fewest.load(path)
        compiled.task  # noqa: B018
        compiled.solve(seconds=1)
    except DocumentError as error:
        return error.diagnostics
    return (*compiled.warnings, *compiled.unused_rules())


def page() -> str:
    """The text of docs/errors.md."""
    parts = [HEAD]
    for code, meaning in CODES.items():
        parts.append(f"## {code}\n\n{meaning[0].upper()}{meaning[1:]}.\n\n")
        path = next(BAD.glob(f"{code}.*"), None)
        if path is None:
            continue
        text = path.read_text(encoding="utf-8")
        if len(text) > 900 or (
            not text.isprintable() and any(c < " " and c not in "\n\t" for c in text)
        ):
            text = text[:200].replace("\x07", "�") + "…\n"
        message = next(d.format() for d in diagnostics_of(path) if d.code == code)
        message = message.replace(str(BAD) + "/", "").replace("tests/bad/", "")
        message = "\n".join(map(_shown, message.splitlines()))
        parts.append(f"```{path.suffix[1:]}\n{text}```\n\n```text\n{message}\n```\n\n")
    return "".join(parts).rstrip("\n") + "\n"


def _shown(line: str) -> str:
    """A line of a message as the page shows it: a long line of the document is cut off, and other lines are divided."""
    if re.match(r" *\d* \|", line):
        return line if len(line) <= 120 else line[:117] + "..."
    return textwrap.fill(line, 100, subsequent_indent="    ", break_on_hyphens=False)


if __name__ == "__main__":
    ERRORS_PAGE.write_text(page(), encoding="utf-8")
