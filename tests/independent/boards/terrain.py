"""Terrain expressions: `a|b`, `not a`, `not a|b`, `floor`."""

from __future__ import annotations

from tests.independent.boards.failures import Rejected


def is_on(terrains: frozenset[str], expression: str, known: frozenset[str]) -> bool:
    """Whether a floor cell with these terrains belongs to the terrain expression."""
    text = expression.strip()
    if text.startswith("not "):
        return not is_on(terrains, text[4:], known)
    found = False
    for name in text.split("|"):
        name = name.strip()
        if name == "floor":
            found = found or not terrains
        elif name in known:
            found = found or name in terrains
        else:
            raise Rejected(f"no terrain {name!r}")
    return found
