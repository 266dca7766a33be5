"""Converts documents given as plain data (mappings, lists, texts, numbers) to text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import yaml

from fewest.errors import UsageError


class _Dumper(yaml.SafeDumper):
    """Writes multi-line texts as blocks, so that error messages can refer to single rows."""

    def ignore_aliases(self, data: Any) -> bool:
        return True

    def represent_text(self, text: str) -> yaml.ScalarNode:
        style = "|" if "\n" in text else None
        return self.represent_scalar("tag:yaml.org,2002:str", text, style=style)

    def represent_items(self, items: tuple[Any, ...]) -> yaml.SequenceNode:
        return self.represent_sequence("tag:yaml.org,2002:seq", items)


_Dumper.add_representer(str, _Dumper.represent_text)
_Dumper.add_representer(tuple, _Dumper.represent_items)


def written(document: Mapping[str, Any]) -> str:
    """The document as text. Raises UsageError if a document cannot contain these data."""
    try:
        return yaml.dump(
            dict(document), Dumper=_Dumper, allow_unicode=True, sort_keys=False, width=1 << 20
        )
    except (yaml.YAMLError, RecursionError) as error:
        problem = str(error.args[0]) if error.args else str(error)
        raise UsageError(
            f"the document contains data that YAML cannot express: {problem}"
        ) from error
