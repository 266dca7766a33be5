"""Ricochet Robots boards in the text form of DriftingDroids: `!DriftingDroids_game!5A3BF5A6!AAAEj3ja…!`.

Exclamation marks separate three fields. The second field is the CRC-32 of the third field in hexadecimal. The third
field is the base64 encoding of the length of the data, followed by the deflated data. An integer has four bytes, with
the most significant byte first. The data consist of, in this order:

- the version (a byte with the value 0); the width and the height (integers);
- the number of robots (a byte), and the cell of each robot (an integer); cells are counted from 0, row by row;
- four bytes for the four parts that make up the board;
- for each direction (north, east, south, west), a byte for each cell: 1 if there is a wall on this side;
- the number of goals (an integer), and for each goal its cell (an integer), its robot and its shape (bytes);
- the same data for the goal that must be reached, where robot 255 means any robot; a byte: whether the board was drawn
  freely.

Blanks and line breaks between the exclamation marks have no meaning; the last line of text before a board is its title.
Source: DriftingDroids 1.3.10 (Michael Henke), `save` and `load` of its board editor.
"""

from __future__ import annotations

import re
import zlib
from base64 import b64decode, b64encode
from collections.abc import Mapping

from msgspec import Struct

from fewest.errors import Report, Source, SourceLocation, UsageError
from fewest.formats.collection import Collection, Level
from fewest.formats.lines.text import LineError, head

MODEL = "ricochet-robots"
ROBOTS = "RGBYS"  # the letters of the red, green, blue, yellow and silver robot
SIDES = range(3, 101)
MAX_SIZE = 4096  # the maximum number of cells of a board

_BOARD = re.compile(r"!\s*DriftingDroids_game\s*!([^!]*)!([^!]*)!")
_NORTH, _EAST, _SOUTH, _WEST = range(4)
_ANY = 255
_WHOLE = "a board as DriftingDroids saved it"
_KEY = re.compile(r"(collection|author)\s*:\s*(.*)", re.IGNORECASE)


class _Board(Struct):
    """The data of one board: its walls (`walls[direction][cell]`), the cell of each robot, the cell that must be
    reached (`target`), and the index of the robot that must reach it (-1: any robot).
    """

    height: int
    width: int
    walls: list[list[bool]]
    robots: list[int]
    target: int
    robot: int


def recognises(text: str) -> bool:
    """Whether a text contains a DriftingDroids board."""
    return _BOARD.search(text) is not None


def read(source: Source, report: Report) -> Collection:
    """The boards in a text; each board has its own mistakes."""
    levels: list[Level] = []
    found = list(_BOARD.finditer(source.text))
    ends = [0, *(match.end() for match in found)]
    whole: dict[str, str] = {}
    for number, (match, before) in enumerate(zip(found, ends, strict=False), 1):
        line = source.text.count("\n", 0, match.start()) + 1
        title = ""
        for text in map(str.strip, source.text[before : match.start()].split("\n")):
            if key := _KEY.fullmatch(text):
                whole.setdefault(key[1].lower(), key[2])
            elif text and not text.startswith(("#", ";")):
                title = text
        try:
            levels.append(_level(number, title, line, _parsed(match[1], match[2])))
        except LineError as error:
            mistakes = Report()
            location = SourceLocation(source, line, 1, max(1, len(source.line(line))))
            mistakes.error("level-line", location, error.message, expected=error.expected)
            levels.append(Level(number, title, (), line=line, mistakes=mistakes.diagnostics))
    until = found[0].start() if found else 0
    comments = (text for text in source.text[:until].split("\n") if text.startswith(("#", ";")))
    notes = " ".join(text.lstrip("#; ") for text in comments)
    name = source.name.rpartition("/")[2]
    title, author = whole.get("collection", ""), whole.get("author", "")
    return Collection(name, MODEL, tuple(levels), title, author, notes)


def _parsed(check: str, packed: str) -> _Board:
    """The board that a checksum and packed data describe. Raises LineError."""
    check, packed = "".join(check.split()), "".join(packed.split())
    try:
        is_right = int(check, 16) == zlib.crc32(packed.encode())
        raw = b64decode(packed, validate=True)
        length = int.from_bytes(raw[:4], "big")
        limit = 4 * MAX_SIZE + 10_000
        data = zlib.decompressobj().decompress(raw[4:], limit)
    except (ValueError, zlib.error) as error:
        raise LineError("this text is incomplete", _WHOLE) from error
    if not is_right or len(data) != length:
        raise LineError("the checksum or the length of this text is wrong", _WHOLE)
    return _board(_Data(data))


