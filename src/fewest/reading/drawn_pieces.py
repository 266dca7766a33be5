"""Divides the symbols of a drawing into pieces, and reads the shapes of kinds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from fewest.model.board import DIRECTION_GROUPS, HEXAGONAL, TRIANGULAR, Board, Shape
from fewest.reading.context import Context, Path
from fewest.reading.drawings import Symbol
from fewest.reading.layers import layer_of


class DrawnPiece(Struct, frozen=True):
    """A piece as drawn: its shape, and the top-left cell of its bounding box."""

    kind: str
    label: str | None
    shape: Shape
    anchor: int
    cell: int  # the first cell of the piece in reading order, for messages

    def fault(self, board: Board, allowed: frozenset[int]) -> str | None:
        """The reason why the piece may not be where it is drawn; None if it may. `allowed`: the cells that pieces of
        its class may cover.
        """
        cells = board.cover(self.shape, self.anchor)
        if cells is not None and allowed.issuperset(cells):
            return None
        is_divided = board.is_divided(self.shape, self.anchor)
        return "lies across a wall" if is_divided else "is on a cell that it may not enter"


class PieceReader:
    """Divides the symbols of a drawing into pieces."""

    def __init__(
        self,
        context: Context,
        path: Path,
        symbols: list[list[Symbol]],
        shapes: Mapping[str, Shape],
        board: Board,
    ) -> None:
        self.context = context
        self.path = path
        self.symbols = symbols
        self.shapes = shapes
        self.height, self.width = len(symbols), len(symbols[0])
        self.board = board
        self.together = kinds_together(context)
        self.taken: set[int] = set()

    def pieces(self) -> list[DrawnPiece]:
        """All pieces, lowest layer first, in reading order. Reports shapes that do not fit."""
        out: list[DrawnPiece] = []
        for symbols in by_layer(self.context, self.symbols):
            self.symbols, self.taken = symbols, set()
            out += self._of_layer()
        return out

    def _of_layer(self) -> list[DrawnPiece]:
        out: list[DrawnPiece] = []
        for row in range(self.height):
            for column in range(self.width):
                cell = row * self.width + column
                symbol = self.symbols[row][column]
                if symbol.kind is None or cell in self.taken:
                    continue
                if symbol.kind in self.shapes:
                    piece = self._cut(cell, symbol)
                    if piece is not None:
                        out.append(piece)
                elif symbol.label is not None:
                    out.append(self._patch(cell, symbol))
                else:
                    out.append(DrawnPiece(symbol.kind, None, ((0, 0),), cell, cell))
        return out

    def _patch(self, first: int, symbol: Symbol) -> DrawnPiece:
        """The connected cells of one letter as a piece; if its kind may have separate parts, all cells of the
        letter.
        """
        row, column = divmod(first, self.width)
        if symbol.kind in self.together:
            return self._all_parts(first, symbol)
        offsets = {first: (0, 0)}
        is_ambiguous = False
        queue = [first]
        while queue:
            cell = queue.pop()
            down, right = offsets[cell]
            for step_down, step_right in self.board.touching:
                offset = (down + step_down, right + step_right)
                near = self.board.cell(row + offset[0], column + offset[1])
                if near is None:
                    continue
                if near in offsets:
                    is_ambiguous |= offsets[near] != offset and not self.board.is_cut(
                        cell, (step_down, step_right)
                    )
                    continue
                other = self.symbols[near // self.width][near % self.width]
                if other.label != symbol.label or other.kind != symbol.kind:
                    continue
                if not self.board.is_cut(cell, (step_down, step_right)):
                    offsets[near] = offset
                    queue.append(near)
        self.taken.update(offsets)
        assert symbol.kind is not None
        piece = self._piece(symbol.kind, symbol.label, first, list(offsets.values()))
        # `build_classes` reports a piece that goes round the board
        if is_ambiguous and not self.board.goes_round(piece.shape):
            self.context.error(
                self.path,
                "piece-round",
                f"`{symbol.label}` touches itself round the board, so the drawing does not define its shape",
                hint="define the piece with `shape`, make it smaller, or remove `wrap`",
            )
        return piece

    def _all_parts(self, first: int, symbol: Symbol) -> DrawnPiece:
        """All cells of a letter as one piece, whether they touch or not."""
        row, column = divmod(first, self.width)
        assert symbol.kind is not None
        if self.board.wraps_rows or self.board.wraps_columns:
            self.context.error(
                ("pieces", symbol.kind, "parts"),
                "piece-torn",
                "on a board that wraps, a drawing cannot define the distances between the parts of a piece",
                hint="define the piece with `shape`",
            )
        offsets = {
            (r, c): (r - row, c - column)
            for r, line in enumerate(self.symbols)
            for c, other in enumerate(line)
            if (other.kind, other.label) == (symbol.kind, symbol.label)
        }
        self.taken.update(r * self.width + c for r, c in offsets)
        return self._piece(symbol.kind, symbol.label, first, list(offsets.values()))

    def _cut(self, first: int, symbol: Symbol) -> DrawnPiece | None:
        """The piece of a kind with a given shape that begins at the cell `first`; None after reporting that the drawing
        does not contain the whole shape.
        """
        assert symbol.kind is not None
        shape = self.shapes[symbol.kind]
        row, column = divmod(first, self.width)
        start = shape[0]
        offsets = [(down - start[0], right - start[1]) for down, right in shape]
        cells: list[int] = []
        for down, right in offsets:
            cell = self.board.cell(row + down, column + right)
            found = None if cell is None else self.symbols[cell // self.width][cell % self.width]
            same = found is not None and (found.kind, found.label) == (symbol.kind, symbol.label)
            if cell is None or cell in self.taken or not same:
                self.context.error(
                    self.path,
                    "piece-torn",
                    f"the drawing has no complete `{symbol.kind}` that begins at row {row}, column {column}",
                    hint="pieces with a `shape` are recognised in reading order, each from its first cell",
                )
                self.taken.add(first)
                return None
            cells.append(cell)
        self.taken.update(cells)
        return self._piece(symbol.kind, symbol.label, first, offsets)

    def _piece(
        self, kind: str, label: str | None, first: int, offsets: list[tuple[int, int]]
    ) -> DrawnPiece:
        top, left = min([down for down, _ in offsets]), min([right for _, right in offsets])
        shape = tuple(sorted((down - top, right - left) for down, right in offsets))
        if len(shape) > 1 and self.board.geometry in TRIANGULAR:
            message = (
                f"`{label or kind}` has {len(shape)} cells, "
                "but a piece on a triangular board must have one cell"
            )
            hint = "draw pieces of one cell; triangles that point up and down differ in shape"
            self.context.error(self.path, "piece-torn", message, hint=hint)
        row, column = divmod(first, self.width)
        anchor = self.board.cell(row + top, column + left)
        assert anchor is not None
        return DrawnPiece(kind, label, shape, anchor, first)


def by_layer(context: Context, symbols: list[list[Symbol]]) -> list[list[list[Symbol]]]:
    """The part of a drawing that belongs to each layer, lowest first."""
    numbers = context.layers
    if len(numbers) == 1:
        return [symbols]
    return [
        [[_in_layer(context, symbol, layer) for symbol in row] for row in symbols]
        for layer in sorted(numbers.values())
    ]


def _in_layer(context: Context, symbol: Symbol, layer: int) -> Symbol:
    """The part of a symbol that belongs to a layer."""
    if symbol.kind is None or layer_of(context, symbol.kind) == layer:
        return replace(symbol, below=())
    kinds = [kind for kind in symbol.below if layer_of(context, kind) == layer]
    return replace(symbol, kind=kinds[0] if kinds else None, label=None, below=())


def kinds_together(context: Context) -> frozenset[str]:
    """The kinds with pieces that may have separate parts."""
    kinds = context.document.pieces or {}
    return frozenset(n for n, kind in kinds.items() if kind and kind.parts == "together")


def shape_of(
    context: Context, path: Path, drawing: str, *, is_together: bool = False
) -> Shape | None:
    """The shape that consists of the `#` characters; all other characters are outside the shape.

    The result is None if a mistake was reported. `is_together`: whether separate cells can form one piece.
    """
    cells = [
        (row, column)
        for row, line in enumerate(drawing.rstrip("\n").split("\n"))
        for column, character in enumerate(line)
        if character == "#"
    ]
    if not cells:
        context.error(path, "shape-empty", "this drawing of a shape contains no `#`")
        return None
    if not is_together and not are_connected(cells, context.geometry):
        message = "this shape is not connected: its cells do not all touch"
        context.error(
            path, "piece-torn", message, hint="if this is intended, write `parts: together`"
        )
        return None
    top, left = min(r for r, _ in cells), min(c for _, c in cells)
    return tuple(sorted((row - top, column - left) for row, column in cells))


def are_connected(cells: Sequence[tuple[int, int]], geometry: str) -> bool:
    """Whether these cells, which are rows and columns, touch each other on a board without wrap."""
    reached, queue = {cells[0]}, [cells[0]]
    touching = DIRECTION_GROUPS[geometry if geometry in HEXAGONAL else "orthogonal"]
    while queue:
        row, column = queue.pop()
        for down, right in touching:
            near = (row + down, column + right)
            if near in cells and near not in reached:
                reached.add(near)
                queue.append(near)
    return len(reached) == len(cells)
