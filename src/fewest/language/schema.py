"""The JSON Schema of documents, from the same types that read them."""

from __future__ import annotations

from typing import Any

import msgspec

from fewest.language.document import Document


def json_schema() -> dict[str, Any]:
    """The schema as plain data (JSON Schema draft 2020-12)."""
    (root,), components = msgspec.json.schema_components([Document], ref_template="#/$defs/{name}")
    for component in components.values():
        component["properties"] = {
            key: _described(_as_read(value)) for key, value in component["properties"].items()
        }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "fewest puzzle document",
        **root,
        "anyOf": [{"required": ["puzzle"]}, {"required": ["model"]}],
        "$defs": components,
    }


def _as_read(schema: Any) -> Any:
    """What the decoder takes beyond the types: it reads the text of numbers and truth values where
    text is expected, and `null` in a map, which removes the key when laid over a model.
    """
    if isinstance(schema, list):
        return [_as_read(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    read = {key: _as_read(part) for key, part in schema.items()}
    if read.get("type") == "string":
        read["type"] = ["string", "number", "boolean"]
    if isinstance(read.get("additionalProperties"), dict):
        read["additionalProperties"] = {"anyOf": [read["additionalProperties"], {"type": "null"}]}
    return read


def _described(schema: dict[str, Any]) -> dict[str, Any]:
    """The key's help where editors look for it: not within an alternative."""
    inner = [part["description"] for part in schema.get("anyOf", ()) if "description" in part]
    return {"description": inner[0], **schema} if inner else schema
