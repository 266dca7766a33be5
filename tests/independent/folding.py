"""Partial evaluation of expressions: computes what does not depend on the position; from `docs/language.md` alone."""

from __future__ import annotations

import ast
import itertools
import keyword
import operator
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from tests.independent.plain_yaml import UnsupportedError

GROUPS = {
    "orthogonal": ["up", "down", "left", "right"],
    "diagonal": ["up-left", "up-right", "down-left", "down-right"],
    "horizontal": ["left", "right"],
    "vertical": ["up", "down"],
    "all": ["up", "down", "left", "right", "up-left", "up-right", "down-left", "down-right"],
}
# the six directions of a board without four quarters, clockwise as the board is meant
SIXTHS = {
    "hex-right": ["up", "up-right", "right", "down", "down-left", "left"],
    "hex-left": ["up-left", "up", "right", "down-right", "down", "left"],
    "strips": ["right", "down-right", "down-left", "left", "up-left", "up-right"],
}
STEPS = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)} | {
    f"{v}-{h}": (dr, dc)
    for v, dr in (("up", -1), ("down", 1))
    for h, dc in (("left", -1), ("right", 1))
}
OPPOSITES = {"forward": "backward", "clockwise": "counterclockwise", "above": "below"}
OPPOSITES |= {b: a for a, b in OPPOSITES.items()}
_BOARD = ("cell", "terrain", "row", "col", "sees", "can", "count")
_OPERATORS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}
_COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}


class NeedsIndexError(Exception):
    """An indexed variable must keep its indices, because an index depends on the position."""


class Family:
    """A variable: the lists of values of its indices, and the values of each of its members."""

    def __init__(
        self, name: str, members: Mapping[tuple[Any, ...], list[Any]], *, is_indexed: bool
    ) -> None:
        self.name, self.members, self.is_indexed = name, members, is_indexed

    def new_name(self, index: tuple[Any, ...]) -> str:
        if not index:
            return self.name
        return "_".join([self.name, *(str(i).replace("-", "m") for i in index)])


class Scope:
    """The names that an expression can use."""

    def __init__(
        self,
        known: Mapping[str, Any],
        families: Mapping[str, Family] | None = None,
        colours: Mapping[str, list[str]] | None = None,
        copies: Mapping[str, list[str]] | None = None,
        *,
        sixths: str = "",
    ) -> None:
        self.known = dict(known)
        self.families = {} if families is None else families
        self.colours = {} if colours is None else colours
        self.copies = {} if copies is None else copies
        self.opaque: frozenset[str] = frozenset()
        self.sixths = sixths

    def having(self, **more: Any) -> Scope:
        inner = Scope(
            self.known | more, self.families, self.colours, self.copies, sixths=self.sixths
        )
        inner.opaque = self.opaque - set(more)
        return inner

    def hiding(self, names: Iterable[str]) -> Scope:
        """The same names, except that some stay names in the result."""
        inner = self.having()
        inner.opaque = frozenset(names)
        inner.known = {k: v for k, v in inner.known.items() if k not in inner.opaque}
        return inner


def normal(value: Any) -> Any:
    """A number equals its text, and a truth value counts as 0 or 1."""
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, str) and re.fullmatch(r"-?[0-9]+", value):
        return int(value)
    if isinstance(value, (list, tuple, set)):
        return [normal(v) for v in value]
    if isinstance(value, dict):
        return {normal(k): normal(v) for k, v in value.items()}
    return value


def known(value: Any) -> ast.Constant:
    return ast.Constant(value)


def is_known(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant)


def value_of(node: ast.expr) -> Any:
    if isinstance(node, ast.Constant):
        return node.value
    raise UnsupportedError(f"{written(node)} depends on the position")


def parsed(text: str) -> ast.expr:
    try:
        return ast.parse(text.strip().replace("\n", " "), mode="eval").body
    except SyntaxError as error:
        raise UnsupportedError(f"not an expression: {text}") from error


def folded(source: Any, scope: Scope) -> ast.expr:
    """An expression of a document, with everything computed that does not depend on the position."""
    if isinstance(source, (bool, int)) or source is None:
        return known(source)
    if isinstance(source, list):
        return _list([folded(each, scope) for each in source])
    if isinstance(source, dict):
        return known({normal(k): value_of(folded(v, scope)) for k, v in source.items()})
    return fold(parsed(source), scope)


