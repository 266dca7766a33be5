"""Directions on square boards: their words, groups, turns and offsets."""

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
_WORDS = {offset: name for name, offset in OFFSETS.items()}
GROUPS: dict[str, list[str]] = {
    "orthogonal": ["up", "down", "left", "right"],
    "diagonal": ["up-left", "up-right", "down-left", "down-right"],
    "all": list(OFFSETS),
    "horizontal": ["left", "right"],
    "vertical": ["up", "down"],
}
KNIGHT: list[Offset] = [(r, c) for r in (-2, -1, 1, 2) for c in (-2, -1, 1, 2) if abs(r) != abs(c)]
FOREIGN = {"hex", "hex-right", "hex-left", "strips", "above", "below"}
TURNS = {"forward": "backward", "clockwise": "counterclockwise"}
_BACK = TURNS | {new: old for old, new in TURNS.items()}


def is_direction(value: object) -> bool:
    """Whether the value is a single direction or a group of directions."""
    return isinstance(value, str) and (value in OFFSETS or value in GROUPS or value == "knight")


def turned(function: str, value: object) -> object:
    """The value of `left_of`, `right_of` or `back_of`."""
    if function == "back_of" and value in _BACK:
        return _BACK[str(value)]
    if (
        value in FOREIGN
        or value in GROUPS
        or value == "knight"
        or value in _BACK
        or value == "along"
    ):
        raise Unsupported(f"{function} of {value}")
    if value not in OFFSETS:
        return value
    row, column = OFFSETS[str(value)]
    return _WORDS[
        {
            "left_of": (-column, row),
            "right_of": (column, -row),
            "back_of": (-row, -column),
        }[function]
    ]
