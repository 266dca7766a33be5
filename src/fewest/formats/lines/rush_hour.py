"""Rush Hour boards as 16, 25, 36, 49 or 64 characters, row by row: `60 IBBxooIooLDDJAALooJoKEEMFFKooMGGHHHM 2332`.

`o`, `.`, `-` or `_` is an empty cell, `x` or `#` is a wall, and any other letter is a car. The red car, which must
leave the board on the right, is the first horizontal car in the order `X`, `r`, `A`. The number before a board is its
minimum in slides (unless these numbers count the boards); the number after it is the number of reachable positions.
Text after these numbers is the title. The numbers and the title may be absent, and the first line may contain column
names. A board may also be drawn with each row on a separate line; its title is then above it. Source: Michael
Fogleman's Rush Hour database (michaelfogleman.com/rush, 2018), the format of `rush.txt`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise, takewhile
from math import isqrt

from msgspec.structs import replace

from fewest.errors import Report, Source
from fewest.formats.collection import Collection, Level
from fewest.formats.lines.text import (
    LineError,
    UnknownCharacterError,
    boards,
    first_board,
    first_rows,
    head,
    read_lines,
)
from fewest.model.answer import counted

MODEL = "rush-hour"
SIZES = (16, 25, 36, 49, 64)

_LINE = re.compile(r"(?:(\d{1,9})\s+)?([^\s\d]{16,64})(?:\s+(\d{1,9}))?(?:\s+([^\d\s].*))?")
_ROW = re.compile(r"[^\s\d]{4,16}")
_UNKNOWN = re.compile(r"[^A-Za-z.#_-]")
_HEADING = re.compile(r"(?=.*\bboard\b)[A-Za-z_\s]+", re.IGNORECASE)
_RED = "X"  # the letter of the red car in the model
_REDS = (_RED, "r", "A")
_CELLS = str.maketrans("ox_-", ".#..")
_EXPECTED = "a letter for a car, o or . for an empty cell, x or # for a wall"


class _NoRedCarError(LineError):
    """Raised for a board of cars that has no red car, or none that is horizontal."""


def recognises(text: str) -> bool:
    """Whether the first line, apart from comments and keys, is a board or consists of column names, or the first lines
    draw a board.
    """
    line = first_board(text)
    if _HEADING.fullmatch(line):
        return True
    match = _LINE.fullmatch(line)
    if match and len(match[2]) in SIZES and not _UNKNOWN.search(match[2]):
        return True
    rows = first_rows(text)
    # the first line may be a title
    return any(_is_drawing(rows[at:]) for at in range(min(2, len(rows))))


def has_evidence(text: str) -> bool:
    """Whether the first board has an empty cell, and at least half of its letters are cars. Words rarely are such
    boards.
    """
    line = next((line for line in boards(text) if not _HEADING.fullmatch(line)), "")
    match = _LINE.fullmatch(line)
    if match and _are_cars(match[2], isqrt(len(match[2]))):
        return True
    rows = first_rows(text)
    drawings = [_rows_of_any_length(rows[at:]) for at in range(min(2, len(rows)))]
    return any(_are_cars("".join(drawn), _width(drawn)) for drawn in drawings if drawn)


def _are_cars(cells: str, width: int) -> bool:
    """Whether there is an empty cell, and at least half of the letters are cars on a board of about this width."""
    places: dict[str, list[int]] = {}
    for at, cell in enumerate(cells):
        places.setdefault(cell, []).append(at)
    empty = set(".o_-")
    letters = [at for cell, at in places.items() if cell.isalpha() and cell not in "ox"]
    cars = 0
    for found in letters:
        gaps = [end - start for start, end in pairwise(found)]
        # a board of the wrong length has columns in which the distance varies
        is_vertical = bool(gaps) and width - 1 <= min(gaps) and max(gaps) <= width + 2
        cars += bool(gaps) and (set(gaps) == {1} or is_vertical)
    return not empty.isdisjoint(places) and cars > 0 and len(letters) <= 2 * cars


def resembles(text: str) -> bool:
    """Whether the first lines are a board with a fault: the red car is missing or is not horizontal, a row or a board
    has the wrong length, or a line contains a character that has no meaning.
    """
    if not has_evidence(text):
        return False
    rows = first_rows(text)
    line = first_board(text)
    if any(_is_ragged(rows[at:]) for at in range(min(2, len(rows)))):
        return True
    if _has_wrong_length(line) or _has_unknown(line):
        return True
    if not _is_drawing(rows, has_red=False):
        rows = rows[1:]  # the first line may be a title
    try:
        if _is_drawing(rows, has_red=False):
            _level(1, "\n".join(_rows(rows)))
    except LineError as error:
        return isinstance(error, _NoRedCarError)
    return False


def read(source: Source, report: Report) -> Collection:
    """The boards of a text, each with its mistakes; mistakes outside boards go to the report."""
    collection = read_lines(source, report, MODEL, _level, heading=_HEADING, height=_height)
    levels = collection.levels
    slides = [level.expect.get("slides") for level in levels]
    counts_boards = len(levels) > 2 and slides == list(range(1, len(levels) + 1))
    if counts_boards:
        levels = tuple(
            replace(x, expect={k: v for k, v in x.expect.items() if k != "slides"}) for x in levels
        )
    return replace(collection, levels=levels)


def _height(lines: Sequence[str]) -> int:
    """The number of lines of the first board; 0 if the first line is the title of the board in the next lines."""
    if _is_drawing(lines, has_red=False):
        return len(_rows(lines))
    if _is_drawing(lines[1:], has_red=False):
        return 0
    if _is_ragged(lines):
        return len(_rows_of_any_length(lines))
    return 0 if _is_ragged(lines[1:]) else 1


def _rows(lines: Sequence[str]) -> list[str]:
    """The first lines that may be rows of one drawing."""
    width = len(lines[0]) if lines else 0
    return list(takewhile(lambda line: _ROW.fullmatch(line) and len(line) == width, lines))


def _is_drawing(lines: Sequence[str], *, has_red: bool = True) -> bool:
    """Whether the first lines draw a board of at least three rows; if `has_red` is true, the board must have a car that
    may be the red car.
    """
    rows = _rows(lines)
    # if the length of the first line is in SIZES, each line is a separate board
    is_line = bool(lines) and len(lines[0]) in SIZES
    if len(rows) < 3 or is_line:
        return False
    unknown = sum(len(_UNKNOWN.findall(row)) for row in rows)
    is_red = not has_red or any(map(_has_red, rows))
    return is_red and unknown <= len(rows) and any(set(row) & set(".o_-") for row in rows)


def _has_red(row: str) -> bool:
    return any(red * 2 in row for red in _REDS)


def _rows_of_any_length(lines: Sequence[str]) -> list[str]:
    """The first lines that may be rows of one drawing, of any length."""
    return list(takewhile(_ROW.fullmatch, lines))


def _width(rows: Sequence[str]) -> int:
    """The length that most of the rows have."""
    return Counter(map(len, rows)).most_common(1)[0][0]


def _is_ragged(lines: Sequence[str]) -> bool:
    """Whether the first lines draw a board in which one row has the wrong length. If the first row has the right
    length and there are at least five rows, two rows may have the wrong length.
    """
    rows = _rows_of_any_length(lines)
    if len(rows) < 4:
        return False
    width = _width(rows)
    right = [row for row in rows if len(row) == width]
    most = 2 if len(rows[0]) == width and len(rows) > 4 else 1
    is_drawing = 0 < len(rows) - len(right) <= most and _is_drawing(right, has_red=False)
    return is_drawing and any(map(_has_red, rows))


def _has_wrong_length(line: str) -> bool:
    """Whether a line is a board, apart from its length: it has a red car, and at least a quarter of its cells are
    empty.
    """
    match = _LINE.fullmatch(line)
    cells = match[2] if match else ""
    return (
        _has_red(cells)
        and not _UNKNOWN.search(cells)
        and 4 * len(re.findall("[.o_-]", cells)) >= len(cells)
    )


def _has_unknown(line: str) -> bool:
    """Whether a line is a board of one of the sizes, apart from at most a quarter of its characters."""
    match = _LINE.fullmatch(line)
    cells = match[2] if match else ""
    known = _UNKNOWN.sub(".", cells)
    return len(cells) in SIZES and _has_wrong_length(known) and _is_mostly_known(cells)


def _is_mostly_known(cells: str) -> bool:
    return 4 * len(_UNKNOWN.findall(cells)) <= len(cells)


def _level(number: int, text: str) -> Level:
    rows = text.split("\n")
    known: dict[str, int] = {}
    title = ""
    if len(rows) == 1:
        match = _LINE.fullmatch(text)
        sizes = f"{', '.join(map(str, SIZES[:-1]))} or {SIZES[-1]} characters"
        if match is not None and len(match[2]) not in SIZES and _has_wrong_length(text):
            length = len(match[2])
            raise LineError(
                f"this board has {counted(length, 'characters')}", sizes, 1, match.start(2) + 1
            )
        if match is None or len(match[2]) not in SIZES or not _is_mostly_known(match[2]):
            raise LineError(
                f"this is not a board of {sizes}",
                "MINIMUM BOARD POSITIONS TITLE, of which only BOARD is required",
            )
        found = {"slides": match[1], "reachable": match[3]}
        known = {key: int(value) for key, value in found.items() if value is not None}
        title = (match[4] or "").strip()
        if unknown := _UNKNOWN.search(match[2]):
            raise UnknownCharacterError(
                unknown[0], _EXPECTED, 1, match.start(2) + unknown.start() + 1
            )
        side = isqrt(len(match[2]))
        rows = [match[2][at : at + side] for at in range(0, len(match[2]), side)]
    width = _width(rows)
    for at, row in enumerate(rows, 1):
        if len(row) != width:
            message = f"this row has {counted(len(row), 'characters')}, but most rows of the board have {width}"
            raise LineError(message, counted(width, "characters"), at)
        if unknown := _UNKNOWN.search(row):
            raise UnknownCharacterError(unknown[0], _EXPECTED, at, unknown.start() + 1)
    drawn = tuple(row.translate(_CELLS) for row in rows)
    red = _red_car(drawn)
    return Level(
        number,
        title,
        drawn,
        keys=_keys(red),
        expect=known,
        remark=f"the red car is {red}",
    )


def _keys(red: str) -> Mapping[str, object]:
    """The keys of the document of a level with this red car; the goal of the model is about `X`."""
    return {} if red == _RED else {"goal": {red: {"touches": "right"}}}


def keys_of_goal(goal: object) -> Mapping[str, object] | None:
    """The keys of a level with this goal of a document; None if the goal is not that one car reaches the right edge."""
    letter = next(iter(goal)) if isinstance(goal, dict) and len(goal) == 1 else ""
    keys = _keys(str(letter))
    return keys if keys.get("goal", {_RED: {"touches": "right"}}) == goal else None


def red_letter(level: Level) -> str:
    """The letter of the red car."""
    goal = level.keys.get("goal")
    return next(iter(goal)) if isinstance(goal, dict) else _RED


def with_red_letter(level: Level, letter: str) -> Level:
    """The same level, but the red car has this letter. Another car with this letter gets the old letter."""
    old = red_letter(level)
    swapped = str.maketrans({old: letter, letter: old})
    return replace(
        level, rows=tuple(row.translate(swapped) for row in level.rows), keys=_keys(letter)
    )


def _red_car(rows: tuple[str, ...]) -> str:
    """The letter of the red car. Raises LineError unless all cars are straight and have at least two cells, and the red
    car is horizontal.
    """
    horizontal: set[str] = set()
    letters = sorted(set("".join(rows)) - set(".#"))
    for letter in letters:
        places = [
            (r, c) for r, row in enumerate(rows) for c, cell in enumerate(row) if cell == letter
        ]
        (row, column), length = places[0], len(places)
        is_horizontal = places == [(row, column + step) for step in range(length)]
        is_vertical = places == [(row + step, column) for step in range(length)]
        if length < 2 or not (is_horizontal or is_vertical):
            raise LineError(
                f"the cells of `{letter}` do not form a car", "two or more cells in a row"
            )
        if is_horizontal:
            horizontal.add(letter)
    for red in _REDS:
        if red in horizontal:
            return red
    if set(_REDS) & set(letters):
        raise _NoRedCarError(
            "the red car of this Rush Hour board does not lie in a row",
            "a car that can leave on the right",
        )
    raise _NoRedCarError("this Rush Hour board has no red car", "a car `A`, `X` or `r` in a row")


def write(collection: Collection) -> str:
    """The collection as text from which `read` produces the same levels, except that the red car may be `A`."""
    lines = head(collection)
    counts = len(collection.levels) > 2 and all(
        level.expect.get("slides") == number for number, level in enumerate(collection.levels, 1)
    )
    for level in collection.levels:
        cells = "".join(level.rows)
        if not set("Ar") & set(cells):
            level = with_red_letter(level, "A")  # the letter that most programs expect
        rows = level.rows
        if len(cells) in SIZES and len(rows) == len(rows[0]):
            board = "".join(rows).replace(".", "o").replace("#", "x")
            slides = None if counts else level.expect.get("slides")
            # a number after the board would be read as the number of reachable positions
            title = "" if level.title[:1].isdigit() else level.title
            parts = (slides, board, level.expect.get("reachable"), title)
            lines.append(" ".join(str(part) for part in parts if part is not None and part != ""))
        else:  # a board of this size cannot be written as one line
            rows = tuple(row.replace("#", "x") for row in rows)
            lines += ["", *([f"{level.title}:"] if level.title else []), *rows, ""]
    return "\n".join(lines) + "\n"
