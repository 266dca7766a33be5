"""Arguments that are one text or several."""

from __future__ import annotations

from collections.abc import Sequence


def texts(given: str | Sequence[str]) -> tuple[str, ...]:
    """The texts that an argument gives. One text is not a sequence of letters: "all" means ("all",)."""
    return (given,) if isinstance(given, str) else tuple(given)
