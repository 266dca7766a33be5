"""Fills in the templates of texts."""

from __future__ import annotations

from typing import Any

from tests.independent.folding import (
    Scope,
    folded,
    is_known,
    value_of,
    written,
)


def escaped(source: Any) -> Any:
    """A drawing without expressions in its text; tokens in lists never contain any."""
    if isinstance(source, list):
        return source
    return source.replace("{", "{{").replace("}", "}}")


def filled(text: str, scope: Scope) -> str:
    """A text with the values of the expressions in its braces."""
    found, i = "", 0
    while i < len(text):
        if text[i : i + 2] in ("{{", "}}"):
            found, i = found + text[i], i + 2
        elif text[i] == "{":
            quote, j = "", i + 1
            while j < len(text) and (quote or text[j] != "}"):
                if text[j] in "'\"" and quote in ("", text[j]):
                    quote = "" if quote else text[j]
                j += 1
            node = folded(text[i + 1 : j], scope)
            if scope.opaque and not is_known(node):
                found, i = f"{found}{{{written(node)}}}", j + 1
                continue
            value = value_of(node)
            found, i = found + str(int(value) if isinstance(value, bool) else value), j + 1
        else:
            found, i = found + text[i], i + 1
    return found
