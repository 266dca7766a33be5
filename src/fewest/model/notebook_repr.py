"""The display of data in a notebook. Code that draws a type is registered here, so that the modules that define the
data need not import that code.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Shows = Callable[[Any], str]

_SVG: dict[type, Shows] = {}
_HTML: dict[type, Shows] = {}


def shows(kind: type, *, svg: Shows | None = None, html: Shows | None = None) -> None:
    """Register functions that convert objects of a type to a picture or to HTML."""
    for known, how in ((_SVG, svg), (_HTML, html)):
        if how is not None:
            known[kind] = how


def svg_of(shown: object) -> str | None:
    """The picture of an object; None if no function is registered for its type."""
    how = _SVG.get(type(shown))
    return None if how is None else how(shown)


def html_of(shown: object) -> str | None:
    """An object as HTML; None if no function is registered for its type."""
    how = _HTML.get(type(shown))
    return None if how is None else how(shown)
