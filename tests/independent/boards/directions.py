"""The key `directions` of rules and kinds."""

from __future__ import annotations

import re
from typing import Any

from tests.independent.boards.board import GRAPH, Direction, Plane
from tests.independent.boards.expressions import Scope, evaluate
from tests.independent.boards.failures import Rejected, Unsupported
from tests.independent.boards.headings import KNIGHT, LEVELS, OFFSETS, words_of_group
from tests.independent.boards.state import Piece

ALONG = "along"  # along the longer side of a piece


def directions_of(plane: Plane, given: Any, scope: Scope) -> list[Direction]:
    """The directions of a rule or a kind, without repetitions, or ALONG."""
    if given is None:
        return plane.default
    found = [direction for part in parts_of(given) for direction in _expanded(plane, part, scope)]
    return list(dict.fromkeys(found))


def parts_of(given: Any) -> list[Any]:
    """The words and expressions of the key `directions`."""
    if isinstance(given, str):
        # Words are separated by spaces outside brackets.
        return re.findall(r"(?:[^\s(]|\([^()]*(?:\([^()]*\)[^()]*)*\))+", given)
    return list(given)


def _expanded(plane: Plane, part: Any, scope: Scope) -> list[Direction]:
    if isinstance(part, list):
        return [_offset(plane, evaluate(part, scope))]
    if _is_word(plane, part):  # even if a loop, a constant or a variable has this name
        return _of_word(plane, part)
    value = evaluate(part, scope)
    if isinstance(value, str):
        return _of_word(plane, value) if _is_word(plane, value) else []
    return [_offset(plane, value)] if isinstance(value, list) else []


def _offset(plane: Plane, value: Any) -> Direction:
    if len(value) != 2 or not all(isinstance(each, int) for each in value):
        raise Unsupported(f"the offset {value}")
    if plane.is_triangular or plane.geometry == GRAPH:
        raise Unsupported("an offset on this board")
    return value[0], value[1]


def _is_word(plane: Plane, text: str) -> bool:
    if plane.geometry == GRAPH:
        return text in plane.kinds
    is_known = text in OFFSETS or text in (*LEVELS, "knight", ALONG)
    return is_known or words_of_group(text, plane.geometry) is not None


def _of_word(plane: Plane, text: str) -> list[Direction]:
    if plane.geometry == GRAPH or text == ALONG:
        return [text]
    if text == "knight" and not plane.is_triangular:
        return list(KNIGHT)
    if text in LEVELS:
        if plane.levels == 1:
            raise Rejected("`above` or `below` on a board without levels")
        return [text]
    words = words_of_group(text, plane.geometry) or [text]
    if plane.is_triangular:
        return list(words)
    return [OFFSETS[word] for word in words]


def directions_for(plane: Plane, directions: list[Direction], piece: Piece) -> list[Direction]:
    """The directions for a piece, for which `along` means along its longer side."""
    cells = piece.shape if plane.wraps else piece.cells
    rows, columns = {r for r, _ in cells}, {c for _, c in cells}
    found: list[Direction] = []
    for direction in directions:
        if direction != ALONG:
            found.append(direction)
            continue
        if len(rows) == len(columns):
            raise Rejected("`along` for a piece without a longer side")
        words = ("up", "down") if len(rows) > len(columns) else ("left", "right")
        found += [OFFSETS[word] for word in words]
    return list(dict.fromkeys(found))
