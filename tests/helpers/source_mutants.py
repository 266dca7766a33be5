"""Creates mutants of Python functions, each with one small change, and installs a mutant in the running process.

mutmut builds every mutant into the file, and calls it through a trampoline, which makes the grounder many times slower.
This module instead compiles the changed module, and the function that contains the change gets the new code object. All
references to the function therefore run the mutant, wherever it was imported. A process with an installed mutant must
do nothing else, so use a fork.
"""

from __future__ import annotations

import ast
import copy
import difflib
import functools
import hashlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, NamedTuple

COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv, ast.BitOr: ast.BitAnd, ast.BitAnd: ast.BitOr, ast.BitXor: ast.BitOr,
    ast.LShift: ast.RShift, ast.RShift: ast.LShift,
}  # fmt: skip
PAIRS = (
    ("positive", "negative"), ("added", "deleted"), ("start", "end"), ("rows", "columns"),
    ("moved", "created"), ("any", "all"), ("min", "max"), ("union", "difference"),
    ("covering", "covering_any"), ("True", "False"),
)  # fmt: skip
_PLACES = ("lineno", "col_offset", "end_lineno", "end_col_offset")
SWAPPED = {a: b for pair in PAIRS for a, b in (pair, pair[::-1])}


class Mutant(NamedTuple):
    """One change to one function: variant number `variant` of node number `node` in the order of `ast.walk`."""

    module: str
    function: str
    """`name` or `Class.name`."""
    line: int
    node: int
    variant: int
    operator: str
    ordinal: int
    """The number of the change among the changes of this function by the same operator."""

    @property
    def name(self) -> str:
        """A name that stays the same as long as the function does not change."""
        return f"{self.module.rpartition('.')[2]}.{self.function}:{self.operator.replace(' ', '-')}:{self.ordinal}"

    def rank(self, seed: int) -> bytes:
        return hashlib.sha256(f"{seed} {self.name}".encode()).digest()


def _replaced(node: ast.AST, new: ast.AST) -> None:
    """Change a node into a different one in place."""
    fields = {name: value for name, value in vars(new).items() if not name.startswith("_")}
    places = {name: value for name, value in vars(node).items() if name in _PLACES}
    node.__class__ = type(new)
    node.__dict__.clear()
    node.__dict__.update({**places, **fields})


def _negation(node: ast.expr) -> ast.expr:
    return ast.UnaryOp(ast.Not(), copy.copy(node))


def _without(items: list[Any], index: int) -> None:
    del items[index]


def changes(node: ast.AST) -> Iterator[tuple[str, Any, ast.AST]]:
    """Each change of a node: the name of the operator, a function that makes the change, and the node."""
    for operator, make in _changes(node):
        yield operator, make, node
    yield from _deletions(node)


def _changes(node: ast.AST) -> Iterator[tuple[str, Any]]:
    if isinstance(node, ast.Compare):
        for index, op in enumerate(node.ops):
            if type(op) in COMPARISONS:
                yield (
                    "comparison",
                    functools.partial(node.ops.__setitem__, index, COMPARISONS[type(op)]()),
                )
    elif isinstance(node, ast.BoolOp):
        other = ast.And() if isinstance(node.op, ast.Or) else ast.Or()
        yield "and or", lambda: setattr(node, "op", other)
        for index in range(len(node.values)):
            if len(node.values) > 2:
                yield "operand dropped", functools.partial(_without, node.values, index)
            else:
                yield "operand dropped", functools.partial(_replaced, node, node.values[1 - index])
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub):
        yield "sign dropped", lambda: _replaced(node, node.operand)
    elif isinstance(node, ast.BinOp):
        if type(node.op) in ARITHMETIC:
            yield "arithmetic", lambda: setattr(node, "op", ARITHMETIC[type(node.op)]())
        yield "operand dropped", lambda: _replaced(node, node.left)
        if not isinstance(node.op, ast.Sub):
            yield "operand dropped", lambda: _replaced(node, node.right)
    elif isinstance(node, ast.Constant):
        if isinstance(node.value, bool):
            yield "constant", lambda: setattr(node, "value", not node.value)
        elif isinstance(node.value, int):
            yield "constant", lambda: setattr(node, "value", node.value + 1)
            if node.value:
                yield "constant", lambda: setattr(node, "value", node.value - 1)
    elif isinstance(node, ast.If | ast.IfExp):
        yield "condition negated", lambda: setattr(node, "test", _negation(node.test))
        yield "condition true", lambda: setattr(node, "test", ast.Constant(True))
        yield "condition false", lambda: setattr(node, "test", ast.Constant(False))
    elif isinstance(node, ast.comprehension):
        for index, test in enumerate(node.ifs):
            yield "filter dropped", functools.partial(_without, node.ifs, index)
            yield "filter negated", functools.partial(node.ifs.__setitem__, index, _negation(test))
    elif isinstance(node, ast.Call):
        for index in range(len(node.args) - 1):
            first, second = node.args[index : index + 2]
            if not isinstance(first, ast.Starred) and ast.dump(first) != ast.dump(second):
                yield "arguments swapped", functools.partial(_swap, node.args, index)
        for index in range(len(node.keywords)):
            yield "keyword dropped", functools.partial(_without, node.keywords, index)
    elif isinstance(node, ast.Attribute) and node.attr in SWAPPED:
        yield "name swapped", lambda: setattr(node, "attr", SWAPPED[node.attr])
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in SWAPPED:
        yield "name swapped", lambda: setattr(node, "id", SWAPPED[node.id])
    elif isinstance(node, ast.List | ast.Tuple | ast.Set) and isinstance(
        getattr(node, "ctx", ast.Load()), ast.Load
    ):
        if any(isinstance(item, ast.Starred) for item in node.elts):
            for index in range(len(node.elts)):
                yield "element dropped", functools.partial(_without, node.elts, index)
    elif isinstance(node, ast.Slice):
        for side in ("lower", "upper"):
            if getattr(node, side) is not None:
                yield "slice widened", functools.partial(setattr, node, side, None)


