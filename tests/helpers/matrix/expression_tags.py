"""Finds the constructs of an expression, from its tree and the meaning of each name in the puzzle."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from fewest.reading.board_expressions import BOARD_FUNCTIONS
from fewest.reading.expression_values import ARITHMETIC, FUNCTIONS
from fewest.reading.turned import TURNING


class Names(Struct, frozen=True):
    """The meanings of the names in a puzzle."""

    variables: frozenset[str] = frozenset()
    constants: frozenset[str] = frozenset()
    parameters: frozenset[str] = frozenset()
    loops: frozenset[str] = frozenset()
    inner: frozenset[str] = frozenset()
    kinds: frozenset[str] = frozenset()
    letters: frozenset[str] = frozenset()
    terrains: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()

    def meaning(self, name: str) -> str:
        """The row for a single name."""
        for row, known in (
            ("inner loop", self.inner),
            ("loop", self.loops),
            ("constant", self.constants),
            ("parameter", self.parameters),
            ("variable", self.variables),
            ("kind", self.kinds),
            ("letter", self.letters),
            ("terrain", self.terrains),
            ("word of a variable", self.words),
        ):
            if name in known:
                return row
        return name


class _Reader(ast.NodeVisitor):
    def __init__(self, names: Names) -> None:
        self.names = names
        self.rows: set[str] = set()
        self.negated = False

    def visit(self, node: ast.AST) -> None:
        if isinstance(node, ast.expr):
            self.rows.add(f"node {type(node).__name__}")
            self.rows.update(self._forms(node))
        super().visit(node)

    def visit_Name(self, node: ast.Name) -> None:
        self.rows.add(f"name: {self.names.meaning(node.id)}")

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, bool):
            self.rows.add("name: True")

    def visit_Subscript(self, node: ast.Subscript) -> None:
        depth, base = 1, node.value
        while isinstance(base, ast.Subscript):
            depth, base = depth + 1, base.value
        index = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if self._is(base, "variable"):
            self.rows.add("name: variable[i]")
            if any(self._has_variable(part) for part in index):
                self.rows.add("variable[variable]")
        else:
            self.rows.add("name: table[i]" if depth == len(index) == 1 else "name: table[i][j]")
            if any(self._has_variable(part) for part in index):
                self.rows.add("table[variable]")
        for part in index:
            self.visit(part)
        if depth > 1:
            self.visit(node.value)

    def visit_Call(self, node: ast.Call) -> None:
        assert isinstance(node.func, ast.Name)
        name = node.func.id
        self.rows.add(f"{name}()" if name in (*FUNCTIONS, *TURNING) else f"{name}/{len(node.args)}")
        for arg in node.args:
            if name == "count":
                self._visit_area(arg)
            elif name != "can":
                self.visit(arg)

    def _visit_area(self, node: ast.expr) -> None:
        """Visit a terrain or a kind, in which `|` and `not` are not operators of expressions."""
        if isinstance(node, ast.UnaryOp):
            self._visit_area(node.operand)
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            self._visit_area(node.left)
            self._visit_area(node.right)
        else:
            self.visit(node)

    def visit_GeneratorExp(self, node: ast.GeneratorExp | ast.ListComp) -> None:
        bound = [
            n.id for g in node.generators for n in ast.walk(g.target) if isinstance(n, ast.Name)
        ]
        outer = self.names
        for generator in node.generators:
            self.visit(generator.iter)
        self.names = replace(outer, inner=outer.inner | frozenset(bound))
        for generator in node.generators:
            for test in generator.ifs:
                self.visit(test)
        self.visit(node.elt)
        self.names = outer

    def visit_ListComp(self, node: ast.ListComp) -> None:
        self.visit_GeneratorExp(node)

    # -- forms ----------------------------------------------------------------------------------------

    def _forms(self, node: ast.expr) -> Iterator[str]:
        match node:
            case ast.BinOp(left=left, right=right, op=op):
                yield f"a {ARITHMETIC[type(op)]} b"
                if isinstance(op, ast.Add) and self._is_word(left) and self._is_word(right):
                    yield "word + word"
                if _is_call(left, "count") or _is_call(right, "count"):
                    yield "count as a number"
            case ast.BoolOp(op=op):
                yield "and" if isinstance(op, ast.And) else "or"
            case ast.UnaryOp(op=op, operand=operand):
                yield {"Not": "not", "USub": "-x", "UAdd": "+x"}[type(op).__name__]
                if isinstance(op, ast.Not):
                    for name in ("can", "sees"):
                        if _is_call(operand, name):
                            yield f"not {name}"
            case ast.GeneratorExp(generators=generators) | ast.ListComp(generators=generators):
                if any(g.ifs for g in generators):
                    yield "for … if"
                if len(generators) > 1:
                    yield "for … for"
                if any(isinstance(g.target, ast.Tuple) for g in generators):
                    yield "for a, b"
            case ast.Call():
                yield from self._call_forms(node)
            case ast.Compare():
                yield from self._compare_forms(node)

    def _call_forms(self, node: ast.Call) -> Iterator[str]:
        assert isinstance(node.func, ast.Name)
        name, args = node.func.id, node.args
        if name == "range" and len(args) > 1:
            yield "range(a, b)" if len(args) == 2 else "range(a, b, c)"
        if name in ("min", "max") and len(args) > 1:
            yield f"{name}(a, b)"
        if name in ("min", "max", "abs", "sum") and any(_is_call(a, "count") for a in args):
            yield "count as a number"
        if name in ("cell", "terrain"):
            if any(self._has_variable(arg) for arg in args):
                yield f"{name}(variable)"
            if any(_is_call(n, "row", "col") for arg in args for n in ast.walk(arg)):
                yield f"{name}(row())"
            if name == "cell" and any(self._is_loop(n) for arg in args for n in ast.walk(arg)):
                yield "cell(loop)"
        if name in ("row", "col") and self._is_loop(args[0]):
            yield "row(loop)"
        if name == "sees":
            if any(isinstance(a, ast.Name) and a.id == "any" for a in args):
                yield "sees(any)"
            if any(self._is_loop(a) for a in args):
                yield "sees(loop)"
        if name == "count":
            tail = ", terrain" if len(args) == 2 else ""
            if isinstance(args[0], ast.Name) and args[0].id == "any":
                yield f"count(any{tail})"
            if self._is_loop(args[0]):
                yield f"count(loop{tail})"
            if len(args) == 2 and self._is_loop(args[1]):
                yield "count(kind, loop)"
            if len(args) == 2 and isinstance(args[1], ast.Name) and args[1].id == "floor":
                yield "count(kind, floor)"
            if len(args) == 2 and isinstance(args[1], ast.UnaryOp):
                yield "count(kind, not a)"
            if len(args) == 2 and isinstance(args[1], ast.BinOp):
                yield "count(kind, a|b)"

    def _compare_forms(self, node: ast.Compare) -> Iterator[str]:
        for op in node.ops:
            yield f"compare {type(op).__name__}"
        if len(node.ops) > 1:
            yield "a < b < c"
            return
        left, op, right = node.left, node.ops[0], node.comparators[0]
        is_in = isinstance(op, (ast.In, ast.NotIn))
        if self._is(left, "variable") and self._is(right, "variable"):
            yield "variable == variable" if isinstance(op, ast.Eq) else "variable other variable"
        is_plain = isinstance(right, ast.Constant | ast.Name) and not self._is(right, "variable")
        if self._is(left, "variable") and is_plain and isinstance(op, ast.NotEq):
            yield "variable != constant"
        for one, other in ((left, right), (right, left)):
            if _is_call(one, "cell"):
                if _is_call(other, "cell"):
                    yield "cell == cell"
                elif is_in:
                    yield "cell in list"
                elif self._is_loop(other):
                    yield "cell == loop"
                elif isinstance(other, ast.Name):
                    yield f"cell == {self.names.meaning(other.id)}"
            if _is_call(one, "terrain") and _is_call(other, "terrain"):
                yield "terrain == terrain"
        if _is_call(left, "row", "col") and _is_call(right, "row", "col"):
            yield "row < row"
        counts, others = _counts(left), _counts(right)
        if len(counts) > 1 or len(others) > 1:
            yield "count + count < number"
        elif counts and others:
            yield "count < count"
        elif counts and is_in:
            yield "count in list"
        elif counts and self._has_variable(right):
            yield "count < variable"
        elif counts:
            yield "count == number" if isinstance(op, (ast.Eq, ast.NotEq)) else "count < number"
        elif others and not is_in:
            yield "number > count"

    def _is(self, node: ast.expr, meaning: str) -> bool:
        base = node
        while isinstance(base, ast.Subscript):
            base = base.value
        return isinstance(base, ast.Name) and self.names.meaning(base.id) == meaning

    def _is_loop(self, node: ast.AST) -> bool:
        return isinstance(node, ast.Name) and self.names.meaning(node.id) in ("loop", "inner loop")

    def _has_variable(self, node: ast.expr) -> bool:
        return any(
            isinstance(n, ast.Name) and self.names.meaning(n.id) == "variable"
            for n in ast.walk(node)
        )

    def _is_word(self, node: ast.expr) -> bool:
        is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
        return is_text or (
            isinstance(node, ast.Name)
            and self.names.meaning(node.id) in ("kind", "letter", "terrain", "word of a variable")
        )


def _is_call(node: ast.AST, *names: str) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names


def _counts(node: ast.expr) -> list[ast.expr]:
    """The counts whose sum this expression is."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = _counts(node.left), _counts(node.right)
        return [*left, *right] if left and right else []
    return [node] if _is_call(node, "count") else []


