"""Finds the letters that numbers in an expression can name, as in `cell(0, 0) == 1` for a piece with the letter 1."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fewest.model.expression import Scope
from fewest.reading.expression_values import is_numeral


def numeric_letters(node: ast.expr, scope: Scope) -> frozenset[str]:
    """The words for pieces that are numbers and with which the expression may compare the content of a cell."""
    known = frozenset(word for word in scope.pieces if is_numeral(word))
    if not known or not any(_called(part) == "cell" for part in ast.walk(node)):
        return frozenset()
    found: set[str] = set()
    loops = [part.target for part in ast.walk(node) if isinstance(part, ast.comprehension)]
    bound = {part.id for loop in loops for part in ast.walk(loop) if isinstance(part, ast.Name)}
    words = (scope.symbols | {"empty", "wall"}) - scope.values - bound
    for part in _compared(node):
        if isinstance(part, ast.Constant):
            found.add(str(part.value))
        elif isinstance(part, ast.BinOp) or part.id not in words:
            return known  # the number is known only when the expression is evaluated
    return known & found


def _compared(node: ast.AST) -> Iterator[ast.Constant | ast.BinOp | ast.Name]:
    """The numbers, sums and names in an expression, except the arguments of functions of the board and of `range`."""
    if isinstance(node, (ast.Constant, ast.BinOp, ast.Name)):
        yield node
        return
    if _called(node) in ("cell", "terrain", "row", "col", "count", "sees", "can", "range"):
        return
    parts = node.args if isinstance(node, ast.Call) else ast.iter_child_nodes(node)
    for part in parts:
        if isinstance(node, ast.comprehension) and part is node.target:
            continue
        yield from _compared(part)


def _called(node: ast.AST) -> str | None:
    """The name of the function that a node calls; None if the node is not such a call."""
    is_call = isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    return node.func.id if is_call else None  # type: ignore[attr-defined]