def evaluated(source: Any, scope: Scope) -> Any:
    return normal(value_of(folded(source, scope)))


def _list(nodes: Sequence[ast.expr]) -> ast.expr:
    if all(map(is_known, nodes)):
        return known([value_of(node) for node in nodes])
    return ast.List(list(nodes), ast.Load())


def _items(node: ast.expr) -> list[ast.expr]:
    if isinstance(node, ast.List):
        return node.elts
    value = value_of(node)
    if isinstance(value, (list, tuple, dict, range)):
        return [known(each) for each in value]
    raise UnsupportedError(f"no list: {value}")


def fold(node: ast.expr, scope: Scope) -> ast.expr:
    """An expression with everything computed that does not depend on the position."""
    match node:
        case ast.Constant(value=str() as text):
            if not text.isidentifier() and (text in scope.known or text in scope.families):
                return _name(text, scope)
            if text in scope.known or text in scope.families:
                raise UnsupportedError(f"the text {text} is also a name")
            return known(text)
        case ast.Constant(value=value):
            return known(value)
        case ast.Name(id=name):
            return _name(name, scope)
        case ast.List(elts=elts) | ast.Tuple(elts=elts) | ast.Set(elts=elts):
            return _list([fold(each, scope) for each in elts])
        case (
            ast.ListComp(elt=elt, generators=generators)
            | ast.GeneratorExp(elt=elt, generators=generators)
        ):
            found = []
            for inner, condition in loops(generators, scope):
                if not (is_known(condition) and value_of(condition)):
                    raise UnsupportedError("the condition of a list depends on the position")
                found.append(fold(elt, inner))
            return _list(found)
        case ast.BoolOp(op=op, values=values):
            return _bool(isinstance(op, ast.And), values, scope)
        case ast.UnaryOp(op=op, operand=operand):
            inner = fold(operand, scope)
            if is_known(inner):
                value = normal(value_of(inner))
                return known(not value if isinstance(op, ast.Not) else -value)
            return ast.UnaryOp(op, inner)
        case ast.BinOp(left=left, op=op, right=right):
            a, b = fold(left, scope), fold(right, scope)
            if is_known(a) and is_known(b):
                return known(_operate(op, value_of(a), value_of(b)))
            return ast.BinOp(a, op, b)
        case ast.IfExp(test=test, body=body, orelse=orelse):
            condition = fold(test, scope)
            if is_known(condition):
                return fold(body if normal(value_of(condition)) else orelse, scope)
            return ast.IfExp(condition, fold(body, scope), fold(orelse, scope))
        case ast.Compare(left=left, ops=ops, comparators=comparators):
            nodes = [fold(each, scope) for each in (left, *comparators)]
            pairs = [
                _compare(a, op, b, scope) for a, op, b in zip(nodes, ops, nodes[1:], strict=False)
            ]
            return pairs[0] if len(pairs) == 1 else _joined(is_and=True, nodes=pairs)
        case ast.Subscript(value=value, slice=index):
            return _subscript(value, index, scope)
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]):
            return _call(name, args, scope)
    raise UnsupportedError(f"the expression {ast.unparse(node)}")


def _name(name: str, scope: Scope) -> ast.expr:
    if name in scope.opaque:
        return ast.Name(name, ast.Load())
    if name in scope.known:
        return known(scope.known[name])
    if name in scope.families:
        family = scope.families[name]
        if family.is_indexed or () not in family.members:
            raise UnsupportedError(f"{name} without its indices")
        return ast.Name(name, ast.Load())
    if name in ("True", "False"):
        return known(name == "True")
    return known(name)


def _operate(op: ast.operator, a: Any, b: Any) -> Any:
    function = _OPERATORS.get(type(op))
    if function is None:
        raise UnsupportedError(f"the operator {op}")
    if not (isinstance(a, str) and isinstance(b, str)):
        a, b = normal(a), normal(b)
    try:
        result = function(a, b)
    except (TypeError, ZeroDivisionError) as error:
        raise UnsupportedError(f"no value: {error}") from error
    return _Joined(result) if isinstance(result, str) else result


class _Joined(str):
    """A computed text, which is written in quotes, because no name is computed."""

    __slots__ = ()


def _joined(*, is_and: bool, nodes: Sequence[ast.expr]) -> ast.expr:
    found: list[ast.expr] = []
    for node in nodes:
        if is_known(node):
            if bool(normal(value_of(node))) is not is_and:
                found.append(node)
                break
            if node is nodes[-1]:
                found.append(node)
        else:
            found.append(node)
    if len(found) == 1:
        return found[0]
    return ast.BoolOp(ast.And() if is_and else ast.Or(), found)