def expression_rows(text: str, names: Names) -> set[str]:
    """The constructs that occur in an expression."""
    reader = _Reader(names)
    tree = ast.parse(text.strip(), mode="eval").body
    reader.visit(tree)
    several = sum(_is_call(node, "can") for node in ast.walk(tree)) > 1
    return reader.rows | ({"several can"} if several else set())


def target_rows(assignments: Mapping[str, str], names: Names) -> Iterator[tuple[str, set[str]]]:
    """The value of each assignment with its own loops, and the rows for its target."""
    for target, value in assignments.items():
        rows: set[str] = {"targets"} if len(assignments) > 1 else set()
        inner = names
        tree: ast.expr = ast.parse(f"({target})", mode="eval").body
        if isinstance(tree, ast.GeneratorExp):
            bound = [
                n.id for g in tree.generators for n in ast.walk(g.target) if isinstance(n, ast.Name)
            ]
            inner = replace(names, inner=names.inner | frozenset(bound))
            has_test = any(g.ifs for g in tree.generators)
            rows.add("target for … if" if has_test else "target for")
            tree = tree.elt
        if isinstance(tree, ast.Subscript):
            is_plain = isinstance(tree.slice, ast.Name | ast.Constant)
            rows.add("target[i]" if is_plain else "target[expression]")
        else:
            rows.add("target")
        yield value, rows | expression_rows(str(value), inner)


__all__ = ["BOARD_FUNCTIONS", "Names", "expression_rows", "target_rows"]
