"""Reads `variables`. Each variable has finitely many values and is either a scalar or indexed."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from fewest.model.expression import ExpressionError, Indices, Value
from fewest.model.puzzle import Variable
from fewest.reading.context import Context, Path
from fewest.reading.expression_text import parse
from fewest.reading.expression_values import FUNCTIONS, RANGE_HINT, plain
from fewest.reading.turned import TURNING

if TYPE_CHECKING:
    from fewest.reading.document import VariableEntry

MAX_VARIABLES = 2_000
MAX_VALUES = 1_000
MAX_SIDE = 200  # the maximum number of rows and of columns in a drawing of variables
_KEY = r"\s*([^\W\d]\w*)\s*(?:\[\s*([\w\s,]+)\s*\])?\s*"

Slots = dict[str, dict[Indices, int]]


def read_variables(context: Context) -> tuple[tuple[Variable, ...], Slots]:
    """All variables and, for each name, the slot of each index. Reports mistakes."""
    variables: list[Variable] = []
    slots: Slots = {}
    for key, spec in (context.document.variables or {}).items():
        path: Path = ("variables", key)
        match = re.fullmatch(_KEY, key)
        if match is None:
            context.error(
                path,
                "bad-name",
                f"`{key}` is not a valid name for a variable",
                at_key=True,
                expected="`name`, `name[i]` or `name[i, j]`",
            )
            continue
        name = match[1]
        if not context.is_name(path, name, "a variable"):
            continue
        indices = [part.strip() for part in match[2].split(",")] if match[2] else []
        loops = spec.for_ or {}
        if sorted(indices) != sorted(loops):
            context.error(
                path,
                "variable-index",
                f"the indices of `{key}` do not match the names under `for`",
                expected=", ".join(loops) or "no index",
                found=", ".join(indices) or "no index",
                at_key=True,
            )
            continue
        if name in slots or name in context.names:
            context.error(path, "bad-name", f"the name `{name}` is already in use", at_key=True)
            continue
        found = _read(context, path, name, indices, spec, len(variables))
        if found is not None:
            slots[name], members = found
            variables.extend(members)
        if len(variables) > MAX_VARIABLES:
            context.error(
                path,
                "task-too-large",
                f"the document has {len(variables):,} variables; the limit is {MAX_VARIABLES:,}",
                at_key=True,
            )
            return (), {}
    _check_layout(context, variables)
    return tuple(variables), slots


def _read(
    context: Context, path: Path, name: str, indices: list[str], spec: VariableEntry, first: int
) -> tuple[dict[Indices, int], list[Variable]] | None:
    slots: dict[Indices, int] = {}
    members: list[Variable] = []
    for names in context.bindings((*path, "for"), spec.for_):
        key = tuple(names[index] for index in indices)
        if not all(isinstance(part, (int, str)) for part in key):
            hint = "write a range, such as range(3), or a list of words"
            message = "the indices of a variable must be whole numbers or words"
            context.error((*path, "for"), "variable-index", message, hint=hint)
            return None
        if key in slots:
            shown = ", ".join(map(str, key))
            context.error(
                (*path, "for"), "variable-index", f"the index {shown} of `{name}` occurs twice"
            )
            return None
        values = _values(context, (*path, "values"), spec.values, names)
        if not values:
            return None
        initial = _initial(context, (*path, "initial"), spec.initial, names, values)
        if initial is None:
            return None
        place = _place(context, path, spec, names)
        characters = _characters(context, path, spec, values)
        shown = f"{name}[{', '.join(map(str, key))}]" if key else name
        slots[key] = first + len(members)  # type: ignore[index]
        members.append(Variable(shown, values, initial, place, characters))
    return slots, members


def _place(
    context: Context, path: Path, spec: VariableEntry, names: dict[str, Value]
) -> tuple[int, int] | None:
    """The place of the variable in the drawing; None if the variable has no place, or if a mistake was reported."""
    if spec.layout is None:
        return None
    path = (*path, "layout")
    row, column = (context.integer((*path, i), v, names) for i, v in enumerate(spec.layout))
    if row is None or column is None:
        return None
    if not (0 <= row < MAX_SIDE and 0 <= column < MAX_SIDE):
        message = f"({row}, {column}) is not a valid place: rows and columns must be from 0 to {MAX_SIDE - 1}"
        context.error(path, "variable-layout", message)
        return None
    return row, column


def _characters(
    context: Context, path: Path, spec: VariableEntry, values: tuple[int | str, ...]
) -> tuple[str, ...]:
    """The character for each value: the given character, or else the value itself. Reports mistakes."""
    raw = spec.characters or {}
    path = (*path, "characters")
    known = [str(value) for value in values]
    for key, text in raw.items():
        if spec.layout is None:
            message = "`characters` has no effect without `layout`"
            context.error(path, "variable-layout", message, at_key=True)
            break
        if key not in known:
            context.unknown((*path, key), "variable-layout", "value", key, known)
        elif not text or not text.isprintable() or " " in text:
            context.error((*path, key), "variable-layout", "a value must be drawn as a single word")
    drawn = tuple(raw.get(text, text) for text in known)
    if spec.layout is not None and len(set(drawn)) < len(drawn):
        context.error(path, "variable-layout", "two values have the same drawing")
    return drawn


def _check_layout(context: Context, variables: list[Variable]) -> None:
    """Report the first variable that has the same place in the drawing as another variable above it."""
    taken: dict[tuple[int, int], str] = {}
    for variable in variables:
        if variable.place is None:
            continue
        other = taken.setdefault(variable.place, variable.name)
        if other != variable.name:
            name = variable.name.split("[")[0]
            keys = context.document.variables or {}
            key = next(key for key in keys if key.split("[")[0].strip() == name)
            context.error(
                ("variables", key, "layout"),
                "variable-layout",
                f"`{other}` and `{variable.name}` are both drawn at {variable.place}",
            )
            return


def _values(
    context: Context, path: Path, raw: str | list[int | str], names: dict[str, Value]
) -> tuple[int | str, ...] | None:
    found: object = None
    if isinstance(raw, str) and raw not in names:
        found = context.direction_names(raw)
    if found is None:
        found = context.constant(path, raw, names) if isinstance(raw, str) else raw
    if found is None:
        return None
    if isinstance(found, (int, str)):
        context.error(
            path,
            "wrong-type",
            "expected a list or a range of values",
            found=f"`{found}`",
            hint=f"write a list; or {RANGE_HINT}",
        )
        return None
    values: list[int | str] = []
    for item in found:  # type: ignore[attr-defined]
        # in a list, as in an expression, the name of a constant or of an index stands for its value
        value = item
        if isinstance(item, str) and _is_expression(item, names):
            value = context.constant(path, item, names)
            if value is None:
                return None
        value = plain(names.get(value, value) if isinstance(value, str) else value)
        if not isinstance(value, (int, str)) or value in values:
            reason = "is not a number or text" if value not in values else "occurs twice"
            context.error(path, "variable-values", f"the value `{value}` {reason}")
            return None
        values.append(value)
        if len(values) > MAX_VALUES:
            context.error(
                path, "task-too-large", f"this variable exceeds the limit of {MAX_VALUES:,} values"
            )
            return None
    if not values:
        context.error(path, "variable-values", "a variable must have at least one value")
    return tuple(values)


def _is_expression(text: str, names: Mapping[str, Value]) -> bool:
    """Whether an item of a list of values is an expression rather than a word: all its names are known, or it begins
    with a function of directions.
    """
    try:
        tree = parse(text)
    except ExpressionError:
        return False
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} - FUNCTIONS.keys()
    is_call = isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name)
    return bool(used) and (used <= names.keys() or (is_call and not used.isdisjoint(TURNING)))


def _initial(
    context: Context,
    path: Path,
    raw: int | str,
    names: dict[str, Value],
    values: tuple[int | str, ...],
) -> int | str | None:
    if raw in values:
        return raw
    words = [value for value in values if isinstance(value, str)]
    found = context.constant(path, raw, names, words) if isinstance(raw, str) else raw
    if found is None:
        return None
    found = plain(found)
    if found not in values or not isinstance(found, (int, str)):
        shown = ", ".join(map(str, values[:12]))
        context.error(
            path,
            "value-out-of-range",
            "the initial value is not one of the values of the variable",
            expected=shown,
            found=str(found),
        )
        return None
    return found
