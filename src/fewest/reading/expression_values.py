"""The values of expressions (numbers, text, tables) and the operations on them.

Errors that are raised here have no location in a text: a `OperandError` describes the mistake, and the expression
compiler adds the location.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import lru_cache
from typing import Any, TypeVar

from fewest.model.expression import MAX_BITS, MAX_LENGTH, Content, Env, Ground

T = TypeVar("T")

ARITHMETIC: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
}
PLAIN_ARITHMETIC: dict[str, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
}
"""The operators that are defined for all whole numbers."""

_NUMERAL = re.compile("0|-?[1-9][0-9]*")


def is_numeral(text: str) -> bool:
    """Whether a text is the usual way to write a whole number."""
    return _NUMERAL.fullmatch(text) is not None


def plain(value: Any) -> Any:
    """The value in the form that variables store: a truth value is 0 or 1, and the text of a whole number is that
    number. Any other value is unchanged.
    """
    if isinstance(value, str):
        return _number_or_text(value)
    return int(value) if isinstance(value, bool) else value


@lru_cache(1000)  # a compilation converts the same few words again and again
def _number_or_text(text: str) -> int | str:
    return int(text) if is_numeral(text) else text


def remembered(run: Callable[[Env], T], names: Collection[str]) -> Callable[[Env], T]:
    """A function with the same results as `run`. It evaluates `run` once for each combination of the values of `names`,
    unless one of these values is a list. The results of `run` must depend only on these values.
    """
    if not names:
        return run
    values_of = operator.itemgetter(*names)
    known: dict[Any, T] = {}

    def recall(env: Env) -> T:
        values = values_of(env.names)
        try:
            if values in known:
                return known[values]
        except TypeError:  # a list cannot be a key
            return run(env)
        found = known[values] = run(env)
        return found

    return recall


def equal(a: Any, b: Any) -> bool:
    """Whether two values are equal. A number equals its text, because quotes make no difference in a document."""
    if a == b:
        return True
    return type(a) is not type(b) and bool(plain(a) == plain(b))


COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: equal,
    ast.NotEq: lambda a, b: not equal(a, b),
    ast.Lt: lambda a, b: bool(a < b),
    ast.LtE: lambda a, b: bool(a <= b),
    ast.Gt: lambda a, b: bool(a > b),
    ast.GtE: lambda a, b: bool(a >= b),
    ast.In: lambda a, b: any(equal(a, x) for x in b),
    ast.NotIn: lambda a, b: not any(equal(a, x) for x in b),
}
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "all": all,
    "any": any,
    "sum": sum,
    "min": min,
    "max": max,
    "abs": abs,
    "range": range,
    "len": len,
}


RANGE_HINT = "write `range(n)` for the numbers from 0 to n-1"


class OperandError(Exception):
    """Raised if the values do not suit an operation; contains an error code, a description, and a hint."""

    def __init__(self, code: str, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint


def compared(test: Callable[[Any, Any], bool], left: Any, right: Any) -> bool:
    """The result of comparing two values with one of COMPARISONS. Raises OperandError if the values cannot be
    compared.
    """
    try:
        return test(left, right)
    except TypeError:
        message = f"cannot compare {shown(left)} with {shown(right)}"
        raise OperandError("expression-type", message) from None


def integer(value: Any) -> int:
    """The value as a whole number; truth values count as 0 and 1. Raises OperandError for anything else."""
    if isinstance(value, int):
        return int(value)
    raise OperandError("expression-type", f"expected a whole number, but found {shown(value)}")


def arithmetic(symbol: str, a: Any, b: Any) -> int | str:
    """The value of `a symbol b`, for whole numbers or text. Raises OperandError for other values, for an undefined
    result (such as a division by zero), and for a result that is too large.
    """
    if isinstance(a, str) or isinstance(b, str):
        return _text_arithmetic(symbol, a, b)
    x, y = integer(a), integer(b)
    if symbol in ("//", "%") and y == 0:
        raise OperandError("expression-type", "the divisor must not be zero")
    if symbol == "**":
        if y < 0:
            raise OperandError("expression-type", f"the exponent must not be negative ({y})")
        if x.bit_length() * y > MAX_BITS and abs(x) > 1:
            raise OperandError(
                "expression-runaway", f"this power exceeds the limit of {MAX_BITS:,} bits"
            )
    if symbol == "+":
        result = x + y
    elif symbol == "-":
        result = x - y
    elif symbol == "*":
        result = x * y
    elif symbol == "//":
        result = x // y
    elif symbol == "%":
        result = x % y
    else:
        result = x**y
    if result.bit_length() > MAX_BITS:
        raise OperandError(
            "expression-runaway", f"this number exceeds the limit of {MAX_BITS:,} bits"
        )
    return result


def _text_arithmetic(symbol: str, a: Any, b: Any) -> str:
    if symbol == "+" and isinstance(a, str) and isinstance(b, str):
        parts, times = a + b, 1
    elif symbol == "*" and isinstance(a, str) and isinstance(b, int):
        parts, times = a, b
    elif symbol == "*" and isinstance(a, int) and isinstance(b, str):
        parts, times = b, a
    else:
        raise OperandError(
            "expression-type",
            f"cannot compute {shown(a)} {symbol} {shown(b)}",
            hint="text can be joined with `+` and repeated with `*`",
        )
    if len(parts) * times > MAX_LENGTH:
        raise OperandError(
            "expression-runaway", f"this text exceeds the limit of {MAX_LENGTH:,} characters"
        )
    return parts * times


def iterable(value: Any) -> Iterable[Any]:
    """The values of a loop. Raises OperandError for a value that a loop cannot use."""
    if isinstance(value, (list, range, Mapping)) or hasattr(value, "__next__"):
        return value  # type: ignore[no-any-return]
    raise OperandError(
        "expression-type",
        f"expected a range or a list, but found {shown(value)}",
        hint=RANGE_HINT,
    )


def limited(values: Iterable[Any]) -> list[Any]:
    """The values as a list. Raises OperandError if there are too many values."""
    out: list[Any] = []
    for value in values:
        out.append(value)
        if len(out) > MAX_LENGTH:
            raise OperandError(
                "expression-runaway", f"this list exceeds the limit of {MAX_LENGTH:,} items"
            )
    return out


def entry(name: str, table: Any, index: Any) -> Any:
    """One entry of the table `name`, by its index (from 0) or by its key. Raises OperandError if there is no such
    entry.
    """
    if isinstance(table, list):
        keys: list[Any] = list(range(len(table)))
    elif isinstance(table, Mapping):
        keys = list(table)
    else:
        message = (
            f"`{name}` has no such index, because the indexed value is neither a list nor a table"
        )
        raise OperandError("expression-unsupported", message)
    for key in keys:
        if not isinstance(index, bool) and equal(key, index):
            return table[key]
    wanted = index if isinstance(index, (int, str)) else shown(index).strip("`")
    known = list(map(str, keys if len(keys) < 8 else [*keys[:3], "…", keys[-1]]))
    hint = f"the indices are {', '.join(known)}" if known else f"`{name}` is empty"
    raise OperandError("expression-index", f"`{name}` has no index {wanted}", hint)


def called(name: str, values: list[Any]) -> Any:
    """The value of a function for these arguments. Raises OperandError if the function has no value for them."""
    function = FUNCTIONS[name]
    try:
        if name == "range":
            result = range(*map(integer, values))
            if len(result) > MAX_LENGTH:
                raise OperandError(
                    "expression-runaway", f"this range exceeds the limit of {MAX_LENGTH:,} numbers"
                )
            return result
        if name in ("all", "any"):
            return function(iterable(values[0]))
        if name in ("sum", "len") or (name in ("min", "max") and len(values) == 1):
            return function(limited(iterable(values[0])))
        return function(*values)
    except (TypeError, ValueError) as error:
        raise OperandError("expression-type", f"cannot compute {name}(): {error}") from None


def shown(value: Any) -> str:
    """The text with which messages show a value."""
    if isinstance(value, Content):
        return f"`{value.label or value.kind}`"
    if isinstance(value, Ground):
        return f"`{' and '.join(sorted(value.names))}`"
    return f"`{value}`" if isinstance(value, (str, int)) else "a list"
