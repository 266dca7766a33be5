"""From the text of a document to a puzzle."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

from tests.independent.boards.board import Board
from tests.independent.boards.documents import read_document
from tests.independent.boards.drawings import cells_and_edges, read_terrains
from tests.independent.boards.edges import Cell
from tests.independent.boards.expressions import Scope, World, parsed
from tests.independent.boards.failures import Rejected, Unsupported
from tests.independent.boards.fits import Rule
from tests.independent.boards.game import Game
from tests.independent.boards.kinds import Kind, read_kinds
from tests.independent.boards.legend import Legend
from tests.independent.boards.loops import constants_of, geometry_of
from tests.independent.boards.placing import divided, pieces_of
from tests.independent.boards.state import State
from tests.independent.boards.variables import read_variables
from tests.independent.boards.world import Play

_KEYS = {
    "puzzle", "model", "extends", "title", "names", "source", "notes", "difficulty", "constants", "parameters",
    "board", "legend", "terrain", "edges", "pieces", "variables", "moves", "forbid", "then", "order", "goal",
    "metrics", "metric", "drawing", "expect", "tests", "own kinds", "wrap", "levels", "graph", "geometry",
}  # fmt: skip
_RULE_KEYS = {
    "slide", "together", "before", "after", "cycle", "cycles", "steps", "pivot", "about", "swept", "directions", "for",
    "when", "set", "count", "say", "distance", "over", "stopped-by", "carries", "sticky", "most", "rotations", "whole",
    "otherwise", "everywhere", "once", "wait",
}  # fmt: skip


def read(text: str, models: Path) -> Game:
    """The puzzle of a document. `models` is the folder of the models that documents name."""
    document = read_document(text, models)
    if set(document) - _KEYS:
        raise Unsupported(f"the keys {sorted(set(document) - _KEYS)}")
    scope = Scope({}, constants_of(document, 0, 0), World(), geometry_of(document))
    rows, plane, edges = cells_and_edges(document, scope)
    size = (len(rows), len(rows[0]) if rows else 0)
    constants = constants_of(document, *size)
    scope = Scope({}, constants, World(), geometry_of(document))
    kinds = read_kinds(document.get("pieces") or {})
    terrain = read_terrains(document.get("terrain"), scope)
    legend = Legend(
        document.get("legend"), kinds, terrain.names, document.get("own kinds", []), scope
    )
    floor: set[Cell] = set()
    terrains: dict[Cell, set[str]] = {}
    shown: dict[tuple[str, str | None], list[Cell]] = {}
    for r, row in enumerate(rows):
        for c, token in enumerate(row):
            if not plane.contains((r, c)):
                continue  # on a graph, there is no node
            meaning = legend.meaning(token)
            if not meaning.is_wall:
                floor.add((r, c))
            if meaning.terrain is not None:
                terrains.setdefault((r, c), set()).add(meaning.terrain)
            for piece in meaning.pieces:
                shown.setdefault(piece, []).append((r, c))
    for name, cells in terrain.cells.items():
        for cell in cells:
            if cell not in floor:
                raise Rejected("a terrain on a wall")
            terrains.setdefault(cell, set()).add(name)
    board = Board(
        plane,
        frozenset(floor),
        {cell: frozenset(names) for cell, names in terrains.items()},
        terrain.names,
        terrain.guests,
        edges,
    )
    letters = {letter for kind in kinds.values() for letter in kind.letters}
    pieces = pieces_of(divided(shown, kinds, board), kinds, _named(document, letters), board)
    variables = read_variables(document.get("variables"), scope)
    start = State(frozenset(pieces), variables.initial)
    game = Game(
        board,
        kinds,
        legend,
        constants,
        variables,
        [_rule(*each, kinds) for each in (document.get("moves") or {}).items()],
        [_rule(*each, kinds) for each in (document.get("then") or {}).items()],
        document,
        start,
    )
    game.world_of = lambda state: Play(game, state)
    return game


def _rule(name: str, keys: dict[str, Any], kinds: dict[str, Kind]) -> Rule:
    if not isinstance(keys, dict) or set(keys) - _RULE_KEYS:
        raise Unsupported(f"the keys of the rule {name}")
    loops = dict(keys.get("for") or {})
    colours = _colours(keys, kinds)
    if colours and "colour" not in loops:
        loops = {"colour": colours, **loops}
    return Rule(name, keys, loops)


def _colours(keys: dict[str, Any], kinds: dict[str, Kind]) -> list[str]:
    """The colours of the kinds that a pattern names."""
    words = {
        word
        for text in _texts([keys.get("before"), keys.get("after")])
        for word in re.findall(r"[\w-]+", text)
    }
    found: list[str] = []
    for base in words & {kind.base for kind in kinds.values() if kind.colour is not None}:
        colours = [str(kind.colour) for kind in kinds.values() if kind.base == base]
        if found and found != colours:
            raise Unsupported("kinds with several lists of colours in one pattern")
        found = colours
    return found


def _named(document: dict[str, Any], letters: set[str]) -> set[str]:
    """The letters that a rule or the goal names; all letters if consequences can follow an exchange of pieces."""
    if document.get("then") and _can_exchange(document):
        return letters
    keys = ("moves", "then", "goal", "forbid", "terrain", "constants")
    texts = list(_texts([document.get(key) for key in keys]))
    words = {found for text in texts for found in re.findall(r"\w+", text)}
    drawings = list(_drawings([document.get("goal"), document.get("forbid")]))
    words |= {mark for text in drawings for mark in text}
    if any(_compares_cells(text) for text in texts):
        return letters
    return (words | set(texts)) & letters


def _can_exchange(document: dict[str, Any]) -> bool:
    """Whether a rule can exchange pieces ("What counts as one state" in the language's page)."""
    keys = {
        key
        for part in ("moves", "then")
        for rule in document.get(part, {}).values()
        for key in rule
    }
    has_loops = bool(document.get("wrap")) or _may_have_portals(document.get("edges"))
    return bool(keys & {"cycle", "cycles"}) or (has_loops and bool(keys & {"carries", "sticky"}))


def _may_have_portals(edges: Any) -> bool:
    """Whether the edges of a board may contain portals, which a drawing can contain too."""
    is_list = isinstance(edges, dict) and not edges.get("drawn")
    return bool(edges.get("portals")) if is_list else edges is not None


def _compares_cells(text: str) -> bool:
    """Whether an expression compares the contents of two cells, so that all letters matter."""
    try:
        tree = parsed(text)
    except SyntaxError:
        return False
    return any(
        sum(_has_cell(side) for side in (node.left, *node.comparators)) > 1
        for node in ast.walk(tree)
        if isinstance(node, ast.Compare)
    )


def _has_cell(tree: ast.AST) -> bool:
    return any(
        isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "cell"
        for node in ast.walk(tree)
    )


def _texts(given: Any) -> list[str]:
    if isinstance(given, str):
        return [given]
    if isinstance(given, dict):
        # The numbers of `at` are no letters.
        values = [each for key, each in given.items() if key != "at"]
        return [*map(str, given), *(text for each in values for text in _texts(each))]
    if isinstance(given, list):
        return [text for each in given for text in _texts(each)]
    return []


def _drawings(given: Any) -> list[str]:
    """The drawings within goals."""
    if isinstance(given, dict):
        found = [text for key, each in given.items() if key == "board" for text in _texts(each)]
        return found + [text for each in given.values() for text in _drawings(each)]
    if isinstance(given, list):
        return [text for each in given for text in _drawings(each)]
    return []
