"""Rush Hour boards of 6×6 as 36 characters, row by row: `60 IBBxooIooLDDJAALooJoKEEMFFKooMGGHHHM 2332`.

`o` or `.` is an empty cell, `x` or `#` a wall, every other letter a car. The red one, which must leave on the
right, is `X` if a board has it, otherwise `A`. The number before a board is its minimum in slides, the one
after it the number of reachable positions, the text at the end its title; all are optional, and a first line
may name the columns. Source: Michael Fogleman's Rush Hour database (michaelfogleman.com/rush, 2018), the
format of `rush.txt`.
"""

from __future__ import annotations

import re

from fewest.errors import Report, Source
from fewest.formats.collection import Collection, Level
from fewest.formats.lines.text import LineError, first_board, head, read_lines

MODEL = "rush-hour"
SIDE = 6

_LINE = re.compile(
    rf"(?:(\d{{1,9}})\s+)?([A-Za-z.#]{{{SIDE * SIDE}}})(?:\s+(\d{{1,9}}))?(?:\s+([^\d\s].*))?"
)
_HEADING = re.compile(r"(?=.*\bboard\b)[A-Za-z_\s]+", re.IGNORECASE)
_RED, _RED_IN_LISTS = "X", "A"


def recognises(text: str) -> bool:
    """Whether the first line of a text, apart from comments, is a board of 36 characters."""
    line = first_board(text)
    return bool(_LINE.fullmatch(line) or _HEADING.fullmatch(line))


def read(source: Source, report: Report) -> Collection:
    """The boards of a text; mistakes go to the report."""
    return read_lines(source, report, MODEL, _level, heading=_HEADING)


def _level(number: int, line: str) -> Level:
    match = _LINE.fullmatch(line)
    if match is None:
        raise LineError(
            "this is no board of 36 characters",
            "MINIMUM BOARD POSITIONS TITLE, of which only BOARD must be there",
        )
    slides, board, reachable, title = match.groups()
    cells = board.replace("o", ".").replace("x", "#")
    if _RED not in cells:
        cells = cells.replace(_RED_IN_LISTS, _RED)
    _check(cells)
    known = {"slides": slides, "reachable": reachable}
    return Level(
        number,
        (title or "").strip(),
        tuple(cells[at : at + SIDE] for at in range(0, len(cells), SIDE)),
        expect={key: int(value) for key, value in known.items() if value is not None},
    )


def _check(cells: str) -> None:
    """Raises LineError unless all cars are straight, of two cells or more, and the red one is horizontal."""
    for letter in sorted(set(cells) - set(".#")):
        places = [divmod(at, SIDE) for at, c in enumerate(cells) if c == letter]
        (row, column), length = places[0], len(places)
        lies = places == [(row, column + step) for step in range(length)]
        stands = places == [(row + step, column) for step in range(length)]
        if length < 2 or not (lies or stands):
            raise LineError(f"the cells of `{letter}` are no car", "two or more cells in a row")
        if letter == _RED and not lies:
            raise LineError(
                "the red car does not lie in a row", "a car that can leave on the right"
            )
    if _RED not in cells:
        raise LineError("there is no red car", "a car `A` or `X`")


def write(collection: Collection) -> str:
    """The collection as text that `read` reads back to the same levels."""
    lines = head(collection)
    for level in collection.levels:
        cells = "".join(level.rows).replace(".", "o").replace("#", "x")
        if _RED_IN_LISTS not in cells:
            cells = cells.replace(_RED, _RED_IN_LISTS)
        parts = (level.expect.get("slides"), cells, level.expect.get("reachable"), level.title)
        lines.append(" ".join(str(part) for part in parts if part is not None and part != ""))
    return "\n".join(lines) + "\n"
