"""Evaluates expressions."""

from __future__ import annotations

import ast
import itertools
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from tests.independent.folding import equals, normal, parsed
from tests.independent.geometries.pieces import NoValueError, Pieces, State
from tests.independent.plain_yaml import UnsupportedError


class Expressions(Pieces, ABC):
    """Expressions of a document over one of its states."""

    @abstractmethod
    def fits(self, name: str, state: State) -> bool:
        """Whether a rule fits somewhere, for `can(RULE)`."""

    def true(self, text: Any, state: State) -> bool:
        return bool(normal(self.value(text, state)))

    def value(self, text: Any, state: State) -> Any:
        key = str(text)
        node = self._parsed.get(key)
        if node is None:
            node = self._parsed[key] = parsed(key)
        try:
            return self._evaluated(node, state)
        except NoValueError as error:
            raise UnsupportedError(f"no value: {error}") from error

    def _evaluated(self, node: ast.expr, state: State) -> Any:
        def of(each: ast.expr) -> Any:
            return normal(self._evaluated(each, state))

        match node:
            case ast.Constant(value=value):
                return value
            case ast.Name(id=name):
                if name in self.index:
                    return state.values[self.index[name]]
                return name
            case ast.List(elts=elts):
                return [of(each) for each in elts]
            case ast.BoolOp(op=op, values=values):
                result: Any = 0
                for each in values:
                    result = of(each)
                    if bool(result) is isinstance(op, ast.Or):
                        return result
                return result
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return not of(operand)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -of(operand)
            case ast.UnaryOp(op=ast.UAdd(), operand=operand):
                return of(operand)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return of(body) if of(test) else of(orelse)
            case ast.BinOp(left=left, op=op2, right=right):
                a, b = of(left), of(right)
                if not (isinstance(a, int) and isinstance(b, int)):
                    raise UnsupportedError("arithmetic with words")
                if isinstance(op2, (ast.FloorDiv, ast.Mod)) and b == 0:
                    raise NoValueError("division by zero")
                return {
                    ast.Add: lambda: a + b,
                    ast.Sub: lambda: a - b,
                    ast.Mult: lambda: a * b,
                    ast.FloorDiv: lambda: a // b,
                    ast.Mod: lambda: a % b,
                    ast.Pow: lambda: a**b,
                }[type(op2)]()
            case ast.Compare(left=left, ops=[op3], comparators=[right]):
                return self._compared(left, op3, right, state)
            case ast.Call(func=ast.Name(id=name), args=args):
                return self._called(name, args, state)
        raise UnsupportedError(f"the expression {ast.unparse(node)}")

    def _compared(self, left: ast.expr, op: ast.cmpop, right: ast.expr, state: State) -> bool:
        a, b = (normal(self._evaluated(each, state)) for each in (left, right))
        contents = (frozenset, _Content)
        if isinstance(op, (ast.Eq, ast.NotEq)):
            if isinstance(a, contents) and isinstance(b, contents):
                raise UnsupportedError("a comparison of two cells")
            if isinstance(b, contents):
                a, b = b, a
            same = b in a if isinstance(a, contents) else equals(a, b)
            return same is isinstance(op, ast.Eq)
        if not (isinstance(a, int) and isinstance(b, int)):
            raise UnsupportedError("an order of words")
        match op:
            case ast.Lt():
                return a < b
            case ast.LtE():
                return a <= b
            case ast.Gt():
                return a > b
            case ast.GtE():
                return a >= b
        raise UnsupportedError("this comparison")

    def _called(self, name: str, args: Sequence[ast.expr], state: State) -> Any:
        if name in ("all", "any", "min", "max", "abs", "sum"):
            values = [normal(self._evaluated(each, state)) for each in args]
            if len(values) == 1 and isinstance(values[0], list):
                values = values[0]
            return (
                {"all": all, "any": any, "min": min, "max": max, "sum": sum}[name](values)
                if name != "abs"
                else abs(values[0])
            )
        match name:
            case "can":
                return self.fits(_text(args[0]), state)
            case "count":
                pieces = [p for p in state.pieces if self.matches(self._word(args[0]), p)]
                if len(args) == 2:
                    text = _terrain_text(args[1])
                    if any(len(p.cells) > 1 for p in pieces):
                        raise UnsupportedError("count of large pieces on a terrain")
                    pieces = [p for p in pieces if self.is_on(p.cells[0], text)]
                return len(pieces)
            case "cell" | "terrain":
                where = tuple(normal(self._evaluated(each, state)) for each in args)
                if len(where) == 3 and where[2] != 0:
                    raise UnsupportedError("layers")
                return self._cell(name, where[:2], state)
            case "row" | "col":
                pieces = self._meant(_text(args[0]), state)
                if len(pieces) > 1:
                    raise UnsupportedError("several pieces")
                return self._corner(pieces[0])[name == "col"] if pieces else -1
            case "sees":
                return self._sees(self._word(args[0]), self._word(args[1]), state)
        raise UnsupportedError(f"the function {name}")

    def _word(self, node: ast.expr) -> str:
        word = _text(node)
        if not self.is_piece_word(word):
            raise UnsupportedError(f"the piece {word}")
        return word

    def _cell(self, name: str, where: tuple[Any, ...], state: State) -> Any:
        if self.board is None or not all(isinstance(x, int) for x in where):
            raise UnsupportedError("a cell without a board")
        cell = where[0], where[1]
        if not self.is_floor(cell):
            return _Content({"wall"})
        if name == "terrain":
            return _Content(self.terrain_of(cell) or {"floor"})
        piece = self.at(state).get(cell)
        if piece is None:
            return _Content({"empty"})
        return _Content(normal(word) for word in (piece.kind, piece.label) if word)

    def _sees(self, a: str, b: str, state: State) -> bool:
        assert self.board is not None
        at = self.at(state)
        for piece in state.pieces:
            if not self.matches(a, piece):
                continue
            for cell, way in itertools.product(piece.cells, self.board.lines_of_sight()):
                here, seen = cell, {cell}
                while True:
                    following = self.board.next(here, way)
                    if not following or following[0] in seen or following[0] in self.walls:
                        break
                    here = following[0]
                    seen.add(here)
                    other = at.get(here)
                    if other is None or other is piece:
                        continue
                    if self.matches(b, other):
                        return True
                    break
        return False


class _Content(frozenset[Any]):
    """The words that describe a cell: `==` is true for each of them."""

    __slots__ = ()


def _text(node: ast.expr) -> str:
    match node:
        case ast.Name(id=name):
            return name
        case ast.Constant(value=value):
            return str(value)
    raise UnsupportedError(f"the word {ast.unparse(node)}")


def _terrain_text(node: ast.expr) -> str:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return f"not {_terrain_text(node.operand)}"
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return f"{_terrain_text(node.left)}|{_terrain_text(node.right)}"
    return _text(node)
