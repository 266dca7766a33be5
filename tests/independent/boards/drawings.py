"""Drawings of boards, and the type and the lines of the board that a document draws."""

from __future__ import annotations

from typing import Any

from tests.independent.boards.board import Plane, Terrains, plane_of
from tests.independent.boards.edges import NONE, Edges, listed, split_drawing
from tests.independent.boards.expressions import Scope, evaluate
from tests.independent.boards.failures import Rejected, Unsupported
from tests.independent.boards.loops import filled
from tests.independent.boards.words import as_list, word


def drawing(given: Any, scope: Scope) -> list[list[str]]:
    """The rows of characters or tokens of a drawing."""
    if isinstance(given, str):
        rows = [list(line) for line in _lines(given, scope)]
    elif isinstance(given, list) and all(isinstance(row, list) for row in given):
        rows = [[filled(str(token), scope) for token in row] for row in given]
    elif isinstance(given, list):
        rows = [filled(row, scope).split() for row in given]
    else:
        raise Unsupported("the form of a drawing")
    if any(len(row) != len(rows[0]) for row in rows):
        raise Rejected("the rows of a drawing have several lengths")
    return rows


def _lines(given: str, scope: Scope) -> list[str]:
    lines = filled(given, scope).split("\n")
    while lines and not lines[-1]:
        lines.pop()
    return lines


def cells_and_edges(document: dict[str, Any], scope: Scope) -> tuple[list[list[str]], Plane, Edges]:
    """The drawing of the cells of the document's board, its type, and its lines."""
    if document.get("board") is None:
        return [], plane_of({}, 0, 0), NONE
    given, edges = document["board"], document.get("edges")
    is_drawn = edges == "drawn" or (
        isinstance(edges, dict) and str(edges.get("drawn", "false")) == "true"
    )
    if document.get("graph") is not None:
        width = max(map(len, _lines(given, scope)))
        return (
            (rows := [list(line.ljust(width)) for line in _lines(given, scope)]),
            plane_of(document, len(rows), width),
            NONE,
        )
    found = NONE
    if is_drawn:
        if not isinstance(given, str):
            raise Unsupported("drawn lines between tokens")
        lines = _lines(given, scope)
        width = max(map(len, lines))
        plane = plane_of(document, len(lines) // 2, width // 2)
        texts, found = split_drawing([line.ljust(width) for line in lines], plane)
        rows = [list(row) for row in texts]
    else:
        rows = drawing(given, scope)
        plane = plane_of(document, len(rows), len(rows[0]))
    if edges is not None and edges != "drawn":
        if not isinstance(edges, dict):
            raise Unsupported("the form of edges")
        more = listed(edges, scope, plane)
        if is_drawn and more != NONE:
            raise Unsupported("lines that are drawn and listed")
        found = found if is_drawn else more
    if found != NONE and plane.is_triangular:
        raise Rejected("lines between triangles")
    return rows, plane, found


def read_terrains(given: Any, scope: Scope) -> Terrains:
    """The names of terrains, the pieces that may enter them, and their listed cells."""
    if isinstance(given, str):
        given = [given]
    pairs = given.items() if isinstance(given, dict) else [(name, None) for name in given or []]
    found = Terrains(frozenset(name for name, _ in pairs), {}, {})
    for name, spec in pairs:
        if isinstance(spec, dict):
            if spec.get("enters") is not None:
                found.guests[name] = [str(word(each)) for each in as_list(spec["enters"])]
            cells = spec.get("cells")
            if cells is not None:
                found.cells[name] = [(row, column) for row, column in evaluate(cells, scope)]
        elif spec is not None:
            found.guests[name] = [str(each) for each in as_list(spec)]
    return found
