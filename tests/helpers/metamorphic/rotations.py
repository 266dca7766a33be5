"""Mirrors or rotates the board of a puzzle.

Everything that names a direction, an edge or a cell changes with the board: drawings, shapes, directions, rectangles of
patterns, rings, edges between cells, goals, and the functions of expressions.
"""

from __future__ import annotations

import ast
import copy
import re
from dataclasses import dataclass
from typing import Any

from fewest.commands.api import CompiledPuzzle
from fewest.model.board import DIRECTION_GROUPS, HEXAGONAL, STRIPS, TRIANGULAR, Offset
from fewest.model.puzzle import PieceClass
from fewest.reading.document import Placement
from tests.helpers.metamorphic.document import (
    Data,
    NotApplicableError,
    Rows,
    data_of,
    drawing_of,
    has_lines,
    is_rectangle,
    map_conditions,
    map_expressions,
    parsed,
    patterns_of,
    reads_board,
    rows_of,
    rules_of,
)

_ORDERS = {
    "top-down": (1, 0), "bottom-up": (-1, 0), "left-right": (0, 1), "right-left": (0, -1),
}  # fmt: skip
_EDGES = {"top": (-1, 0), "bottom": (1, 0), "left": (0, -1), "right": (0, 1)}
_DIRECTIONS = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}
_MARKS = {"^": (-1, 0), "v": (1, 0), "<": (0, -1), ">": (0, 1)}


@dataclass(frozen=True)
class Turn:
    """A symmetry of the square: it reverses rows or columns, and may then exchange rows and columns."""

    reverses_rows: bool
    reverses_columns: bool
    exchanges: bool

    @property
    def is_mirror(self) -> bool:
        return (self.reverses_rows + self.reverses_columns + self.exchanges) % 2 == 1

    def offset(self, offset: Offset) -> Offset:
        down = -offset[0] if self.reverses_rows else offset[0]
        right = -offset[1] if self.reverses_columns else offset[1]
        return (right, down) if self.exchanges else (down, right)

    def grid(self, rows: Rows) -> Rows:
        if self.reverses_rows:
            rows = rows[::-1]
        if self.reverses_columns:
            rows = [row[::-1] for row in rows]
        return [list(column) for column in zip(*rows, strict=True)] if self.exchanges else rows

    def named(self, words: dict[str, Offset], word: str) -> str:
        """The word for the image of a direction."""
        offset = self.offset(words[word])
        return next(name for name, known in words.items() if known == offset)


def turned(compiled: CompiledPuzzle, turn: Turn) -> Data:
    """The document of the puzzle on the changed board. Raises NotApplicableError."""
    if compiled.puzzle.board is None:
        raise NotApplicableError("no board")
    return _Turned(compiled, turn).data


