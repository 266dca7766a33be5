"""Sliding-tile positions as numbers, row by row, with 0 for the gap: `14 13 15 7 11 12 9 5 6 0 2 1 4 8 10 3`.

Boards are square, unless a line such as `Size: 2x3` (rows, columns) gives another size. An extra number at the
beginning is the number of the position. A board may also be drawn with each row on a separate line; a line above it,
such as `4 4` (rows, columns) or `4`, may give its size. `Goal: first` means that all tiles are in order and the gap is
first, as in Korf's list; `Goal: last` puts the gap last, and a list such as `Goal: 1 2 3 8 0 4 7 6 5` gives any other
goal. Both keys apply to the lines that follow. Without `Goal`, the gap is first, unless the position can reach only the
goal with the gap last. Source: Richard E. Korf, Depth-first iterative-deepening, Artificial Intelligence 27, 1985,
table 1.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import dropwhile, takewhile
from math import isqrt

from msgspec import Struct

from fewest.errors import Report, Source, UsageError
from fewest.formats.collection import Collection, Level
from fewest.formats.lines.text import (
    LineError,
    UnknownCharacterError,
    first_board,
    first_rows,
    head,
    is_key,
    read_lines,
)
from fewest.model.answer import counted

MODEL = "tiles"

_LINE = re.compile(r"\d{1,9}(?:[\s,]+\d{1,9}){3,}")
_ROW = re.compile(r"\d{1,2}(?:[\s,]+\d{1,2})+")
_SIZE = re.compile(r"(\d{1,2})\s*[x×]\s*(\d{1,2})")
_SIZE_LINE = re.compile(r"(\d{1,2})(?:(?:\s*[x×]\s*|\s+)(\d{1,2}))?")
_UNKNOWN = re.compile(r"[^\d\s,]")
_DIGITS = "_123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_EXPECTED = "the tiles row by row, 0 for the gap"


def recognises(text: str) -> bool:
    """Whether the first line, apart from comments and keys, consists of numbers, or the first lines draw a board
    (perhaps one that contradicts its size).
    """
    rows = first_rows(text)
    is_drawn = _drawing(rows) is not None or _misdrawn(rows) is not None
    return is_drawn or bool(_LINE.fullmatch(first_board(text)))


def has_evidence(text: str) -> bool:
    """Whether the first board contains most of its tiles and the gap, or characters that may be mistakes. Other lists
    of numbers rarely do.
    """
    lines = list(dropwhile(is_key, first_rows(text))) or [first_board(text)]
    board = lines[: _height(lines)]
    if len(board) > 1 and _SIZE_LINE.fullmatch(board[0]):
        board = board[1:]
    rows = [_words(line) for line in board]
    words = [word for row in rows for word in row]
    unknown = [word for word in words if not word.isdecimal()]
    is_header = any(len(word) > 1 and word.isalpha() for word in unknown) or not all(
        any(map(str.isdecimal, row)) for row in rows
    )
    side = isqrt(len(words))
    has_number = len(board) == 1 and len(words) - side * side == 1
    cells = len(words) - has_number
    tiles = {int(word) for word in words[has_number:] if word.isdecimal()} & {*range(cells)}
    # a line that gives another size is evidence too
    has_gap = 0 in tiles or bool(unknown) or _misdrawn(lines) is not None
    return not is_header and has_gap and 4 * len(tiles) >= 3 * cells


class _Drawing(Struct, frozen=True):
    """A board that takes several lines: the number of its lines (including a line that gives its size), the number of
    its columns, and the numbers on the board, row by row.
    """

    num_lines: int
    num_columns: int
    numbers: list[int]


def _drawing(lines: Sequence[str]) -> _Drawing | None:
    """The board that the first lines draw, with or without a line for its size; None if they draw no board, or if the
    first line is a whole board.
    """
    if not lines:
        return None
    size = _SIZE_LINE.fullmatch(lines[0])
    if size:
        height, width = int(size[1]), int(size[2] or size[1])
        rows = lines[1 : 1 + height]
        is_drawn = len(rows) == height and all(map(_ROW.fullmatch, rows))
        if is_drawn and all(len(_numbers(row)) == width for row in rows):
            return _Drawing(1 + height, width, [n for row in rows for n in _numbers(row)])
        if len(lines) > 1 and _LINE.fullmatch(lines[1]) and height * width >= 4:
            numbers = _numbers(lines[1])
            if len(numbers) == height * width:
                return _Drawing(2, width, numbers)
    if not _ROW.fullmatch(lines[0]):
        return None
    width = len(_numbers(lines[0]))
    if _is_complete(_numbers(lines[0])):
        return None  # this board takes only one line
    found: list[int] = []
    drawing = None
    rows = list(takewhile(lambda row: _ROW.fullmatch(row) and len(_numbers(row)) == width, lines))
    for count, row in enumerate(rows, 1):
        found += _numbers(row)
        if count > 1 and _is_complete(found):
            drawing = _Drawing(count, width, list(found))
    return drawing


def _misdrawn(lines: Sequence[str]) -> tuple[int, LineError] | None:
    """If the lines begin with a drawing that contradicts the size in its first line, or that contains a character
    without meaning, the number of lines of this drawing, and the mistake; otherwise None.
    """
    if not lines or _drawing(lines) is not None:
        return None
    size = _SIZE_LINE.fullmatch(lines[0])
    if size is None:
        return _drawing_with_unknown(lines)
    height, width = int(size[1]), int(size[2] or size[1])
    rows = list(takewhile(_ROW.fullmatch, lines[1:]))
    drawn = lines[1 : 1 + height]
    if rows and len(rows) < len(drawn) == height:
        unknown = _UNKNOWN.search(drawn[len(rows)])
        if unknown and all(len(_words(row)) == width for row in drawn):
            place = 2 + len(rows), unknown.start() + 1
            return 1 + height, UnknownCharacterError(unknown[0], _EXPECTED, *place)
    if len(rows) < 2:
        return None
    for number, row in enumerate(rows[:height], 1):
        found = len(_numbers(row))
        if found != width:
            expected = f"{width}, because of the size in the first line"
            error = LineError(f"row {number} has {counted(found, 'numbers')}", expected, 1 + number)
            return 1 + len(rows), error
    expected = f"{height}, because of the size in the first line"
    return 1 + len(rows), LineError(f"the board has {counted(len(rows), 'rows')}", expected)


def _drawing_with_unknown(lines: Sequence[str]) -> tuple[int, LineError] | None:
    """The number of lines of a drawing, and the mistake at the first character without meaning.

    The result is None if the lines up to the next blank line do not draw a single board without a line for its size, or
    if all characters have a meaning.
    """
    words = [_words(line) for line in lines]
    width, cells = len(words[0]), sum(map(len, words))
    unknown = next(((at, s) for at, line in enumerate(lines) if (s := _UNKNOWN.search(line))), None)
    if unknown is None or width < 2 or len(lines) < 2 or not 4 <= cells <= len(_DIGITS):
        return None
    tiles = [int(word) for row in words for word in row if word.isdecimal()]
    is_board = (
        all(len(row) == width for row in words)
        and len({*tiles}) == len(tiles)
        and 2 * len(tiles) > cells
        and max(tiles) < cells
    )
    # lines that are whole boards do not draw one board together
    if not is_board or any(_is_complete(_numbers(line)) for line in lines if _LINE.fullmatch(line)):
        return None
    at, found = unknown
    return len(lines), UnknownCharacterError(found[0], _EXPECTED, at + 1, found.start() + 1)


def _is_complete(numbers: list[int]) -> bool:
    return sorted(numbers) == list(range(len(numbers)))


def _height(lines: Sequence[str]) -> int:
    drawing = _drawing(lines)
    if drawing is not None:
        return drawing.num_lines
    misdrawn = _misdrawn(lines)
    return 1 if misdrawn is None else misdrawn[0]


class _Lines(Struct):
    """The values of the keys above a line: rows and columns (0 for a square), and the goal as the text gives it (empty:
    no goal).
    """

    size: tuple[int, int] = (0, 0)
    goal: str = ""

    def set_size(self, text: str) -> None:
        match = _SIZE.fullmatch(text)
        if match is None or not 4 <= int(match[1]) * int(match[2]) <= len(_DIGITS):
            expected = f"ROWSxCOLUMNS, with 4 to {len(_DIGITS)} cells"
            raise LineError("this is not a board size", expected)
        self.size = int(match[1]), int(match[2])

    def set_goal(self, text: str) -> None:
        if text not in ("first", "last") and not _LINE.fullmatch(text):
            raise LineError("this is not a goal", "first or last (where the gap is), or numbers")
        self.goal = text

    def level(self, number: int, text: str) -> Level:
        lines = text.split("\n")
        drawing = _drawing(lines)
        called = number
        if drawing is not None:
            numbers, columns = drawing.numbers, drawing.num_columns
            cells = len(numbers)
            if not 4 <= cells <= len(_DIGITS):
                raise LineError(
                    f"the board has {counted(cells, 'numbers')}", f"4 to {len(_DIGITS)} cells"
                )
        else:
            misdrawn = _misdrawn(lines)
            if misdrawn is not None:
                raise misdrawn[1]
            unknown = _UNKNOWN.search(text)
            words = _words(text)
            if unknown and len(words) >= 4 and 2 * sum(map(str.isdecimal, words)) > len(words):
                raise UnknownCharacterError(unknown[0], _EXPECTED, 1, unknown.start() + 1)
            if not _LINE.fullmatch(text):
                raise LineError("this is not a row of numbers", _EXPECTED)
            numbers = _numbers(text)
            rows, columns = self.size if self.size[0] else _square(len(numbers))
            cells = rows * columns
            extra = len(numbers) - cells
            if extra not in (0, 1):
                raise LineError(
                    f"this line has {counted(len(numbers), 'numbers')}",
                    f"{cells}, for {rows}×{columns}",
                )
            called = numbers[0] if extra else number
            numbers = numbers[extra:]
        drawn = _drawn(numbers, columns, "position")
        reachable = _reachable_goals(numbers, columns)
        word = self.goal or (reachable or ["first"])[0]
        goal = _order(word, cells)
        if len(goal) != cells:
            raise LineError(
                f"the goal has {counted(len(goal), 'cells')}", f"{cells}, as in the position"
            )
        remark = ""
        if not self.goal and reachable == ["last"]:
            remark = "the gap is last in the goal, because it cannot be first"
        elif not self.goal and len(reachable) > 1:
            remark = (
                "the gap is first in the goal; the line `Goal: last` above the tiles puts it last"
            )
        return Level(
            number,
            "" if called == number else str(called),
            drawn,
            goal=_drawn(goal, columns, "goal"),
            remark=remark,
        )


def read(source: Source, report: Report) -> Collection:
    """The positions of a text, each with its mistakes; mistakes outside positions go to the report."""
    lines = _Lines()
    keys = {"size": lines.set_size, "goal": lines.set_goal}
    return read_lines(source, report, MODEL, lines.level, keys, height=_height)


def _reachable_goals(numbers: list[int], columns: int) -> list[str]:
    """Which of the orders with the gap `first` and `last` the position can reach; on a board with a single row or
    column, only `first`.

    Every move exchanges the gap with a tile, and takes the gap to a cell of the other colour, if the cells are coloured
    as on a chessboard. Therefore, if one position can be reached from another, the parity of the permutation between
    them equals the parity of the distance between the two gaps.
    """

    def reaches(word: str) -> bool:
        goal = _order(word, len(numbers))
        place = {tile: at for at, tile in enumerate(goal)}
        permutation = [place[tile] for tile in numbers]
        seen, parity = set[int](), 0
        for at in range(len(permutation)):
            length = 0
            while at not in seen:
                seen.add(at)
                at = permutation[at]
                length += 1
            parity += max(0, length - 1)
        (row, column), (to_row, to_column) = (
            divmod(order.index(0), columns) for order in (numbers, goal)
        )
        return (parity + abs(row - to_row) + abs(column - to_column)) % 2 == 0

    is_plane = 1 < columns < len(numbers)
    return [word for word in ("first", "last") if reaches(word)] if is_plane else ["first"]


def _numbers(line: str) -> list[int]:
    return [int(word) for word in _words(line)]


def _words(line: str) -> list[str]:
    return re.split(r"[\s,]+", line)


def _square(count: int) -> tuple[int, int]:
    """The rows and columns of the largest square board with at most `count` cells. Raises LineError if the board is too
    large.
    """
    side = isqrt(count)
    if side * side > len(_DIGITS):
        raise LineError(f"this line has {count} numbers", f"at most {len(_DIGITS)} cells")
    return side, side


def _order(goal: str, cells: int) -> list[int]:
    if goal == "first":
        return list(range(cells))
    return [*range(1, cells), 0] if goal == "last" else _numbers(goal)


def _drawn(numbers: list[int], columns: int, what: str) -> tuple[str, ...]:
    """The rows of a drawing. Raises LineError unless each number occurs once."""
    if sorted(numbers) != list(range(len(numbers))) or len(numbers) % columns:
        raise LineError(
            f"the {what} does not contain each tile exactly once",
            f"each number from 0 to {len(numbers) - 1} once",
        )
    text = "".join(_DIGITS[number] for number in numbers)
    return tuple(text[at : at + columns] for at in range(0, len(text), columns))


def write(collection: Collection) -> str:
    """The collection as text that `read` reads back to the same levels. Raises UsageError for a board with walls."""
    lines, size, goal = head(collection), "", ""
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
    """The numbers of a drawing, row by row. Raises UsageError for a character that is neither a tile nor the gap."""
    unknown = next((one for row in rows for one in row if one not in _DIGITS), None)
    if unknown is not None:
        raise UsageError(f"`{unknown}` cannot be written as the number of a tile")
    return [_DIGITS.index(character) for row in rows for character in row]
