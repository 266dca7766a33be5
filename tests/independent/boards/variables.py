"""Variables: their values at the start, and assignments."""

from __future__ import annotations

import ast
import re
from typing import Any, NamedTuple

from tests.independent.boards.expressions import (
    Content,
    Scope,
    entry,
    evaluate,
    parsed,
    scopes_of,
    value_of,
)
from tests.independent.boards.failures import NoValue, Rejected, Unsupported
from tests.independent.boards.loops import bindings, values_of
from tests.independent.boards.words import is_hyphenated

Key = tuple[str, tuple[Any, ...]]


class Variables(NamedTuple):
    """All variables of a puzzle. Their values are a tuple, in the order of `places`."""

    names: frozenset[str]
    places: dict[Key, int]
    allowed: list[list[Any]]
    initial: tuple[Any, ...]


def read_variables(given: dict[str, Any] | None, scope: Scope) -> Variables:
    """The variables of a document."""
    found = Variables(frozenset(_name(text)[0] for text in given or {}), {}, [], ())
    initial: list[Any] = []
    for text, spec in (given or {}).items():
        name, indices = _name(text)
        for binding in bindings(spec.get("for"), scope):
            inner = scope.having(binding)
            if set(indices) != set(binding):
                raise Unsupported("a variable with other indices than its loops")
            key = (name, tuple(binding[index] for index in indices))
            if key in found.places:
                raise Unsupported("two variables with one index")
            found.places[key] = len(initial)
            found.allowed.append([_plain(value) for value in values_of(spec["values"], inner)])
            value = _plain(entry(spec["initial"], inner))
            if value not in found.allowed[-1]:
                raise Rejected(f"the initial value of {text}")
            initial.append(value)
    return found._replace(initial=tuple(initial))


def _name(text: str) -> tuple[str, list[str]]:
    match = re.fullmatch(r"\s*([^\[\]]+?)\s*(?:\[(.*)\])?\s*", text)
    if match is None:
        raise Unsupported(f"the variable {text}")
    indices = [] if match[2] is None else [each.strip() for each in match[2].split(",")]
    return match[1], indices


def _plain(value: Any) -> Any:
    """The value of a variable: a truth value counts as a number."""
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, (Content, list, dict, range)):
        raise Unsupported(f"{value!r} as the value of a variable")
    return value


def assigned(
    variables: Variables, assignments: dict[str, Any] | None, scope: Scope, old: tuple[Any, ...]
) -> tuple[Any, ...]:
    """The values after all assignments, which use the values before the move. Raises NoValue."""
    new = new_values(variables, assignments, scope)
    return tuple(new.get(place, value) for place, value in enumerate(old)) if new else old


def new_values(
    variables: Variables, assignments: dict[str, Any] | None, scope: Scope
) -> dict[int, Any]:
    """The new values of the assigned variables, by their places. Raises NoValue."""
    new: dict[int, Any] = {}
    for target, text in (assignments or {}).items():
        for key, inner in _targets(target, scope):
            if key not in variables.places:
                raise NoValue(f"no variable {key}")
            place = variables.places[key]
            value = _plain(evaluate(text, inner))
            if value not in variables.allowed[place]:
                raise NoValue(f"{value!r} is no value of {target}")
            if new.setdefault(place, value) != value:
                raise Unsupported("two assignments to one variable")
    return new


def _targets(text: str, scope: Scope) -> list[tuple[Key, Scope]]:
    if is_hyphenated(text):
        return [((text, ()), scope)]
    tree = parsed(f"[{text}]")
    if isinstance(tree, ast.ListComp):
        element, scopes = tree.elt, list(scopes_of(tree.generators, scope))
    elif isinstance(tree, ast.List) and len(tree.elts) == 1:
        element, scopes = tree.elts[0], [scope]
    else:
        raise Unsupported(f"the target {text}")
    found = []
    for inner in scopes:
        if isinstance(element, ast.Name):
            found.append(((element.id, ()), inner))
        elif isinstance(element, ast.Subscript) and isinstance(element.value, ast.Name):
            index = value_of(element.slice, inner)
            indices = tuple(index) if isinstance(element.slice, ast.Tuple) else (index,)
            found.append(((element.value.id, indices), inner))
        else:
            raise Unsupported(f"the target {text}")
    return found
