"""Expressions as formulas: the operands of `and`, `or`, `not`, `all` and `any` become parts that can be evaluated
separately.

The compiler has already checked the text. A formula is created only when it is first used; most expressions never need
one.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeAlias

from fewest.model.expression import MAX_STEPS, Closure, Env, Formula, Junction, Scope, Test, View
from fewest.reading.board_expressions import tested_rule
from fewest.reading.expression_compiler import ExpressionCompiler
from fewest.reading.expression_nodes import names_in
from fewest.reading.expression_values import FUNCTIONS, plain, remembered

_Maker: TypeAlias = Callable[[Env], Formula]
_ValueTest: TypeAlias = Callable[[Env], tuple[int, Any, bool]]


def formula_of(node: ast.expr, text: str, scope: Scope) -> _Maker | None:
    """A function that creates the formula of a checked expression; None if the expression has no parts."""
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
    if isinstance(node, (ast.BoolOp, ast.IfExp)) or _quantified(node) is not None:
        return True
    return tested_rule(node) is not None


def _quantified(node: ast.expr) -> tuple[bool, ast.expr] | None:
    """For a call of `all` or `any` with a list or a loop, whether the function is `all`, and the argument; None for
    anything else.
    """
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        return None
    if node.func.id not in ("all", "any") or len(node.args) != 1 or node.keywords:
        return None
    parts = (ast.GeneratorExp, ast.ListComp, ast.List, ast.Tuple)
    return (node.func.id == "all", node.args[0]) if isinstance(node.args[0], parts) else None


class _FormulaCompiler(ExpressionCompiler):
    def formula(self, node: ast.expr, *, negated: bool) -> _Maker:
        """A function that creates the formula of a node, or of its negation."""
        if isinstance(node, ast.BoolOp):
            return self._junction(isinstance(node.op, ast.And), node.values, negated)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return self.formula(node.operand, negated=not negated)
        if isinstance(node, ast.IfExp):
            otherwise = ast.copy_location(ast.UnaryOp(ast.Not(), node.test), node.test)
            cases = [_both(node.test, node.body), _both(otherwise, node.orelse)]
            # exactly one of the cases applies, so it suffices to negate the result of each case
            if negated:
                cases = [_both(node.test, _not(node.body)), _both(otherwise, _not(node.orelse))]
            return self._junction(False, cases, False)
        quantified = _quantified(node)
        if quantified is not None:
            is_all, over = quantified
            if isinstance(over, (ast.List, ast.Tuple)):
                return self._junction(is_all, over.elts, negated)
            assert isinstance(over, (ast.GeneratorExp, ast.ListComp))
            return self._loop(is_all, over, negated)
        value_test = self._value_test(node)
        read, self.reads_state = self.reads_state, False
        run = self.compile(node, 0)
        made = _test(run, value_test, self.reads_state, tested_rule(node))
        self.reads_state = self.reads_state or read
        return (lambda env: made(env).negated()) if negated else made

    def _value_test(self, node: ast.expr) -> _ValueTest | None:
        """The parts of a test `variable == value` or `variable != value` if the value does not depend on the state;
        otherwise None.
        """
        if not isinstance(node, ast.Compare) or len(node.ops) != 1:
            return None
        if not isinstance(node.ops[0], (ast.Eq, ast.NotEq)):
            return None
        this, other = node.left, node.comparators[0]
        if not self._is_variable(this):
            this, other = other, this
        if not self._is_variable(this) or not self._has_only_values(other):
            return None
        read, self.reads_state = self.reads_state, False
        slot, value = self.slot(this, 0), self.compile(other, 0)
        is_fixed, self.reads_state = not self.reads_state, self.reads_state or read
        wanted = isinstance(node.ops[0], ast.Eq)
        if not is_fixed:
            return None
        names = names_in(node) & self.scope.values
        return remembered(lambda env: (slot(env), plain(value(env)), wanted), names)

    def _has_only_values(self, node: ast.expr) -> bool:
        """Whether all names in an expression stand for values or for functions of numbers."""
        return all(name in self.scope.values or name in FUNCTIONS for name in names_in(node))

    def _junction(self, is_all: bool, nodes: Sequence[ast.expr], negated: bool) -> _Maker:
        parts = [self.formula(node, negated=negated) for node in nodes]
        return lambda env: Junction(is_all != negated, [part(env) for part in parts])

    def _loop(self, is_all: bool, over: ast.GeneratorExp | ast.ListComp, negated: bool) -> _Maker:
        """A conjunction or disjunction with one part for each binding of a loop; conditions at the end of the loop
        become parts of its element.
        """
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
            # The loop changes the names later, so each part needs its own copy of them.
            return Junction(
                is_all != negated,
                _LazyParts(lambda: (part(Env(e.names, e.view)) for e in loop(env))),
            )

        return make


class _LazyParts(Iterable[Formula]):
    """The parts of a loop. They are not stored, because usually only some of them are needed; each iteration creates
    each part when it needs it.
    """

    def __init__(self, run: Callable[[], Iterator[Formula]]) -> None:
        self.run = run

    def __iter__(self) -> Iterator[Formula]:
        return self.run()


def _test(
    run: Closure, value_test: _ValueTest | None, reads_state: bool, rule: str | None
) -> Callable[[Env], Test]:
    def make(env: Env) -> Test:
        names = env.names

        def holds(view: View) -> bool:
            return bool(run(Env(names, view)))

        if value_test is None:
            return Test(holds, None, reads_state, rule)

        def value() -> tuple[int, Any, bool]:
            env.steps = MAX_STEPS  # each test is an evaluation of its own
            return value_test(env)

        return Test(holds, value)

    return make


def _not(node: ast.expr) -> ast.expr:
    return ast.copy_location(ast.UnaryOp(ast.Not(), node), node)


def _both(one: ast.expr, other: ast.expr) -> ast.expr:
    return ast.copy_location(ast.BoolOp(ast.And(), [one, other]), other)


def _either(one: ast.expr, other: ast.expr) -> ast.expr:
    return ast.copy_location(ast.BoolOp(ast.Or(), [one, other]), other)
