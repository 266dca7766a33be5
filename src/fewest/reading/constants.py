"""Reads `constants`: numbers, words, lists and tables. Expressions can use constants; no move changes them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from fewest.model.board import DIRECTION_GROUPS
from fewest.reading.context import Context, Path

if TYPE_CHECKING:
    from fewest.model.expression import Value

_MAX_ENTRIES = 100_000


def read_constants(context: Context) -> None:
    """Store the constants in the context. A constant may refer to earlier ones. Reports mistakes."""
    constants: dict[str, Value] = {}
    for name, raw in (context.document.constants or {}).items():
        path: Path = ("constants", name)
        if not context.is_name(path, name, "a constant"):
            continue
        if name in context.parameters:
            message = f"`{name}` is already the name of a parameter"
            context.error(path, "bad-name", message, at_key=True)
            continue
        value = _value(context, path, raw)
        if value is None:
            continue
        words = list(_words(value))
        if len(words) > _MAX_ENTRIES:
            context.error(
                path,
                "task-too-large",
                f"this table exceeds the limit of {_MAX_ENTRIES:,} entries",
            )
            continue
        constants[name] = value
        context.constants = constants
        context.words |= {word for word in words if isinstance(word, str)}


def _value(context: Context, path: Path, raw: object) -> Value | None:
    """A number, a word, or a list or table of numbers and words; None if a mistake was reported."""
    if isinstance(raw, list):
        items = [_value(context, (*path, index), item) for index, item in enumerate(raw)]
        found = [item for item in items if item is not None]
        return found if len(found) == len(items) else None
    if isinstance(raw, Mapping):
        table = {_key(key): _value(context, (*path, key), item) for key, item in raw.items()}
        present = {key: item for key, item in table.items() if item is not None}
        return present if len(present) == len(table) else None
    if not isinstance(raw, str):
        if isinstance(raw, int):
            return int(raw)
        context.error(path, "wrong-type", "a constant must be a number, a word, a list or a table")
        return None
    if (raw.isidentifier() or raw in DIRECTION_GROUPS) and raw not in context.names:
        return raw
    value = context.constant(path, raw)
    if hasattr(value, "__next__"):
        hint = f"write a list: [{raw.strip().removeprefix('(').removesuffix(')')}]"
        context.error(path, "wrong-type", "a constant must not be a loop in parentheses", hint=hint)
        return None
    return None if value is None else _plain(value)


def _key(text: str) -> int | str:
    return int(text) if re.fullmatch("-?[0-9]+", text) else text


def _plain(value: object) -> Value:
    """The value of an expression, converted to numbers, words, and lists and tables of numbers and words."""
    if isinstance(value, (int, str)):
        return int(value) if isinstance(value, bool) else value
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    assert isinstance(value, (list, range)), "expressions give numbers, words and lists of them"
    return [_plain(item) for item in value]


def _words(value: Value) -> Iterator[int | str]:
    """Every number and word in a value, including keys."""
    if isinstance(value, (int, str)):
        yield value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield key
            yield from _words(item)
    else:
        for item in value:
            yield from _words(item)
