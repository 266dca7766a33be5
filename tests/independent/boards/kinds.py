"""The kinds of pieces that a document declares."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from tests.independent.boards.edges import Cell
from tests.independent.boards.failures import Rejected, Unsupported
from tests.independent.boards.words import as_list

_KNOWN_KEYS = {
    "letters", "shape", "directions", "enters", "parts", "mirror", "layer", "colours", "interchangeable",
}  # fmt: skip
RESERVED = {"any", "empty", "floor", "ground", "not", "wall", "_"}


class Kind(NamedTuple):
    """A kind; one of the kinds that a kind with colours creates has a colour and a base."""

    name: str
    base: str
    colour: str | None
    letters: frozenset[str]
    shape: frozenset[Cell] | None
    directions: Any
    enters: list[str] | None
    parts: str | None
    mirror: str | None
    layer: int
    is_interchangeable: bool

    @property
    def words(self) -> set[str]:
        """The words that name all pieces of this kind."""
        return {self.name, self.base}


def read_kinds(given: dict[str, Any]) -> dict[str, Kind]:
    """The kinds by their names."""
    found: dict[str, Kind] = {}
    for name, keys in (given or {}).items():
        keys = keys or {}
        if set(keys) - _KNOWN_KEYS:
            raise Unsupported(f"the keys {set(keys) - _KNOWN_KEYS} of a kind")
        if name in RESERVED:
            raise Rejected(f"a kind with the name {name}")
        for colour in as_list(keys.get("colours")) or [None]:
            full = name if colour is None else f"{colour}-{name}"
            found[full] = Kind(
                name=full,
                base=name,
                colour=colour,
                letters=frozenset(_letters(keys.get("letters"))),
                shape=_shape(keys.get("shape")),
                directions=keys.get("directions"),
                enters=None if keys.get("enters") is None else as_list(keys["enters"]),
                parts=keys.get("parts"),
                mirror=keys.get("mirror"),
                layer=int(keys.get("layer", 0)),
                is_interchangeable=str(keys.get("interchangeable", "true")) != "false",
            )
    return found


def _letters(given: Any) -> list[str]:
    """The letters of a set such as `A-Za-z0-9`, or of a list of tokens."""
    if given is None:
        return []
    if isinstance(given, list):
        return [str(each) for each in given]
    found = []
    for match in re.finditer(r"(.)-(.)|(.)", given, re.DOTALL):
        if match[3] is not None:
            found.append(match[3])
        else:
            found += [chr(code) for code in range(ord(match[1]), ord(match[2]) + 1)]
    return found


def _shape(given: str | None) -> frozenset[Cell] | None:
    """The cells of a shape, relative to its first cell in reading order."""
    if given is None:
        return None
    cells = [
        (r, c)
        for r, row in enumerate(given.split("\n"))
        for c, mark in enumerate(row)
        if mark == "#"
    ]
    if not cells:
        raise Rejected("an empty shape")
    return frozenset((r - cells[0][0], c - cells[0][1]) for r, c in cells)
