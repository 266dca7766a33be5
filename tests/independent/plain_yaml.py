"""Reads YAML 1.2 into lists, maps, texts, whole numbers, truth values and None."""

from __future__ import annotations

import re
from typing import Any

import yaml


class UnsupportedError(Exception):
    """The independent programs do not cover this document; the text says why."""


class _Loader(yaml.SafeLoader):
    """A reader in which `on`, `off`, `yes` and `no` are words, as in YAML 1.2."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        found: dict[Any, Any] = {}
        for key_node, value_node in node.value:
            key = self.construct_object(key_node, deep=True)  # type: ignore[no-untyped-call]
            if key in found:
                raise UnsupportedError(f"the key {key} occurs twice")
            found[key] = self.construct_object(value_node, deep=True)  # type: ignore[no-untyped-call]
        return found


_Loader.yaml_implicit_resolvers = {}
_Loader.add_constructor(
    "tag:yaml.org,2002:map", lambda loader, node: loader.construct_mapping(node, deep=True)
)
for tag, pattern, first in (
    ("null", r"null|Null|NULL|~|", [*"nN~", ""]),
    ("bool", r"true|True|TRUE|false|False|FALSE", [*"tTfF"]),
    ("int", r"[-+]?[0-9]+", [*"-+0123456789"]),
):
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(f"^(?:{pattern})$"), first)  # type: ignore[no-untyped-call]


def read_yaml(text: str) -> Any:
    """The tree of a YAML text."""
    tree = yaml.load(text, Loader=_Loader)
    if not isinstance(tree, dict):
        raise UnsupportedError("the document is not a map")
    return tree
