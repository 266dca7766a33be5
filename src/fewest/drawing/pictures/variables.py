"""The variables of a position as a legend: single variables as chips, variables with a place as a picture, and indexed
variables as rows and grids.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from msgspec import Struct

from fewest.drawing.pictures.colours import VALUE_COLOURS, ink_on
from fewest.drawing.pictures.outline import number
from fewest.drawing.pictures.puzzle_style import PuzzleStyle, text_at
from fewest.drawing.text import text_width
from fewest.model.position import Position
from fewest.model.puzzle import Variable

_SIZE = 34.0  # the width of a value's cell, in pixels
_TEXT = 15.0
_WIDEST = 560.0


class PicturePart(Struct, frozen=True):
    """A part of a picture, drawn from (0, 0), with its size in pixels."""

    svg: str
    width: float
    height: float


def legend(look: PuzzleStyle, position: Position) -> PicturePart:
    """All variables, one group below another: single variables, then the variables that have a place, as a picture, and
    then indexed variables.
    """
    parts: list[PicturePart] = _placed(look, position)
    chips: list[tuple[str, Variable, int | str]] = []
    for name, group in _groups(position).items():
        if () in group:
            chips.append((name, *group[()]))
        else:
            parts.append(_array(look, name, group))
    if chips:
        parts.insert(0, _chips(look, chips))
    return _stacked(parts)


def _groups(
    position: Position,
) -> dict[str, dict[tuple[int, ...], tuple[Variable, int | str]]]:
    """The variables without a place, keyed by their names and, within a name, by their indices."""
    out: dict[str, dict[tuple[int, ...], tuple[Variable, int | str]]] = {}
    for variable, value in zip(position.puzzle.variables, position.values, strict=True):
        if variable.place is not None:
            continue
        name, _, rest = variable.name.partition("[")
        indices = tuple(int(text) for text in re.findall(r"-?\d+", rest))
        out.setdefault(name, {})[indices] = (variable, value)
    return out


def _placed(look: PuzzleStyle, position: Position) -> list[PicturePart]:
    """The variables that have a place, each at its place."""
    found = {
        variable.place: (variable, value)
        for variable, value in zip(position.puzzle.variables, position.values, strict=True)
        if variable.place is not None
    }
    if not found:
        return []
    step = _SIZE + 4
    parts = [
        _value(look, variable, value, column * step, row * step, _SIZE)
        for (row, column), (variable, value) in found.items()
    ]
    rows, columns = (1 + max(place[axis] for place in found) for axis in (0, 1))
    return [PicturePart("".join(parts), columns * step - 4, rows * step - 4)]


def _stacked(parts: list[PicturePart]) -> PicturePart:
    y, out = 0.0, []
    for part in parts:
        out.append(f'<g transform="translate(0 {number(y)})">{part.svg}</g>')
        y += part.height + 8
    width = max((part.width for part in parts), default=0.0)
    return PicturePart("".join(out), width, max(0.0, y - 8))


def _value(
    look: PuzzleStyle, variable: Variable, value: int | str, x: float, y: float, wide: float
) -> str:
    """A value in its cell. Unless the document gives it a colour, the first value of a variable has the colour of the
    floor.
    """
    order = variable.values.index(value) if value in variable.values else 0
    chosen = look.puzzle.style.colours.get(str(value))
    colour = chosen or (
        look.theme.floor if order == 0 else VALUE_COLOURS[(order - 1) % len(VALUE_COLOURS)]
    )
    colour = look.theme.floor if colour == "none" else colour
    plain = look.puzzle.names.get(str(value), variable.character(value))
    text = look.puzzle.style.symbols.get(str(value), plain)
    box = (
        f'<rect x="{number(x)}" y="{number(y)}" width="{number(wide)}" height="{number(_SIZE)}" rx="6"'
        f' fill="{colour}" stroke="{look.theme.line}"/>'
    )
    size = min(_TEXT, _TEXT * (wide - 6) / max(1.0, _length(text)))
    return box + text_at(x + wide / 2, y + _SIZE / 2, text, size, ink_on(colour), bold=True)


def _length(text: str) -> float:
    """The approximate length of a text in the legend, in pixels."""
    return text_width(text) * _TEXT * 0.62


def _chips(look: PuzzleStyle, chips: list[tuple[str, Variable, int | str]]) -> PicturePart:
    """Names and values side by side, on as many lines as necessary."""
    names = [look.puzzle.names.get(name, name) for name, _, _ in chips]
    label = max(_length(name) for name in names) + 10
    wide = max(_SIZE, *(_length(str(v)) + 14 for _, variable, _ in chips for v in variable.values))
    columns = max(1, min(len(chips), int(_WIDEST // (label + wide + 14))))
    if label + wide > 150 or len(chips) <= 6:
        columns = min(columns, 2 if len(chips) > 6 else 1)
    parts: list[str] = []
    for index, (name, (_, variable, value)) in enumerate(zip(names, chips, strict=True)):
        x = (index % columns) * (label + wide + 14)
        y = (index // columns) * (_SIZE + 5)
        parts.append(text_at(x, y + _SIZE / 2, name, _TEXT, look.theme.ink, anchor="start"))
        parts.append(_value(look, variable, value, x + label, y, wide))
    rows = -(-len(chips) // columns)
    return PicturePart("".join(parts), columns * (label + wide + 14) - 14, rows * (_SIZE + 5) - 5)


def _array(
    look: PuzzleStyle, name: str, group: Mapping[tuple[int, ...], tuple[Variable, int | str]]
) -> PicturePart:
    """An indexed variable: its last index increases to the right, and its other indices increase downward."""
    columns = sorted({key[-1] for key in group})
    rows = sorted({key[:-1] for key in group})
    label = _length(look.puzzle.names.get(name, name)) + 12
    wide = max(
        _SIZE, *(_length(str(v)) + 12 for variable, _ in group.values() for v in variable.values)
    )
    faint, parts = look.theme.faint, []
    parts.append(
        text_at(
            0,
            16 + _SIZE / 2,
            look.puzzle.names.get(name, name),
            _TEXT,
            look.theme.ink,
            anchor="start",
        )
    )
    for place, column in enumerate(columns):
        parts.append(text_at(label + (place + 0.5) * (wide + 3), 7, str(column), 11, faint))
    for line, row in enumerate(rows):
        y = 16 + line * (_SIZE + 3)
        if row:
            text = ", ".join(map(str, row))
            parts.append(text_at(label - 9, y + _SIZE / 2, text, 11, faint))
        for place, column in enumerate(columns):
            if (*row, column) in group:
                variable, value = group[*row, column]
                parts.append(_value(look, variable, value, label + place * (wide + 3), y, wide))
    return PicturePart(
        "".join(parts), label + len(columns) * (wide + 3), 16 + len(rows) * (_SIZE + 3)
    )