class _Data:
    """Reads bytes and integers one after another."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def take(self, count: int) -> bytes:
        """The next bytes. Raises LineError if there are too few bytes."""
        part = self.data[self.at : self.at + count]
        if len(part) != count:
            raise LineError("the data end too early", _WHOLE)
        self.at += count
        return part

    def integer(self) -> int:
        """The next four bytes, as a signed integer."""
        return int.from_bytes(self.take(4), "big", signed=True)


def _board(data: _Data) -> _Board:
    version = data.take(1)[0]
    if version != 0:
        raise LineError(f"version {version} of the data is not supported", "version 0")
    width, height = data.integer(), data.integer()
    if width not in SIDES or height not in SIDES or width * height > MAX_SIZE:
        raise LineError(
            f"the board has {height}×{width} cells",
            f"3 to 100 rows and columns, and at most {MAX_SIZE:,} cells",
        )
    size = width * height
    robots = [data.integer() for _ in range(data.take(1)[0])]
    data.take(4)  # skips the four parts of the board
    walls = [[bool(byte) for byte in data.take(size)] for _ in range(4)]
    for _ in range(data.integer()):
        data.take(6)  # skips the goals of other rounds
    target, robot = data.integer(), data.take(1)[0]
    is_on_board = all(cell in range(size) for cell in robots)
    if not 1 <= len(robots) <= len(ROBOTS) or len({*robots}) < len(robots) or not is_on_board:
        raise LineError(
            "the number or the places of the robots are wrong",
            "one to five robots, each in its own cell of the board",
        )
    if target not in range(size) or (robot != _ANY and robot >= len(robots)):
        raise LineError("there is no goal", "a robot and the cell that it has to reach")
    return _Board(height, width, walls, robots, target, -1 if robot == _ANY else robot)


def _level(number: int, title: str, line: int, board: _Board) -> Level:
    at = divmod(board.target, board.width)
    goals = [
        {ROBOTS[robot]: {"at": list(at)}}
        for robot in range(len(board.robots))
        if board.robot in (-1, robot)
    ]
    keys: Mapping[str, object] = {
        "legend": {" ": "floor"},
        "edges": "drawn",
        "goal": goals[0] if len(goals) == 1 else {"any": goals},
    }
    return Level(number, title, _drawn(board), line=line, keys=keys)


def _drawn(board: _Board) -> tuple[str, ...]:
    """The cells, with the lines around and between them. A wall that blocks only one direction is a one-way door."""
    height, width, walls = board.height, board.width, board.walls
    marks = {board.target: "*", **dict(zip(board.robots, ROBOTS, strict=False))}
    rows: list[str] = []
    for row in range(height + 1):
        line = "+"
        for column in range(width):
            above, below = (row - 1) * width + column, row * width + column
            is_edge = row in (0, height)
            down, up = (True, True) if is_edge else (walls[_SOUTH][above], walls[_NORTH][below])
            line += ("-" if up else "^") if down else ("v" if up else " ")
            line += "+"
        rows.append(line)
        if row == height:
            break
        line = "|"
        for column in range(width):
            cell = row * width + column
            is_edge = column == width - 1
            right, left = (True, True) if is_edge else (walls[_EAST][cell], walls[_WEST][cell + 1])
            line += marks.get(cell, " ")
            line += ("|" if left else "<") if right else (">" if left else " ")
        rows.append(line)
    return tuple(rows)


def write(collection: Collection) -> str:
    """The collection as text that `read` reads back to the same levels. Raises UsageError if the format cannot express
    the puzzle.
    """
    lines = head(collection)
    for level in collection.levels:
        lines += ["", *([level.title] if level.title else []), _packed(_board_of(level))]
    return "\n".join(lines) + "\n"


def _board_of(level: Level) -> _Board:
    if level.keys.get("edges") != "drawn":
        raise UsageError(
            "a board without lines between its cells cannot become a DriftingDroids board",
            hint="draw it with `edges: drawn`",
        )
    height, width = len(level.rows) // 2, len(level.rows[0]) // 2
    walls = [[False] * (height * width) for _ in range(4)]
    cells: dict[str, int] = {}
    for row in range(height):
        for column in range(width):
            cell = row * width + column
            y, x = 2 * row + 1, 2 * column + 1
            cells[level.rows[y][x]] = cell
            walls[_NORTH][cell] = level.rows[y - 1][x] in "-v"
            walls[_SOUTH][cell] = level.rows[y + 1][x] in "-^"
            walls[_WEST][cell] = level.rows[y][x - 1] in "|>"
            walls[_EAST][cell] = level.rows[y][x + 1] in "|<"
    robots = [cells[robot] for robot in ROBOTS if robot in cells]
    goal = level.keys["goal"]
    assert isinstance(goal, Mapping)
    is_any = "any" in goal
    ((robot, place),) = (goal["any"][0] if is_any else goal).items()
    row, column = place["at"]
    return _Board(
        height, width, walls, robots, row * width + column, -1 if is_any else ROBOTS.index(robot)
    )


def _packed(board: _Board) -> str:
    def integers(*values: int) -> bytes:
        return b"".join(value.to_bytes(4, "big", signed=True) for value in values)

    goal = integers(board.target) + bytes([board.robot % 256, 0])
    data = b"".join(
        [
            bytes(1),
            integers(board.width, board.height),
            bytes([len(board.robots)]),
            integers(*board.robots),
            bytes(4),
            *map(bytes, board.walls),
            integers(1),
            goal,
            goal,
            bytes([1]),
        ]
    )
    packed = b64encode(integers(len(data)) + zlib.compress(data, 9)).decode()
    return f"!DriftingDroids_game!{zlib.crc32(packed.encode()):08X}!{packed}!"