class _Turned:
    def __init__(self, compiled: CompiledPuzzle, turn: Turn) -> None:
        board = compiled.puzzle.board
        assert board is not None
        self.puzzle, self.board, self.turn = compiled.puzzle, board, turn
        self.data = data = copy.deepcopy(data_of(compiled))
        self.levels = data.get("levels") or 1
        self.rows, self.columns = board.rows // self.levels, board.columns
        if self.levels > 1 and turn.exchanges and self.columns < 2:
            raise NotApplicableError("a level would have a single row")
        self._geometry()
        data["board"] = self._drawing(data["board"])
        self._pieces()
        self._between_cells()
        self._order()
        for section, _, rule in rules_of(data):
            self._rule(rule, is_consequence=section == "then")
        for rule, side in patterns_of(data):
            if is_rectangle(rule):
                rule[side] = turn.grid(rule[side])
        map_conditions(data, self._condition, self._expression)
        map_expressions(data, self._expression)

    # -- places ------------------------------------------------------------------------------------

    def _cell(self, row: Any, column: Any) -> list[Any]:
        """A cell; its numbers may be expressions if the board has one level."""
        if self.levels > 1:
            if not isinstance(row, int):
                raise NotApplicableError("a cell of a board with levels is an expression")
            level, row = divmod(row, self.rows)
        else:
            level = 0
        if self.turn.reverses_rows:
            row = _difference(self.rows - 1, row)
        if self.turn.reverses_columns:
            column = _difference(self.columns - 1, column)
        if self.turn.exchanges:
            row, column = column, row
        if level:
            row += level * (self.columns if self.turn.exchanges else self.rows)
        return [row, column]

    def _geometry(self) -> None:
        data, turn = self.data, self.turn
        geometry = data.get("geometry")
        if geometry in TRIANGULAR:
            if turn.exchanges:
                raise NotApplicableError("triangles have no rows in the other direction")
            corner = (self.rows - 1) * turn.reverses_rows + (
                self.columns - 1
            ) * turn.reverses_columns
            is_up = (geometry == "triangle-up") ^ bool(corner % 2) ^ turn.reverses_rows
            data["geometry"] = "triangle-up" if is_up else "triangle-down"
        elif geometry in HEXAGONAL:
            offsets = {turn.offset(offset) for offset in DIRECTION_GROUPS[geometry]}
            data["geometry"] = next(g for g in HEXAGONAL if offsets == set(DIRECTION_GROUPS[g]))
        wrap = data.get("wrap")
        if wrap is not None and turn.exchanges:
            other = {"rows": "columns", "columns": "rows", "both": "both"}
            data["wrap"] = other[wrap] if isinstance(wrap, str) else [other[w] for w in wrap]
        graph = data.get("graph")
        if graph is not None:
            graph["nodes"] = {name: self._cell(*place) for name, place in graph["nodes"].items()}
        terrain = data.get("terrain")
        for spec in terrain.values() if isinstance(terrain, dict) else ():
            if isinstance(spec, dict) and spec.get("cells"):
                spec["cells"] = [self._cell(*cell) for cell in spec["cells"]]

    def _drawing(self, drawing: Any) -> Any:
        rows = rows_of(drawing)
        if has_lines(self.data) and len(rows) == 2 * self.rows + 1:
            return drawing_of(self._lines(self.turn.grid(rows)))
        height = len(rows) // self.levels
        if (height, len(rows[0])) != (self.rows, self.columns):
            raise NotApplicableError("a drawing is not of the size of the board")
        levels = [rows[first : first + height] for first in range(0, len(rows), height)]
        return drawing_of([row for level in levels for row in self.turn.grid(level)])

    def _lines(self, rows: Rows) -> Rows:
        def mark(row: int, column: int, token: str) -> str:
            if row % 2 and column % 2:
                return token
            if token in _MARKS:
                return self.turn.named(_MARKS, token)
            return {"-": "|", "|": "-"}.get(token, token) if self.turn.exchanges else token

        return [[mark(r, c, token) for c, token in enumerate(row)] for r, row in enumerate(rows)]

    def _between_cells(self) -> None:
        edges = self.data.get("edges")
        if not isinstance(edges, dict):
            return
        for key in ("walls", "one-way"):
            if edges.get(key):
                edges[key] = [[self._cell(*cell) for cell in pair] for pair in edges[key]]
        for portal in edges.get("portals") or ():
            portal["leaving"], portal["entering"] = (
                self._cell(*portal["leaving"]),
                self._cell(*portal["entering"]),
            )
            if portal["by"] not in _DIRECTIONS:
                raise NotApplicableError("a portal in another direction")
            portal["by"] = self.turn.named(_DIRECTIONS, portal["by"])

    # -- pieces and rules ----------------------------------------------------------------------------

    def _directions(self, given: Any) -> list[Any]:
        """The images of the directions as offsets, in the same order."""
        out: list[Any] = []
        for item in [given] if isinstance(given, str) else given:
            for word in item.split() if isinstance(item, str) else [item]:
                if isinstance(word, list):
                    out.append(list(self.turn.offset((word[0], word[1]))))
                elif word in ("along", "above", "below", "hex", "forward", "backward"):
                    out.append(word)
                elif word == "strips":
                    out += [list(self.turn.offset(offset)) for offset in STRIPS]
                elif word in DIRECTION_GROUPS:
                    out += [list(self.turn.offset(offset)) for offset in DIRECTION_GROUPS[word]]
                else:
                    raise NotApplicableError(f"`directions: {word}`")
        return out

    def _pieces(self) -> None:
        for spec in (self.data.get("pieces") or {}).values():
            if spec is None:
                continue
            if spec.get("shape"):
                spec["shape"] = drawing_of(self.turn.grid(rows_of(spec["shape"])))
            if spec.get("directions") and self.data.get("graph") is None:
                spec["directions"] = self._directions(spec["directions"])
            if spec.get("mirror") and self.turn.exchanges:
                spec["mirror"] = {"rows": "columns", "columns": "rows", "both": "both"}[
                    spec["mirror"]
                ]

    def _order(self) -> None:
        """Change the order of sweeps. There is no suitable order if a row or column would have to be swept in
        reverse."""
        if not self.data.get("then"):
            return
        order = self.data.get("order", "top-down")
        within = (0, 1) if order in ("top-down", "bottom-up") else (1, 0)
        if min(self.turn.offset(within)) < 0:
            raise NotApplicableError("sweeps cannot go the other way within a line")
        self.data["order"] = self.turn.named(_ORDERS, order)

    def _rule(self, rule: Data, *, is_consequence: bool) -> None:
        for key in ("cycle", "cycles"):
            if key in rule:
                rule[key] = self._rings(rule[key])
                return
        if isinstance(rule.get("about"), list):
            rule["about"] = [self._cell(*cell) for cell in rule["about"]]
        if "pivot" in rule:
            directions = {"clockwise": "counterclockwise", "counterclockwise": "clockwise"}
            if rule.get("directions") and self.turn.is_mirror:
                words = str(rule["directions"]).split()
                if not directions.keys() >= set(words):
                    raise NotApplicableError("the direction of a pivot is an expression")
                rule["directions"] = " ".join(directions[word] for word in words)
            return
        if is_consequence and is_rectangle(rule):
            raise NotApplicableError("a rectangle under `then` is at its first place")
        has_direction = (
            "slide" in rule or "together" in rule or ("before" in rule and not is_rectangle(rule))
        )
        if not has_direction or self.data.get("graph") is not None:
            return
        if (
            is_consequence
            and "slide" in rule
            and any(len(c.shape) > 1 for c in self.puzzle.classes)
        ):
            raise NotApplicableError("a slide under `then` is at the top-left cell of the piece")
        if "directions" in rule:
            rule["directions"] = self._directions(rule["directions"])
        elif is_consequence:  # the first match applies, so the order of directions matters
            if self.data.get("geometry") or self.levels > 1:
                raise NotApplicableError("the default directions of such a board have no order")
            rule["directions"] = self._directions("orthogonal")

    def _rings(self, rings: Any) -> Any:
        if isinstance(rings, str):
            return _unparsed(_InExpression(self, in_rings=True), rings)
        if len(rings) == 2 and all(not isinstance(p, list) and "[" not in str(p) for p in rings):
            return self._cell(*rings)
        return [self._rings(part) for part in rings]

    # -- conditions ------------------------------------------------------------------------------------

    def _condition(self, condition: Data) -> Data:
        out: Data = {}
        some = condition.get("every", condition.get("some"))
        if some is not None and "holds" not in condition:
            where = {k: v for k, v in condition.items() if k in Placement.__struct_fields__}
            condition = {**condition, **self._placement(some, where)}
        for key, value in condition.items():
            if key == "board":
                out[key] = self._drawing(value)
            elif isinstance(value, dict) and key != "count":
                out[key] = self._placement(key, dict(value))
            else:
                out[key] = value
        return out

    def _placement(self, piece: str, placement: Data) -> Data:
        if "touches" in placement:
            if self.levels > 1:
                raise NotApplicableError("an edge of a board with levels")
            placement["touches"] = self.turn.named(_EDGES, placement["touches"])
        if isinstance(placement.get("at"), list):
            row, column = placement["at"]
            if not isinstance(row, int) or not isinstance(column, int):
                raise NotApplicableError("`at` is an expression")
            height, width = self._size(piece)
            if self.turn.reverses_rows:
                if self.levels > 1 and height > 1:
                    raise NotApplicableError("`at` of a piece on two levels")
                row += height - 1
            if self.turn.reverses_columns:
                column += width - 1
            placement["at"] = self._cell(row, column)
        return placement

    def _size(self, piece: str) -> tuple[int, int]:
        """Height and width of the pieces that a goal names."""
        kind = str((self.data.get("legend") or {}).get(piece, piece)).split(" on ")[0]
        sizes = {
            _extent(c) for c in self.puzzle.classes if piece in (c.label, c.kind) or kind == c.kind
        }
        if len(sizes) != 1:
            raise NotApplicableError("`at` of pieces of several shapes")
        return sizes.pop()

    def _expression(self, text: str) -> str:
        is_large = any(len(c.shape) > 1 for c in self.puzzle.classes)
        if is_large and re.search(r"\bcount\([^()]*,", text):
            raise NotApplicableError("a piece counts for the terrain of its top-left cell")
        if not reads_board(text):
            return text
        if self.levels > 1 or is_large:
            raise NotApplicableError("an expression asks for the cell of a piece of several cells")
        return _unparsed(_InExpression(self), text)