def _bool(is_and: bool, values: Sequence[ast.expr], scope: Scope) -> ast.expr:
    """`and` and `or`: an operand after a known decision need not have a value."""
    found: list[ast.expr] = []
    for node in values:
        found.append(fold(node, scope))
        if is_known(found[-1]) and bool(normal(value_of(found[-1]))) is not is_and:
            break
    return _joined(is_and=is_and, nodes=found)


def equals(a: Any, b: Any) -> bool:
    return bool(normal(a) == normal(b))


def _compare(a: ast.expr, op: ast.cmpop, b: ast.expr, scope: Scope) -> ast.expr:
    if is_known(a) and is_known(b):
        x, y = value_of(a), value_of(b)
        match op:
            case ast.Eq():
                return known(equals(x, y))
            case ast.NotEq():
                return known(not equals(x, y))
            case ast.In():
                return known(any(equals(x, each) for each in y))
            case ast.NotIn():
                return known(not any(equals(x, each) for each in y))
        return known(_COMPARISONS[type(op)](normal(x), normal(y)))
    if isinstance(op, (ast.In, ast.NotIn)):
        each = [_equal(a, item, scope) for item in _items(b)]
        found = _any(each)
        return found if isinstance(op, ast.In) else ast.UnaryOp(ast.Not(), found)
    if isinstance(op, (ast.Eq, ast.NotEq)):
        found = _equal(a, b, scope)
        return found if isinstance(op, ast.Eq) else ast.UnaryOp(ast.Not(), found)
    return ast.Compare(a, [op], [b])


def _any(nodes: Sequence[ast.expr]) -> ast.expr:
    return _joined(is_and=False, nodes=nodes) if nodes else known(False)


def _equal(a: ast.expr, b: ast.expr, scope: Scope) -> ast.expr:
    """Equality; a kind with colours equals each of its kinds in a cell."""
    if is_known(a) and is_known(b):
        return known(equals(value_of(a), value_of(b)))
    if is_known(a):
        a, b = b, a
    colours = (
        scope.colours.get(value_of(b)) if is_known(b) and isinstance(value_of(b), str) else None
    )
    if colours and _is_cell(a):
        return _any([ast.Compare(a, [ast.Eq()], [known(kind)]) for kind in colours])
    return ast.Compare(a, [ast.Eq()], [b])


