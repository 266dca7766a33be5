"""Functions that map the word for a direction to the word for the direction on its left, on its right, or opposite to
it, on each type of board.

The two senses of rotation of a ring are opposite directions; so are the two senses in which a piece turns about a cell.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fewest.model.board import GRAPH
from fewest.reading.expression_values import OperandError, shown

TURNING = ("left_of", "right_of", "back_of")
"""The functions in expressions: the direction to the left of a direction, to its right, and opposite to it."""

DIRECTION_HINT = "use words for directions, such as up, down, left, right"

_SIX_RIGHT = ("up", "up-right", "right", "down", "down-left", "left")
_SIX_LEFT = ("up", "right", "down-right", "down", "left", "up-left")
_STRIPS = ("up-right", "right", "down-right", "down-left", "left", "up-left")
_SQUARE = (
    ("up", "right", "down", "left"),
    ("up-right", "down-right", "down-left", "up-left"),
    ("horizontal", "vertical", "horizontal", "vertical"),
)
_CLOCKWISE: Mapping[str, Sequence[Sequence[str]]] = {
    "square": _SQUARE,
    "hex-right": (_SIX_RIGHT,),
    "hex-left": (_SIX_LEFT,),
    "triangle-up": (_STRIPS,),
    "triangle-down": (_STRIPS,),
}
_OPPOSITE = {
    one: other
    for pair in (("above", "below"), ("forward", "backward"), ("clockwise", "counterclockwise"))
    for one, other in (pair, pair[::-1])
}


def _turns(rounds: Sequence[Sequence[str]]) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {name: {} for name in TURNING}
    for words in rounds:
        for place, word in enumerate(words):
            for name, step in zip(TURNING, (-1, 1, len(words) // 2), strict=True):
                found[name][word] = words[(place + step) % len(words)]
    found["back_of"].update(_OPPOSITE)
    return found


_TURNED = {geometry: _turns(rounds) for geometry, rounds in _CLOCKWISE.items()}


def turned(geometry: str, name: str, direction: Any) -> str:
    """The result of a function of TURNING; a word for which the function has no result, such as `above` for `left_of`,
    is returned unchanged. Raises OperandError on a graph, and for a value that is not a word.
    """
    if geometry == GRAPH:
        message = f"{name}() is not allowed on a graph, because the edges of a graph have no left and right"
        raise OperandError("expression-type", message)
    if not isinstance(direction, str):
        message = f"{name}() needs a direction, but found {shown(direction)}"
        raise OperandError("expression-type", message, DIRECTION_HINT)
    return _TURNED[geometry][name].get(direction, direction)
