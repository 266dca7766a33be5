"""From the text of a document to plain maps, lists and words; a puzzle is merged with its model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from tests.independent.boards.failures import Unsupported

Map = dict[str, Any]


class _Loader(yaml.SafeLoader):
    """Reads every scalar as text, except for `null`: in the language, a number equals its text."""


_LOADED: dict[Any, Any] = {}
for _first, _rules in yaml.SafeLoader.yaml_implicit_resolvers.items():
    _LOADED[_first] = [rule for rule in _rules if rule[0].endswith(":null")]
_Loader.yaml_implicit_resolvers = _LOADED


def read_document(text: str, models: Path) -> Map:
    """The document with its model's keys. `models` is the folder of the models."""
    document = yaml.load(text, _Loader)
    if not isinstance(document, dict):
        raise Unsupported("the document is not a map")
    return _with_models(document, models)


def _with_models(document: Map, models: Path) -> Map:
    other = document.get("extends")
    if "puzzle" in document:
        other = document.get("model")
    if other is None:
        return document
    path = models / f"{other}.yaml"
    if not path.exists():
        raise Unsupported(f"no model {other}")
    model = _with_models(yaml.load(path.read_text(encoding="utf-8"), _Loader), models)
    found: Map = _merged(model, document)
    for key in ("goal", "forbid"):
        if document.get(key) is not None:
            found[key] = document[key]
    if "terrain" in document and "terrain" in model:
        found["terrain"] = _terrains(model["terrain"]) | _terrains(document["terrain"])
    own = document.get("pieces") or {}
    found["own kinds"] = [kind for kind in own if kind not in (model.get("pieces") or {})]
    return found


def _terrains(listed: Any) -> Map:
    if isinstance(listed, dict):
        return listed
    if isinstance(listed, list):
        return dict.fromkeys(listed)
    raise Unsupported("terrain that is neither a list nor a map")


def _merged(old: Any, new: Any) -> Any:
    if not isinstance(old, dict) or not isinstance(new, dict):
        return new
    found = dict(old)
    for key, value in new.items():
        if value is None:
            found.pop(key, None)
        else:
            found[key] = _merged(old.get(key), value)
    return found
