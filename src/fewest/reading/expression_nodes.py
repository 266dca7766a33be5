"""Properties of the nodes of expressions that do not depend on the names in scope."""

from __future__ import annotations

import ast


def names_in(node: ast.expr) -> set[str]:
    """All names in an expression, including those of functions."""
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def is_lazy(node: ast.expr) -> bool:
    """Whether the value of an expression can be a loop that runs only when its values are used."""
    if isinstance(node, ast.IfExp):
        return is_lazy(node.body) or is_lazy(node.orelse)
    if isinstance(node, ast.BoolOp):
        return any(map(is_lazy, node.values))
    return isinstance(node, ast.GeneratorExp)


def counts_of(node: ast.expr) -> list[ast.Call]:
    """The calls of `count` in a sum; empty if the node is not a sum of such calls."""
    terms = []
    while isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        terms.append(node.right)
        node = node.left
    calls = [term for term in [*terms, node] if isinstance(term, ast.Call) and not term.keywords]
    are_counts = all(isinstance(c.func, ast.Name) and c.func.id == "count" for c in calls)
    return calls if are_counts and len(calls) == len(terms) + 1 else []


def described(node: ast.expr) -> str:
    """The words with which messages describe a node that expressions cannot contain."""
    names = {
        "Attribute": "a dot",
        "Lambda": "a lambda",
        "Dict": "a dictionary",
        "JoinedStr": "an f-string",
        "NamedExpr": "`:=`",
        "Starred": "`*`",
        "Await": "`await`",
        "Yield": "`yield`",
        "Slice": "a slice",
    }
    return names.get(type(node).__name__, type(node).__name__)