def _extent(piece: PieceClass) -> tuple[int, int]:
    rows, columns = zip(*piece.shape, strict=True)
    return max(rows) + 1, max(columns) + 1


def _difference(last: int, number: Any) -> Any:
    return last - number if isinstance(number, int) else f"{last} - ({number})"


def _unparsed(visitor: ast.NodeTransformer, text: str) -> str:
    return ast.unparse(visitor.visit(parsed(text)))


class _InExpression(ast.NodeTransformer):
    """Changes the cells in an expression, and exchanges or reverses rows and columns."""

    def __init__(self, place: _Turned, *, in_rings: bool = False) -> None:
        self.place, self.in_rings = place, in_rings

    def _cell(self, row: ast.expr, column: ast.expr) -> list[ast.expr]:
        place, turn = self.place, self.place.turn
        if turn.reverses_rows:
            row = ast.BinOp(ast.Constant(place.rows - 1), ast.Sub(), row)
        if turn.reverses_columns:
            column = ast.BinOp(ast.Constant(place.columns - 1), ast.Sub(), column)
        return [column, row] if turn.exchanges else [row, column]

    def visit_comprehension(self, node: ast.comprehension) -> ast.comprehension:
        return node if self.in_rings else self.generic_visit(node)  # type: ignore[return-value]

    def visit_Name(self, node: ast.Name) -> ast.Name:
        other = {"rows": "columns", "columns": "rows"}.get(node.id, node.id)
        return ast.Name(other, node.ctx) if self.place.turn.exchanges else node

    def visit_List(self, node: ast.List) -> ast.AST:
        self.generic_visit(node)
        if (
            self.in_rings
            and len(node.elts) == 2
            and not any(isinstance(e, ast.List | ast.ListComp) for e in node.elts)
        ):
            return ast.List(self._cell(*node.elts), node.ctx)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        turn, place = self.place.turn, self.place
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name in ("cell", "terrain"):
            node.args[:2] = self._cell(*node.args[:2])
        elif name in ("row", "col"):
            is_row = (name == "row") != turn.exchanges  # the function for the changed board
            node = ast.Call(ast.Name("row" if is_row else "col", ast.Load()), node.args, [])
            is_reversed = turn.reverses_rows if name == "row" else turn.reverses_columns
            last = (place.rows if name == "row" else place.columns) - 1
            if is_reversed:  # -1 means that the piece is not on the board
                gone = ast.Compare(node, [ast.Lt()], [ast.Constant(0)])
                return ast.IfExp(
                    gone, ast.Constant(-1), ast.BinOp(ast.Constant(last), ast.Sub(), node)
                )
        return node


TURNS: dict[str, Turn] = {
    "columns reversed": Turn(False, True, False),
    "rows reversed": Turn(True, False, False),
    "rows and columns exchanged": Turn(False, False, True),
    "a quarter turn": Turn(True, False, True),
    "a half turn": Turn(True, True, False),
}
