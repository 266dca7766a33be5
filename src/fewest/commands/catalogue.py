"""The contents of the package: puzzles by family, and models."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from fewest.drawing.text import text_width
from fewest.errors import UsageError, did_you_mean
from fewest.machine.resources import models, puzzles
from fewest.reading.loader import load_document

MODELS = "models"


class CatalogueEntry(Struct, frozen=True):
    """A puzzle or model; `expect` contains the values of its known answers, as its document states them."""

    family: str
    name: str
    title: str
    expect: dict[str, Any]

    def to_json(self) -> dict[str, Any]:
        """Plain data, as `--json` prints it."""
        return {
            "family": self.family,
            "name": self.name,
            "title": self.title,
            "expect": self.expect,
        }

    def line(self, width: int, columns: int) -> str:
        """The name, padded to `width`, then the title and the known answers. The title is omitted if it is the name;
        the title or the known answers are omitted if they do not fit into `columns`.

        `fewest show` prints all known answers.
        """
        known = ", ".join(f"{key} {value}" for key, value in self.expect.items())
        title = self.title if self.title != self.name else ""
        line = f"  {self.name:<{width}}"
        for part in (title, known):
            if part and text_width(line) + 2 + text_width(part) <= columns:
                line += f"  {part}"
        return line


def catalogue(family: str | None = None) -> list[CatalogueEntry]:
    """All puzzles, the puzzles of one family, or the models. Raises UsageError for an unknown family."""
    return list(_entries(family))


def _entries(family: str | None) -> Iterator[CatalogueEntry]:
    files = [(MODELS, name, path) for name, path in models()] if family == MODELS else puzzles()
    families = list(dict.fromkeys(entry[0] for entry in files))
    if family is not None and family not in families:
        hint = did_you_mean(
            family, [*families, MODELS], f"the families are {', '.join(families)}, {MODELS}"
        )
        raise UsageError(f"there is no family `{family}`", hint=hint)
    for owner, name, path in files:
        if family is None or owner == family:
            document = load_document(path).document
            known = (document.expect or {}).items()
            expect = {key: getattr(value, "value", value) for key, value in known}
            yield CatalogueEntry(owner, name, document.title or name, expect)
