"""Merges a document over its model, and lists the letters of a kind."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from tests.independent.plain_yaml import UnsupportedError, read_yaml

Document = dict[str, Any]


def merged(text: str, folder: Path, models: Path) -> Document:
    """The document with the rules of its model."""
    document = read_yaml(text)
    key = "model" if "puzzle" in document else "extends"
    other = document.get(key)
    if other is None:
        return _with_terrain_map(document)
    names = (f"{other}.yaml", other)
    places = [base / name for base in (folder, models) for name in names]
    if "/" not in str(other):
        places = [models / f"{other}.yaml"]
    path = next((place for place in places if place.is_file()), None)
    if path is None:
        raise UnsupportedError(f"there is no model {other}")
    model = merged(path.read_text(encoding="utf-8"), path.parent, models)
    own = _with_terrain_map(document)
    result = _changed(model, own, is_top=True)
    _give_letters_to_own_kinds(result, own, model)
    return result


def _with_terrain_map(document: Document) -> Document:
    terrain = document.get("terrain")
    if isinstance(terrain, list):
        return document | {"terrain": dict.fromkeys(terrain)}
    return document


def _changed(old: Document, new: Document, *, is_top: bool = False) -> Document:
    result = dict(old)
    for key, value in new.items():
        if value is None:
            result.pop(key, None)
        elif is_top and key == "terrain":
            result[key] = {**(old.get(key) or {}), **value}
        elif is_top and key in ("goal", "forbid"):
            result[key] = value
        elif isinstance(value, dict) and isinstance(old.get(key), dict):
            result[key] = _changed(old[key], value)
        elif isinstance(value, dict):
            result[key] = _changed({}, value)
        else:
            result[key] = value
    return result


def _give_letters_to_own_kinds(result: Document, own: Document, model: Document) -> None:
    """A letter that both the puzzle and its model give to a kind belongs to the puzzle's kind."""
    of_puzzle = {
        kind: letters(keys["letters"])
        for kind, keys in (own.get("pieces") or {}).items()
        if isinstance(keys, dict) and "letters" in keys
    }
    for kind, keys in (result.get("pieces") or {}).items():
        if kind in of_puzzle or not isinstance(keys, dict) or "letters" not in keys:
            continue
        taken = {letter for each in of_puzzle.values() for letter in each}
        keys["letters"] = [x for x in letters(keys["letters"]) if x not in taken]


def letters(source: Any) -> list[str]:
    """The letters of a kind: a list of tokens, or a set such as `A-Za-z0-9`."""
    if isinstance(source, list):
        return [str(each) for each in source]
    text, found = str(source), []
    for match in re.finditer(r"(.)-(.)|(.)", text):
        first, last, single = match.groups()
        found += [single] if single else [chr(i) for i in range(ord(first), ord(last) + 1)]
    return found


# -- the whole ------------------------------------------------------------------------------------------
