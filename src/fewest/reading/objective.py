"""Reads objectives: arithmetic expressions over the measures of a board, such as `minimum - pieces / 2`."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from fractions import Fraction

from msgspec import Struct

MEASURES = ("minimum", "plans", "dead_positions", "branching", "detours", "pieces", "positions")

_BINARY: dict[type[ast.operator], Callable[[Fraction, Fraction], Fraction]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
_LONGEST = 200  # the maximum number of characters in an objective


class Objective(Struct, frozen=True):
    """The objective that a search maximises; `names` are the measures in it."""

    text: str
    names: frozenset[str]

    def value(self, measures: Mapping[str, Fraction]) -> Fraction:
        """The value for these measures; a division by zero gives zero."""
        return _value(_parsed(self.text), measures)


def read_objective(text: str) -> Objective:
    """The objective in a text. Raises ValueError with the reason if the text is not an objective."""
    if len(text) > _LONGEST:
        raise ValueError(f"the objective exceeds the limit of {_LONGEST} characters")
    try:
        tree = _parsed(text)
    except (SyntaxError, RecursionError, MemoryError) as error:
        raise ValueError("the objective is not an arithmetic expression") from error
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    unknown = sorted(names - set(MEASURES))
    if unknown:
        raise ValueError(f"`{unknown[0]}` is not a measure of a board")
    if not names:
        raise ValueError("the objective contains no measure of a board")
    _value(tree, dict.fromkeys(MEASURES, Fraction(1)))
    return Objective(text, frozenset(names))


def _parsed(text: str) -> ast.expr:
    return ast.parse(text.strip(), mode="eval").body


def _value(node: ast.expr, measures: Mapping[str, Fraction]) -> Fraction:
    if isinstance(node, ast.Name):
        return measures[node.id]
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return Fraction(node.value)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_value(node.operand, measures)
    if isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
        left, right = _value(node.left, measures), _value(node.right, measures)
        if isinstance(node.op, ast.Div) and right == 0:
            return Fraction(0)
        return _BINARY[type(node.op)](left, right)
    raise ValueError(
        "an objective can contain only measures, whole numbers, + - * / and parentheses"
    )
