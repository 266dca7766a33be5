"""Expressions as formulas: their `and`, `or`, `not`, `all` and `any` as parts that can be decided one by one.

The compiler has checked the text before. A formula is made when something first needs it, since most expressions
are only evaluated.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeAlias

from fewest.model.expression import Closure, Env, Formula, Junction, Scope, Test
from fewest.reading.expression_compiler import ExpressionCompiler

_Maker: TypeAlias = Callable[[Env], Formula]


def formula_of(node: ast.expr, text: str, scope: Scope) -> _Maker | None:
    """The function that makes the formula of a checked expression; None if it has no parts."""
    if not _has_parts(node):
        return None
    known: list[_Maker] = []

    def make(env: Env) -> Formula:
        if not known:
            known.append(_FormulaCompiler(text, scope).formula(node, negated=False))
        return known[0](env)

    return make


def _has_parts(node: ast.expr) -> bool:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return _has_parts(node.operand)
    return isinstance(node, (ast.BoolOp, ast.IfExp)) or _quantified(node) is not None


def _quantified(node: ast.expr) -> tuple[bool, ast.expr] | None:
    """For `all(...)` and `any(...)`, which of the two it is, and its argument; None for anything else."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        return None
    if node.func.id not in ("all", "any") or len(node.args) != 1 or node.keywords:
        return None
    parts = (ast.GeneratorExp, ast.ListComp, ast.List, ast.Tuple)
    return (node.func.id == "all", node.args[0]) if isinstance(node.args[0], parts) else None


class _FormulaCompiler(ExpressionCompiler):
    def formula(self, node: ast.expr, *, negated: bool) -> _Maker:
        """The function that makes the formula of a node, or of its negation."""
        if isinstance(node, ast.BoolOp):
            return self._junction(isinstance(node.op, ast.And), node.values, negated)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return self.formula(node.operand, negated=not negated)
        if isinstance(node, ast.IfExp):
            otherwise = ast.copy_location(ast.UnaryOp(ast.Not(), node.test), node.test)
            cases = [_both(node.test, node.body), _both(otherwise, node.orelse)]
            if negated:  # exactly one case applies, so the cases are negated
                cases = [_both(node.test, _not(node.body)), _both(otherwise, _not(node.orelse))]
            return self._junction(False, cases, False)
        quantified = _quantified(node)
        if quantified is not None:
            is_all, over = quantified
            if isinstance(over, (ast.List, ast.Tuple)):
                return self._junction(is_all, over.elts, negated)
            assert isinstance(over, (ast.GeneratorExp, ast.ListComp))
            return self._loop(is_all, over, negated)
        return _test(self.compile(node, 0), negated)

    def _junction(self, is_all: bool, nodes: Sequence[ast.expr], negated: bool) -> _Maker:
        parts = [self.formula(node, negated=negated) for node in nodes]
        return lambda env: Junction(is_all != negated, [part(env) for part in parts])

    def _loop(self, is_all: bool, over: ast.GeneratorExp | ast.ListComp, negated: bool) -> _Maker:
        """A part for each instance; conditions at the end of the loop become a part of it."""
        *first, last = over.generators
        element = over.elt
        if last.ifs:
            filtered = ast.copy_location(ast.BoolOp(ast.And(), list(last.ifs)), element)
            element = _either(_not(filtered), element) if is_all else _both(filtered, element)
        bare = ast.comprehension(last.target, last.iter, [], last.is_async)
        loop, names = self.loop([*first, bare], 0)
        outer = self.scope
        self.scope = outer.with_names(names)
        part = self.formula(element, negated=negated)
        self.scope = outer

        def make(env: Env) -> Formula:
            # Each part has its own names, which the loop does not change later.
            return Junction(
                is_all != negated, _Turns(lambda: (part(Env(e.names, e.view)) for e in loop(env)))
            )

        return make


class _Turns(Iterable[Formula]):
    """The parts of a loop, made again for each use: usually only some are needed."""

    def __init__(self, run: Callable[[], Iterator[Formula]]) -> None:
        self.run = run

    def __iter__(self) -> Iterator[Formula]:
        return self.run()


def _test(run: Closure, negated: bool) -> _Maker:
    return lambda env: Test(lambda view: bool(run(Env(env.names, view))) != negated)


def _not(node: ast.expr) -> ast.expr:
    return ast.copy_location(ast.UnaryOp(ast.Not(), node), node)


def _both(one: ast.expr, other: ast.expr) -> ast.expr:
    return ast.copy_location(ast.BoolOp(ast.And(), [one, other]), other)


def _either(one: ast.expr, other: ast.expr) -> ast.expr:
    return ast.copy_location(ast.BoolOp(ast.Or(), [one, other]), other)
