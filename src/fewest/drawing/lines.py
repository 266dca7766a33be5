"""The characters for the lines between cells in drawings; they are the same as in puzzle documents."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

from msgspec import Struct

from fewest.model.board import GRAPH, HEXAGONAL, TRIANGULAR, Board, Offset

T = TypeVar("T")
_LABELS = "123456789abcdefghijklmnopqrstuwxyz"
_ORTHOGONAL = ((0, 1), (1, 0), (0, -1), (-1, 0))


class Side(Struct, frozen=True):
    """The side of a cell in the direction `step`: whether a piece can leave the cell through it, and whether a piece
    can enter the cell through it.
    """

    cell: int
    step: Offset
    is_open: bool
    lets_in: bool
    portal: str = ""

    @property
    def mark(self) -> str:
        """The character of this side; a blank if nothing blocks the side."""
        if self.portal:
            return self.portal
        ahead = {(0, 1): "><", (1, 0): "v^", (0, -1): "<>", (-1, 0): "^v"}[self.step]
        if self.is_open:
            return " " if self.lets_in else ahead[0]
        return ahead[1] if self.lets_in else "|" if self.step[1] else "-"


def has_lines(board: Board) -> bool:
    """Whether a text drawing of the board has lines between its cells."""
    return bool(board.exits) and board.geometry not in (*HEXAGONAL, *TRIANGULAR, GRAPH)


def sides(board: Board) -> Iterator[Side]:
    """All sides of cells, including the edge of the board, except those through which pieces can pass freely to the
    adjacent cell.
    """
    portals = _portals(board)
    for cell in range(board.num_cells):
        for step in _ORTHOGONAL:
            row, column = board.at(cell)
            beyond = board.cell(row + step[0], column + step[1])
            label = portals.get((cell, step), "")
            is_open = board.step(cell, step) is not None
            lets_in = beyond is not None and board.step(beyond, (-step[0], -step[1])) is not None
            side = Side(cell, step, is_open, lets_in, label)
            if side.mark != " ":
                yield side


def _portals(board: Board) -> dict[tuple[int, Offset], str]:
    """The labels of the portals: sides that lead to a cell other than the adjacent one. Two sides that are joined have
    the same label.
    """
    out: dict[tuple[int, Offset], str] = {}
    for (cell, step), beyond in board.exits.items():
        row, column = board.at(cell)
        if step not in _ORTHOGONAL or beyond is None or (cell, step) in out:
            continue
        if beyond == board.cell(row + step[0], column + step[1]):
            continue
        label = _LABELS[len(set(out.values())) % len(_LABELS)]
        back = (-step[0], -step[1])
        joined = [(cell, step), (beyond, back)]
        for side, offset in list(joined):  # the opposite sides of these two lines are also joined
            place = board.at(side)
            other = board.cell(place[0] + offset[0], place[1] + offset[1])
            if other is not None:
                joined.append((other, (-offset[0], -offset[1])))
        out.update(dict.fromkeys(joined, label))
    return out


def with_lines(board: Board, rows: list[list[T]], line: Callable[[str], T]) -> list[list[T]]:
    """The cells of a drawing, with the corners and lines around and between them; `line` converts a character to an
    element of the drawing.
    """
    marks: dict[tuple[int, int], str] = {}
    for side in sides(board):
        row, column = board.at(side.cell)
        marks.setdefault((2 * row + 1 + side.step[0], 2 * column + 1 + side.step[1]), side.mark)
    height, width = 2 * board.rows + 1, 2 * board.columns + 1
    out = [
        [line("+" if r % 2 == c % 2 == 0 else marks.get((r, c), " ")) for c in range(width)]
        for r in range(height)
    ]
    for number, cells in enumerate(rows):
        out[2 * number + 1][1::2] = cells
    return out


def with_edges(board: Board, rows: list[list[T]], line: Callable[[str], T]) -> list[list[T]]:
    """The nodes of a graph, with blanks between them, and those of its edges that are horizontal, vertical or at
    45°.
    """
    pairs = {(cell, there) for (cell, _), there in board.exits.items() if there is not None}
    out = [[line(" ") for _ in range(2 * board.columns - 1)] for _ in range(2 * board.rows - 1)]
    taken = {board.at(cell) for cell in board.floors}
    for cell, there in sorted(pairs):
        (r, c), (r2, c2) = board.at(cell), board.at(there)
        down, right = r2 - r, c2 - c
        size = max(abs(down), abs(right))
        if abs(down) not in (0, size) or abs(right) not in (0, size):
            continue
        step = (down // size, right // size)
        mark = _mark(step) if (there, cell) in pairs else _arrow(step)
        for place in range(1, 2 * size):
            at = (2 * r + place * step[0], 2 * c + place * step[1])
            if place % 2 or (at[0] // 2, at[1] // 2) not in taken:
                out[at[0]][at[1]] = line(mark)
    for number, cells in enumerate(rows):
        for column, glyph in enumerate(cells):
            if (number, column) in taken:
                out[2 * number][2 * column] = glyph
    return out


def _mark(step: Offset) -> str:
    if 0 in step:
        return "-" if step[1] else "|"
    return "\\" if step[0] == step[1] else "/"


def _arrow(step: Offset) -> str:
    """The character for the line of a one-way edge."""
    return {(0, 1): ">", (0, -1): "<", (1, 0): "v", (-1, 0): "^"}.get(step, _mark(step))
