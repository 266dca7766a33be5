"""The JSON Schema of documents, generated from the types of the decoder."""

from __future__ import annotations

from typing import Any

import msgspec

from fewest.reading.document import ConditionMap, Document, Placement


def json_schema() -> dict[str, Any]:
    """The schema as plain data (JSON Schema draft 2020-12)."""
    (root, placement, _), components = msgspec.json.schema_components(
        [Document, Placement, ConditionMap], ref_template="#/$defs/{name}"
    )
    components = {_name(key): value for key, value in components.items()}
    # No type describes a condition: a condition can contain conditions, and the names of pieces are keys of its map.
    condition: dict[str, Any] = {"$ref": "#/$defs/Condition"}
    keys = components["ConditionMap"]["properties"]
    for key in ("all", "any"):
        keys[key] = {"type": "array", "items": condition, "description": _help(keys[key])}
    components["ConditionMap"]["additionalProperties"] = placement
    # these keys may also appear next to `every` and `some`
    keys |= components["Placement"]["properties"]
    for key in ("goal", "forbid"):
        shown = components["Document"]["properties"][key]
        components["Document"]["properties"][key] = {"description": _help(shown), **condition}
    for component in components.values():
        component["title"] = _name(component["title"])
        component["properties"] = {
            key: _described(_as_read(value)) for key, value in component["properties"].items()
        }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "fewest puzzle document",
        **root,
        "anyOf": [{"required": ["puzzle"]}, {"required": ["model"]}],
        "$defs": {**components, "Condition": _CONDITION},
    }


_CONDITION = {
    "anyOf": [
        {"type": ["string", "boolean"], "description": "an expression"},
        {"type": "array", "items": {"$ref": "#/$defs/Condition"}, "description": "any of these"},
        {"$ref": "#/$defs/ConditionMap"},
        {"type": "null"},
    ]
}


def _name(name: str) -> str:
    """The name of a type in the schema, without `Entry`: `MoveEntry` becomes `Move`."""
    return name.removesuffix("Entry")


def _help(schema: dict[str, Any]) -> str:
    """The description of a key; msgspec stores it in different places."""
    parts = [schema, *schema.get("anyOf", ())]
    return next((str(part["description"]) for part in parts if "description" in part), "")


def _as_read(schema: Any) -> Any:
    """The schema, extended by inputs that the decoder accepts although the types do not express them.

    These are numbers and truth values where text is expected, and `null` in a map, which removes a key of the model.
    """
    if isinstance(schema, list):
        return [_as_read(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    read = {key: _as_read(part) for key, part in schema.items()}
    for key in ("$ref", "title"):
        if isinstance(read.get(key), str):
            read[key] = _name(read[key])
    if read.get("type") == "string":
        read["type"] = ["string", "number", "boolean"]
    if isinstance(read.get("additionalProperties"), dict):
        read["additionalProperties"] = {"anyOf": [read["additionalProperties"], {"type": "null"}]}
    return read


def _described(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema of a key. A description of one of its alternatives also becomes the description of the key itself,
    where editors look for it.
    """
    inner = [part["description"] for part in schema.get("anyOf", ()) if "description" in part]
    return {"description": inner[0], **schema} if inner else schema
