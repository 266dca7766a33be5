"""The values of expressions, which are a subset of Python's."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

from tests.independent.boards.failures import NoValue, Rejected, Unsupported
from tests.independent.boards.headings import turned
from tests.independent.boards.words import is_hyphenated, word

_ARITHMETIC: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}
_ORDER: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_LISTS: dict[str, Callable[..., Any]] = {
    "all": all,
    "any": any,
    "sum": sum,
    "min": min,
    "max": max,
    "abs": abs,
    "len": len,
}
_TURNS = ("left_of", "right_of", "back_of")


HIDDEN = ("a letter",)


class Content(frozenset[Any]):
    """The words that describe a cell; the content equals each of them. It contains HIDDEN if the piece there has a
    letter that the puzzle does not distinguish.
    """


class World:
    """What expressions can say about a position; here, there is no position."""

    def variable(self, name: str, index: tuple[Any, ...]) -> Any:
        """The value of a variable, or None if there is no variable of this name."""
        return None

    def is_variable(self, name: str) -> bool:
        """Whether there is a variable with this name."""
        return False

    def call(self, function: str, arguments: list[Any], scope: Scope) -> Any:
        """The value of a function that describes the board."""
        raise Unsupported(f"the function {function} without a board")


class Scope(NamedTuple):
    """The meaning of names: indices of loops, then constants and parameters, then variables."""

    loops: Mapping[str, Any]
    constants: Mapping[str, Any]
    world: World
    geometry: str = "square"

    def having(self, more: Mapping[str, Any]) -> Scope:
        """This scope with more loops."""
        return self._replace(loops={**self.loops, **more})


@cache
def parsed(text: str) -> ast.expr:
    """The syntax tree of an expression. Raises SyntaxError."""
    return ast.parse(text.strip(), mode="eval").body


def evaluate(text: Any, scope: Scope) -> Any:
    """The value of an expression."""
    if isinstance(text, list):
        return [evaluate(each, scope) for each in text]
    if not isinstance(text, str):
        raise Unsupported(f"the expression {text!r}")
    try:
        tree = parsed(text)
    except SyntaxError:
        raise Unsupported(f"the syntax of {text!r}") from None
    return value_of(tree, scope)


def entry(text: Any, scope: Scope) -> Any:
    """The value of an entry of a list or table of words: a word with hyphens stands for itself."""
    if isinstance(text, str):
        if is_hyphenated(text) or not text.strip():
            return text
        try:
            tree = parsed(text)
        except SyntaxError:
            return word(text)
        return value_of(tree, scope)
    if isinstance(text, list):
        return [entry(each, scope) for each in text]
    if isinstance(text, dict):
        return {word(key): entry(each, scope) for key, each in text.items()}
    raise Unsupported(f"the value {text!r}")


def truth(text: Any, scope: Scope) -> bool:
    """Whether a condition holds."""
    value = evaluate(text, scope)
    if isinstance(value, (bool, int)):
        return bool(value)
    raise Unsupported(f"{text!r} is neither true nor false")


def value_of(tree: ast.AST, scope: Scope) -> Any:
    """The value of a syntax tree."""
    rule = _VALUES.get(type(tree))
    if rule is None:
        raise Unsupported(f"{type(tree).__name__} in an expression")
    return rule(tree, scope)


def _constant(tree: ast.Constant, scope: Scope) -> Any:
    if isinstance(tree.value, (bool, int)):
        return tree.value
    if isinstance(tree.value, str):
        return word(tree.value)
    raise Unsupported(f"the constant {tree.value!r}")


def _name(tree: ast.Name, scope: Scope) -> Any:
    name = tree.id
    if name in scope.loops:
        return scope.loops[name]
    if name in scope.constants:
        return scope.constants[name]
    if scope.world.is_variable(name):
        return scope.world.variable(name, ())
    return name


def _operation(tree: ast.BinOp, scope: Scope) -> Any:
    left, right = value_of(tree.left, scope), value_of(tree.right, scope)
    rule = _ARITHMETIC.get(type(tree.op))
    if rule is None:
        raise Unsupported(f"the operator {type(tree.op).__name__}")
    if not _is_number(left) or not _is_number(right):
        if isinstance(left, (Content, dict)) or isinstance(right, (Content, dict)):
            raise Unsupported("arithmetic with contents")
        if not (isinstance(tree.op, ast.Add) and type(left) is type(right)) and not (
            isinstance(tree.op, ast.Mult)
        ):
            raise NoValue(f"arithmetic with {left!r} and {right!r}")
        return rule(left, right)
    try:
        found = rule(left, right)
    except ZeroDivisionError:
        raise NoValue("a division by zero") from None
    if not _is_number(found):
        raise NoValue("a fraction")
    return found


def _is_number(value: Any) -> bool:
    return isinstance(value, (bool, int))


def _sign(tree: ast.UnaryOp, scope: Scope) -> Any:
    value = value_of(tree.operand, scope)
    if isinstance(tree.op, ast.Not):
        return not value
    if isinstance(tree.op, ast.USub) and _is_number(value):
        return -value
    if isinstance(tree.op, ast.UAdd) and _is_number(value):
        return +value
    raise Unsupported(f"the operator {type(tree.op).__name__}")


def _connective(tree: ast.BoolOp, scope: Scope) -> Any:
    value: Any = None
    for each in tree.values:
        value = value_of(each, scope)
        if bool(value) is isinstance(tree.op, ast.Or):
            return value
    return value


def same(left: Any, right: Any) -> bool:
    """Whether two values are equal; a content equals each word that describes it."""
    if isinstance(left, Content) and isinstance(right, Content):
        if HIDDEN in left and HIDDEN in right:
            raise Unsupported("a comparison of two contents whose letters are not distinguished")
        return frozenset(left) == frozenset(right)
    if isinstance(left, Content):
        return right in left
    if isinstance(right, Content):
        return left in right
    return bool(left == right)


def _comparison(tree: ast.Compare, scope: Scope) -> bool:
    left = value_of(tree.left, scope)
    for test, other in zip(tree.ops, tree.comparators, strict=True):
        right = value_of(other, scope)
        if not _holds(test, left, right):
            return False
        left = right
    return True


def _holds(test: ast.cmpop, left: Any, right: Any) -> bool:
    if isinstance(test, (ast.Eq, ast.NotEq)):
        return same(left, right) is isinstance(test, ast.Eq)
    if isinstance(test, (ast.In, ast.NotIn)):
        if isinstance(right, (str, Content)) or not isinstance(right, Iterable):
            raise Unsupported(f"`in` {right!r}")
        return any(same(left, each) for each in right) is isinstance(test, ast.In)
    if type(test) not in _ORDER:
        raise Unsupported(f"the comparison {type(test).__name__}")
    if not _is_number(left) or not _is_number(right):
        raise NoValue(f"the order of {left!r} and {right!r}")
    return _ORDER[type(test)](left, right)


def _choice(tree: ast.IfExp, scope: Scope) -> Any:
    return value_of(tree.body if value_of(tree.test, scope) else tree.orelse, scope)


def _list(tree: ast.List | ast.Tuple | ast.Set, scope: Scope) -> list[Any]:
    return [value_of(each, scope) for each in tree.elts]


def _comprehension(tree: ast.ListComp | ast.GeneratorExp, scope: Scope) -> list[Any]:
    return [value_of(tree.elt, inner) for inner in scopes_of(tree.generators, scope)]


def scopes_of(generators: list[ast.comprehension], scope: Scope) -> Iterator[Scope]:
    """One scope for each combination of the values of loops within an expression."""
    if not generators:
        yield scope
        return
    first, *rest = generators
    for value in loop_values(value_of(first.iter, scope)):
        if isinstance(first.target, ast.Name):
            inner = scope.having({first.target.id: value})
        elif isinstance(first.target, ast.Tuple) and isinstance(value, list):
            names = [each.id for each in first.target.elts if isinstance(each, ast.Name)]
            inner = scope.having(dict(zip(names, value, strict=True)))
        else:
            raise Unsupported("the target of a loop")
        if all(value_of(each, inner) for each in first.ifs):
            yield from scopes_of(rest, inner)


def loop_values(values: Any) -> list[Any]:
    """The values over which a loop runs: those of a list, or the keys of a table."""
    if isinstance(values, (list, range, dict)):
        return list(values)
    raise Unsupported(f"a loop over {values!r}")


def _entry(tree: ast.Subscript, scope: Scope) -> Any:
    index = value_of(tree.slice, scope)
    indices = tuple(index) if isinstance(tree.slice, ast.Tuple) else (index,)
    if isinstance(tree.value, ast.Name):
        name = tree.value.id
        if (
            name not in scope.loops
            and name not in scope.constants
            and scope.world.is_variable(name)
        ):
            return scope.world.variable(name, indices)
    found = value_of(tree.value, scope)
    for each in indices:
        found = _looked_up(found, each)
    return found


def _looked_up(table: Any, index: Any) -> Any:
    if isinstance(index, Content):
        raise Unsupported("a content as an index")
    if isinstance(table, dict):
        if index not in table:
            raise NoValue(f"no entry {index!r}")
        return table[index]
    if isinstance(table, (list, range)):
        if not _is_number(index):
            raise NoValue(f"no entry {index!r}")
        if not 0 <= index < len(table):
            raise NoValue(f"no entry {index!r}")
        return table[index]
    raise NoValue(f"{table!r} has no entries")


def _call(tree: ast.Call, scope: Scope) -> Any:
    if not isinstance(tree.func, ast.Name) or tree.keywords:
        raise Unsupported("a call")
    function = tree.func.id
    if function in _TURNS:
        return turned(function, value_of(tree.args[0], scope), scope.geometry)
    if function == "range":
        return range(*(_whole(value_of(each, scope)) for each in tree.args))
    if function in ("all", "any") and isinstance(tree.args[0], ast.GeneratorExp):
        # As in Python, the values after the decisive one are not computed.
        generator = tree.args[0]
        inner = scopes_of(generator.generators, scope)
        values = (value_of(generator.elt, each) for each in inner)
        return all(values) if function == "all" else any(values)
    if function in _LISTS:
        arguments = [value_of(each, scope) for each in tree.args]
        if any(isinstance(each, Content) for each in arguments):
            raise Unsupported(f"{function} of a content")
        try:
            return _LISTS[function](*arguments)
        except (ValueError, TypeError) as error:
            raise NoValue(str(error)) from None
    if function == "can":
        return scope.world.call(function, [_rule_name(tree.args[0], scope)], scope)
    arguments = [_argument(function, n, each, scope) for n, each in enumerate(tree.args)]
    return scope.world.call(function, arguments, scope)


def _whole(value: Any) -> int:
    if not _is_number(value):
        raise NoValue(f"{value!r} is no number")
    return int(value)


def _rule_name(tree: ast.AST, scope: Scope) -> str:
    """The name of a rule, which may contain hyphens."""
    if isinstance(tree, ast.BinOp) and isinstance(tree.op, ast.Sub):
        return f"{_rule_name(tree.left, scope)}-{_rule_name(tree.right, scope)}"
    if isinstance(tree, ast.Name):
        return str(scope.loops.get(tree.id, scope.constants.get(tree.id, tree.id)))
    if isinstance(tree, ast.Constant):
        return str(tree.value)
    raise Unsupported("the argument of can")


def _argument(function: str, number: int, tree: ast.AST, scope: Scope) -> Any:
    """An argument of a function of the board; the second argument of `count` is a terrain expression."""
    if function == "count" and number == 1:
        return _terrain_text(tree, scope)
    if isinstance(tree, ast.Name) and tree.id not in scope.loops and tree.id not in scope.constants:
        if function in ("cell", "terrain"):
            return value_of(tree, scope)
        return tree.id
    return value_of(tree, scope)


def _terrain_text(tree: ast.AST, scope: Scope) -> str:
    if isinstance(tree, ast.UnaryOp) and isinstance(tree.op, ast.Not):
        return f"not {_terrain_text(tree.operand, scope)}"
    if isinstance(tree, ast.BinOp) and isinstance(tree.op, ast.BitOr):
        return f"{_terrain_text(tree.left, scope)}|{_terrain_text(tree.right, scope)}"
    value = value_of(tree, scope)
    if not isinstance(value, str):
        raise Rejected(f"{value!r} is no terrain")
    return value


_VALUES: dict[type[ast.AST], Callable[[Any, Scope], Any]] = {
    ast.Constant: _constant,
    ast.Name: _name,
    ast.BinOp: _operation,
    ast.UnaryOp: _sign,
    ast.BoolOp: _connective,
    ast.Compare: _comparison,
    ast.IfExp: _choice,
    ast.List: _list,
    ast.Tuple: _list,
    ast.Set: _list,
    ast.ListComp: _comprehension,
    ast.GeneratorExp: _comprehension,
    ast.Subscript: _entry,
    ast.Call: _call,
}
