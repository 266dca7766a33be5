"""The JSON Schema of documents, from the same types that read them."""

from __future__ import annotations

from typing import Any

import msgspec

from fewest.language.document import Document


def json_schema() -> dict[str, Any]:
    """The schema as plain data (JSON Schema draft 2020-12)."""
    (root,), components = msgspec.json.schema_components([Document], ref_template="#/$defs/{name}")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "fewest puzzle document",
        **root,
        "anyOf": [{"required": ["puzzle"]}, {"required": ["model"]}],
        "$defs": components,
    }
