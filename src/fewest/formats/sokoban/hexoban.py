"""Hexoban, Sokoban on hexagons, as text: `.hsb`.

The characters and the text around the levels are the same as in `.xsb`. Every second column of a row is empty: the odd
columns in one row, the even columns in the next. The neighbours of a cell are therefore two columns to the left and
right in its own row, and one column to either side in the rows above and below. The drawing of the model is sheared to
the left (`geometry: hex-left`). Source: the specification of Hexoban by David W. Skinner and J. Kenneth Riviere (2002),
and the file format of SokoSave 5.1, `FILE_SYNTAX.txt`.
"""

from __future__ import annotations

from msgspec.structs import replace

from fewest.errors import Report, Source, SourceLocation
from fewest.formats.collection import Collection, Level
from fewest.formats.sokoban.levels import Step, checked
from fewest.formats.sokoban.xsb import drawn_levels, is_staggered, written

MODEL = "hexoban"

HEXAGONAL: tuple[Step, ...] = ((0, -1), (0, 1), (-1, -1), (-1, 0), (1, 0), (1, 1))


def recognises(text: str) -> bool:
    """Whether a text contains rows of hexagons."""
    return is_staggered(text)


def read(source: Source, report: Report) -> Collection:
    """The levels of a text; mistakes outside levels go to the report."""
    collection = drawn_levels(source, report, MODEL)
    sheared = tuple(_sheared(level, source, report) for level in collection.levels)
    return checked(replace(collection, levels=sheared), source, report, HEXAGONAL)


def _sheared(level: Level, source: Source, report: Report) -> Level:
    """The level without the empty columns, as `hex-left` draws it."""
    places = {
        (row, column): character
        for row, line in enumerate(level.rows)
        for column, character in enumerate(line)
        if character != " "
    }
    if not places:
        return level
    (first_row, first_column) = next(iter(places))
    parity = (first_row + first_column) % 2
    between = next((place for place in places if sum(place) % 2 != parity), None)
    if between is not None:
        row, column = between
        report.error(
            "level-character",
            SourceLocation(source, level.line + row, column + 1),
            f"`{places[between]}` is between two hexagons",
            expected="an empty column between two cells of a row, shifted by one column in the next row",
        )
        return level
    cells = {(row, (column + row - parity) // 2): c for (row, column), c in places.items()}
    left = min(column for _, column in cells)
    width = max(column for _, column in cells) - left + 1
    rows = tuple(
        "".join(cells.get((row, left + column), " ") for column in range(width))
        for row in range(len(level.rows))
    )
    return replace(level, rows=rows)


def write(collection: Collection) -> str:
    """The collection as text that `read` reads back to the same levels."""
    return written(collection, [_staggered(level) for level in collection.levels])


def _staggered(level: Level) -> list[str]:
    cells = {
        (row, 2 * column - row): character
        for row, line in enumerate(level.rows)
        for column, character in enumerate(line)
        if character != " "
    }
    left = min(column for _, column in cells)
    out: list[str] = []
    for row in range(len(level.rows)):
        columns = {column - left: c for (r, column), c in cells.items() if r == row}
        out.append("".join(columns.get(at, " ") for at in range(max(columns) + 1)))
    return out
