"""Finds the words in an expression that can be names of pieces, and the ways in which the expression uses them."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable

from msgspec import Struct


class ExpressionWords(Struct):
    """The words in an expression, whether it can join texts, and whether it can compare cells with each other. `loops`
    contains the names of loops that can have contents of cells as values.
    """

    words: set[str]
    joins_texts: bool
    compares_cells: bool
    loops: set[str]


def words_in(
    tree: ast.expr, names: Collection[str] | None, cells: Iterable[str]
) -> ExpressionWords:
    """The texts in an expression. With `names`, which are the names that have values, all other names are also words.
    `cells` contains the names of other loops that can have contents of cells as values.
    """
    loops = _loops_over_cells(tree, cells)
    found = ExpressionWords(set(), False, False, loops)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.words.add(node.value)
        elif isinstance(node, ast.Name) and names is not None and node.id not in names:
            found.words.add(node.id)
        elif isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Mult)):
            found.joins_texts = True
        elif isinstance(node, ast.Compare):
            sides = (node.left, *node.comparators)
            found.compares_cells |= sum(_can_be_cell(side, loops) for side in sides) > 1
    return found


def _can_be_cell(node: ast.expr, loops: Collection[str]) -> bool:
    """Whether the value of an expression can be the content of a cell, or a list of such contents. `loops` are the
    names of loops that can have such values.
    """
    if isinstance(node, ast.Name):
        return node.id in loops
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id in ("cell", "min", "max")
    parts: Iterable[ast.expr] = ()
    if isinstance(node, ast.IfExp):
        parts = (node.body, node.orelse)
    elif isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        parts = node.elts
    elif isinstance(node, (ast.ListComp, ast.GeneratorExp)):
        parts = (node.elt, *(each.iter for each in node.generators))
    elif isinstance(node, ast.BoolOp):
        parts = node.values
    return any(_can_be_cell(part, loops) for part in parts)


def _loops_over_cells(tree: ast.expr, cells: Iterable[str]) -> set[str]:
    """The names in `cells`, and the names of the loops in an expression that can have contents of cells as values."""
    loops = [part for part in ast.walk(tree) if isinstance(part, ast.comprehension)]
    found = {*cells}
    known = -1
    while len(found) > known:  # a loop can go over the values of another loop
        known = len(found)
        for loop in loops:
            if _can_be_cell(loop.iter, found):
                found.update(
                    part.id for part in ast.walk(loop.target) if isinstance(part, ast.Name)
                )
    return found
