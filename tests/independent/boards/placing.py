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
            parts: Iterable[frozenset[Cell]] = _tiled(cells, kind.shape, board)
        elif letter is None or not board.plane.is_square_or_hexagonal:
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


def _tiled(cells: list[Cell], shape: frozenset[Cell], board: Board) -> list[frozenset[Cell]]:
    left, found = set(cells), []
    for cell in sorted(cells):
        if cell in left:
            part = frozenset(board.plane.inside(beside(cell, each)) for each in shape)
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
            for direction in board.plane.sides:
                other = (
                    board.plane.shifted(cell, direction) if isinstance(direction, tuple) else None
                )
                if other is None or other not in cells or other in group:
                    continue
                if board.is_whole(frozenset({cell, other})):
                    group.add(other)
                    waiting.append(other)
        cells = cells - group
        found.append(frozenset(group))
    return found


def pieces_of(
    drawn: list[Drawn], kinds: dict[str, Kind], named: set[str], board: Board
) -> list[Piece]:
    """The pieces of the start. `named`: the letters that a rule or the goal names."""
    found = []
    for number, (name, letter, cells) in enumerate(drawn):
        kind = kinds[name]
        mark = None if kind.is_interchangeable else number
        shape = kind.shape if kind.shape is not None and board.plane.wraps else None
        shape = board.unwrapped(cells) if shape is None else _from_corner(shape)
        label = letter if letter in named else None
        found.append(Piece(name, label, mark, shape, cells, kind.layer))
    return found


def _from_corner(shape: frozenset[Cell]) -> frozenset[Cell]:
    """A shape relative to the top-left cell of its bounding box."""
    row, column = min(r for r, _ in shape), min(c for _, c in shape)
    return frozenset((r - row, c - column) for r, c in shape)
