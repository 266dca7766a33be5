"""The pieces that a drawing shows."""

from __future__ import annotations

from collections.abc import Iterable

from tests.independent.boards.board import Board
from tests.independent.boards.edges import Cell, beside
from tests.independent.boards.failures import Rejected
from tests.independent.boards.kinds import Kind
from tests.independent.boards.state import Piece

Drawn = tuple[str, str | None, frozenset[Cell]]


def divided(
    shown: dict[tuple[str, str | None], list[Cell]], kinds: dict[str, Kind], board: Board
) -> list[Drawn]:
    """The pieces, given the cells that show each kind and letter."""
    found: list[Drawn] = []
    for (name, letter), cells in shown.items():
        kind = kinds[name]
        if kind.shape is not None:
            parts: Iterable[frozenset[Cell]] = _tiled(cells, kind.shape)
        elif letter is None:
            parts = [frozenset({cell}) for cell in cells]
        elif kind.parts == "together":
            parts = [frozenset(cells)]
        else:
            parts = _groups(set(cells), board)
        for part in parts:
            if not board.is_whole(part):
                raise Rejected("a piece across a wall")
            found.append((name, letter, part))
    return found


def _tiled(cells: list[Cell], shape: frozenset[Cell]) -> list[frozenset[Cell]]:
    left, found = set(cells), []
    for cell in sorted(cells):
        if cell in left:
            part = frozenset(beside(cell, each) for each in shape)
            if not part <= left:
                raise Rejected("cells that do not divide into pieces of the shape")
            left -= part
            found.append(part)
    return found


def _groups(cells: set[Cell], board: Board) -> list[frozenset[Cell]]:
    """The groups of cells that touch; walls and portals between cells separate them."""
    found = []
    while cells:
        group = {min(cells)}
        waiting = list(group)
        for cell in waiting:
            for way in ((0, 1), (1, 0), (0, -1), (-1, 0)):
                other = beside(cell, way)
                touches = other in cells and board.is_whole(frozenset({cell, other}))
                if touches and other not in group:
                    group.add(other)
                    waiting.append(other)
        cells = cells - group
        found.append(frozenset(group))
    return found


def pieces_of(drawn: list[Drawn], kinds: dict[str, Kind], named: set[str]) -> list[Piece]:
    """The pieces of the start. `named`: the letters that a rule or the goal names."""
    found = []
    for number, (name, letter, cells) in enumerate(drawn):
        kind = kinds[name]
        corner = min(r for r, _ in cells), min(c for _, c in cells)
        shape = frozenset((r - corner[0], c - corner[1]) for r, c in cells)
        mark = shape if kind.is_interchangeable else number
        found.append(Piece(name, letter if letter in named else None, mark, cells, kind.layer))
    return found
