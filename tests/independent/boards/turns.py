"""The directions of rings and pivots."""

from __future__ import annotations

from typing import Any

from tests.independent.boards.directions import parts_of
from tests.independent.boards.expressions import Scope, evaluate


def turns_of(given: Any, both: tuple[str, str], scope: Scope) -> list[str]:
    """The turns that a rule allows; the default is both."""
    if given is None:
        return list(both)
    found: list[str] = []
    for part in parts_of(given):
        value = evaluate(part, scope)
        if value in both and value not in found:
            found.append(value)
    return found