def _is_cell(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "cell"


def _subscript(value: ast.expr, index: ast.expr, scope: Scope) -> ast.expr:
    indices = index.elts if isinstance(index, ast.Tuple) else [index]
    if isinstance(value, ast.Name) and value.id in scope.families and value.id not in scope.known:
        family = scope.families[value.id]
        nodes = [fold(each, scope) for each in indices]
        if family.is_indexed:
            inner = nodes[0] if len(nodes) == 1 else ast.Tuple(nodes, ast.Load())
            return ast.Subscript(ast.Name(value.id, ast.Load()), inner, ast.Load())
        if not all(map(is_known, nodes)):
            raise NeedsIndexError(value.id)
        where = tuple(normal(value_of(node)) for node in nodes)
        if where not in family.members:
            raise UnsupportedError(f"{value.id} has no entry {where}")
        return ast.Name(family.new_name(where), ast.Load())
    container = fold(value, scope)
    for each in indices:
        container = _entry(container, fold(each, scope), scope)
    return container


def _entry(container: ast.expr, index: ast.expr, scope: Scope) -> ast.expr:
    if is_known(index):
        key = normal(value_of(index))
        if isinstance(container, ast.List):
            if not (isinstance(key, int) and 0 <= key < len(container.elts)):
                raise UnsupportedError(f"no entry {key}")
            return container.elts[key]
        table = value_of(container)
        if isinstance(table, dict):
            table = {normal(k): v for k, v in table.items()}
            if key in table:
                return known(table[key])
        elif isinstance(table, (list, range)) and isinstance(key, int) and 0 <= key < len(table):
            return known(table[key])
        raise UnsupportedError(f"no entry {key}")
    # The index depends on the position: one case for each entry.
    table = value_of(container)
    entries = list(table.items()) if isinstance(table, dict) else list(enumerate(table))
    if not entries:
        raise UnsupportedError("an empty table")
    family = next(
        (f for f in scope.families.values() if isinstance(index, ast.Name) and f.name == index.id),
        None,
    )
    found = known(entries[-1][1])
    if family is None or not {normal(v) for v in family.members[()]} <= {
        normal(k) for k, _ in entries
    }:
        raise UnsupportedError("an index that may not be in the table")
    result: ast.expr = found
    for key, value in reversed(entries[:-1]):
        result = ast.IfExp(ast.Compare(index, [ast.Eq()], [known(key)]), known(value), result)
    return result


def loops(
    generators: Sequence[ast.comprehension], scope: Scope
) -> Iterator[tuple[Scope, ast.expr]]:
    """The scopes of the loops of a list, each with its condition, unless the condition is known to be false."""
    if not generators:
        yield scope, known(True)
        return
    first, *others = generators
    for item in _items(fold(first.iter, scope)):
        inner = scope.having(**_bound(first.target, value_of(item)))
        condition = _bool(True, first.ifs, inner) if first.ifs else known(True)
        if is_known(condition) and not normal(value_of(condition)):
            continue
        for deepest, more in loops(others, inner):
            yield deepest, _joined(is_and=True, nodes=[condition, more])


def _bound(target: ast.expr, value: Any) -> dict[str, Any]:
    if isinstance(target, ast.Name):
        return {target.id: value}
    if isinstance(target, ast.Tuple):
        found: dict[str, Any] = {}
        for each, part in zip(target.elts, value, strict=True):
            found |= _bound(each, part)
        return found
    raise UnsupportedError("the target of a loop")


def _call(name: str, args: Sequence[ast.expr], scope: Scope) -> ast.expr:
    if name in ("all", "any", "sum", "min", "max", "len"):
        return _aggregate(name, args, scope)
    if name in _BOARD[2:]:
        return _board(name, [_argument(each, scope) for each in args], scope)
    nodes = [fold(each, scope) for each in args]
    if name in ("abs", "range"):
        if all(map(is_known, nodes)):
            values = [normal(value_of(node)) for node in nodes]
            return known(abs(*values) if name == "abs" else list(range(*values)))
        if name == "abs":
            return ast.Call(ast.Name(name, ast.Load()), nodes, [])
    if name in ("left_of", "right_of", "back_of"):
        return _turned(name, nodes[0], scope)
    if name in _BOARD:
        return _board(name, nodes, scope)
    raise UnsupportedError(f"the function {name}")


def _aggregate(name: str, args: Sequence[ast.expr], scope: Scope) -> ast.expr:
    if len(args) == 1 and isinstance(args[0], (ast.GeneratorExp, ast.ListComp)):
        each = args[0]
        nodes = []
        for inner, condition in loops(each.generators, scope):
            node = fold(each.elt, inner)
            if not is_known(condition):
                match name:
                    case "all":
                        node = _joined(
                            is_and=False, nodes=[ast.UnaryOp(ast.Not(), condition), node]
                        )
                    case "any":
                        node = _joined(is_and=True, nodes=[condition, node])
                    case "sum":
                        node = ast.IfExp(condition, node, known(0))
                    case _:
                        raise UnsupportedError(f"a condition in {name}")
            nodes.append(node)
            if (
                is_known(node)
                and name in ("all", "any")
                and bool(normal(value_of(node))) is (name == "any")
            ):
                break
    elif len(args) == 1:
        inner_node = fold(args[0], scope)
        if name == "len" and is_known(inner_node):
            return known(len(value_of(inner_node)))
        nodes = _items(inner_node)
    else:
        nodes = [fold(each, scope) for each in args]
    match name:
        case "len":
            return known(len(nodes))
        case "all" | "any":
            is_and = name == "all"
            if not nodes:
                return known(is_and)
            found = _joined(is_and=is_and, nodes=nodes)
            if is_known(found):
                return known(bool(normal(value_of(found))))
            return ast.Call(ast.Name(name, ast.Load()), [ast.List(list(nodes), ast.Load())], [])
    if all(map(is_known, nodes)):
        function = {"sum": sum, "min": min, "max": max}[name]
        return known(function([normal(value_of(node)) for node in nodes]))
    if name == "sum":
        total = nodes[0]
        for node in nodes[1:]:
            total = ast.BinOp(total, ast.Add(), node)
        return total
    return ast.Call(ast.Name(name, ast.Load()), list(nodes), [])


def turned(name: str, direction: Any, scope: Scope) -> Any:
    """A direction, turned as `left_of`, `right_of` and `back_of` do."""
    if direction in OPPOSITES:
        if name != "back_of":
            raise UnsupportedError(f"{name} of {direction}")
        return OPPOSITES[direction]
    if direction in GROUPS or direction in (
        "hex",
        "hex-right",
        "hex-left",
        "strips",
        "knight",
        "along",
    ):
        raise UnsupportedError(f"{name} of a group")
    if direction not in STEPS:
        return direction
    if scope.sixths == "none":
        raise UnsupportedError(f"{name} on a graph")
    if scope.sixths:
        circle = SIXTHS[scope.sixths]
        if direction not in circle:
            raise UnsupportedError(f"{name} of {direction} on this board")
        shift = {"left_of": -1, "right_of": 1, "back_of": 3}[name]
        return circle[(circle.index(direction) + shift) % 6]
    r, c = STEPS[direction]
    there = {"left_of": (-c, r), "right_of": (c, -r), "back_of": (-r, -c)}[name]
    return next(word for word, step in STEPS.items() if step == there)


def _turned(name: str, node: ast.expr, scope: Scope) -> ast.expr:
    if is_known(node):
        return known(turned(name, value_of(node), scope))
    if isinstance(node, ast.Name):
        family = scope.families.get(node.id)
        values = family.members.get(()) if family else None
        if values:
            result: ast.expr = known(turned(name, values[-1], scope))
            for value in reversed(values[:-1]):
                test = ast.Compare(node, [ast.Eq()], [known(value)])
                result = ast.IfExp(test, known(turned(name, value, scope)), result)
            return result
    raise UnsupportedError(f"{name} of {written(node)}")


def _argument(node: ast.expr, scope: Scope) -> ast.expr:
    """A name of a kind, piece, rule or terrain, or a terrain expression."""
    match node:
        case ast.BinOp(left=left, op=ast.BitOr() as op, right=right):
            return ast.BinOp(_argument(left, scope), op, _argument(right, scope))
        case ast.UnaryOp(op=ast.Not() as no, operand=operand):
            return ast.UnaryOp(no, _argument(operand, scope))
        case ast.BinOp(op=ast.Sub()):
            return known(ast.unparse(node).replace(" ", ""))
    return fold(node, scope)


def _board(name: str, nodes: list[ast.expr], scope: Scope) -> ast.expr:
    """A function of the board: its words may be kinds with colours, and rules with several bindings."""
    if name == "can":
        rule = value_of(nodes[0])
        names = scope.copies.get(rule, [rule])
        return _any([_plain_call("can", [known(each)]) for each in names])
    choices = []
    for node in nodes:
        word = value_of(node) if is_known(node) else None
        kinds = scope.colours.get(word) if isinstance(word, str) and name != "cell" else None
        choices.append([known(kind) for kind in kinds] if kinds else [node])
    if name == "terrain" or all(len(each) == 1 for each in choices):
        return _plain_call(name, nodes)
    calls = [_plain_call(name, list(each)) for each in itertools.product(*choices)]
    if name == "sees":
        return _any(calls)
    if name == "count":
        total: ast.expr = calls[0]
        for call in calls[1:]:
            total = ast.BinOp(total, ast.Add(), call)
        return total
    raise UnsupportedError(f"{name} of a kind with colours")


def _plain_call(name: str, nodes: list[ast.expr]) -> ast.expr:
    return ast.Call(ast.Name(name, ast.Load()), nodes, [])


class _Literals(ast.NodeTransformer):
    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        return _literal(node.value)


def _literal(value: Any) -> ast.expr:
    if isinstance(value, bool):
        return ast.Constant(int(value))
    if isinstance(value, str):
        if value.isidentifier() and not (keyword.iskeyword(value) or isinstance(value, _Joined)):
            return ast.Name(value, ast.Load())
        return ast.Constant(str(value))
    if isinstance(value, int):
        return ast.Constant(value)
    if isinstance(value, (list, tuple)):
        return ast.List([_literal(each) for each in value], ast.Load())
    raise UnsupportedError(f"the value {value} in an expression")


def written(node: ast.expr) -> str:
    """The text of an expression."""
    if is_known(node) and isinstance(value_of(node), bool):
        return "1 == 1" if value_of(node) else "1 == 0"
    return ast.unparse(ast.fix_missing_locations(_Literals().visit(node)))
