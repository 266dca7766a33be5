"""Board geometry equals that of a naive implementation that walks along lists of rows, on all small boards."""

from __future__ import annotations

from itertools import product

import pytest

from fewest.model.board import DIRECTION_GROUPS, Board, Offset, Shape, direction_of

SIZES = [(1, 1), (1, 3), (2, 2), (3, 2), (2, 4)]
WRAPS = list(product([False, True], repeat=2))
SHAPES: list[Shape] = [
    ((0, 0),),
    ((0, 0), (0, 1)),
    ((0, 0), (1, 0), (1, 1)),
    ((0, 1), (1, 0)),
    ((0, 0), (0, 1), (0, 2)),
]


class NaiveBoard:
    """A board that finds every cell by searching for it."""

    def __init__(self, rows: int, columns: int, wraps_rows: bool, wraps_columns: bool) -> None:
        self.cells = [(r, c) for r in range(rows) for c in range(columns)]
        self.rows, self.columns = rows, columns
        self.wraps_rows, self.wraps_columns = wraps_rows, wraps_columns

    def cell(self, row: int, column: int) -> int | None:
        """The number of a cell. On a closed board, the method adds or subtracts the size until the cell is on the
        board."""
        while self.wraps_columns and row < 0:
            row += self.rows
        while self.wraps_columns and row >= self.rows:
            row -= self.rows
        while self.wraps_rows and column < 0:
            column += self.columns
        while self.wraps_rows and column >= self.columns:
            column -= self.columns
        return self.cells.index((row, column)) if (row, column) in self.cells else None

    def cover(self, shape: Shape, anchor: int, walls: frozenset[int]) -> tuple[int, ...] | None:
        row, column = self.cells[anchor]
        found = [self.cell(row + down, column + right) for down, right in shape]
        free = [cell for cell in found if cell is not None and cell not in walls]
        return tuple(free) if len(free) == len(shape) == len(set(free)) else None


def boards() -> list[tuple[Board, NaiveBoard]]:
    found = []
    for (rows, columns), (wraps_rows, wraps_columns) in product(SIZES, WRAPS):
        for walls in (frozenset[int](), frozenset({0}), frozenset({0, rows * columns - 1})):
            board = Board(rows, columns, walls, {}, wraps_rows, wraps_columns)
            found.append((board, NaiveBoard(rows, columns, wraps_rows, wraps_columns)))
    return found


def test_cells_are_those_of_the_naive_board() -> None:
    for board, naive in boards():
        assert board.num_cells == len(naive.cells)
        for row, column in product(range(-5, 9), repeat=2):
            assert board.cell(row, column) == naive.cell(row, column), (board, row, column)
        for cell, place in enumerate(naive.cells):
            assert board.at(cell) == place
            assert board.coordinates(cell) == f"({place[0]}, {place[1]})"


def test_steps_are_those_of_the_naive_board() -> None:
    offsets = {offset for group in DIRECTION_GROUPS.values() for offset in group}
    for board, naive in boards():
        for (cell, (row, column)), offset in product(enumerate(naive.cells), offsets):
            assert board.step(cell, offset) == naive.cell(row + offset[0], column + offset[1])


def test_floors_are_all_cells_but_walls() -> None:
    for board, naive in boards():
        assert board.floors == tuple(c for c in range(len(naive.cells)) if c not in board.walls)
        assert [board.floor(c) for c in range(board.num_cells)] == [
            c in board.floors for c in range(board.num_cells)
        ]
        assert not board.floor(None)


def test_a_shape_covers_the_cells_of_the_naive_board() -> None:
    for board, naive in boards():
        for shape, anchor in product(SHAPES, range(board.num_cells)):
            expected = naive.cover(shape, anchor, board.walls)
            assert board.cover(shape, anchor) == expected, (board, shape, anchor)
            assert board.cover(shape, anchor) == expected  # from the cache


def test_boards_of_different_geometry_share_no_cache_of_shapes() -> None:
    """Only on a hexagonal board does a wall between (0, 1) and (1, 0) divide a piece that covers both cells."""
    wall = {(1, (1, -1)): None, (2, (-1, 1)): None}
    shape = ((0, 1), (1, 0))
    square, hexagonal = (
        Board(2, 2, frozenset(), {}, geometry=geometry, exits=wall)
        for geometry in ("square", "hex-right")
    )
    assert (square.cover(shape, 0), hexagonal.cover(shape, 0)) == ((1, 2), None)


def test_a_shape_that_wraps_onto_itself_fits_nowhere() -> None:
    ring = Board(1, 2, frozenset(), {}, wraps_rows=True)
    assert ring.cover(((0, 0), (0, 1)), 1) == (1, 0)
    assert ring.cover(((0, 0), (0, 1), (0, 2)), 0) is None


@pytest.mark.parametrize(
    ("offset", "name", "arrow"),
    [((-1, 0), "up", "↑"), ((1, 1), "down-right", "↘"), ((-2, 1), "(-2, +1)", "⇝")],
)
def test_directions_have_the_words_of_people(offset: Offset, name: str, arrow: str) -> None:
    found = direction_of(offset)
    assert (found.offset, found.name, found.arrow) == (offset, name, arrow)


def test_every_direction_group_is_closed_under_reversal_but_single_ones() -> None:
    for name, group in DIRECTION_GROUPS.items():
        assert len(set(group)) == len(group)
        if len(group) > 1:
            assert {(-r, -c) for r, c in group} == set(group), name
    assert set(DIRECTION_GROUPS["all"]) == {
        *DIRECTION_GROUPS["orthogonal"],
        *DIRECTION_GROUPS["diagonal"],
    }
    assert all(sorted(map(abs, offset)) == [1, 2] for offset in DIRECTION_GROUPS["knight"])
