"""The loops of rules and variables, constants, parameters and templates."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from tests.independent.boards.expressions import Scope, World, entry, evaluate, loop_values
from tests.independent.boards.failures import Unsupported
from tests.independent.boards.headings import KNIGHT, words_of_group
from tests.independent.boards.words import word


def geometry_of(document: dict[str, Any]) -> str:
    """The type of the cells of the board."""
    return "graph" if document.get("graph") else document.get("geometry") or "square"


def constants_of(document: dict[str, Any], rows: int, columns: int) -> dict[str, Any]:
    """The values of all parameters and constants, and the size of the board."""
    found: dict[str, Any] = {}
    for name, given in (document.get("parameters") or {}).items():
        value = word(given["default"] if isinstance(given, dict) else given)
        if not isinstance(value, int):
            raise Unsupported(f"the parameter {name}")
        found[name] = value
    for name, given in (document.get("constants") or {}).items():
        found[name] = entry(given, Scope({}, found, World(), geometry_of(document)))
    return {"rows": rows, "columns": columns} | found


def bindings(loops: dict[str, Any] | None, scope: Scope) -> Iterator[dict[str, Any]]:
    """Every combination of the values of the loops, in order; later loops may use earlier ones."""
    if not loops:
        yield {}
        return
    (name, given), *rest = loops.items()
    for value in values_of(given, scope):
        for others in bindings(dict(rest), scope.having({name: value})):
            yield {name: value, **others}


def values_of(given: Any, scope: Scope) -> list[Any]:
    """The values of a loop or of a variable: a list, an expression, or a group of directions."""
    if isinstance(given, str) and given not in scope.loops and given not in scope.constants:
        words = words_of_group(given, scope.geometry)
        if words is not None:
            return list(words)
        if given == "knight":
            return [list(each) for each in KNIGHT]
    if isinstance(given, list):
        return [entry(each, scope) for each in given]
    if isinstance(given, dict):
        raise Unsupported("a table as the values of a loop")
    return loop_values(evaluate(given, scope))


def filled(text: str, scope: Scope) -> str:
    """A text in which the values of expressions replace the expressions in braces."""
    if "{" not in text and "}" not in text:
        return text

    def replacement(match: re.Match[str]) -> str:
        if match[0] in ("{{", "}}"):
            return match[0][0]
        return str(evaluate(match[1], scope))

    return re.sub(r"\{\{|\}\}|\{([^{}]*)\}", replacement, text)
