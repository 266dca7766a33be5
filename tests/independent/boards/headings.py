"""Directions: their words and groups on each type of board, and the directions to their left and right."""

from __future__ import annotations

from tests.independent.boards.failures import Unsupported

Offset = tuple[int, int]

OFFSETS: dict[str, Offset] = {
    "up": (-1, 0),
    "down": (1, 0),
    "left": (0, -1),
    "right": (0, 1),
    "up-left": (-1, -1),
    "up-right": (-1, 1),
    "down-left": (1, -1),
    "down-right": (1, 1),
}
WORDS = {offset: name for name, offset in OFFSETS.items()}
ORTHOGONAL = ["up", "down", "left", "right"]
LEVELS = ["above", "below"]
GROUPS: dict[str, list[str]] = {
    "orthogonal": ORTHOGONAL,
    "diagonal": ["up-left", "up-right", "down-left", "down-right"],
    "all": list(OFFSETS),
    "horizontal": ["left", "right"],
    "vertical": ["up", "down"],
    "hex-right": [*ORTHOGONAL, "up-right", "down-left"],
    "hex-left": [*ORTHOGONAL, "up-left", "down-right"],
    "strips": ["left", "right", "up-left", "up-right", "down-left", "down-right"],
}
KNIGHT: list[Offset] = [(r, c) for r in (-2, -1, 1, 2) for c in (-2, -1, 1, 2) if abs(r) != abs(c)]
OPPOSITE = {
    one: other
    for pair in (("above", "below"), ("forward", "backward"), ("clockwise", "counterclockwise"))
    for one, other in (pair, pair[::-1])
}
# The directions in the order in which a piece faces them if it turns to its right.
_SQUARE = [["up", "right", "down", "left"], ["up-right", "down-right", "down-left", "up-left"]]
_ROUNDS = {
    "hex-right": [["up", "up-right", "right", "down", "down-left", "left"]],
    "hex-left": [["up-left", "up", "right", "down-right", "down", "left"]],
    "triangle": [["up-left", "up-right", "right", "down-right", "down-left", "left"]],
}


def words_of_group(text: str, geometry: str) -> list[str] | None:
    """The directions of a group; None if the text is not a group."""
    return GROUPS.get(geometry if text == "hex" else text)


def turned(function: str, value: object, geometry: str) -> object:
    """The value of `left_of`, `right_of` or `back_of`."""
    if geometry == "graph":
        raise Unsupported(f"{function} on a graph")
    if function == "back_of" and value in OPPOSITE:
        return OPPOSITE[str(value)]
    if words_of_group(str(value), geometry) or value == "along":
        raise Unsupported(f"{function} of {value}")
    for each in _ROUNDS.get(geometry.partition("-")[0] if "tri" in geometry else geometry, _SQUARE):
        if value in each:
            steps = {"left_of": -1, "right_of": 1, "back_of": len(each) // 2}[function]
            return each[(each.index(str(value)) + steps) % len(each)]
    return value