def _swap(items: list[Any], index: int) -> None:
    items[index], items[index + 1] = items[index + 1], items[index]


def _deletions(node: ast.AST) -> Iterator[tuple[str, Any, ast.AST]]:
    for field in ("body", "orelse"):
        block = getattr(node, field, None)
        if not isinstance(block, list):
            continue
        for index, statement in enumerate(block):
            replace = functools.partial(block.__setitem__, index)
            if _can_go(statement):
                yield "statement deleted", functools.partial(replace, ast.Pass()), statement
            if isinstance(statement, ast.Continue):
                yield "loop left", functools.partial(replace, ast.Break()), statement


def _can_go(statement: ast.stmt) -> bool:
    """Whether the function without the statement is valid Python and does not always fail."""
    match statement:
        case ast.Expr(value=ast.Constant()) | ast.Assign(targets=[ast.Name() | ast.Tuple(), *_]):
            return False
        case ast.If():
            return not statement.orelse
    kinds = ast.Expr | ast.Assign | ast.AugAssign | ast.Continue | ast.Break | ast.Return
    return isinstance(statement, kinds)


def _functions(tree: ast.Module) -> Iterator[tuple[str, ast.FunctionDef]]:
    for item in tree.body:
        if isinstance(item, ast.FunctionDef):
            yield item.name, item
        elif isinstance(item, ast.ClassDef):
            for inner in item.body:
                if isinstance(inner, ast.FunctionDef):
                    yield f"{item.name}.{inner.name}", inner


def _mutable(function: ast.FunctionDef) -> Iterator[tuple[int, ast.AST]]:
    """The nodes of a function that run when it is called, with their numbers, without annotations and assertions."""
    skipped: set[int] = set()
    for node in ast.walk(function):
        if isinstance(node, ast.Assert | ast.Raise | ast.JoinedStr):
            skipped.update(map(id, ast.walk(node)))
        for field in ("annotation", "returns", "args", "decorator_list"):
            below = getattr(node, field, None)
            if below is None or (field == "args" and not isinstance(below, ast.arguments)):
                continue
            for part in below if isinstance(below, list) else [below]:
                skipped.update(map(id, ast.walk(part)))
    for number, node in enumerate(ast.walk(function)):
        if id(node) not in skipped:
            yield number, node


def mutants_of(module: str) -> Iterator[Mutant]:
    """All mutants of an imported module."""
    tree = ast.parse(_source(module))
    for name, function in _functions(tree):
        ordinals: dict[str, int] = {}
        for number, node in _mutable(function):
            for variant, (operator, _, where) in enumerate(changes(node)):
                ordinal = ordinals[operator] = ordinals.get(operator, 0) + 1
                at = where.target if isinstance(where, ast.comprehension) else where
                line = getattr(at, "lineno", function.lineno)
                yield Mutant(module, name, line, number, variant, operator, ordinal)


def _source(module: str) -> str:
    file = sys.modules[module].__file__
    assert file is not None
    return Path(file).read_text(encoding="utf-8")


def mutated(mutant: Mutant) -> tuple[ast.Module, ast.FunctionDef]:
    """The changed tree of the module, and the function in it."""
    tree = ast.parse(_source(mutant.module))
    function = dict(_functions(tree))[mutant.function]
    node = next(node for number, node in enumerate(ast.walk(function)) if number == mutant.node)
    make = list(changes(node))[mutant.variant][1]
    make()
    return ast.fix_missing_locations(tree), function


def diff(mutant: Mutant) -> str:
    """The change as a diff, without the comments and the layout of the source."""
    old = dict(_functions(ast.parse(_source(mutant.module))))[mutant.function]
    _, new = mutated(mutant)
    lines = (ast.unparse(f).splitlines() for f in (old, new))
    return "\n".join(list(difflib.unified_diff(*lines, lineterm="", n=2))[2:])


def install(mutant: Mutant) -> None:
    """Install the mutant in this process. Raises SyntaxError if the change is not valid Python."""
    tree, _ = mutated(mutant)
    module = sys.modules[mutant.module]
    code: CodeType = compile(tree, str(module.__file__), "exec")
    owner: Any = module
    for part in mutant.function.split("."):
        code = next(c for c in code.co_consts if isinstance(c, CodeType) and c.co_name == part)
        owner = vars(owner)[part]
    _function(owner).__code__ = code


def _function(owner: Any) -> FunctionType:
    """The function inside a property or a cache."""
    for below in ("func", "fget", "__wrapped__", "__func__"):
        owner = getattr(owner, below, owner)
    assert isinstance(owner, FunctionType), owner
    return owner
