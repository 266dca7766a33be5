"""The key `directions` of rules and kinds."""

from __future__ import annotations

import re
from typing import Any

from tests.independent.boards.expressions import Scope, evaluate
from tests.independent.boards.failures import Rejected, Unsupported
from tests.independent.boards.headings import FOREIGN, GROUPS, KNIGHT, OFFSETS, Offset
from tests.independent.boards.state import Piece

Way = Offset | str  # an offset, or the word `along`


def ways_of(given: Any, scope: Scope) -> list[Way]:
    """The directions of a rule or a kind, without repetitions; the default is `orthogonal`."""
    found: list[Way] = []
    for part in ["orthogonal"] if given is None else parts_of(given):
        for way in _expanded(part, scope):
            if way not in found:
                found.append(way)
    return found


def parts_of(given: Any) -> list[Any]:
    """The words and expressions of the key `directions`."""
    if isinstance(given, str):
        # Words are separated by spaces outside brackets.
        return re.findall(r"(?:[^\s(]|\([^()]*(?:\([^()]*\)[^()]*)*\))+", given)
    return list(given)


def _expanded(part: Any, scope: Scope) -> list[Way]:
    if isinstance(part, list):
        value = evaluate(part, scope)
        if len(value) != 2 or not all(isinstance(each, int) for each in value):
            raise Unsupported(f"the offset {part}")
        return [(value[0], value[1])]
    if _is_word(part):  # even if a loop, a constant or a variable has this name
        return _of_word(part)
    value = evaluate(part, scope)
    if isinstance(value, str):
        return _of_word(value) if _is_word(value) else []
    if isinstance(value, list):
        if len(value) == 2 and all(isinstance(each, int) for each in value):
            return [(value[0], value[1])]
        raise Unsupported(f"the directions {value}")
    return []


def _is_word(text: str) -> bool:
    return text in OFFSETS or text in GROUPS or text in ("knight", "along") or text in FOREIGN


def _of_word(text: str) -> list[Way]:
    if text in OFFSETS:
        return [OFFSETS[text]]
    if text in GROUPS:
        return [OFFSETS[each] for each in GROUPS[text]]
    if text == "knight":
        return list(KNIGHT)
    if text == "along":
        return ["along"]
    raise Unsupported(f"the direction {text}")


def offsets_for(ways: list[Way], piece: Piece) -> list[Offset]:
    """The directions for a piece, for which `along` means along its longer side."""
    rows = {r for r, _ in piece.cells}
    columns = {c for _, c in piece.cells}
    found: list[Offset] = []
    for way in ways:
        if isinstance(way, tuple):
            found.append(way)
            continue
        if len(rows) == len(columns):
            raise Rejected("`along` for a piece without a longer side")
        words = ("up", "down") if len(rows) > len(columns) else ("left", "right")
        found += [OFFSETS[word] for word in words]
    return list(dict.fromkeys(found))
