"""The drawing style of a puzzle: colours, symbols and shapes by word. Only pictures use it."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field

COLOURS: Mapping[str, str] = {
    "black": "#1b1b1b",
    "white": "#fbfbf8",
    "grey": "#9a9a9a",
    "silver": "#cfcfd4",
    "red": "#d55e00",
    "orange": "#e69f00",
    "yellow": "#f0e442",
    "green": "#009e73",
    "sky": "#56b4e9",
    "blue": "#0072b2",
    "purple": "#cc79a7",
    "brown": "#9c755f",
    "sand": "#e3cf9f",
    "gold": "#d9a404",
    "none": "none",
}
"""Colours by name: the colours of Okabe and Ito (2008), which colour-blind readers can distinguish, and some others."""


class Style(Struct, frozen=True):
    """The `drawing` of a document; every colour is `#rrggbb` or `none`.

    Words are letters, kinds, terrains, `wall` and `floor`. `cells` is "square", "chequered" or "hex", or None
    if the rules determine the shape of cells; shapes are "block", "disc" or "diamond".
    """

    cells: str | None = None
    colours: Mapping[str, str] = field(default_factory=dict)
    symbols: Mapping[str, str] = field(default_factory=dict)
    shapes: Mapping[str, str] = field(default_factory=dict)
