"""Positions of sliding tiles as numbers, row by row, the gap 0: `14 13 15 7 11 12 9 5 6 0 2 1 4 8 10 3`.

Boards are square unless a line `Size: 2x3` (rows, columns) says otherwise. An additional number at the
beginning is the number of the position. By default the goal is in order with the gap first, as in Korf's
list; `Goal: last` puts the gap last, `Goal: 1 2 3 8 0 4 7 6 5` is any other. Both keys hold for the lines
below them. Source: Richard E. Korf, Depth-first iterative-deepening, Artificial Intelligence 27, 1985, table
1.
"""

from __future__ import annotations

import re
from math import isqrt

from msgspec import Struct

from fewest.errors import Report, Source
from fewest.formats.collection import Collection, Level
from fewest.formats.lines.text import LineError, first_board, head, read_lines

MODEL = "tiles"

_LINE = re.compile(r"\d{1,9}(?:[\s,]+\d{1,9}){3,}")
_SIZE = re.compile(r"(\d{1,2})\s*[x×]\s*(\d{1,2})")
_DIGITS = "_123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def recognises(text: str) -> bool:
    """Whether the first line of a text, apart from comments, consists of numbers."""
    return bool(_LINE.fullmatch(first_board(text)))


class _Lines(Struct):
    """The keys above a line: rows and columns (0 for a square), the goal as it is written."""

    size: tuple[int, int] = (0, 0)
    goal: str = "first"

    def set_size(self, text: str) -> None:
        match = _SIZE.fullmatch(text)
        if match is None or not 4 <= int(match[1]) * int(match[2]) <= len(_DIGITS):
            expected = f"ROWSxCOLUMNS, 4 to {len(_DIGITS)} cells"
            raise LineError("this is no size of a board", expected)
        self.size = int(match[1]), int(match[2])

    def set_goal(self, text: str) -> None:
        if text not in ("first", "last") and not _LINE.fullmatch(text):
            raise LineError("this is no goal", "first or last (where the gap is), or numbers")
        self.goal = text

    def level(self, number: int, line: str) -> Level:
        if not _LINE.fullmatch(line):
            raise LineError("this is no row of numbers", "the tiles row by row, 0 for the gap")
        numbers = _numbers(line)
        rows, columns = self.size if self.size[0] else _square(len(numbers))
        cells = rows * columns
        extra = len(numbers) - cells
        if extra not in (0, 1):
            raise LineError(f"there are {len(numbers)} numbers", f"{cells}, for {rows}×{columns}")
        goal = _order(self.goal, cells)
        if len(goal) != cells:
            raise LineError(f"the goal has {len(goal)} cells", f"{cells}, as the position has")
        called = numbers[0] if extra else number
        return Level(
            number,
            "" if called == number else str(called),
            _drawn(numbers[extra:], columns, "position"),
            goal=_drawn(goal, columns, "goal"),
        )


def read(source: Source, report: Report) -> Collection:
    """The positions of a text; mistakes go to the report."""
    lines = _Lines()
    keys = {"size": lines.set_size, "goal": lines.set_goal}
    return read_lines(source, report, MODEL, lines.level, keys)


def _numbers(line: str) -> list[int]:
    return [int(word) for word in re.split(r"[\s,]+", line)]


def _square(count: int) -> tuple[int, int]:
    """The side of the square board with this many numbers, perhaps after one more number."""
    side = isqrt(count)
    if side * side > len(_DIGITS):
        raise LineError(f"there are {count} numbers", f"at most {len(_DIGITS)} cells")
    return side, side


def _order(goal: str, cells: int) -> list[int]:
    if goal == "first":
        return list(range(cells))
    return [*range(1, cells), 0] if goal == "last" else _numbers(goal)


def _drawn(numbers: list[int], columns: int, what: str) -> tuple[str, ...]:
    """The rows of a drawing. Raises LineError unless each number occurs once."""
    if sorted(numbers) != list(range(len(numbers))) or len(numbers) % columns:
        raise LineError(
            f"the {what} does not have each tile once", "0 and the numbers that follow it"
        )
    text = "".join(_DIGITS[number] for number in numbers)
    return tuple(text[at : at + columns] for at in range(0, len(text), columns))


def write(collection: Collection) -> str:
    """The collection as text that `read` reads back to the same levels."""
    lines, size, goal = head(collection), "", "first"
    for level in collection.levels:
        for_this = f"{len(level.rows)}x{len(level.rows[0])}"
        if for_this != size:
            lines.append(f"Size: {for_this}")
            size = for_this
        wanted = _goal(level)
        if wanted != goal:
            lines.append(f"Goal: {wanted}")
            goal = wanted
        title = f"{level.title} " if level.title.isdecimal() else ""
        lines.append(title + " ".join(map(str, _spelt(level.rows))))
    return "\n".join(lines) + "\n"


def _goal(level: Level) -> str:
    numbers = _spelt(level.goal)
    words = (word for word in ("first", "last") if _order(word, len(numbers)) == numbers)
    return next(words, " ".join(map(str, numbers)))


def _spelt(rows: tuple[str, ...]) -> list[int]:
    return [_DIGITS.index(character) for row in rows for character in row]
