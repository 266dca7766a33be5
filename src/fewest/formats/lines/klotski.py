"""Klotski positions on 4×5 cells, as codes of up to nine hexadecimal digits: `1A9BF0C00 横刀立马`.

The first digit is the upper left cell of the 2×2 piece; cells are counted from 0, row by row. The other digits contain
two bits for each other piece and each empty cell, in the order of their upper left cells: 00 for an empty cell, 01 for
a horizontal piece, 10 for a vertical piece, 11 for a one-cell piece. Trailing zeros may be omitted. The rest of the
line is the title. Source: the code that Dnomd343's klotski and HRD_Database share, `docs/klotski_code.md`.
"""

from __future__ import annotations

import re

from fewest.errors import Report, Source, UsageError
from fewest.formats.collection import Collection, Level
from fewest.formats.lines.text import (
    LineError,
    UnknownCharacterError,
    first_board,
    head,
    read_lines,
)

MODEL = "klotski"
WIDTH, HEIGHT = 4, 5
DIGITS = 9

_LINE = re.compile(r"([0-9A-Fa-f]+)(?:\s+(\S.*))?")
_UNKNOWN = re.compile(r"[^0-9A-Fa-f]")
_LIKE_A_LINE = re.compile(r"[0-9A-Fa-f]{5,9}(\s+\D.*)?")
_LETTERS = "ABDEFGHIJKLMNOPQRST"
_LARGE = "C"  # the letter that the model uses for the 2×2 piece
_SIZES = {0: (1, 1), 1: (1, 2), 2: (2, 1), 3: (1, 1)}  # the rows and columns of each kind of piece


def recognises(text: str) -> bool:
    """Whether the first line of the text, apart from comments and keys, is a code, perhaps with a title."""
    return bool(_LIKE_A_LINE.fullmatch(first_board(text)))


def has_evidence(text: str) -> bool:
    """Whether the first code has all its digits, and some of them are letters. Other numbers rarely look like this."""
    code = first_board(text).split(maxsplit=1)[0]
    return len(code) == DIGITS and not code.isdecimal() and not code.isalpha()


def read(source: Source, report: Report) -> Collection:
    """The positions of a text, each with its mistakes; mistakes outside positions go to the report."""
    return read_lines(source, report, MODEL, _level)


def _level(number: int, line: str) -> Level:
    match = _LINE.fullmatch(line)
    code = line.split(maxsplit=1)[0]
    unknown = list(_UNKNOWN.finditer(code))
    if unknown and 5 <= len(code) <= DIGITS and 3 * len(unknown) <= len(code):
        place = unknown[0].start() + 1
        raise UnknownCharacterError(
            unknown[0][0], "a hexadecimal digit, 0 to 9 or A to F", 1, place
        )
    if match is None or len(match[1]) > DIGITS:
        raise LineError(
            "this is not a Klotski code", f"at most {DIGITS} hexadecimal digits, then a title"
        )
    cells = _decoded(match[1])
    rows = tuple(cells[at : at + WIDTH] for at in range(0, len(cells), WIDTH))
    return Level(number, (match[2] or "").strip(), rows)


def _decoded(code: str) -> str:
    """The cells of a code, row by row. Raises LineError if its pieces do not fit on the board."""
    cells = [""] * (WIDTH * HEIGHT)
    letters = iter(_LETTERS)

    def put(at: int, size: tuple[int, int], letter: str) -> None:
        row, column = divmod(at, WIDTH)
        covered = [(row + r, column + c) for r in range(size[0]) for c in range(size[1])]
        for r, c in covered:
            if r >= HEIGHT or c >= WIDTH or cells[r * WIDTH + c]:
                raise LineError(f"the pieces of `{code}` do not fit", "a position of 4×5 cells")
            cells[r * WIDTH + c] = letter

    put(int(code[0], 16), (2, 2), _LARGE)
    rest = int(code[1:].ljust(DIGITS - 1, "0"), 16)
    for shift in range(4 * (DIGITS - 1) - 2, -1, -2):
        if "" not in cells:
            break
        kind = rest >> shift & 3
        put(cells.index(""), _SIZES[kind], next(letters) if kind else ".")
        rest &= (1 << shift) - 1
    if rest:
        raise LineError(
            f"`{code}` has more pieces than the board can hold", "a position of 4×5 cells"
        )
    return "".join(cells)


def write(collection: Collection) -> str:
    """The collection as text that `read` reads back to the same levels. Raises UsageError if a board is not one of 4×5
    cells with a 2×2 piece.
    """
    lines = [f"{_encoded(''.join(x.rows))} {x.title}".rstrip() for x in collection.levels]
    return "\n".join([*head(collection), *lines]) + "\n"


def _encoded(cells: str) -> str:
    if len(cells) != WIDTH * HEIGHT or cells.count(_LARGE) != 4:
        raise UsageError(f"a Klotski code needs a board of 4×5 cells with a 2×2 piece `{_LARGE}`")
    bits, count = 0, 0
    covered = {at for at, letter in enumerate(cells) if letter == _LARGE}
    for at, letter in enumerate(cells):
        if at in covered:
            continue
        kind = 0
        if letter != ".":
            is_horizontal = at % WIDTH < WIDTH - 1 and cells[at + 1] == letter
            is_vertical = cells[at + WIDTH : at + WIDTH + 1] == letter
            kind = 1 if is_horizontal else 2 if is_vertical else 3
            covered |= {at + 1} if is_horizontal else {at + WIDTH} if is_vertical else set()
        bits, count = bits << 2 | kind, count + 1
    return f"{cells.index(_LARGE):X}{bits << 2 * (4 * (DIGITS - 1) // 2 - count):08X}"
