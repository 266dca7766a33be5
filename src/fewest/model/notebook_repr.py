"""How data show themselves in a notebook: who can draw them says so here, and data need not know who."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Shows = Callable[[Any], str]

_SVG: dict[type, Shows] = {}
_HTML: dict[type, Shows] = {}


def shows(kind: type, *, svg: Shows | None = None, html: Shows | None = None) -> None:
    """From now on objects of a type are drawn, or written, so."""
    for known, how in ((_SVG, svg), (_HTML, html)):
        if how is not None:
            known[kind] = how


def svg_of(shown: object) -> str | None:
    """The picture of an object; None where nobody draws its type."""
    how = _SVG.get(type(shown))
    return None if how is None else how(shown)


def html_of(shown: object) -> str | None:
    """An object as HTML; None where nobody writes its type."""
    how = _HTML.get(type(shown))
    return None if how is None else how(shown)
