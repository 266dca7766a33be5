"""Words: texts and numbers, where a number equals its text."""

from __future__ import annotations

import re
from typing import Any

_HYPHENATED = re.compile(r"[^\W\d]\w*(-\w+)+")


def word(text: Any) -> Any:
    """A number for a text that is exactly a whole number; otherwise the text."""
    if isinstance(text, str) and re.fullmatch(r"-?\d+", text) and str(int(text)) == text:
        return int(text)
    return text


def is_hyphenated(text: str) -> bool:
    """Whether the text is one word with hyphens, and not a subtraction of numbers."""
    return _HYPHENATED.fullmatch(text) is not None


def as_list(given: Any) -> list[Any]:
    """The elements of a list, or the only element."""
    if given is None:
        return []
    return list(given) if isinstance(given, list) else [given]
